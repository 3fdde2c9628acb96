//! Repairs the damaged sessions of a review and resumes them with the real CLI.
//!
//! `tests/it/review.rs` tests the findings and the changed lines, with the same rows. Here every
//! resumable session is resumed: those that were repaired, and those that needed no repair.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use claw_transcript::{RepairPlan, RepairTarget};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::resume::{OtherFile, ask, put, read_files};

/// The number of CLIs that run at once.
const AT_ONCE: usize = 2;

/// The expectations for one session; the other members are for the tests.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    name: String,
    outcome: String,
    resumes: bool,
}

#[derive(Debug, Deserialize)]
struct Expected {
    damaged: Vec<Row>,
}

pub(crate) async fn figure() -> Result<Figure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("testdata/sessions/review");
    let text = std::fs::read_to_string(folder.join("expected.json"))?;
    let Expected { damaged } = serde_json::from_str(&text)?;
    let permits = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for row in damaged.into_iter().filter(|row| row.resumes) {
        let permits = Arc::clone(&permits);
        let folder = folder.join("damaged").join(&row.name);
        running.spawn(async move {
            let _permit = permits.acquire().await;
            let resumed = resume(&folder, &row).await;
            (row, resumed)
        });
    }
    let (mut repaired, mut whole, mut wrong) = (0, 0, Vec::new());
    for (row, resumed) in running.join_all().await {
        match resumed {
            Ok(faults) if faults.is_empty() && row.outcome == "repaired" => repaired += 1,
            Ok(faults) if faults.is_empty() => whole += 1,
            Ok(faults) => wrong.push(format!("{}: {}", row.name, faults.join("; "))),
            Err(error) => wrong.push(format!("{}: {error:#}", row.name)),
        }
    }
    wrong.sort();
    let all = repaired + whole + wrong.len();
    Ok(Figure::new(
        "damaged sessions of the review, repaired and resumed by the real CLI",
        "all that were repaired",
    )
    .measured(
        format!(
            "{} of {all} ({repaired} repaired, {whole} that need no repair)",
            repaired + whole
        ),
        wrong.is_empty() && repaired > 0,
    )
    .note(
        "resumed: the CLI ends well, what it sends is what the API takes, and the conversation \
         is in it: at least a prompt and a reply before the new prompt",
    )
    .list("wrong", wrong))
}

/// Copies a session into a fresh config folder, repairs it if expected, and resumes it. Returns the
/// faults.
async fn resume(folder: &Path, row: &Row) -> Result<Vec<String>> {
    let world = World::new().await?;
    let mut files = read_files(folder)?;
    let is_main = |(inside, _): &OtherFile| inside.parent() == Some(Path::new(""));
    let main = files.iter().position(is_main).context("no main file")?;
    let (main, bytes) = files.swap_remove(main);
    let mut id = main.with_extension("").display().to_string();
    let path = put(&world, &id, &bytes, &files)?;
    if row.outcome == "repaired" {
        let plan = RepairPlan::of_file(&path)?;
        id = plan.apply(&RepairTarget::NewSession)?.session_id;
    }
    let (messages, mut faults) = ask(&world, &id).await?;
    // Before the new prompt there are at least a prompt and a reply.
    if messages.len() < 3 && row.name != "other" {
        faults.push(format!("only {} messages are sent", messages.len()));
    }
    Ok(faults)
}
