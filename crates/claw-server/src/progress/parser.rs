//! Progress from text, where nothing better exists.

mod checklist;
mod ending;
mod form;
mod output;
mod prose;
mod runners;
mod screen;
mod shown;
mod subagents;

use self::screen::Screen;
use super::{ProgressKind, ProgressState, ProseProgress, TextOrigin};

/// Reads how far the work is from what an agent says or a tool prints.
///
/// This is a fallback: text is a poor source. The reader knows a table of forms, such as `[n/m]`,
/// "Step n of m", percentages, summaries of test runners and checklists, in English. It reports
/// nothing where no form matches or where the text contradicts itself. It keeps nothing from one
/// text to the next and does no I/O. Of a text beyond 256 KiB it reads the first 64 KiB and the
/// last 192 KiB.
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
    /// What an agent says is read sentence by sentence, what a tool prints line by line as a
    /// screen shows it.
    pub fn parse(&self, text: &str, origin: TextOrigin) -> Option<ProseProgress> {
        let screen = Screen::of(text);
        let lines = screen.lines();
        match origin {
            TextOrigin::Prose => prose::read(&lines),
            TextOrigin::ToolOutput => printed(&screen, &lines),
        }
    }
}

/// An update, and the line it is read from.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    line: usize,
    update: ProseProgress,
}

impl Found {
    fn new(line: usize, kind: ProgressKind, confidence: f32) -> Self {
        let update = ProseProgress {
            kind,
            done: None,
            total: None,
            percent: None,
            label: None,
            state: ProgressState::Running,
            confidence,
        };
        Self { line, update }
    }
}

/// What a tool printed. Where two readers end on the same line, the first one counts.
fn printed(screen: &Screen, lines: &[&str]) -> Option<ProseProgress> {
    if shown::is_shown(lines) {
        return None;
    }
    let run = runners::read(screen, lines);
    // A runner whose numbers are unclear silences everything that is counted beside it.
    let run = match run {
        runners::Run::Unclear => return None,
        runners::Run::None => None,
        runners::Run::Read(found) => Some(found),
    };
    let readers = [run, output::read(screen, lines), checklist::printed(lines)];
    let mut last: Option<Found> = None;
    for found in readers.into_iter().flatten() {
        if last.as_ref().is_none_or(|last| found.line > last.line) {
            last = Some(found);
        }
    }
    let mut found = last?;
    if found.update.state == ProgressState::Running {
        found.update.state = ending::state(lines, &found)?;
    }
    Some(found.update)
}

#[cfg(test)]
mod tests;
