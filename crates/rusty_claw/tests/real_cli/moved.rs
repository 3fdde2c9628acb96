//! Sessions that move: mirrored to a store, killed, and resumed in another home.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{Variants, World};
use rusty_claw::Session;
use rusty_claw::sessions::ProjectKey;
use rusty_claw::store::{DirectoryStore, MemoryStore, SessionKey, SessionStore};
use serde_json::Value;

use crate::stage::{Stage, kill, options, session_file, soon};

pub(crate) async fn figure() -> Figure {
    Variants::new()
        .add("memory store", in_memory())
        .add("directory store, opened anew", in_directory())
        .add("closed gracefully", closed())
        .figure(
            "a session moved: two turns, mirrored, killed, resumed in another home",
            "the model sees both turns",
        )
        .await
}

async fn in_memory() -> Result<String> {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    moved(Arc::clone(&store), || store).await
}

async fn in_directory() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(DirectoryStore::new(folder.path()));
    moved(store, || Arc::new(DirectoryStore::new(folder.path()))).await
}

/// Runs two turns, kills the CLI, deletes its files, and resumes from the store.
async fn moved(
    store: Arc<dyn SessionStore>,
    again: impl FnOnce() -> Arc<dyn SessionStore> + Send,
) -> Result<String> {
    let stage = two_turns(store).await?;
    let project = stage.world.project();
    let id = session_id(&stage.session)?;
    kill(&stage.session)?;
    let end = soon("the end", stage.session.ended()).await?;
    ensure!(!end.exit.is_success(), "the CLI ended by itself: {end}");
    std::fs::remove_dir_all(stage.world.config())?;

    // Another home and the same project.
    let elsewhere = World::with([Turn::text("Both, of course.")]).await?;
    let options = options(&elsewhere)
        .cwd(&project)
        .session_store(again())
        .resume(id.as_str());
    let there = Stage::start(elsewhere, options).await?;
    let outcome = there.ask("What did I say?").await?;
    ensure!(outcome.text() == Some("Both, of course."));
    ensure!(session_id(&there.session)? == id);
    let request = there.requests().pop().context("the model was not asked")?;
    let texts = Value::from(request.messages().to_vec()).to_string();
    let mut from = 0;
    for text in [
        "Remember alpha",
        "Alpha it is.",
        "Remember beta",
        "Beta it is.",
        "What did I say?",
    ] {
        let found = texts[from..].find(text);
        from += found.with_context(|| format!("the request does not have {text:?} in order"))?;
    }
    let report = there.session.close().await;
    let mirror = report.mirror.context("the session was not mirrored")?;
    ensure!(mirror.is_complete(), "{mirror:?}");
    Ok(format!(
        "killed ({}), the config folder deleted; the third request held both turns in order; {} lines more are stored",
        end.exit, mirror.appended
    ))
}

/// Lines that the CLI writes after the last `result` are stored too.
async fn closed() -> Result<String> {
    let store = Arc::new(MemoryStore::new());
    let stage = two_turns(Arc::clone(&store) as Arc<dyn SessionStore>).await?;
    let id = session_id(&stage.session)?;
    let report = stage.session.close().await;
    let mirror = report.mirror.context("the session was not mirrored")?;
    ensure!(mirror.is_complete(), "{mirror:?}");
    let project = ProjectKey::of_dir(stage.world.project());
    let key = SessionKey::new(project.as_str(), id.as_str());
    let stored = store.load(&key).await?.context("nothing is stored")?;
    let stored: Vec<&str> = stored.iter().map(|line| line.text()).collect();
    let kind = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        line["type"].as_str().unwrap_or_default().to_owned()
    };
    let file = session_file(&stage.world, &id)?;
    let is_mirrored = |line: &&str| !kind(line).starts_with("api-request");
    let written: Vec<&str> = file.lines().filter(is_mirrored).collect();
    ensure!(stored == written);
    ensure!(stored.last().is_some_and(|last| kind(last) == "cost-state"));
    Ok(format!(
        "complete: the store has the {} lines of the session file, the last one, cost-state, from behind the result",
        stored.len()
    ))
}

async fn two_turns(store: Arc<dyn SessionStore>) -> Result<Stage> {
    let answers = ["Alpha it is.", "Beta it is."];
    let stage = Stage::open(answers.map(Turn::text), |o| o.session_store(store)).await?;
    for (prompt, answer) in ["Remember alpha", "Remember beta"].into_iter().zip(answers) {
        let outcome = stage.ask(prompt).await?;
        ensure!(outcome.text() == Some(answer));
    }
    Ok(stage)
}

fn session_id(session: &Session) -> Result<String> {
    let id = session.session_id();
    Ok(id.context("the session has no id")?.to_string())
}
