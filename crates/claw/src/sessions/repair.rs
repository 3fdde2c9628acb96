//! `claw sessions repair`

mod report;

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{
    EarlierRepairs, FilePlan, RepairError, RepairPlan, RepairTarget, Repaired, SessionFile,
    SessionLibrary, SoftDeletes,
};
use serde::Serialize;

use super::scope::{OwnFolder, Scope, main_files, refuse_inside};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::progress::Progress;
use crate::words;
use report::{Report, Total};

/// What to repair.
#[derive(Debug, Args)]
#[command(after_help = "\
Repairs damage that keeps the CLI from reading a conversation: lines that are torn, glued together
or not text, parents that are lost or form a cycle, calls without results and results without calls,
duplicate lines, wrong sidechain flags, half emoji, empty prompts, invalid times, roles, session ids
and token counts, calls without a name, arguments or an id, and duplicate members. Lost text is not
invented: a placeholder replaces it where the conversation needs one. Damage that cannot be repaired
is listed with advice. A file that holds no conversation is rejected.

Without --write or --output, prints the planned repair and writes nothing. The original is never
changed. The repaired session is a new one beside it, with its subagents and tool results, and is
checked again. Removed lines and the plan are in the folder `repair` beside it. End the CLI that
runs the session first.

Exit codes: 0 nothing to repair, or repaired without errors; 1 there is something to repair and
nothing was written; 2 errors are left that cannot be repaired; 3 the repair could not run.

Examples:
  claw sessions repair 4f0c             the planned repair, by a prefix of the id
  claw sessions repair 4f0c --write     a repaired session beside it, to resume
  claw sessions repair bad.jsonl -o ok  a repaired copy in the folder ok
  claw sessions repair --all            the sessions that need a repair")]
pub(super) struct RepairArgs {
    /// Sessions, by their id or the start of it, or files.
    #[arg(required_unless_present = "all")]
    sessions: Vec<String>,
    /// All sessions.
    #[arg(long, conflicts_with = "sessions")]
    all: bool,
    /// Write a repaired session beside the original, under a new id.
    #[arg(long, conflicts_with = "output")]
    write: bool,
    /// Write repaired sessions into this folder, under their own ids.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// List all steps of long plans.
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    own: OwnFolder,
}

/// A session for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    session_id: Option<String>,
    path: Cow<'a, str>,
    /// The number of errors in the original.
    errors: u64,
    steps: usize,
    #[serde(flatten)]
    plan: &'a RepairPlan,
    /// Missing if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<&'a Repaired>,
}

pub(super) fn run(
    scope: &Scope,
    args: &RepairArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let files = main_files(&library, &args.sessions)?;
    if let Some(output) = &args.output {
        refuse_inside(output, library.config_dir())?;
    }
    let several = files.len() > 1;
    let progress = Progress::bytes("repairing", files.iter().map(|file| file.len).sum());
    let mut total = Total::default();
    let mut earlier = EarlierRepairs::default();
    let mut done = 0;
    for file in &files {
        let ran = repair(
            &library,
            file,
            scope.json,
            args,
            (&mut earlier, &mut total),
            printer,
        );
        match ran {
            // The others can still be repaired.
            Err(error) if several && error.is::<RepairError>() => {
                let bad = style::BAD;
                progress.say(format_args!(
                    "{bad}error{bad:#}: {}: {error}",
                    words::shown(&file.path)
                ));
                total.failed += 1;
            }
            ran => ran?,
        }
        done += file.len;
        progress.at(done);
    }
    drop(progress);
    if !scope.json && (several || args.all) {
        let writes = args.write || args.output.is_some();
        total.print(writes, printer)?;
    }
    Ok(total.status())
}

fn repair(
    library: &SessionLibrary,
    file: &SessionFile,
    json: bool,
    args: &RepairArgs,
    (earlier, total): (&mut EarlierRepairs, &mut Total),
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let plan = RepairPlan::of_file(&file.path).map_err(RepairError::from)?;
    plan.must_leave_a_conversation()?;
    let check = plan.check().map_err(RepairError::from)?;
    let errors = check.total.errors;
    let steps = plan.steps().count();
    total.sessions += 1;
    total.damaged += usize::from(steps > 0);
    total.steps += steps;
    let target = match &args.output {
        Some(folder) => Some(RepairTarget::Folder(folder.clone())),
        None => args.write.then_some(RepairTarget::NewSession),
    };
    // Otherwise a second run would write the same repair again.
    let beside = args.output.is_none();
    let before = if beside { earlier.of(&plan) } else { None };
    total.before += usize::from(before.is_some());
    let repaired = match target.filter(|_| steps > 0 && before.is_none()) {
        Some(target) => Some(write(&plan, &target, &args.own)?),
        None => None,
    };
    let left = match &repaired {
        Some(repaired) => repaired.errors_left,
        None if steps == 0 => errors,
        // Unknown until it is written.
        None => 0,
    };
    total.beyond += usize::from(left > 0);
    total.written += usize::from(repaired.is_some());
    total.whole += usize::from(repaired.is_some() && left == 0);
    if json {
        return printer.json(&Answer {
            session_id: plan.main_file().and_then(FilePlan::session_id),
            path: words::path(&file.path),
            errors,
            steps,
            plan: &plan,
            repaired: repaired.as_ref(),
        });
    }
    // With `--all`, list only sessions with problems.
    if args.all && steps == 0 && errors == 0 {
        return Ok(());
    }
    let mut report = Report {
        library,
        full: args.full,
        printer: &mut *printer,
    };
    report.plan(file, &plan, &check)?;
    let faint = style::FAINT;
    match (&repaired, before) {
        (Some(repaired), _) => report.repaired(repaired)?,
        (None, Some(before)) => {
            let (good, before) = (style::GOOD, words::shown(&before));
            printer.line(format_args!("  {good}repaired before{good:#}: {before}"))?;
        }
        (None, None) if steps > 0 && !args.all => printer.line(format_args!(
            "  {faint}nothing written: give --write for a repaired session beside it, or --output \
             DIR{faint:#}"
        ))?,
        (None, None) => {}
    }
    Ok(())
}

/// Writes a repaired session. Messages hidden in the old one stay hidden.
fn write(plan: &RepairPlan, target: &RepairTarget, own: &OwnFolder) -> anyhow::Result<Repaired> {
    let Some(folder) = own.folder() else {
        return Ok(plan.apply(target)?);
    };
    // Before anything is written: marks that cannot be read cannot be carried over.
    SoftDeletes::open_all(&folder)?;
    let repaired = plan.apply(target)?;
    let old = plan.main_file().and_then(FilePlan::session_id);
    let old = old.unwrap_or_default();
    SoftDeletes::follow(&folder, &old, &repaired).with_context(|| {
        format!(
            "messages hidden in the old session are visible in the repaired one, {}",
            words::path(&repaired.path)
        )
    })?;
    Ok(repaired)
}
