//! What checks and repairs judge alike.
//!
//! A repair of what no check complains about would harm a session that is in order, so that both
//! ask here.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::facts::Facts;
use super::member::Member;
use super::pairing;
use super::table::{Marks, Row, Table};
use crate::entry::{Dialect, Kind, KindGroup};
use crate::library::is_session_id;
use crate::lines::readable;
use crate::members::Members;

/// Whether a line hangs in a chain.
pub(super) fn is_in_chain(facts: &Facts<'_>) -> bool {
    let unknown = facts.kind == Kind::Unknown && facts.get(Member::Uuid).is_some();
    facts.dialect != Dialect::Stream && (facts.kind.group() == KindGroup::Chain || unknown)
}

/// What a line is to the rules about chains, from its text; nothing when it is in none.
pub(crate) fn row_of(text: &str) -> Option<Row> {
    let facts = Facts::read(text).filter(is_in_chain)?;
    let said = match (facts.kind, facts.dialect) {
        (Kind::User | Kind::Assistant, Dialect::Disk) => facts.said.as_ref(),
        _ => None,
    };
    Some(Row::of(&facts, said, 0, 0))
}

/// Whether a chain may change between conversation and sidechain from a line to the next one,
/// which is a sidechain or is not.
pub(crate) fn may_change_side(parent: Marks, line: Marks, to_sidechain: bool) -> bool {
    let document = line.has(Marks::DOCUMENT) && parent.has(Marks::DOCUMENT);
    match (to_sidechain, document) {
        // A task is given to a subagent; in old files of the CLI, under the call that does it.
        (true, true) => line.has(Marks::USER),
        (true, false) => line.has(Marks::PROMPT) && parent.has(Marks::CALLING),
        // The document's main conversation goes on from what the subagent said last.
        // That is its own reply, or the result of the task; and it may have failed.
        (false, true) => {
            let ended = parent.has(Marks::ASSISTANT | Marks::FAILURE);
            ended && line.has(Marks::ASSISTANT | Marks::RESULT)
        }
        (false, false) => false,
    }
}

/// Whether a line is older than the compaction that its file begins with, as far as it says, so
/// that what it hung under is gone with everything before. What came later hangs under something
/// that must be there.
pub(crate) fn is_older_than(boundary: &Row, line: &Row) -> bool {
    let unknown = boundary.seconds == 0 || line.seconds == 0;
    unknown || line.seconds <= boundary.seconds
}

/// For each of some rows with calls that have no result: whether the conversation went on without
/// it, and nobody stopped it. The rows are in the order of the file, and name their parents.
pub(crate) fn were_passed(rows: &[Row], open: &[u32]) -> Vec<bool> {
    pairing::were_passed(&Table::of_rows(rows), open)
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

/// In what two copies of a line may differ: when and where the copy was written. What they hang
/// under is compared on its own.
const MAY_DIFFER: [&str; 5] = ["timestamp", "version", "cwd", "gitBranch", "parentUuid"];

/// A number for all that a line says, in whatever order its members stand.
pub(crate) fn said<'m>(members: impl Iterator<Item = (&'m str, &'m str)>) -> u64 {
    let members = members.filter(|(name, _)| !MAY_DIFFER.contains(name));
    members.fold(0, |all: u64, member| {
        let mut hasher = DefaultHasher::new();
        member.hash(&mut hasher);
        all.wrapping_add(hasher.finish())
    })
}

/// Whether a line is another one once more, as far as it matters.
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
