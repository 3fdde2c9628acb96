//! `claw sessions list`

use std::borrow::Cow;
use std::time::SystemTime;

use clap::Args;
use claw_transcript::{SessionFilter, SessionInfo, SessionLibrary};
use serde::Serialize;

use super::scope::{Scope, say_unlisted};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::table::{Column, Table};
use crate::words;

/// What to list.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Maximum number of sessions; 0 for all.
    #[arg(short = 'n', long, default_value_t = 20, value_name = "COUNT")]
    limit: usize,
    /// Skip this many of the newest sessions.
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    offset: usize,
    /// Only sessions that a person started, not those of programs.
    #[arg(long)]
    interactive: bool,
}

pub(super) fn run(scope: &Scope, args: &ListArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let mut filter = SessionFilter::new()
        .offset(args.offset)
        .programmatic(!args.interactive)
        .silent(true)
        .copies(true);
    if args.limit > 0 {
        // One more, to detect whether there are more.
        filter = filter.limit(args.limit.saturating_add(usize::from(!scope.json)));
    }
    let library = scope.library()?;
    let mut sessions = library.list(&filter)?;
    say_unlisted(&library);
    if scope.json {
        let rows: Vec<Row<'_>> = sessions.iter().map(Row::of).collect();
        printer.json(&rows)?;
        return Ok(Status::Fine);
    }
    let more = args.limit > 0 && sessions.len() > args.limit;
    if more {
        sessions.truncate(args.limit);
    }
    if sessions.is_empty() && args.offset > 0 {
        let all = library.list(&filter.offset(0).limit(usize::MAX))?.len() as u64;
        anstream::eprintln!(
            "--offset {} is beyond the last session: there are {}",
            args.offset,
            words::count(all)
        );
        return Ok(Status::Fine);
    }
    if sessions.is_empty() {
        anstream::eprintln!("no sessions here; Claude Code creates one with the first prompt");
        return Ok(Status::Fine);
    }
    printer.raw_display(&table(&library, &sessions, SystemTime::now()))?;
    if more {
        let (faint, dir) = (style::FAINT, "for more: --limit 0, or --offset");
        anstream::eprintln!("{faint}{dir}{faint:#}");
    }
    Ok(Status::Fine)
}

/// Minimum number of characters of an id that are shown.
const SHORT_ID: usize = 8;

/// The shortest unambiguous prefix of an id, with at least eight characters.
fn short_id<'i>(id: &'i str, all: &[String]) -> &'i str {
    let others = all.iter().filter(|other| *other != id);
    let common = others.map(|other| {
        let same = id.bytes().zip(other.bytes());
        same.take_while(|(one, other)| one == other).count()
    });
    let length = common.max().map_or(SHORT_ID, |most| SHORT_ID.max(most + 1));
    id.get(..length).unwrap_or(id)
}

/// The ids of all sessions, from their file names.
fn all_ids(library: &SessionLibrary) -> Vec<String> {
    let projects = library.projects().unwrap_or_default().into_iter();
    let files = projects.flat_map(|project| std::fs::read_dir(project.path).into_iter().flatten());
    let names = files.flatten().map(|file| file.file_name());
    let ids = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".jsonl")?.to_owned()));
    ids.collect()
}

/// The table for people.
pub(super) fn table(library: &SessionLibrary, sessions: &[SessionInfo], now: SystemTime) -> Table {
    let ids = all_ids(library);
    let mut table = Table::new(&[
        Column::Left("ID"),
        Column::Left("WHEN"),
        Column::Right("SIZE"),
        Column::Left("DIRECTORY"),
        Column::Left("TITLE"),
    ]);
    for session in sessions {
        let id = short_id(&session.session_id, &ids);
        let dir = session.cwd.as_deref().unwrap_or("");
        let tag = session.tag.as_deref().map(|tag| format!(" #{tag}"));
        let archived = if session.archived == Some(true) {
            " (archived)"
        } else {
            ""
        };
        let tag = tag.unwrap_or_default();
        let title = match session.summary.as_str() {
            "" => "(no prompt)".to_owned(),
            summary => words::cut(summary, 60),
        };
        table.row([
            id.to_owned(),
            words::ago(session.last_modified, now),
            words::size(session.file_size),
            words::cut(dir, 40),
            format!("{title}{tag}{archived}"),
        ]);
    }
    table
}

/// A session for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    session_id: &'a str,
    summary: &'a str,
    last_modified: String,
    last_modified_ms: i64,
    created_at: Option<String>,
    created_at_ms: Option<i64>,
    file_size: u64,
    custom_title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    git_branch: Option<&'a str>,
    cwd: Option<&'a str>,
    tag: Option<&'a str>,
    archived: Option<bool>,
    path: Cow<'a, str>,
}

impl<'a> Row<'a> {
    fn of(info: &'a SessionInfo) -> Self {
        Self {
            session_id: &info.session_id,
            summary: &info.summary,
            last_modified: words::iso(ms(info.last_modified)),
            last_modified_ms: ms(info.last_modified),
            created_at: info.created_at.map(ms).map(words::iso),
            created_at_ms: info.created_at.map(ms),
            file_size: info.file_size,
            custom_title: info.custom_title.as_deref(),
            first_prompt: info.first_prompt.as_deref(),
            git_branch: info.git_branch.as_deref(),
            cwd: info.cwd.as_deref(),
            tag: info.tag.as_deref(),
            archived: info.archived,
            path: words::path(&info.path),
        }
    }
}

fn ms(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}
