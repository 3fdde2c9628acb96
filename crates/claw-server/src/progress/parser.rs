//! Progress from text, where nothing better exists.

mod blocks;
mod checklist;
mod counters;
mod endings;
mod exhibits;
mod glance;
mod numbers;
mod output;
mod page;
mod prose;
mod reading;
mod records;
mod refusals;
mod runners;
mod screen;
mod sentences;
mod sources;
mod statistics;
mod subagents;
mod tokens;
mod vocabulary;
mod words;

use self::numbers::Notation;
use self::page::Page;
use self::runners::Found;
use self::screen::Screen;
use super::{ProgressKind, ProgressState, ProseProgress, TextOrigin};

/// Reads how far the work is from what an agent says or a tool prints.
///
/// This is a fallback: text is a poor source, so it refuses whatever it is not sure of. It keeps
/// nothing from one text to the next, does no I/O and takes time that grows with the text only up
/// to a limit: of a text beyond 256 KiB it reads the first 64 KiB and the last 192 KiB.
///
/// ```
/// use claw_server::progress::{ProgressKind, ProgressParser, TextOrigin};
///
/// let parser = ProgressParser::new();
/// let said = "I'll run the test suite now. Running test 5 of 20...";
/// let update = parser.parse(said, TextOrigin::Prose).expect("it says how far it is");
/// assert_eq!(update.kind, ProgressKind::TestRun);
/// assert_eq!((update.done, update.total), (Some(5.0), Some(20.0)));
///
/// // A share of something else is no progress.
/// assert_eq!(parser.parse("50 % of users never open this page.", TextOrigin::Prose), None);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ProgressParser {}

impl ProgressParser {
    /// A reader.
    pub fn new() -> Self {
        Self {}
    }

    /// The last update that the text reports, or `None` when it reports none.
    ///
    /// The two origins are read differently: what an agent says in sentences, what a tool prints
    /// line by line as a screen would show it.
    pub fn parse(&self, text: &str, origin: TextOrigin) -> Option<ProseProgress> {
        glance::may_report(text)
            .then(|| self.read(text, origin))
            .flatten()
    }

    fn read(&self, text: &str, origin: TextOrigin) -> Option<ProseProgress> {
        let screen = Screen::of(text);
        let lines: Vec<&str> = screen.lines.iter().map(|line| line.text.as_str()).collect();
        let notation = Notation::of(text);
        match origin {
            TextOrigin::Prose => prose::read(&lines, notation),
            TextOrigin::ToolOutput => printed(&screen, &lines, notation),
        }
    }
}

/// What a tool printed.
fn printed(screen: &Screen, lines: &[&str], notation: Notation) -> Option<ProseProgress> {
    let page = Page::of(screen, notation);
    if refusals::shows_a_file(&page) {
        return None;
    }
    let run = runners::read(&page).filter(|run| !output::is_step_among_others(&page, run));
    let work = output::read(&page);
    if let Some(closed) = run
        .as_ref()
        .zip(work.as_ref())
        .and_then(|(run, work)| closes(&page, run, work))
    {
        return Some(closed);
    }
    let repeated = |work: &Found| {
        run.as_ref()
            .is_some_and(|run| work.line > run.line && runners::repeats(run, work))
    };
    let work = work.filter(|work| !repeated(work));
    let begun = run.as_ref().map(|run| (run.update.state, run.update.total));
    let readers = [
        run,
        subagents::printed(&page),
        records::read(&page),
        work,
        checklist::read(lines, TextOrigin::ToolOutput),
    ];
    // Where two end on the same line, the one that knows the form better is named first.
    let mut last: Option<Found> = None;
    for found in readers.into_iter().flatten() {
        if last.as_ref().is_none_or(|last| found.line > last.line) {
            last = Some(found);
        }
    }
    let said = runners::said(&page);
    let Some(mut found) = last.or_else(|| runners::judged(&page)) else {
        return said.map(|said| said.update);
    };
    // "Running 12 tests", and then "[2/12] lexer ok": it is the tests that are counted.
    let is_place = matches!(found.update.kind, ProgressKind::Count | ProgressKind::Step);
    if is_place && begun == Some((ProgressState::Running, found.update.total)) {
        found.update.kind = ProgressKind::TestRun;
    }
    let under_way =
        found.update.kind == ProgressKind::TestRun && found.update.state == ProgressState::Running;
    if under_way && endings::stops_tests(&page, &found) {
        found.update.state = ProgressState::Failed;
    } else if under_way && let Some(said) = said.filter(|said| said.line > found.line) {
        found.update.state = said.update.state;
    }
    Some(found.update)
}

/// "Fetching 8 of 8 feeds" and then "7 ok, 1 failed": the verdicts are of what was counted.
fn closes(page: &Page<'_>, run: &Found, work: &Found) -> Option<ProseProgress> {
    let near = work.line < run.line && run.line <= work.line + 12;
    let over = run.update.state != ProgressState::Running;
    let same = work.update.kind == ProgressKind::Count && work.update.total == run.update.total;
    let of_tests = |line: &page::PageLine<'_>| {
        let low = line.text.to_lowercase();
        ["test", "spec", "suite", "example", "scenario"]
            .iter()
            .any(|word| low.contains(word))
    };
    if !near || !over || !same || page.between(work.line, run.line + 1).iter().any(of_tests) {
        return None;
    }
    let mut update = work.update.clone();
    update.state = run.update.state;
    Some(update)
}
