//! `claw sessions search`

use std::fmt::Write as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;
use clap::builder::PossibleValuesParser;
use claw_transcript::{Day, FileRole, SearchHit, SearchQuery, SearchRole, Snippet, Zone};
use serde::Serialize;

use super::scope::{Scope, resolve, say_unlisted};
use crate::exit::Status;
use crate::printer::{Printer, style};

/// What to search for.
#[derive(Debug, Args)]
#[command(after_help = "\
Searches the text that a person sees, with all JSON escapes decoded, but not ids of the CLI, names
of JSON members or images. All arguments of tools are searched, numbers included, and so are results
that the CLI stores in separate files. The newest session comes first. Exits with 1 if nothing is
found.

With --words, all words must be in one prompt, call, result or block of a reply (text or thinking).

Examples:
  claw sessions search 'could not compile'
  claw sessions search -i --words 'parser bug'   both words, in any order
  claw sessions search -e 'fn \\w+_test' --role tool-call
  claw sessions search deploy --since 7d --json | jq .")]
pub(super) struct SearchArgs {
    /// The text to find.
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// The pattern is a regular expression.
    #[arg(short = 'e', long, conflicts_with = "words")]
    regex: bool,
    /// Find all words of the pattern, in any order, in one prompt, call, result or block.
    #[arg(short = 'w', long)]
    words: bool,
    /// Ignore case.
    #[arg(short = 'i', long)]
    ignore_case: bool,
    /// Only these roles, separated by commas [default: all but attachment].
    #[arg(long = "role", value_delimiter = ',', value_name = "ROLE", value_parser = roles())]
    roles: Vec<String>,
    /// Only one session, by its id or the start of it.
    #[arg(short = 's', long, value_name = "ID")]
    session: Option<String>,
    /// Only text from this day on (YYYY-MM-DD), or no older than this age (30min, 12h, 7d, 2w).
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<SystemTime>,
    /// Only text up to the end of this day, or at least as old as this age.
    #[arg(long, value_name = "WHEN", value_parser = until)]
    until: Option<SystemTime>,
    /// Stop after this many hits; 0 for all.
    #[arg(short = 'n', long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
    /// Number of characters to show on each side of a match.
    #[arg(short = 'C', long, default_value_t = 60, value_name = "COUNT")]
    context: usize,
    /// Search the lines as they are in the files, including the JSON.
    #[arg(long, conflicts_with = "roles")]
    raw: bool,
    /// Number of threads [default: one per processor].
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZero<usize>>,
}

fn roles() -> PossibleValuesParser {
    SearchRole::ALL
        .iter()
        .map(|role| role.as_str())
        .collect::<Vec<_>>()
        .into()
}

fn since(text: &str) -> Result<SystemTime, String> {
    when(text, Some)
}

fn until(text: &str) -> Result<SystemTime, String> {
    when(text, Day::next)
}

/// Parses a time: the start of a day, or an age.
fn when(text: &str, counted_from: impl Fn(Day) -> Option<Day>) -> Result<SystemTime, String> {
    let wrong = || "write a day as 2026-11-30, or an age as 30min, 12h, 7d or 2w".to_owned();
    if let Some(day) = Day::parse(text) {
        let start = counted_from(day).and_then(|day| Zone::local().start_of(day));
        let start = start.and_then(|seconds| u64::try_from(seconds).ok());
        return Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(start.ok_or_else(wrong)?));
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(wrong()),
    };
    let age = number
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(seconds));
    let age = Duration::from_secs(age.ok_or_else(wrong)?);
    SystemTime::now().checked_sub(age).ok_or_else(wrong)
}

pub(super) fn run(
    scope: &Scope,
    args: &SearchArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let mut query = query(args);
    if let Some(session) = &args.session {
        query = query.session(resolve(&library, session)?);
    }
    let mut shown = Shown::default();
    let mut unreadable = say_unlisted(&library);
    for hit in query.run(&library)? {
        match hit {
            Ok(hit) if scope.json => printer.json(&Row::of(&hit))?,
            Ok(hit) => shown.print(&hit, printer)?,
            Err(error) => {
                let warn = style::WARN;
                let error = anyhow::Error::from(error);
                anstream::eprintln!("{warn}not read{warn:#}: {error:#}");
                unreadable += 1;
                continue;
            }
        }
        shown.hits += 1;
        // Flush the first hits, because a person may be waiting; buffer the rest.
        if shown.hits <= FIRST {
            printer.flush()?;
        }
    }
    if args.limit > 0 && shown.hits == args.limit && !scope.json {
        let faint = style::FAINT;
        anstream::eprintln!(
            "{faint}the first {} hits; for all: -n 0{faint:#}",
            shown.hits
        );
    }
    Ok(match (shown.hits, unreadable) {
        (0, 0) => Status::Found(1),
        (0, _) => Status::Found(2),
        _ => Status::Fine,
    })
}

/// Number of hits that are flushed as they are found.
const FIRST: usize = 100;

fn query(args: &SearchArgs) -> SearchQuery {
    let mut query = if args.regex {
        SearchQuery::regex(&args.pattern)
    } else if args.words {
        SearchQuery::words(&args.pattern)
    } else {
        SearchQuery::phrase(&args.pattern)
    };
    if args.ignore_case {
        query = query.any_case();
    }
    if args.raw {
        query = query.raw();
    }
    if !args.roles.is_empty() {
        let named = |role: &&SearchRole| args.roles.iter().any(|name| name == role.as_str());
        query = query.roles(SearchRole::ALL.iter().filter(named).copied());
    }
    if let Some(since) = args.since {
        query = query.since(since);
    }
    if let Some(until) = args.until {
        query = query.until(until);
    }
    if args.limit > 0 {
        query = query.limit(args.limit);
    }
    if let Some(threads) = args.threads {
        query = query.threads(threads);
    }
    query.context(args.context)
}

/// What was printed so far.
#[derive(Default)]
struct Shown {
    hits: usize,
    /// The file of the last hit.
    file: Option<PathBuf>,
}

impl Shown {
    fn print(&mut self, hit: &SearchHit, printer: &mut Printer) -> anyhow::Result<()> {
        let (title, faint, name) = (style::TITLE, style::FAINT, style::NAME);
        if self.file.as_ref() != Some(&hit.file.path) {
            if self.file.is_some() {
                printer.line("")?;
            }
            let session = hit.session_id.as_deref().unwrap_or("(no session)");
            let agent = match &hit.file.role {
                FileRole::Agent { agent_id } => format!(" subagent {agent_id}"),
                FileRole::ToolResult => format!(" long result {}", name_of(&hit.file.path)),
                _ => String::new(),
            };
            let project = hit.file.project.as_str();
            printer.line(format_args!(
                "{title}{session}{title:#}{agent} {faint}{project}{faint:#}"
            ))?;
            self.file = Some(hit.file.path.clone());
        }
        let more = match hit.count {
            0 | 1 => String::new(),
            count => format!(" {faint}({count} times){faint:#}"),
        };
        printer.line(format_args!(
            "{faint}{:>6}:{faint:#} {name}{}{name:#} {}{more}",
            hit.line + 1,
            hit.role.as_str(),
            marked(&hit.snippet),
        ))?;
        Ok(())
    }
}

/// The name of a file, without control characters.
fn name_of(path: &std::path::Path) -> String {
    let mut name = String::new();
    let file = path.file_name().unwrap_or_default();
    flat(&file.to_string_lossy(), &mut name);
    name
}

/// A snippet on one line, with matches in colour.
fn marked(snippet: &Snippet) -> String {
    let look = style::MATCH;
    let mut out = String::new();
    if snippet.cut_before {
        out.push('…');
    }
    let mut at = 0;
    for range in &snippet.matches {
        flat(&snippet.text[at..range.start], &mut out);
        let _ = write!(out, "{look}");
        flat(&snippet.text[range.clone()], &mut out);
        let _ = write!(out, "{look:#}");
        at = range.end;
    }
    flat(&snippet.text[at..], &mut out);
    if snippet.cut_after {
        out.push('…');
    }
    out
}

/// Appends text without line breaks and without characters that control the terminal.
fn flat(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\n' => out.push('⏎'),
            '\t' => out.push(' '),
            c if crate::words::steers(c) => {}
            c => out.push(c),
        }
    }
}

/// A hit for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    session_id: Option<&'a str>,
    agent_id: Option<&'a str>,
    path: std::borrow::Cow<'a, str>,
    /// Counted from one, as in editors.
    line: u64,
    offset: u64,
    uuid: Option<&'a str>,
    time: Option<String>,
    time_ms: Option<i64>,
    role: &'static str,
    count: usize,
    text: &'a str,
    /// Start and end of each match in the text, in bytes of UTF-8.
    matches: Vec<[usize; 2]>,
    cut_before: bool,
    cut_after: bool,
}

impl<'a> Row<'a> {
    fn of(hit: &'a SearchHit) -> Self {
        let snippet = &hit.snippet;
        Self {
            session_id: hit.session_id.as_deref(),
            agent_id: match &hit.file.role {
                FileRole::Agent { agent_id } => Some(agent_id),
                _ => None,
            },
            path: crate::words::path(&hit.file.path),
            line: hit.line + 1,
            offset: hit.offset,
            uuid: hit.uuid.as_deref(),
            time: hit.time_ms.map(crate::words::iso),
            time_ms: hit.time_ms,
            role: hit.role.as_str(),
            count: hit.count,
            text: &snippet.text,
            matches: snippet
                .matches
                .iter()
                .map(|range| [range.start, range.end])
                .collect(),
            cut_before: snippet.cut_before,
            cut_after: snippet.cut_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_or_ages() {
        let day = since("2026-11-02").unwrap();
        assert_eq!(until("2026-11-01").unwrap(), day);
        let then = since("2d").unwrap();
        let age = SystemTime::now().duration_since(then).unwrap();
        assert_eq!(age.as_secs() / 3600, 48);
        for wrong in ["", "7", "d", "2026-13-01", "99999999999999999w"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_in_a_snippet_steers_the_terminal() {
        let mut out = String::new();
        flat("a\u{1b}[31m\r\n\tb\u{9b}", &mut out);
        assert_eq!(out, "a[31m⏎ b");
    }
}
