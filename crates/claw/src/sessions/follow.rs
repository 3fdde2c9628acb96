//! `claw sessions follow`

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{
    Body, Change, Damage, Entry, FileRole, Followed, Kind, Line, LineEnd, Part, SessionCursor,
    SessionFile, SessionFollower, SessionLibrary, TranscriptError,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::scope::{Scope, resolve_one};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to follow.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints the messages of a session and its subagents as they are written, until Ctrl-C. A broken line
is printed with the reason and the complete entries in it. If a file is rotated, cut or replaced,
follow reports it and does not repeat lines that are still in the file.

With --json, each line is printed as `entry` in an object that names its file; a broken line has
`broken` and `raw` instead, and a change of the file has `changed`.

Examples:
  claw sessions follow 4f0c
  claw sessions follow 4f0c --json --cursor scope.json   resume where an earlier run ended")]
pub(super) struct FollowArgs {
    /// A session, by its id or the start of it, or a file.
    session: String,
    /// Start with this many lines from the end of the main file [default: all lines].
    #[arg(short = 'n', long, value_name = "COUNT")]
    last: Option<u64>,
    /// Save the position in this file, and resume from it if it exists.
    #[arg(long, value_name = "FILE")]
    cursor: Option<PathBuf>,
    /// Print the existing lines, including an incomplete last line, and exit.
    #[arg(long)]
    once: bool,
}

/// A line or a change of a file, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    path: Cow<'a, str>,
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// It is the last line and has no newline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<&'a RawValue>,
    /// The entry was salvaged from the broken line before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    salvaged: bool,
    /// What is wrong with the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Cow<'a, str>>,
    /// How the file changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<&'a str>,
    /// The number of printed lines that are still in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<u64>,
}

impl<'a> Row<'a> {
    fn of(file: &'a SessionFile) -> Self {
        Self {
            path: file.path.to_string_lossy(),
            agent_id: agent(file),
            offset: None,
            unfinished: false,
            entry: None,
            salvaged: false,
            broken: None,
            raw: None,
            changed: None,
            kept: None,
        }
    }
}

pub(super) fn run(
    scope: &Scope,
    args: &FollowArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let main = main_file(&scope.library()?, &args.session)?;
    let mut follower = match (cursor(args)?, args.last) {
        (Some(cursor), _) => SessionFollower::resume(main, cursor),
        (None, Some(last)) => SessionFollower::last(main, last),
        (None, None) => SessionFollower::new(main),
    };
    loop {
        let mut failed = Ok(());
        let show = |file: &SessionFile, found: Followed<'_>| {
            if failed.is_ok() {
                failed = match found {
                    Followed::Line(line) if scope.json => json(file, &line, printer),
                    Followed::Line(line) => print(file, &line, printer),
                    Followed::Changed(change) => changed(file, change, scope.json, printer),
                    _ => Ok(()),
                };
            }
        };
        let found = if args.once {
            follower.finish(show)?
        } else {
            follower.poll(show)?
        };
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

/// The main file of a session, by its id or path.
fn main_file(library: &SessionLibrary, name: &str) -> anyhow::Result<SessionFile> {
    if Path::new(name).is_file() {
        return Ok(SessionFile::at(name)?);
    }
    let id = resolve_one(library, name)?;
    match library.session_files(&id) {
        Ok(files) => files.into_iter().next().context("the session has no file"),
        // Only files of subagents are left.
        Err(TranscriptError::SessionNotFound { .. }) => {
            let mut files = library.files()?.into_iter();
            let left = files.find(|file| file.session_id.as_ref() == Some(&id));
            let mut main = left.context("the session has no file")?;
            let mut above = main.path.ancestors();
            let folder = above.find(|folder| folder.ends_with(&id));
            let folder = folder.context("the session has no folder")?;
            main.path = folder.with_extension("jsonl");
            main.role = FileRole::Main;
            Ok(main)
        }
        Err(error) => Err(error.into()),
    }
}

fn cursor(args: &FollowArgs) -> anyhow::Result<Option<SessionCursor>> {
    let Some(path) = args.cursor.as_ref().filter(|path| path.exists()) else {
        return Ok(None);
    };
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let cursor = serde_json::from_slice(&text).with_context(|| {
        format!(
            "{} is not a saved position: give another file, or remove it",
            path.display()
        )
    })?;
    Ok(Some(cursor))
}

/// Saves the cursor. Called after printing, so that no line is skipped.
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

/// Reports that a file was rotated, replaced or cut.
fn changed(
    file: &SessionFile,
    change: Change,
    for_programs: bool,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let (what, words) = match change {
        Change::Rotated => ("rotated", "was rotated; the new file follows"),
        Change::Replaced { .. } => ("replaced", "was replaced by another file"),
        Change::Cut { .. } => ("cut", "was cut or rewritten"),
        _ => ("changed", "has changed"),
    };
    let kept = change.kept();
    if for_programs {
        return printer.json(&Row {
            changed: Some(what),
            kept: Some(kept),
            ..Row::of(file)
        });
    }
    printer.flush()?;
    let kept = words::several(kept, "line");
    anstream::eprintln!("{} {words}; {kept} kept", file.path.display());
    Ok(())
}

fn json(file: &SessionFile, line: &Line<'_>, printer: &mut Printer) -> anyhow::Result<()> {
    let row = || Row {
        offset: Some(line.offset),
        unfinished: line.end == LineEnd::None,
        ..Row::of(file)
    };
    match line.body() {
        Body::Entry(entry) => printer.json(&Row {
            entry: Some(serde_json::from_str(entry.text())?),
            ..row()
        }),
        Body::Broken(damage) => {
            printer.json(&Row {
                broken: Some(damage.why),
                raw: Some(String::from_utf8_lossy(line.raw)),
                ..row()
            })?;
            for (start, entry) in whole(line, &damage) {
                printer.json(&Row {
                    offset: Some(line.offset + start as u64),
                    entry: Some(serde_json::from_str(entry.text())?),
                    salvaged: true,
                    ..Row::of(file)
                })?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The complete entries in a broken line, with their offsets.
fn whole<'a>(line: &Line<'a>, damage: &Damage) -> Vec<(usize, Entry<'a>)> {
    let raw = line.raw;
    let pieces = damage.pieces.iter();
    let entries = pieces.filter_map(|piece| Some((piece.start, Entry::read(&raw[piece.clone()])?)));
    entries.collect()
}

fn print(file: &SessionFile, line: &Line<'_>, printer: &mut Printer) -> anyhow::Result<()> {
    let warn = style::WARN;
    match line.body() {
        Body::Entry(entry) => print_entry(file, &entry, printer)?,
        Body::Broken(damage) => {
            let text = words::cut(&line.text(), 60);
            printer.line(format_args!(
                "{}{warn}! byte {}: {}{warn:#} {text}",
                who(file),
                line.offset,
                damage.why
            ))?;
            for (_, entry) in whole(line, &damage) {
                print_entry(file, &entry, printer)?;
            }
        }
        _ => return Ok(()),
    }
    if line.end == LineEnd::None {
        printer.line(format_args!(
            "{}{warn}! the last line has no newline: it may be incomplete{warn:#}",
            who(file)
        ))?;
    }
    Ok(())
}

fn who(file: &SessionFile) -> String {
    let faint = style::FAINT;
    let who = agent(file).map(|agent| format!("{faint}[{}]{faint:#} ", words::cut(agent, 60)));
    who.unwrap_or_default()
}

fn print_entry(file: &SessionFile, entry: &Entry<'_>, printer: &mut Printer) -> anyhow::Result<()> {
    let flags = entry.flags();
    if flags.meta || !matches!(entry.kind(), Kind::User | Kind::Assistant) {
        return Ok(());
    }
    let (faint, name, title) = (style::FAINT, style::NAME, style::TITLE);
    let who = who(file);
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
                let tool = words::cut(&tool.unwrap_or_default(), 60);
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
