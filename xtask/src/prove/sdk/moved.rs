//! Sessions that move: kept in a store, killed, and resumed in another home.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::sessions::ProjectKey;
use rusty_claw::store::{DirectoryStore, MemoryStore, SessionKey, SessionStore};
use rusty_claw::{Session, TurnOutcome};
use serde_json::Value;

use super::super::figure::Figure;
use super::stage::{PATIENCE, Stage};
use super::variants::Variants;
use super::{Inputs, World};
use crate::cli_package::CliPackage;

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let figure = inputs.runtime.block_on(async {
        Variants::new(inputs)
            .add("memory store", in_memory)
            .add("directory store, opened anew", in_directory)
            .add("closed gracefully", closed)
            .figure(
                "a session moved: two turns, mirrored, killed, resumed in another home",
                "the model sees both turns",
            )
            .await
    });
    Ok(vec![figure])
}

async fn in_memory(cli: CliPackage) -> Result<String> {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    moved(cli, Arc::clone(&store), || store).await
}

async fn in_directory(cli: CliPackage) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(DirectoryStore::new(folder.path()));
    moved(cli, store, || Arc::new(DirectoryStore::new(folder.path()))).await
}

/// Runs two turns, kills the CLI, deletes all it had, and asks on from the store.
async fn moved(
    cli: CliPackage,
    store: Arc<dyn SessionStore>,
    again: impl FnOnce() -> Arc<dyn SessionStore>,
) -> Result<String> {
    let world = World::new(&cli).await?;
    let project = world.project();
    let config = world.config();
    let options = world.options().session_store(store);
    let stage = two_turns(world, options).await?;
    let id = session_id(&stage.session)?;
    kill(&stage.session).await?;
    let end = tokio::time::timeout(PATIENCE, stage.session.ended())
        .await
        .context("the session never ended")?;
    ensure!(!end.exit.is_success(), "the CLI ended by itself: {end}");
    std::fs::remove_dir_all(&config).context("cannot delete the config folder")?;

    // Another home; the work itself is where it was.
    let elsewhere = World::new(&cli).await?;
    elsewhere.api.turn(Turn::text("Both, of course."));
    ensure!(
        elsewhere.config() != config,
        "that is the same config folder"
    );
    let options = elsewhere
        .options()
        .cwd(&project)
        .session_store(again())
        .resume(id.as_str());
    let stage_there = Stage::start(elsewhere, options).await?;
    let outcome = stage_there.ask("What did I say?").await?;
    ensure!(
        outcome.text() == Some("Both, of course."),
        "the turn {outcome}"
    );
    ensure!(
        session_id(&stage_there.session)? == id,
        "it goes on under another id"
    );
    let asked = stage_there.asked();
    let request = asked.last().context("the model was not asked")?;
    let said = Value::from(request.messages().to_vec()).to_string();
    let mut from = 0;
    for text in [
        "Remember alpha",
        "Alpha it is.",
        "Remember beta",
        "Beta it is.",
        "What did I say?",
    ] {
        let found = said[from..].find(text);
        from += found.with_context(|| format!("the model was not told {text:?}, in its place"))?;
    }
    let report = stage_there.session.close().await;
    let mirror = report.mirror.context("the session was not mirrored")?;
    ensure!(mirror.is_complete(), "{mirror:?}");
    Ok(format!(
        "killed ({}), the config folder deleted; the third request held both turns in order; {} lines more are stored",
        end.exit, mirror.appended
    ))
}

/// What is printed behind the last `result` is stored too.
async fn closed(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let (project, config) = (world.project(), world.config());
    let store = Arc::new(MemoryStore::new());
    let options = world
        .options()
        .session_store(Arc::clone(&store) as Arc<dyn SessionStore>);
    let stage = two_turns(world, options).await?;
    let id = session_id(&stage.session)?;
    let report = stage.session.close().await;
    let mirror = report.mirror.context("the session was not mirrored")?;
    ensure!(mirror.is_complete(), "{mirror:?}");
    let project = ProjectKey::of_dir(&project);
    let key = SessionKey::new(project.as_str(), id.as_str());
    let stored = store.load(&key).await?.context("nothing is stored")?;
    let stored: Vec<String> = stored.iter().map(|line| line.text().to_owned()).collect();
    let file = config
        .join("projects")
        .join(project.as_str())
        .join(format!("{id}.jsonl"));
    let written = written(&file)?;
    ensure!(
        stored == written,
        "{} lines are stored and {} written",
        stored.len(),
        written.len()
    );
    let last = stored.last().context("nothing is stored")?;
    let kind: Value = serde_json::from_str(last)?;
    ensure!(kind["type"] == "cost-state", "the last line is {last}");
    Ok(format!(
        "complete: the store has the {} lines of the session file, the last one, cost-state, from behind the result",
        stored.len()
    ))
}

/// The lines of a session file, without those that the CLI does not mirror.
fn written(file: &Path) -> Result<Vec<String>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let is_mirrored = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        !line["type"]
            .as_str()
            .is_some_and(|kind| kind.starts_with("api-request"))
    };
    Ok(text
        .lines()
        .filter(is_mirrored)
        .map(str::to_owned)
        .collect())
}

async fn two_turns(world: World, options: rusty_claw::Options) -> Result<Stage> {
    world
        .api
        .turn(Turn::text("Alpha it is."))
        .turn(Turn::text("Beta it is."));
    let stage = Stage::start(world, options).await?;
    for (prompt, answer) in [
        ("Remember alpha", "Alpha it is."),
        ("Remember beta", "Beta it is."),
    ] {
        let outcome: TurnOutcome = stage.ask(prompt).await?;
        ensure!(outcome.text() == Some(answer), "the turn {outcome}");
    }
    Ok(stage)
}

fn session_id(session: &Session) -> Result<String> {
    let id = session.session_id();
    Ok(id.context("the session has no id")?.to_string())
}

/// SIGKILL, as the system would.
async fn kill(session: &Session) -> Result<()> {
    let pid = session.pid().context("there is no process")?;
    let kill = tokio::process::Command::new("kill")
        .args(["-KILL", &pid.to_string()])
        .status();
    let status = tokio::time::timeout(Duration::from_secs(5), kill).await??;
    ensure!(status.success(), "cannot kill process {pid}: {status}");
    Ok(())
}
