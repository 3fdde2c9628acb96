//! What a reader found, and how sure it is.

use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// The form of a known runner or tool.
pub(super) const KNOWN_FORM: f32 = 0.95;
/// A counter or a share in a form that only progress has: a bar, a redraw, a rate.
pub(super) const CLEAR_FORM: f32 = 0.9;
/// A counter or a share with a verb of work.
pub(super) const WORDED: f32 = 0.8;
/// A mention in a sentence.
pub(super) const MENTION: f32 = 0.7;

/// Short enough for one line of a small screen.
const LONGEST_LABEL: usize = 60;

/// An update of this kind with nothing in it yet.
pub(super) fn update(kind: ProgressKind, confidence: f32) -> ProseProgress {
    ProseProgress {
        kind,
        done: None,
        total: None,
        percent: None,
        label: None,
        state: ProgressState::Running,
        confidence,
    }
}

/// Tests that all have a verdict.
pub(super) fn verdict(total: f64, failed: bool) -> ProseProgress {
    let mut update = update(ProgressKind::TestRun, KNOWN_FORM);
    update.done = Some(total);
    update.total = Some(total);
    update.state = ended(failed);
    update
}

/// Tests that are under way.
pub(super) fn tests_running(done: Option<f64>, total: Option<f64>) -> ProseProgress {
    let mut update = update(ProgressKind::TestRun, KNOWN_FORM);
    update.done = done;
    update.total = total;
    update
}

/// The state of what is over.
pub(super) fn ended(failed: bool) -> ProgressState {
    if failed {
        ProgressState::Failed
    } else {
        ProgressState::Finished
    }
}

/// A few words of the text, trimmed of signs, or nothing when there are none.
pub(super) fn label(text: &str) -> Option<String> {
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ':' | '：'
                    | '-'
                    | '—'
                    | '–'
                    | '.'
                    | '…'
                    | ','
                    | ';'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '*'
                    | '|'
                    | '#'
                    | '>'
                    | '='
                    | '›'
                    | '"'
            )
    };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_matches(is_edge);
    let mut end = line.len();
    if let Some((at, _)) = line.char_indices().nth(LONGEST_LABEL) {
        end = line[..at].rfind(' ').unwrap_or(at);
    }
    let short = line[..end].trim_matches(is_edge);
    let says_something = short.chars().any(char::is_alphabetic);
    says_something.then(|| short.to_owned())
}
