//! Decisions that checks and repairs share, so that a repair changes only what a check reports.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::table::{Marks, Row, Table};
use super::unanswered::{self, End};
use crate::entry::{Dialect, Kind, KindGroup};
use crate::facts::{Facts, Member};
use crate::lines::readable;
use crate::members::Members;
use crate::session_id::is_session_id;

/// Returns whether a line is part of a chain.
pub(super) fn is_in_chain(facts: &Facts<'_>) -> bool {
    let unknown = facts.kind == Kind::Unknown && facts.get(Member::Uuid).is_some();
    facts.dialect != Dialect::Stream && (facts.kind.group() == KindGroup::Chain || unknown)
}

/// The row of a line; `None` if it is in no chain.
pub(crate) fn row_of(facts: &Facts<'_>) -> Option<Row> {
    is_in_chain(facts).then(|| Row::of(facts, facts.api_message(), (0, 0)))
}

/// Returns whether a chain may change between conversation and sidechain from a parent to a line.
pub(crate) fn may_change_side(parent: Marks, line: Marks, to_sidechain: bool) -> bool {
    let document = line.has(Marks::DOCUMENT) && parent.has(Marks::DOCUMENT);
    match (to_sidechain, document) {
        // A prompt for a subagent; in old files of the CLI, below the call that starts it.
        (true, true) => line.has(Marks::USER),
        (true, false) => line.has(Marks::PROMPT) && parent.has(Marks::CALLING),
        // In the document's dialect the main conversation continues after the last message of the
        // subagent, with a reply or the result of the task.
        (false, true) => {
            let ended = parent.has(Marks::ASSISTANT | Marks::FAILURE);
            ended && line.has(Marks::ASSISTANT | Marks::RESULT)
        }
        (false, false) => false,
    }
}

/// Returns whether a line may be older than the compaction at the start of its file, so that its
/// parent was dropped. Later lines need their parent.
pub(crate) fn is_older_than(boundary: &Row, line: &Row) -> bool {
    let unknown = boundary.seconds == 0 || line.seconds == 0;
    unknown || line.seconds <= boundary.seconds
}

/// Returns, for rows with unanswered calls in file order, whether the conversation continued
/// without the result and was not interrupted.
pub(crate) fn were_passed(rows: &[Row], open: &[u32]) -> Vec<bool> {
    let ends = unanswered::ends(&Table::of_rows(rows), open).into_iter();
    ends.map(|end| end == End::Passed).collect()
}

/// Determines the session that a file belongs to.
///
/// A copy of another session may begin with lines that name the other session. After the first line
/// that names the file's own session, every line must name it.
#[derive(Debug, Clone, Default)]
pub(crate) struct OneSession {
    own: Option<String>,
    seen: bool,
}

impl OneSession {
    /// Takes the id from the name of the file, or from the first line if the name is not an id.
    pub(crate) fn of_file(name: Option<&str>) -> Self {
        let own = name.filter(|name| is_session_id(name)).map(str::to_owned);
        Self { own, seen: false }
    }

    /// The id of the session, if it is known.
    pub(crate) fn own(&self) -> Option<&str> {
        self.own.as_deref()
    }

    /// Returns whether the next line, which names this session, belongs to a session other than the
    /// file's.
    pub(crate) fn is_foreign(&mut self, id: &str) -> bool {
        if self.own.get_or_insert_with(|| id.to_owned()) == id {
            self.seen = true;
            return false;
        }
        self.seen
    }
}

/// Members in which two copies of a line may differ. Their parents are compared separately.
const MAY_DIFFER: [&str; 5] = ["timestamp", "version", "cwd", "gitBranch", "parentUuid"];

/// A hash of the members of a line, independent of their order.
pub(crate) fn said<'m>(members: impl Iterator<Item = (&'m str, &'m str)>) -> u64 {
    let members = members.filter(|(name, _)| !MAY_DIFFER.contains(name));
    members.fold(0, |all: u64, member| {
        let mut hasher = DefaultHasher::new();
        member.hash(&mut hasher);
        all.wrapping_add(hasher.finish())
    })
}

/// Returns whether two lines are copies.
pub(super) fn is_copy(line: &[u8], other: &[u8]) -> bool {
    if line == other {
        return true;
    }
    let (line, other) = (readable(line), readable(other));
    let both = Members::read(&line).zip(Members::read(&other));
    both.is_some_and(|(line, other)| {
        let same_parent = line.get("parentUuid") == other.get("parentUuid");
        same_parent && said(line.iter()) == said(other.iter())
    })
}
