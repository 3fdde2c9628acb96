//! Limits of the tracker's state. A session may last for weeks, and the state may be saved after
//! every message, so it must not grow with the length of the session.

/// Maximum number of ended subjects, remembered to recognize a new run.
pub(super) const REMEMBERED: usize = 32;

/// Maximum number of ended tasks. Hooks and calls are not included: there are many, and none
/// recurs.
pub(super) const TASKS: usize = 64;

/// Maximum number of texts and lists of ended subagents. A resumed subagent continues them.
pub(super) const TOLD: usize = 64;

/// Maximum number of open subjects parsed from text, whose end may never be reported.
pub(super) const READ: usize = 64;

/// Maximum number of open calls, of tasks, and of other subjects that the CLI reports.
pub(super) const OPEN: usize = 512;

/// Maximum number of subagents with a list.
pub(super) const LISTS: usize = 64;

/// Maximum number of items remembered of the list with ids. Further items are only counted.
pub(super) const POINTS: usize = 1000;

/// Maximum number of items in an update, and of items remembered of a list that is rewritten as a
/// whole.
pub(super) const ITEMS: usize = 100;

/// Maximum length of a text in an update, in characters. The message has the full text.
pub(super) const WORDS: usize = 200;

pub(super) fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(WORDS) {
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
}

pub(super) fn shortened(mut text: String) -> String {
    shorten(&mut text);
    text
}
