//! Repairs the damaged sessions of a review and resumes them with the real CLI.
//!
//! The findings and the changed lines are tested in `claw-transcript`, with the same rows. Here
//! every resumable session is resumed: those that were repaired, and those that needed no repair.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use claw_transcript::{RepairPlan, RepairTarget, SessionFile};
use serde::Deserialize;
use tokio::task::JoinSet;

use super::Inputs;
use super::repair::ask;
use super::repair::sessions::{gather, project_folder};
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

pub(super) fn measure(_: &Inputs) -> Result<Vec<Figure>> {
    let cli = cli_package::ensure()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    Ok(vec![runtime.block_on(figure(&cli))?])
}

async fn figure(cli: &CliPackage) -> Result<Figure> {
    let folder = workspace_root().join("testdata/sessions/review");
    let text = std::fs::read_to_string(folder.join("expected.json"))?;
    let Expected { damaged } = serde_json::from_str(&text)?;
    let mut rows = damaged.into_iter().filter(|row| row.resumes);
    let mut running = JoinSet::new();
    let (mut repaired, mut whole, mut wrong) = (0, 0, Vec::new());
    loop {
        while running.len() < AT_ONCE
            && let Some(row) = rows.next()
        {
            let (cli, folder) = (cli.clone(), folder.join("damaged").join(&row.name));
            running.spawn(async move {
                let resumed = resume(&cli, &folder, &row).await;
                (row, resumed)
            });
        }
        let Some(done) = running.join_next().await else {
            break;
        };
        let (row, resumed) = done?;
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
    let project = project_folder(&world);
    let mut files = Vec::new();
    gather(folder, folder, &mut files)?;
    ensure!(!files.is_empty(), "{} is empty", folder.display());
    for (inside, bytes) in &files {
        let path = project.join(inside);
        std::fs::create_dir_all(path.parent().unwrap_or(&project))?;
        std::fs::write(path, bytes)?;
    }
    let is_main = |path: &&PathBuf| path.parent() == Some(Path::new(""));
    let main = files.iter().map(|(inside, _)| inside).find(is_main);
    let path = project.join(main.context("no main file")?);
    let id = if row.outcome == "repaired" {
        RepairPlan::of_file(&path)?
            .apply(&RepairTarget::NewSession)?
            .session_id
    } else {
        let file = SessionFile::at(&path)?;
        file.session_id.context("the file has no name")?
    };
    let (messages, mut faults) = ask(&world, &id).await?;
    // Before the new prompt there are at least a prompt and a reply.
    if messages.len() < 3 && row.name != "other" {
        faults.push(format!("only {} messages are sent", messages.len()));
    }
    Ok(faults)
}
