//! Every option as the real CLI takes it, and the flags that options become.
//!
//! The CLI is started once with each option and must answer `initialize`; a message about the
//! option on standard error counts as a refusal. Where the answer shows the option, it is checked.

mod cases;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::{Figure, quick};
use claw_testkit::real_cli::World;
use rusty_claw::cli::{self, Program};
use rusty_claw::permission::PermissionMode;
use rusty_claw::transport::Launch;
use rusty_claw::{Session, resolve_settings};
use serde_json::{Value, json};

use self::cases::{Case, Earlier};
use crate::stage::{options, session_file};

/// How the CLI took an option.
struct Row {
    option: &'static str,
    /// The reason of a refusal.
    refused: Option<String>,
    not_for_root: bool,
    /// The flags that the CLI was started with.
    flags: Vec<String>,
}

pub(crate) async fn figures() -> Result<Vec<Figure>> {
    let rows = rows().await?;
    let refused: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.option, row.refused.as_ref()?)))
        .collect();
    let not_for_root = rows.iter().filter(|row| row.not_for_root).count();
    let taken = rows.len() - refused.len() - not_for_root;
    let mut measured = format!("{taken} of {}", rows.len());
    if not_for_root > 0 {
        measured = format!("{measured}; {not_for_root} known and not granted to root");
    }
    let whole = Figure::new(
        "options taken by the real CLI: started once with each, nothing on standard error against it",
        "all",
    )
    .measured(measured, refused.is_empty() && !rows.is_empty())
    .list("refused", refused);
    let emitted = rows.into_iter().flat_map(|row| row.flags).collect();
    Ok(vec![whole, flags(&emitted).await?])
}

/// Starts the CLI once with each option, or with every tenth.
async fn rows() -> Result<Vec<Row>> {
    let world = World::new().await?;
    world.api.fallback(Turn::text("Very well."));
    cases::prepare(&world)?;
    let earlier = converse(&world).await?;
    let step = if quick() { 10 } else { 1 };
    let mut rows = Vec::new();
    // These share one conversation.
    for case in cases::conversations(&world, &earlier)
        .into_iter()
        .step_by(step)
    {
        rows.push(try_one(case).await);
    }
    // Two at a time: most of it is waiting for the CLI.
    let mut cases = cases::cases(&world).into_iter().step_by(step);
    while let Some(case) = cases.next() {
        let other = async { Some(try_one(cases.next()?).await) };
        let (row, other) = tokio::join!(try_one(case), other);
        rows.push(row);
        rows.extend(other);
    }
    Ok(rows)
}

async fn try_one(case: Case) -> Row {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let options = case
        .options
        .stderr(move |line| kept.lock().unwrap().push(line.to_owned()));
    let mut row = Row {
        option: case.option,
        refused: None,
        not_for_root: false,
        flags: Vec::new(),
    };
    match Session::start(options).await {
        Err(error) if error.to_string().contains("root/sudo privileges") => {
            row.not_for_root = true;
        }
        Err(error) => row.refused = Some(error.to_string()),
        Ok((session, messages)) => {
            let answer = session.initialized();
            row.flags = flags_of(session.pid());
            drop(messages);
            session.close().await;
            let is_complaint = |line: &&String| {
                line.starts_with("Warning") || line.to_lowercase().starts_with("error")
            };
            row.refused = lines.lock().unwrap().iter().find(is_complaint).cloned();
            if row.refused.is_none() && !(case.shows)(&answer) {
                row.refused = Some("the answer does not show it".to_owned());
            }
        }
    }
    row
}

/// The flags that a process was started with.
fn flags_of(pid: Option<u32>) -> Vec<String> {
    let arguments = pid.and_then(|pid| std::fs::read(format!("/proc/{pid}/cmdline")).ok());
    arguments
        .unwrap_or_default()
        .split(|byte| *byte == 0)
        .filter_map(|argument| std::str::from_utf8(argument).ok())
        .filter(|argument| argument.starts_with("--"))
        .map(|argument| argument.split('=').next().unwrap_or(argument).to_owned())
        .collect()
}

/// Two turns that later sessions continue.
async fn converse(world: &World) -> Result<Earlier> {
    let id = uuid::Uuid::new_v4().to_string();
    let (session, messages) = Session::start(options(world).session_id(id.as_str())).await?;
    drop(messages);
    let mut dropped = String::new();
    for text in ["First.", "Second."] {
        let turn = session.send(text).await?;
        dropped = turn.id().to_string();
        let outcome = turn.outcome().await;
        ensure!(outcome.is_success(), "the earlier conversation {outcome}");
    }
    session.close().await;
    // The entry before the second prompt.
    let file = session_file(world, &id)?;
    let mut entries = file
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let prompt = entries.find(|entry| entry["uuid"] == *dropped);
    let prompt = prompt.context("the session file has no second prompt")?;
    let kept = prompt["parentUuid"].as_str().context("no parent")?;
    Ok(Earlier {
        id,
        kept: kept.to_owned(),
        dropped,
    })
}

/// Checks that the CLI accepts every flag of the options and every hidden flag that the library
/// lists, and that a start probes none of them.
async fn flags(emitted: &BTreeSet<String>) -> Result<Figure> {
    let world = World::new().await?;
    let folder = world.folder();
    let mut launch = Launch::default();
    launch.program = Some(world.binary().to_owned());
    launch.cwd = Some(folder.to_owned());
    launch.env_clear = true;
    launch.env = world
        .environment()
        .into_iter()
        .map(|(name, value)| (name.into(), Some(value)))
        .collect();
    let program = cli::find(&launch)?;
    let probe = cli::probe_in(folder, &program, &launch).await;
    let questions: Vec<&String> = emitted
        .iter()
        .filter(|flag| probe.knows(flag) != Some(true))
        .collect();

    // The flags in the help are known.
    let mut asked: BTreeSet<String> = cli::hidden_flags()
        .map(|(flag, _)| flag.to_owned())
        .collect();
    let hidden = asked.len();
    asked.extend(questions.iter().map(ToString::to_string));
    let mut unknown = Vec::new();
    for pair in asked.iter().collect::<Vec<_>>().chunks(2) {
        let ask = async |flag: Option<&&String>| known(&program, &launch, flag).await;
        let (first, second) = tokio::join!(ask(pair.first()), ask(pair.get(1)));
        unknown.extend(first.into_iter().chain(second));
    }
    let control = cli::ask_for_flag(&program, &launch, "--no-such-flag-at-all").await;
    let passed = unknown.is_empty()
        && questions.is_empty()
        && emitted.len() >= if quick() { 5 } else { 40 }
        && control == Some(false);
    let counts = (unknown.len(), questions.len(), emitted.len());
    Ok(Figure::new(
        "flags that options become, and hidden ones taken for known: unknown to the real CLI / asked for at a start",
        "0 / 0",
    )
    .measured(
        format!("{} / {} of {} and {hidden}", counts.0, counts.1, counts.2),
        passed,
    )
    .list("not known to the CLI", unknown)
    .list("neither in its help nor in the list of hidden flags", questions))
}

/// Returns a flag that the CLI does not accept.
async fn known(program: &Program, launch: &Launch, flag: Option<&&String>) -> Option<String> {
    let flag = flag?;
    match cli::ask_for_flag(program, launch, flag).await {
        Some(true) => None,
        Some(false) => Some(flag.to_string()),
        None => Some(format!("{flag} (its answer says neither)")),
    }
}

/// Settings of a project as the CLI resolves them, and the permission mode of a server.
pub(crate) async fn settings() -> Result<Figure> {
    let world = World::new().await?;
    let folder = world.project().join(".claude");
    std::fs::create_dir_all(&folder)?;
    let text = json!({"cleanupPeriodDays": 7, "permissions": {"defaultMode": "acceptEdits"}});
    std::fs::write(folder.join("settings.json"), text.to_string())?;
    let settings = resolve_settings(options(&world)).await?;
    let source = settings.source_of("cleanupPeriodDays");
    let source = source.map_or("no source", |source| source.as_str());
    let safe = settings.without_escalating_mode();
    let filtered = settings.effective.text().contains("acceptEdits")
        && !safe.text().contains("acceptEdits")
        && safe.text().contains("cleanupPeriodDays");
    let (session, messages) = Session::start(options(&world)).await?;
    drop(messages);
    let set = session.set_mcp_permission_mode_override("nowhere", Some(PermissionMode::Default));
    let warned = set.await?.warning.is_some();
    let cleared = session.set_mcp_permission_mode_override("nowhere", None);
    let cleared = cleared.await.is_ok();
    session.close().await;
    Ok(Figure::new(
        "settings resolved, and a server's own permission mode set, on the real CLI",
        "the source named, the project's mode left out; an unknown server warned of",
    )
    .measured(
        format!(
            "{source}, mode left out: {filtered}; warned: {warned}, taken away again: {cleared}"
        ),
        source == "projectSettings" && filtered && warned && cleared,
    ))
}
