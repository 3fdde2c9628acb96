//! A permission that waits for a week, while its session file is deleted.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::Variants;

use crate::LIMIT;
use crate::parked::{CALL, Case, Decision};
use crate::serving::Stage;

/// Shifts the clock of a process.
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const WEEK: Duration = Duration::from_secs(7 * 86_400);

pub(crate) async fn figure(rounds: usize) -> Figure {
    let mut variants = Variants::new().limit(LIMIT);
    let is_shifted = Path::new(FAKETIME).exists();
    for number in 0..2 * rounds {
        let decision = [Decision::Allow, Decision::Deny][number % 2];
        variants = variants.add(format!("{decision:?}"), async move {
            let mut stage = Stage::new().await?;
            let case = Case::permission(decision, number);
            let ran = run(&mut stage, case, number, is_shifted).await;
            stage.explain(ran)
        });
    }
    let name = "a permission waiting one simulated week, session file deleted meanwhile";
    let figure = variants
        .figure(name, "0 processes, then allow and deny both work")
        .await;
    figure.note(match is_shifted {
        true => {
            "Simulated: the wall clock of the restarted gateway and of its holders is a week ahead \
             (libfaketime). Nothing runs during that week. Interactions expire after 8 days."
        }
        false => {
            "Simulated: no time passes, because libfaketime is not installed. Interactions expire \
             after 8 days."
        }
    })
}

async fn run(stage: &mut Stage, case: Case, number: usize, is_shifted: bool) -> Result<String> {
    stage
        .world
        .api
        .turn(case.asking(stage))
        .turn(Turn::text("Done."));
    stage.set("CLAW_INTERACTION_TIMEOUT", "8d");
    stage.serve()?;
    let session = stage.begin(|_| {}).await?;
    let asked = stage.asked(session, 1).await?.remove(0);
    stage.mirrored(session, &[CALL]).await?;
    stage.kill_all(number).await?;
    // The gateway parks the call in the file, and is then stopped for a week.
    stage.serve()?;
    stage.sleeps(session).await?;
    stage.kill_gateway()?;
    let file = stage.session_files().pop().context("no session file")?;
    std::fs::remove_dir_all(file.parent().context("no folder")?)?;
    if is_shifted {
        stage.set("LD_PRELOAD", FAKETIME);
        stage.set("FAKETIME", "+7d");
        stage.set("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        stage.set("NO_FAKE_STAT", "1");
    }
    stage.serve()?;
    stage.sleeps(session).await?;
    case.is_answered(stage, &asked).await?;
    if is_shifted {
        let events = stage.done(session, 1).await?;
        let times = (events.first(), events.last());
        let passed = times.1.context("no events")?.at_ms - times.0.context("no events")?.at_ms;
        ensure!(passed >= WEEK.as_millis() as i64, "{passed} ms have passed");
    }
    stage.end(session).await?;
    Ok("no process, then the right effect".to_owned())
}
