//! Which replies lie on branches that the user left.
//!
//! The tree of the session decides, with all it knows about parallel calls, compactions, progress
//! lines, glued lines and lost parents. It is built from the lines as they are read for counting.

use std::collections::HashMap;

use crate::lines::Line;
use crate::tree::{Fate, FileTree};

/// The tree of one file, and the replies in it.
#[derive(Debug)]
pub(super) struct Branches {
    tree: FileTree,
    /// Where a line of a reply begins, and the key of its message.
    replies: Vec<(u64, u64)>,
}

impl Branches {
    pub(super) fn new() -> Self {
        Self {
            tree: FileTree::new(),
            replies: Vec::new(),
        }
    }

    /// Sees a line.
    pub(super) fn line(&mut self, line: &Line<'_>) {
        self.tree.line(line);
    }

    /// Notes a reply that begins at this byte of the file.
    pub(super) fn reply(&mut self, offset: u64, key: u64) {
        self.replies.push((offset, key));
    }

    /// All messages that do not lead to the end of a conversation, or of which that is not known. A
    /// message with one line that does, does.
    pub(super) fn not_live(self) -> impl Iterator<Item = (u64, Fate)> {
        let tree = self.tree.finish();
        let lines: HashMap<u64, Fate> = tree.fates_of_lines().collect();
        let mut fates: HashMap<u64, Fate> = HashMap::new();
        for (offset, key) in self.replies {
            let fate = lines.get(&offset).copied();
            let known = fates.entry(key).or_insert(Fate::Left);
            // What the tree does not have, nobody is known to have left.
            *known = fate.unwrap_or(Fate::Unknown).max(*known);
        }
        fates.into_iter().filter(|(_, fate)| *fate != Fate::Live)
    }
}
