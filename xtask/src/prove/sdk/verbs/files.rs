//! Files put back, and files that the model is said to know.

use std::time::Duration;

use anyhow::{Result, ensure};
use claw_testkit::Turn;
use rusty_claw::permission::PermissionMode;
use serde_json::json;

use super::ledger::Ledger;
use crate::cli_package::CliPackage;
use crate::prove::sdk::World;
use crate::prove::sdk::stage::{Stage, call};

pub(super) async fn run(cli: &CliPackage, ledger: &mut Ledger) -> Result<()> {
    let world = World::new(cli).await?;
    let seeded = world.project().join("seeded.txt");
    let stranger = world.project().join("stranger.txt");
    for file in [&seeded, &stranger] {
        std::fs::write(file, "before\n")?;
    }
    let options = world
        .options()
        .permission_mode(PermissionMode::AcceptEdits)
        .enable_file_checkpointing(true);
    let stage = Stage::start(world, options).await?;
    let session = &stage.session;
    ledger
        .enter("seed_read_state", async {
            let modified = std::fs::metadata(&seeded)?.modified()?;
            session
                .seed_read_state(seeded.to_string_lossy(), modified)
                .await?;
            // So that the time of the change is another millisecond.
            tokio::time::sleep(Duration::from_millis(50)).await;
            for file in [&seeded, &stranger] {
                std::fs::write(file, "changed meanwhile\n")?;
            }
            stage.world.api.turn(Turn::text("I see."));
            let _ = stage.ask("what is new?").await?;
            let asked = stage.last_asked();
            ensure!(
                asked.contains("seeded.txt"),
                "the model is not told of the change"
            );
            ensure!(
                !asked.contains("stranger.txt"),
                "the model is told of a file it does not know"
            );
            Ok(
                "the model is told that the seeded file changed, and not of another that did"
                    .to_owned(),
            )
        })
        .await;
    ledger
        .enter("rewind_files", async {
            let made = stage.world.project().join("made.txt");
            std::fs::write(&stranger, "before\n")?;
            let edit =
                json!({"file_path": stranger, "old_string": "before", "new_string": "after"});
            stage
                .world
                .api
                .turn(call(
                    "w1",
                    "Write",
                    json!({"file_path": made, "content": "new"}),
                ))
                .turn(call("r1", "Read", json!({"file_path": stranger})))
                .turn(call("e1", "Edit", edit))
                .turn(Turn::text("Done."));
            let turn = session.send("write and edit").await?;
            let id = turn.id().to_owned();
            let outcome = turn.outcome().await;
            let content = || std::fs::read_to_string(&stranger);
            ensure!(
                made.exists() && content()? == "after\n",
                "nothing was done: {outcome}"
            );
            let plan = session.rewind_files_dry_run(&id).await?;
            let files = plan.files_changed.clone().unwrap_or_default();
            ensure!(plan.can_rewind && files.len() == 2, "{plan:?}");
            ensure!(made.exists(), "the dry run removed a file");
            let done = session.rewind_files(&id).await?;
            ensure!(done.can_rewind, "{done:?}");
            ensure!(!made.exists(), "the new file is still there");
            ensure!(content()? == "before\n", "the edit is still there");
            Ok(
                "a dry run names two files; then the new one is gone and the edited one as before"
                    .to_owned(),
            )
        })
        .await;
    stage.end().await;
    Ok(())
}
