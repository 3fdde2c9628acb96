//! Damaged sessions, repaired, and resumed by the real CLI.
//!
//! Every turn of a session has marks: words that the model must be sent again when the session is
//! resumed. A damage destroys some of them; after a repair all others must arrive as they do from
//! the undamaged session: each once, in its place, said by whom it was said, and each result for its
//! call. The same damage without a repair is resumed beside it, to show what it costs.

mod cases;
pub(super) mod sent;
pub(super) mod sessions;
mod strict;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use claw_transcript::{RepairPlan, RepairTarget, SessionFile};
use serde_json::Value;

use self::cases::Case;
use self::sent::{Compared, Said};
use self::sessions::{Beside, Made, prompt};
use super::Inputs;
use crate::cli_package::{self, CliPackage};
use crate::prove::figure::Figure;
use crate::prove::sdk::World;

#[tokio::main(worker_threads = 2)]
pub(super) async fn measure(_: &Inputs) -> Result<Vec<Figure>> {
    let cli = cli_package::ensure()?;
    Ok(vec![figure(&cli).await?])
}

async fn figure(cli: &CliPackage) -> Result<Figure> {
    let (long, compacted, forked) = tokio::try_join!(
        sessions::long(cli),
        sessions::compacted(cli),
        sessions::forked(cli)
    )?;
    let (rooted, hung) = (long.inline(false)?, long.inline(true)?);
    let old = long.old_layout()?;
    let of_rooted = [
        "an inline subagent, the last line is torn",
        "an inline subagent, a torn line and a lost parent",
        "a torn line of an inline subagent",
    ];
    let of_hung = [
        "an inline subagent under its call, the last line is torn",
        "an inline subagent under its call, a torn line and a lost parent",
        "a torn line of an inline subagent under its call",
    ];
    let of_files = ["a torn line, and a subagent's file", "both files are torn"];
    let of_old = [
        "a torn line, and a subagent's file beside the session's",
        "both are torn, the subagent's beside the session's",
    ];
    let mut wrong = Vec::new();
    let mut rows = vec![
        "| damage | steps | errors by `check`, before and after | the model is sent, repaired | \
         the same without repair |"
            .to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    let (mut count, mut harmed) = (0, 0);
    for (made, cases) in [
        (&long, cases::of_long(&long)?),
        (&compacted, cases::of_compacted(&compacted)?),
        (&rooted, cases::of_inline(&rooted, of_rooted)?),
        (&hung, cases::of_inline(&hung, of_hung)?),
        (&long, cases::of_agents(&long, of_files)?),
        (&old, cases::of_agents(&old, of_old)?),
        (&forked, cases::of_fork(&forked)?),
    ] {
        let whole = resume(cli, made, None, false).await?;
        let baseline = sent::said(&whole.messages, &made.marks);
        ensure!(
            whole.errors.is_empty() && baseline.len() >= 5,
            "the CLI does not resume the whole session: {:?}",
            whole.errors
        );
        for case in cases {
            count += 1;
            let expected = case.expected(&sent::said(&whole.messages, &case.marks(made)));
            let (repaired, left) = tokio::try_join!(
                resume(cli, made, Some(&case), true),
                resume(cli, made, Some(&case), false),
            )?;
            let judge = |resumed: &Resumed| {
                sent::compared(&expected, &sent::said(&resumed.messages, &case.marks(made)))
            };
            let (found, unrepaired) = (judge(&repaired), judge(&left));
            if !found.is_same() || !repaired.errors.is_empty() {
                wrong.push(format!("{}: {found}, {:?}", case.name, repaired.errors));
            }
            if !unrepaired.is_same() || !left.errors.is_empty() {
                harmed += 1;
            }
            let told = [(&repaired, found), (&left, unrepaired)];
            let [repaired_told, left_told] =
                told.map(|(resumed, found)| told_of(&expected, resumed, &found));
            rows.push(format!(
                "| {} | {} | {} → {} | {repaired_told} | {left_told} |",
                case.name, repaired.steps, repaired.checked.0, repaired.checked.1,
            ));
        }
    }
    let right = count - wrong.len();
    let mut figure = Figure::new(
        "real sessions damaged, repaired, resumed by the real CLI and seen whole by the model",
        "all of ≥ 12",
    )
    .measured(
        format!(
            "{right} of {count} (without repair {} of them)",
            count - harmed
        ),
        wrong.is_empty() && count >= 12,
    )
    .note(
        "whole: every word that the damage left arrives once, in the order and the role it has in \
         the undamaged session, each result for its call, and nothing else that was said",
    )
    .list("wrong", wrong);
    figure.notes.extend(rows);
    Ok(figure)
}

fn told_of(expected: &[Said], resumed: &Resumed, found: &Compared) -> String {
    let arrived = expected.len() - found.missing.len();
    let mut told = format!("{arrived} of {} marks", expected.len());
    if !found.more.is_empty() {
        told.push_str(&format!(", {} out of place", found.more.len()));
    }
    if let Some(error) = resumed.errors.first() {
        told.push_str(&format!(", and: {error}"));
    }
    told
}

/// What came of resuming a session.
struct Resumed {
    steps: usize,
    /// The errors that checking finds before and after a repair.
    checked: (u64, u64),
    /// What the model was sent.
    messages: Vec<Value>,
    /// Why the API, or we, would not take it.
    errors: Vec<String>,
}

/// Puts a session into a fresh config folder, whole or damaged, repairs it when asked to, and
/// resumes it.
async fn resume(
    cli: &CliPackage,
    made: &Made,
    case: Option<&Case>,
    repair: bool,
) -> Result<Resumed> {
    let bytes = case.map_or_else(|| made.bytes(), |case| case.bytes.clone());
    let beside = case.map_or(&made.beside, |case| &case.beside);
    let world = World::new(cli).await?;
    let path = put(&world, made.id, &bytes, beside)?;
    let mut resumed = Resumed {
        steps: 0,
        checked: (0, 0),
        messages: Vec::new(),
        errors: Vec::new(),
    };
    let mut id = made.id.to_owned();
    if let Some(case) = case.filter(|_| repair) {
        let plan = RepairPlan::of_file(&path)?;
        resumed.steps = plan.steps().count();
        let repaired = match plan.apply(&RepairTarget::NewSession) {
            Ok(repaired) => repaired,
            // One that cannot be repaired must not hide how the others fare.
            Err(error) => {
                resumed.errors.push(format!("not repaired: {error}"));
                return Ok(resumed);
            }
        };
        if repaired.steps_left > 0 {
            let left = format!("{} steps are left", repaired.steps_left);
            resumed.errors.push(left);
        }
        if std::fs::read(&path)? != bytes {
            resumed.errors.push("the original changed".to_owned());
        }
        resumed.errors.extend(faults(&repaired.path, made, case)?);
        resumed.checked = (repaired.errors_before, repaired.errors_left);
        id = repaired.session_id;
    }
    let (messages, errors) = ask(&world, &id).await?;
    resumed.messages = messages;
    resumed.errors.extend(errors);
    Ok(resumed)
}

/// Puts a session's file, and what lies beside it, where the CLI of a world looks for it.
pub(super) fn put(world: &World, id: &str, bytes: &[u8], beside: &[Beside]) -> Result<PathBuf> {
    let folder = sessions::project_folder(world);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{id}.jsonl"));
    std::fs::write(&path, bytes)?;
    for (inside, bytes) in beside {
        let path = folder.join(inside);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        std::fs::write(path, bytes)?;
    }
    Ok(path)
}

/// Resumes a session with one more prompt: what the model was sent, and what is wrong with it.
pub(super) async fn ask(world: &World, id: &str) -> Result<(Vec<Value>, Vec<String>)> {
    world.api.fallback(claw_testkit::Turn::text("Noted."));
    let (ended_well, said) = prompt(world, "the next prompt", &["--resume", id]).await?;
    let mut errors = Vec::new();
    if !ended_well {
        errors.push(said.trim().chars().take(80).collect());
    }
    let requests = world.api.requests();
    let asked = requests
        .iter()
        .rfind(|request| request.path == "/v1/messages" && !request.tool_names().is_empty());
    let messages = asked.map(|request| request.messages()).unwrap_or_default();
    errors.extend(strict::refusals(messages));
    Ok((messages.to_vec(), errors))
}

/// What is wrong with the files of a repaired session.
fn faults(path: &Path, made: &Made, case: &Case) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let text = std::fs::read(path)?;
    // This reader takes no half emoji, no bytes that are not UTF-8 and nothing around JSON.
    let is_strict = |line: &[u8]| {
        line.is_empty()
            || std::str::from_utf8(line)
                .is_ok_and(|line| serde_json::from_str::<Value>(line).is_ok())
    };
    if !text.split(|byte| *byte == b'\n').all(is_strict) {
        faults.push("a line of the repaired file is not strict JSON".to_owned());
    }
    // What subagents did is still theirs, in the main file or in files of their own.
    let mut files = SessionFile::at(path)?.agents()?;
    files.push(SessionFile::at(path)?);
    let mut of_agents = String::new();
    for file in files {
        let text = std::fs::read(&file.path)?;
        for line in String::from_utf8_lossy(&text).lines() {
            if line.contains("\"isSidechain\":true") {
                of_agents.push_str(line);
            }
        }
    }
    let kept = made
        .of_agents
        .iter()
        .filter(|mark| !case.destroyed.contains(mark));
    for mark in kept.filter(|mark| !of_agents.contains(**mark)) {
        faults.push(format!("{mark} is no longer said by a subagent"));
    }
    Ok(faults)
}
