//! Finds replies on abandoned branches.
//!
//! Uses the tree of the session, which handles parallel calls, compactions, progress lines,
//! concatenated lines and missing parents. It is built from the lines as they are read for
//! counting.

use std::collections::HashMap;

use crate::tree::{FileTree, Liveness};

/// The tree of one file, and the replies in it.
#[derive(Debug)]
pub(super) struct Branches {
    pub(super) tree: FileTree,
    /// The offset of a reply's line, and the key of its message.
    pub(super) replies: Vec<(u64, u64)>,
}

impl Branches {
    pub(super) fn new() -> Self {
        Self {
            tree: FileTree::new(),
            replies: Vec::new(),
        }
    }

    /// Returns the messages that do not lead to the end of a conversation, or for which that is
    /// unknown. A message is live if one of its lines is.
    pub(super) fn not_live(self) -> impl Iterator<Item = (u64, Liveness)> {
        let tree = self.tree.finish();
        let lines: HashMap<u64, Liveness> = tree.liveness_of_lines().collect();
        let mut liveness_of: HashMap<u64, Liveness> = HashMap::new();
        for (offset, key) in self.replies {
            let liveness = lines.get(&offset).copied();
            let known = liveness_of.entry(key).or_insert(Liveness::Abandoned);
            // Lines that are not in the tree are unknown, not abandoned.
            *known = liveness.unwrap_or(Liveness::Unknown).max(*known);
        }
        liveness_of
            .into_iter()
            .filter(|(_, liveness)| *liveness != Liveness::Live)
    }
}
