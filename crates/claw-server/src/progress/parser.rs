//! Progress from text, where nothing better exists.

mod checklist;
mod ending;
mod form;
mod found;
mod output;
mod prose;
mod runners;
mod screen;
mod shown;

use self::found::Found;
use self::screen::Screen;
use super::{ProgressState, ProseProgress, TextOrigin};

/// Parses progress from the text of an agent or the output of a tool.
///
/// This is a fallback, because text is an unreliable source. It has a table of English patterns,
/// such as `[n/m]`, "Step n of m", percentages, summaries of test runners, and checklists. It
/// reports nothing if no pattern matches or if the text contradicts itself. It is stateless and
/// does no I/O. Of a text longer than 256 KiB it reads the first 64 KiB and the last 192 KiB.
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
    /// Creates a parser.
    pub fn new() -> Self {
        Self {}
    }

    /// The last update that the text reports, or `None` when it reports none.
    ///
    /// The text of an agent is read by sentence; the output of a tool is read by line, as a
    /// terminal shows it.
    pub fn parse(&self, text: &str, origin: TextOrigin) -> Option<ProseProgress> {
        let screen = Screen::of(text);
        let lines = screen.lines();
        match origin {
            TextOrigin::Prose => prose::read(&lines),
            TextOrigin::ToolOutput => printed(&screen, &lines),
        }
    }
}

/// Reads the output of a tool. If two readers match the same line, the first one wins.
fn printed(screen: &Screen, lines: &[&str]) -> Option<ProseProgress> {
    if shown::is_shown(lines) {
        return None;
    }
    let run = runners::read(screen, lines);
    // If the numbers of a test runner are unclear, no other counter is trusted either.
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
