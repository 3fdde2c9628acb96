//! `claw sessions repair`

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{
    CheckReport, EarlierRepairs, FilePlan, FileRole, ProjectKey, RepairError, RepairPlan,
    RepairTarget, Repaired, SessionFile, SessionLibrary, Severity, SoftDeletes, real_place,
};
use serde::Serialize;

use super::hide::OwnFolder;
use super::{Place, check, outside};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::progress::Progress;
use crate::words;

/// How many steps of a session are listed, unless all are asked for.
const LISTED: usize = 20;

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
    /// Sessions by id or how it begins, or files.
    #[arg(required_unless_present = "all")]
    sessions: Vec<String>,
    /// All sessions.
    #[arg(long, conflicts_with = "sessions")]
    all: bool,
    /// Write a repaired session beside the original, under a new id.
    #[arg(long, conflicts_with = "output")]
    write: bool,
    /// Write repaired sessions into this folder, under the ids that they have.
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
    /// How many errors checking finds in the original.
    errors: u64,
    steps: usize,
    #[serde(flatten)]
    plan: &'a RepairPlan,
    /// Absent when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<&'a Repaired>,
}

/// What came of all sessions together.
#[derive(Debug, Default)]
struct Total {
    sessions: usize,
    /// With something to do.
    damaged: usize,
    steps: usize,
    /// Written, and checked without errors.
    whole: usize,
    written: usize,
    /// With errors that cannot be repaired.
    beyond: usize,
    /// Repaired by an earlier run.
    before: usize,
    /// Not repaired, with the reason told.
    failed: usize,
}

impl Total {
    fn status(&self) -> Status {
        match self {
            _ if self.failed > 0 => Status::Found(3),
            _ if self.beyond > 0 => Status::Found(2),
            _ if self.damaged > self.written + self.before => Status::Found(1),
            _ => Status::Fine,
        }
    }
}

pub(super) fn run(
    place: &Place,
    args: &RepairArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = place.library()?;
    let mut files = check::files(&library, &args.sessions)?;
    // Subagents come with their session; alone only when they were asked for alone.
    if args.all || files.iter().any(|file| file.role == FileRole::Main) {
        files.retain(|file| file.role == FileRole::Main);
    }
    if let Some(output) = &args.output {
        outside::refuse(output, library.config_dir())?;
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
            place.json,
            args,
            (&mut earlier, &mut total),
            printer,
        );
        match ran {
            // The others can be repaired all the same.
            Err(error) if several && error.is::<RepairError>() => {
                let bad = style::BAD;
                progress.say(format_args!(
                    "{bad}error{bad:#}: {}: {error}",
                    shown(&file.path)
                ));
                total.failed += 1;
            }
            ran => ran?,
        }
        done += file.len;
        progress.at(done);
    }
    drop(progress);
    if !place.json && (several || args.all) {
        summary(&total, args, printer)?;
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
    let report = plan.check().map_err(RepairError::from)?;
    let errors = report.total.errors;
    let steps = plan.steps().count();
    total.sessions += 1;
    total.damaged += usize::from(steps > 0);
    total.steps += steps;
    let target = match &args.output {
        Some(folder) => Some(RepairTarget::Folder(folder.clone())),
        None => args.write.then_some(RepairTarget::NewSession),
    };
    // Otherwise a second run would write everything again.
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
        // Nobody knows before it is written.
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
    // A long list is of what is not in order.
    if args.all && steps == 0 && errors == 0 {
        return Ok(());
    }
    print_plan(file, &plan, &report, args, printer)?;
    match &repaired {
        Some(repaired) => print_repaired(library, repaired, printer)?,
        None if before.is_some() => {
            let (good, before) = (style::GOOD, before.unwrap_or_default());
            printer.line(format_args!(
                "  {good}repaired before{good:#}: {}",
                shown(&before)
            ))?;
        }
        None if steps > 0 && !args.all => {
            let faint = style::FAINT;
            printer.line(format_args!(
                "  {faint}nothing written: give --write for a repaired session beside it, or \
                 --output DIR{faint:#}"
            ))?;
        }
        None => {}
    }
    Ok(())
}

/// Writes a repaired session, in which what is hidden in the old one stays hidden.
fn write(plan: &RepairPlan, target: &RepairTarget, own: &OwnFolder) -> anyhow::Result<Repaired> {
    let Some(folder) = own.folder() else {
        return Ok(plan.apply(target)?);
    };
    // Before anything is written: marks that cannot be read cannot follow.
    SoftDeletes::open_all(&folder)?;
    let repaired = plan.apply(target)?;
    let old = plan.main_file().and_then(FilePlan::session_id);
    let old = old.unwrap_or_default();
    SoftDeletes::follow(&folder, &old, &repaired).with_context(|| {
        format!(
            "what is hidden in the old session shows in the repaired one, {}",
            words::path(&repaired.path)
        )
    })?;
    Ok(repaired)
}

fn print_plan(
    session: &SessionFile,
    plan: &RepairPlan,
    report: &CheckReport,
    args: &RepairArgs,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let (faint, title, good, bad) = (style::FAINT, style::TITLE, style::GOOD, style::BAD);
    printer.line(format_args!(
        "{title}{}{title:#}",
        words::plain(&words::path(&session.path))
    ))?;
    let found = several(report.total.errors, "error");
    match (plan.is_empty(), report.total.errors + report.total.warnings) {
        (true, 0) => printer.line(format_args!("  {good}nothing to repair{good:#}"))?,
        (true, _) => {
            let warnings = several(report.total.warnings, "warning");
            printer.line(format_args!(
                "  {bad}{found}{bad:#} and {warnings} found; none can be repaired automatically. What \
                 you can do:"
            ))?;
            print_advice(report, args, printer)?;
        }
        (false, _) => {
            let steps = several(plan.steps().count() as u64, "step");
            printer.line(format_args!(
                "  {bad}{found}{bad:#} found, {steps} to repair:"
            ))?;
        }
    }
    for file in plan.files.iter().filter(|file| !file.steps.is_empty()) {
        if let Some(agent) = &file.agent_id {
            printer.line(format_args!("  {title}subagent {agent}{title:#}"))?;
        }
        let listed = if args.full { usize::MAX } else { LISTED };
        for step in file.steps.iter().take(listed) {
            let name = style::NAME;
            printer.line(format_args!(
                "  line {}, byte {}: {name}{}{name:#} {faint}({}){faint:#}: {}",
                step.line,
                step.offset,
                step.action.as_str(),
                step.rule,
                step.why,
            ))?;
            if let Some(before) = &step.before {
                printer.line(format_args!(
                    "      {faint}{}{faint:#}",
                    words::plain(before)
                ))?;
            }
            if let Some(after) = &step.after {
                printer.line(format_args!("      -> {}", words::plain(after)))?;
            }
        }
        let more = file.steps.len().saturating_sub(listed);
        if more > 0 {
            printer.line(format_args!(
                "  {faint}{} more (--full){faint:#}",
                words::count(more as u64)
            ))?;
        }
    }
    Ok(())
}

/// Prints the findings that cannot be repaired, with advice.
fn print_advice(
    report: &CheckReport,
    args: &RepairArgs,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let faint = style::FAINT;
    let found = report.findings().map(|(_, found)| found);
    let found = found.filter(|found| found.severity > Severity::Note);
    let listed = if args.full { usize::MAX } else { LISTED };
    for found in found.take(listed) {
        printer.line(format_args!(
            "  line {}: {} {faint}({}){faint:#}: {}",
            found.line,
            found.severity,
            found.rule,
            words::plain(&found.message),
        ))?;
    }
    Ok(())
}

fn print_repaired(
    library: &SessionLibrary,
    repaired: &Repaired,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let (faint, good, bad) = (style::FAINT, style::GOOD, style::BAD);
    printer.line(format_args!(
        "  {good}written{good:#} to {}",
        shown(&repaired.path)
    ))?;
    match (repaired.errors_left, repaired.steps_left) {
        (0, 0) => printer.line(format_args!("  checked again: {good}in order{good:#}"))?,
        (left, 0) => printer.line(format_args!(
            "  checked again: {bad}{}{bad:#} that cannot be repaired: see claw sessions check {}",
            several(left, "error"),
            shown(&repaired.path)
        ))?,
        (_, left) => printer.line(format_args!(
            "  checked again: {bad}{} left to do{bad:#}, which is a mistake of this program: please report it",
            several(left as u64, "step")
        ))?,
    }
    printer.line(format_args!(
        "  {faint}what was taken out, and the plan: {}{faint:#}",
        shown(&repaired.kept_in)
    ))?;
    let projects = library.projects_dir();
    let cwd = repaired.cwd.as_ref();
    let wanted = cwd.map(|cwd| projects.join(ProjectKey::of_path(&cwd.to_string_lossy()).as_str()));
    if !real_place(&repaired.path)?.starts_with(real_place(&projects)?) {
        let wanted = wanted.unwrap_or_else(|| projects.join("PROJECT"));
        printer.line(format_args!(
            "  to resume it, put it and the folder of its name into {}, then:",
            shown(&wanted)
        ))?;
    } else {
        printer.line("  to resume it:")?;
    }
    let cd = cwd.map(|cwd| format!("cd {} && ", quoted(&cwd.to_string_lossy())));
    printer.line(format_args!(
        "    {}{}",
        cd.unwrap_or_default(),
        repaired.resume_command()
    ))?;
    Ok(())
}

fn summary(total: &Total, args: &RepairArgs, printer: &mut Printer) -> anyhow::Result<()> {
    let (faint, good, bad) = (style::FAINT, style::GOOD, style::BAD);
    let sessions = several(total.sessions as u64, "session");
    if total.damaged == 0 && total.beyond == 0 && total.failed == 0 {
        printer.line(format_args!(
            "{good}nothing to repair{good:#} in {sessions}"
        ))?;
        return Ok(());
    }
    let mut said = format!(
        "{} of {sessions} to repair, {}",
        words::count(total.damaged as u64),
        several(total.steps as u64, "step")
    );
    if args.write || args.output.is_some() {
        said.push_str(&format!(
            "; {} written, {} of them in order",
            words::count(total.written as u64),
            words::count(total.whole as u64)
        ));
    }
    if total.before > 0 {
        said.push_str(&format!(
            "; {} repaired before",
            words::count(total.before as u64)
        ));
    }
    if total.failed > 0 {
        said.push_str(&format!(
            "; {bad}{} could not be repaired{bad:#}",
            words::count(total.failed as u64)
        ));
    }
    if total.beyond > 0 {
        said.push_str(&format!(
            "; {bad}{} with errors that cannot be repaired{bad:#}",
            words::count(total.beyond as u64)
        ));
    }
    printer.line(said)?;
    if total.damaged > total.written + total.before && total.failed == 0 {
        printer.line(format_args!(
            "{faint}nothing written: give --write for repaired sessions beside them, or --output \
             DIR{faint:#}"
        ))?;
    }
    Ok(())
}

fn several(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", words::count(number))
}

/// A path for people.
fn shown(path: &Path) -> String {
    words::plain(&words::path(path))
}

/// A path as a shell reads it. What cannot be seen is written in a way that can be.
fn quoted(path: &str) -> String {
    if path.chars().any(words::steers) {
        let escaped = path.chars().map(|c| match c {
            c if words::steers(c) => format!("\\u{:04x}", u32::from(c)),
            '\\' | '\'' => format!("\\{c}"),
            c => c.to_string(),
        });
        return format!("$'{}'", escaped.collect::<String>());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("/home/user/a-b_c.d"), "/home/user/a-b_c.d");
        assert_eq!(quoted("/srv/my project"), "'/srv/my project'");
        assert_eq!(quoted("/it's"), r"'/it'\''s'");
        assert_eq!(quoted("/a\u{202e}b'c"), r"$'/a\u202eb\'c'");
        assert_eq!(quoted("/a\u{1b}[1m"), r"$'/a\u001b[1m'");
    }
}
