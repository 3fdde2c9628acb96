//! Repairs the damaged sessions of a review and resumes them with the real CLI.
//!
//! The findings and the changed lines are tested in `claw-transcript`, with the same rows. Here
//! every resumable session is resumed: those that were repaired, and those that needed no repair.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use claw_transcript::{RepairPlan, RepairTarget};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::Inputs;
use super::repair::sessions::{Beside, gather};
use super::repair::{ask, put};
use crate::cli_package::{self, CliPackage, workspace_root};
use crate::prove::figure::Figure;
use crate::prove::sdk::World;

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

#[tokio::main(worker_threads = 2)]
pub(super) async fn measure(_: &Inputs) -> Result<Vec<Figure>> {
    let cli = cli_package::ensure()?;
    Ok(vec![figure(&cli).await?])
}

async fn figure(cli: &CliPackage) -> Result<Figure> {
    let folder = workspace_root().join("testdata/sessions/review");
    let text = std::fs::read_to_string(folder.join("expected.json"))?;
    let Expected { damaged } = serde_json::from_str(&text)?;
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for row in damaged.into_iter().filter(|row| row.resumes) {
        let (cli, places) = (cli.clone(), Arc::clone(&places));
        let folder = folder.join("damaged").join(&row.name);
        running.spawn(async move {
            let _place = places.acquire().await;
            let resumed = resume(&cli, &folder, &row).await;
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

/// Copies a session into a fresh config folder, repairs it if expected, and resumes it. Returns
/// what is wrong.
async fn resume(cli: &CliPackage, folder: &Path, row: &Row) -> Result<Vec<String>> {
    let world = World::new(cli).await?;
    let mut files = Vec::new();
    gather(folder, folder, &mut files)?;
    let is_main = |(inside, _): &Beside| inside.parent() == Some(Path::new(""));
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
