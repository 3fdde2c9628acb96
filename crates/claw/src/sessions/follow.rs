//! `claw sessions follow`

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{
    Entry, FileRole, Followed, Kind, Part, SessionCursor, SessionFile, SessionFollower, last_lines,
};
use serde::Serialize;

use super::{Place, resolve};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to follow.
#[derive(Debug, Args)]
#[command(after_help = "\
Shows what a session says as its file grows, with its subagents, until Ctrl-C. With --json each line
is printed as it stands in the file, inside an object that says which file it is in.

Examples:
  claw sessions follow 4f0c
  claw sessions follow 4f0c --json --cursor place.json   go on later where this one ended")]
pub(super) struct FollowArgs {
    /// The session's id, or how it begins.
    session: String,
    /// Begin with this many of the main file's lines; all of them when not given.
    #[arg(short = 'n', long, value_name = "COUNT")]
    last: Option<u64>,
    /// Keep the place in this file, and go on from it when it is there.
    #[arg(long, value_name = "FILE")]
    cursor: Option<PathBuf>,
    /// Show what is there and end.
    #[arg(long)]
    once: bool,
}

/// A line for programs.
#[derive(Serialize)]
struct Row<'a> {
    file: &'a std::path::Path,
    agent: Option<&'a str>,
    offset: u64,
    entry: &'a serde_json::value::RawValue,
}

pub(super) fn run(
    place: &Place,
    args: &FollowArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = place.library()?;
    let id = resolve(&library, &args.session)?;
    let main = library.session_files(&id)?.into_iter().next();
    let main = main.context("the session has no file")?;
    let from = match args.last {
        Some(last) => last_lines(&mut std::fs::File::open(&main.path)?, last)?,
        None => 0,
    };
    let mut follower = match cursor(args)? {
        Some(cursor) => SessionFollower::resume(main.clone(), cursor),
        None => SessionFollower::new(main.clone()),
    };
    loop {
        let mut failed = Ok(());
        let found = follower.poll(|file, found| {
            let Followed::Line(line) = found else { return };
            let before = file.path == main.path && line.offset < from;
            if before || failed.is_err() {
                return;
            }
            if let Some(entry) = Entry::read(line.raw) {
                failed = if place.json {
                    json(file, line.offset, &entry, printer)
                } else {
                    print(file, &entry, printer)
                };
            }
        })?;
        failed?;
        printer.flush()?;
        if found > 0 || args.once {
            keep(args, &mut follower)?;
        }
        if args.once {
            return Ok(Status::Fine);
        }
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn cursor(args: &FollowArgs) -> anyhow::Result<Option<SessionCursor>> {
    let Some(path) = args.cursor.as_ref().filter(|path| path.exists()) else {
        return Ok(None);
    };
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let cursor = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not a place that was kept", path.display()))?;
    Ok(Some(cursor))
}

/// What was printed is behind the place that is kept, so the place is kept after it.
fn keep(args: &FollowArgs, follower: &mut SessionFollower) -> anyhow::Result<()> {
    let Some(path) = &args.cursor else {
        return Ok(());
    };
    let text = serde_json::to_vec(&follower.cursor()?)?;
    let new = path.with_extension("new");
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn agent(file: &SessionFile) -> Option<&str> {
    match &file.role {
        FileRole::Agent { agent_id } => Some(agent_id),
        _ => None,
    }
}

fn json(
    file: &SessionFile,
    offset: u64,
    entry: &Entry<'_>,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    printer.json(&Row {
        file: &file.path,
        agent: agent(file),
        offset,
        entry: serde_json::from_str(entry.text())?,
    })
}

fn print(file: &SessionFile, entry: &Entry<'_>, printer: &mut Printer) -> anyhow::Result<()> {
    let flags = entry.flags();
    if flags.meta || !matches!(entry.kind(), Kind::User | Kind::Assistant) {
        return Ok(());
    }
    let (faint, name, title) = (style::FAINT, style::NAME, style::TITLE);
    let who = agent(file).map(|agent| format!("{faint}[{agent}]{faint:#} "));
    let who = who.unwrap_or_default();
    for part in entry.parts() {
        match part {
            Part::Text(text) if entry.kind() == Kind::User => {
                printer.line(format_args!(
                    "{who}{title}❯ {}{title:#}",
                    words::plain(&text)
                ))?;
            }
            Part::Text(text) => printer.line(format_args!("{who}{}", words::plain(&text)))?,
            Part::Call {
                name: tool, input, ..
            } => {
                let tool = tool.unwrap_or_default();
                let input = words::cut(input.unwrap_or("{}"), 100);
                printer.line(format_args!(
                    "{who}{name}● {tool}{name:#} {faint}{input}{faint:#}"
                ))?;
            }
            Part::Answer {
                content, is_error, ..
            } => {
                let look = if is_error { style::BAD } else { style::FAINT };
                let text = words::cut(&words::of_content(content.unwrap_or("")), 100);
                printer.line(format_args!("{who}{look}  ⎿ {text}{look:#}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}
