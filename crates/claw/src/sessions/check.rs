//! `claw sessions check`

use clap::Args;
use claw_transcript::{Check, CheckReport, Severity};

use super::scope::{Scope, files_and_unread};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to check.
#[derive(Debug, Args)]
#[command(after_help = "\
Checks that files hold sessions, ids are unique, times and token counts are valid, parents exist,
lines are complete, belong to one session and have the shape of their type, tool calls are complete
and answered, and subagents are separate from the main conversation.

Exit codes: 0 no errors, 1 warnings with --strict, 2 errors, 3 the check could not run: there is no
session file, or a file, a folder or a link could not be read.

Examples:
  claw sessions check                     all sessions
  claw sessions check 4f0c                one session, by the start of its id
  claw sessions check copy.jsonl          a file from elsewhere
  claw sessions check --sarif > out.sarif for editors and code hosts")]
pub(super) struct CheckArgs {
    /// Sessions, by their id or the start of it, or files [default: all sessions].
    sessions: Vec<String>,
    /// Fail on warnings too.
    #[arg(long)]
    strict: bool,
    /// Also print notes.
    #[arg(long)]
    notes: bool,
    /// Print SARIF 2.1.0.
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Maximum number of findings to list per rule and file; 0 for all [default: 50, and all in
    /// JSON and SARIF].
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Also print kinds and members that this version does not know, by version of the CLI.
    #[arg(long)]
    drift: bool,
}

pub(super) fn run(
    scope: &Scope,
    args: &CheckArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let (files, unread) = files_and_unread(&library, &args.sessions)?;
    if files.is_empty() {
        anyhow::bail!(
            "nothing to check: no session files under {}; see --config-dir, --dir and --here",
            library.projects_dir().display()
        );
    }
    let mut check = Check::new();
    match args.limit {
        Some(0) => check = check.listed(usize::MAX),
        Some(limit) => check = check.listed(limit),
        // Programs compare reports, so no finding may be hidden by a limit.
        None if scope.json || args.sarif => check = check.listed(usize::MAX),
        None => {}
    }
    let report = check.files(&files);
    if scope.json {
        printer.json(&report)?;
    } else if args.sarif {
        printer.json(&report.to_sarif())?;
    } else {
        print(&report, args, printer)?;
    }
    Ok(match report.exit_code(args.strict) {
        // A file that could not be read may have errors.
        _ if unread > 0 => Status::Found(3),
        0 => Status::Fine,
        code => Status::Found(code),
    })
}

fn print(report: &CheckReport, args: &CheckArgs, printer: &mut Printer) -> anyhow::Result<()> {
    let (faint, title) = (style::FAINT, style::TITLE);
    for file in &report.files {
        let shown = file
            .findings
            .iter()
            .filter(|found| args.notes || found.severity > Severity::Note);
        let mut shown = shown.peekable();
        if shown.peek().is_none() {
            continue;
        }
        let path = words::shown(&file.path);
        printer.line(format_args!("{title}{path}{title:#}"))?;
        for found in shown {
            let look = match found.severity {
                Severity::Error => style::BAD,
                Severity::Warning => style::WARN,
                _ => style::FAINT,
            };
            printer.line(format_args!(
                "  {}:{} {look}{}{look:#} {faint}{}{faint:#} {}",
                found.line,
                found.offset,
                found.severity,
                found.rule,
                words::plain(&found.message),
            ))?;
        }
        for (rule, more) in &file.suppressed {
            printer.line(format_args!("  {faint}{more} more of {rule}{faint:#}"))?;
        }
        printer.line("")?;
    }
    if args.drift {
        for item in &report.drift {
            let version = match &*item.version {
                "" => "an unknown version",
                version => version,
            };
            printer.line(format_args!(
                "new in {version}: {} {} of {} ({})",
                item.what.as_str(),
                words::plain(&item.name),
                words::plain(&item.kind),
                words::several(item.lines, "line"),
            ))?;
        }
    }
    let total = report.total;
    let look = match total {
        _ if total.errors > 0 => style::BAD,
        _ if total.warnings > 0 => style::WARN,
        _ => style::GOOD,
    };
    let verdict = match (total.errors, total.warnings) {
        (0, 0) => "in order".to_owned(),
        (errors, warnings) => format!(
            "{}, {}",
            words::several(errors, "error"),
            words::several(warnings, "warning")
        ),
    };
    let notes = match total.notes {
        0 => String::new(),
        notes if args.notes => format!(", {}", words::several(notes, "note")),
        notes => format!(", {} (--notes)", words::several(notes, "note")),
    };
    printer.line(format_args!(
        "{look}{verdict}{look:#}{notes}: {} in {}, {}",
        words::several(report.lines_checked, "line"),
        words::several(report.files_checked, "file"),
        words::size(report.bytes_checked),
    ))?;
    if total.errors + total.warnings > 0 {
        printer.line(format_args!(
            "{faint}next: claw sessions repair ID shows the planned repair{faint:#}"
        ))?;
    }
    Ok(())
}
