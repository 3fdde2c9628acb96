//! `claw sessions search`

use std::fmt::Write as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;
use clap::builder::PossibleValuesParser;
use claw_transcript::{
    Day, FileRole, SearchHit, SearchIndex, SearchQuery, SearchRole, SessionLibrary, Snippet, Zone,
};
use serde::Serialize;

use super::{Place, resolve, say_unlisted};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::progress::Progress;

/// What to search for.
#[derive(Debug, Args)]
#[command(after_help = "\
Matches are in what a person would see, whatever escapes the file has: not in ids of the CLI, names
of JSON members or pictures. Arguments of tools are searched under any name, numbers too, and so are
results that the CLI keeps in files of their own. The newest session comes first. Exits with 1 when
nothing is found.

With --words, all words must be in one prompt, call, result or block of a reply: Claude Code writes
every block of a reply (text, thinking) on a line of its own, and each line stands for itself.

Examples:
  claw sessions search 'could not compile'
  claw sessions search -i --words 'parser bug'      both words, in any order
  claw sessions search -e 'fn \\w+_test' --role tool-call
  claw sessions search deploy --since 7d --json | jq .
  claw sessions search --index 'one rare word'      keeps an index in the cache folder")]
pub(super) struct SearchArgs {
    /// The text to look for.
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// The pattern is a regular expression.
    #[arg(short = 'e', long, conflicts_with = "words")]
    regex: bool,
    /// All words of the pattern, in any order, in one prompt, call, result or block of a reply.
    #[arg(short = 'w', long)]
    words: bool,
    /// Upper and lower case are the same.
    #[arg(short = 'i', long)]
    ignore_case: bool,
    /// Only texts of these, several with commas; everything but attachments when not given.
    #[arg(long = "role", value_delimiter = ',', value_name = "ROLE", value_parser = roles())]
    roles: Vec<String>,
    /// Only one session, by its id or how it begins.
    #[arg(short = 's', long, value_name = "ID")]
    session: Option<String>,
    /// From this day on (YYYY-MM-DD), or so long ago until now (30min, 12h, 7d, 2w).
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<SystemTime>,
    /// Up to the end of this day, or until so long ago.
    #[arg(long, value_name = "WHEN", value_parser = until)]
    until: Option<SystemTime>,
    /// Stop after so many hits; 0 for all.
    #[arg(short = 'n', long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
    /// How many characters to show to each side of a match.
    #[arg(short = 'C', long, default_value_t = 60, value_name = "COUNT")]
    context: usize,
    /// Search lines as they stand in the files, JSON and all.
    #[arg(long, conflicts_with = "roles")]
    raw: bool,
    /// Keep an index, so that the next search reads less, in the user's cache folder or in DIR. It
    /// never changes what is found.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    index: Option<Option<PathBuf>>,
    /// How many threads read; one for each processor when not given.
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

/// A time: the beginning of a day, or so long ago.
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
    place: &Place,
    args: &SearchArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = place.library()?;
    let mut query = query(args);
    if let Some(session) = &args.session {
        query = query.session(resolve(&library, session)?);
    }
    if let Some(folder) = &args.index {
        let index = match folder {
            Some(folder) => SearchIndex::open(folder, &library)?,
            None => SearchIndex::in_cache(&library)?,
        };
        update(&index, &library)?;
        query = query.index(&index);
    }
    let mut shown = Shown::default();
    let mut unreadable = say_unlisted(&library);
    for hit in query.run(&library)? {
        match hit {
            Ok(hit) if place.json => printer.json(&Row::of(&hit))?,
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
        // The first ones at once, since somebody may be waiting; of the rest many together.
        if shown.hits <= FIRST {
            printer.flush()?;
        }
    }
    if args.limit > 0 && shown.hits == args.limit && !place.json {
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

/// Brings an index up to date. Without it the search is slower, and as right.
fn update(index: &SearchIndex, library: &SessionLibrary) -> anyhow::Result<()> {
    // Whatever is searched, the index is of everything.
    let files = SessionLibrary::open(library.config_dir()).files()?;
    let bar = Progress::bytes("indexing", files.iter().map(|file| file.len).sum());
    let updated = index.update(library, Some(&|done| bar.at(done)));
    drop(bar);
    let warn = style::WARN;
    match updated {
        Ok(update) if update.thrown_away > 0 => anstream::eprintln!(
            "{warn}index built anew{warn:#}: {} bytes of {} were broken or of another version",
            update.thrown_away,
            index.path().display()
        ),
        Ok(_) => {}
        Err(error) => {
            let error = anyhow::Error::from(error);
            anstream::eprintln!("{warn}index not updated{warn:#}: {error:#}");
        }
    }
    Ok(())
}

/// How many hits are printed as they come.
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
    /// The file that the last hit was in.
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

/// The name of a file, as far as a terminal may see it.
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

/// Text without line breaks, and without bytes that would steer the terminal.
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
    /// Counted from one, as editors do.
    line: u64,
    offset: u64,
    uuid: Option<&'a str>,
    time: Option<String>,
    time_ms: Option<i64>,
    role: &'static str,
    count: usize,
    text: &'a str,
    /// Where in the text matches begin and end, in bytes of UTF-8.
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
