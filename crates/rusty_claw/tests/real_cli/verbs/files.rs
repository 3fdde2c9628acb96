//! Restored files, and files that the model has read.

use std::fs;

use anyhow::{Result, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::call;
use rusty_claw::permission::PermissionMode;
use serde_json::json;

use super::{Verbs, verb};
use crate::stage::{Stage, done, pause};

pub(super) async fn run(verbs: &mut Verbs) -> Result<()> {
    let stage = Stage::open([], |options| {
        options
            .permission_mode(PermissionMode::AcceptEdits)
            .enable_file_checkpointing(true)
    })
    .await?;
    let (session, api) = (&stage.session, &stage.world.api);
    let file = |name| stage.world.project().join(name);
    let (seeded, stranger) = (file("seeded.txt"), file("stranger.txt"));
    let write_both = |text| fs::write(&seeded, text).and_then(|()| fs::write(&stranger, text));
    write_both("before\n")?;
    verb(verbs, "seed_read_state", async {
        let modified = fs::metadata(&seeded)?.modified()?;
        let path = seeded.to_string_lossy();
        session.seed_read_state(path, modified).await?;
        // So that the modification time differs by a millisecond.
        pause(50).await;
        write_both("changed meanwhile\n")?;
        api.turn(Turn::text("I see."));
        let _ = stage.ask("what is new?").await?;
        let request = stage.world.last_request();
        ensure!(request.contains("seeded.txt"), "the change is not named");
        ensure!(!request.contains("stranger.txt"), "the other one is named");
        Ok("the model learns that the seeded file changed, and not that another did")
    })
    .await;
    verb(verbs, "rewind_files", async {
        let made = file("made.txt");
        fs::write(&stranger, "before\n")?;
        let edit = json!({"file_path": stranger, "old_string": "before", "new_string": "after"});
        let write = json!({"file_path": made, "content": "new"});
        api.turn(call("w1", "Write", write))
            .turn(call("r1", "Read", json!({"file_path": stranger})))
            .turn(call("e1", "Edit", edit))
            .turn(done());
        let turn = session.send("write and edit").await?;
        let id = turn.id().to_owned();
        let outcome = turn.outcome().await;
        let content = || fs::read_to_string(&stranger);
        let is_done = made.exists() && content()? == "after\n";
        ensure!(is_done, "nothing was done: {outcome}");
        let plan = session.rewind_files_dry_run(&id).await?;
        let files = plan.files_changed.as_ref().map_or(0, Vec::len);
        ensure!(plan.can_rewind && files == 2, "{plan:?}");
        ensure!(made.exists(), "the dry run removed a file");
        let rewound = session.rewind_files(&id).await?;
        ensure!(rewound.can_rewind, "{rewound:?}");
        ensure!(!made.exists(), "the new file is still there");
        ensure!(content()? == "before\n", "the edit is still there");
        Ok("a dry run names two files; then the new one is gone and the edited one as before")
    })
    .await;
    stage.end().await;
    Ok(())
}
