//! Damages sessions, repairs them and resumes them with the real CLI.
//!
//! Every turn of a session has marks: words that the model must receive again when the session is
//! resumed. A damage destroys some of them. After a repair all others must arrive as they do from
//! the undamaged session: each once, in the same order and role, and each result with its call. The
//! damaged session is also resumed without a repair, for comparison.

mod cases;

use std::path::Path;

use anyhow::{Result, ensure};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use claw_transcript::{RepairPlan, RepairTarget, SessionFile};
use serde_json::Value;

use self::cases::Case;
use crate::resume::{ask, put};
use crate::sent::{self, Compared, Mark};
use crate::sessions::{self, Made};

pub(crate) async fn figure() -> Result<Figure> {
    let (long, compacted, forked) =
        tokio::try_join!(sessions::long(), sessions::compacted(), sessions::forked())?;
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
        let whole = resume(made, None, false).await?;
        let baseline = sent::marks(&whole.messages, &made.marks);
        ensure!(
            whole.errors.is_empty() && baseline.len() >= 5,
            "the CLI does not resume the whole session: {:?}",
            whole.errors
        );
        for case in cases {
            count += 1;
            let expected = case.expected(&sent::marks(&whole.messages, &case.marks(made)));
            let (repaired, left) = tokio::try_join!(
                resume(made, Some(&case), true),
                resume(made, Some(&case), false),
            )?;
            let judge = |resumed: &Resumed| {
                sent::compared(
                    &expected,
                    &sent::marks(&resumed.messages, &case.marks(made)),
                )
            };
            let (found, unrepaired) = (judge(&repaired), judge(&left));
            if !found.is_same() || !repaired.errors.is_empty() {
                wrong.push(format!("{}: {found}, {:?}", case.name, repaired.errors));
            }
            if !unrepaired.is_same() || !left.errors.is_empty() {
                harmed += 1;
            }
            let [with_repair, without] = [(&repaired, found), (&left, unrepaired)]
                .map(|(resumed, found)| summary(&expected, resumed, &found));
            rows.push(format!(
                "| {} | {} | {} → {} | {with_repair} | {without} |",
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
         the undamaged session, each result for its call, and nothing else",
    )
    .list("wrong", wrong);
    figure.notes.extend(rows);
    Ok(figure)
}

fn summary(expected: &[Mark], resumed: &Resumed, found: &Compared) -> String {
    let arrived = expected.len() - found.missing.len();
    let mut summary = format!("{arrived} of {} marks", expected.len());
    if !found.additional.is_empty() {
        summary.push_str(&format!(", {} out of place", found.additional.len()));
    }
    if let Some(error) = resumed.errors.first() {
        summary.push_str(&format!(", and: {error}"));
    }
    summary
}

/// The result of resuming a session.
struct Resumed {
    steps: usize,
    /// The number of errors by `check` before and after a repair.
    checked: (u64, u64),
    /// What the model received.
    messages: Vec<Value>,
    /// What is wrong with the repaired file or the messages.
    errors: Vec<String>,
}

/// Writes a session to a new configuration folder, whole or damaged, repairs it on demand, and
/// resumes it.
async fn resume(made: &Made, case: Option<&Case>, repair: bool) -> Result<Resumed> {
    let bytes = case.map_or_else(|| made.bytes(), |case| case.bytes.clone());
    let others = case.map_or(&made.others, |case| &case.others);
    let world = World::new().await?;
    let path = put(&world, made.id, &bytes, others)?;
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
            // The other cases are measured all the same.
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

/// What is wrong with the files of a repaired session.
fn faults(path: &Path, made: &Made, case: &Case) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let text = std::fs::read(path)?;
    // `serde_json` rejects half an emoji, bytes that are not UTF-8, and anything around JSON.
    let is_strict = |line: &[u8]| {
        line.is_empty()
            || std::str::from_utf8(line)
                .is_ok_and(|line| serde_json::from_str::<Value>(line).is_ok())
    };
    if !text.split(|byte| *byte == b'\n').all(is_strict) {
        faults.push("a line of the repaired file is not strict JSON".to_owned());
    }
    // The marks of subagents are still in lines of subagents, in whichever file.
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
        faults.push(format!("{mark} is no longer in a line of a subagent"));
    }
    Ok(faults)
}
