//! How much of a session is remembered to say how far it is. A session may last for weeks, and what
//! follows it is written down after every message, so nothing in here grows with its length.

/// How many things that are over are remembered, so that one that begins again says so.
pub(super) const REMEMBERED: usize = 32;

/// How many tasks that are over are remembered, apart from hooks and calls, of which there are many
/// and none comes again.
pub(super) const TASKS: usize = 64;

/// How many things that subagents said and listed are remembered when those are over: one that is
/// taken up again goes on with them.
pub(super) const TOLD: usize = 64;

/// How many things that are read from texts may be open; nobody says when such a thing is over.
pub(super) const READ: usize = 64;

/// How many things may run at once: calls, tasks, and what else the CLI tells of.
pub(super) const OPEN: usize = 512;

/// How many subagents may have a list.
pub(super) const LISTS: usize = 64;

/// How many points of the list whose points have ids are remembered. What is beyond is counted.
pub(super) const POINTS: usize = 1000;

/// How many points of a list an update shows, and how many are remembered of a list that is
/// written whole each time.
pub(super) const ITEMS: usize = 100;

/// How many letters the words of an update may have; the message they come from has all of them.
pub(super) const WORDS: usize = 200;

/// Leaves the beginning of a text that is too long.
pub(super) fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(WORDS) {
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
}

/// The beginning of a text that may be too long.
pub(super) fn shortened(mut text: String) -> String {
    shorten(&mut text);
    text
}
