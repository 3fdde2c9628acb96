//! What became of messages: whether the conversation went on with them.

use super::build::Builder;
use super::node::{Marks, Node, NodeId, NodeKind};
use super::{SessionTree, TreeFile};
use crate::lines::Line;

/// What became of a message. The better one counts where there are two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fate {
    /// Somebody went back behind it.
    Left,
    /// There is a hole in the file between it and where the conversation ends, and nothing says
    /// whether they belong together.
    Unknown,
    /// It leads to the end of its conversation.
    Live,
}

/// One file on the way to its tree, given line by line by somebody who reads it anyway.
#[derive(Debug)]
pub(crate) struct FileTree(Builder);

impl FileTree {
    pub(crate) fn new() -> Self {
        let mut builder = Builder::default();
        builder.begin(TreeFile {
            path: None,
            agent: None,
        });
        Self(builder)
    }

    pub(crate) fn line(&mut self, line: &Line<'_>) {
        self.0.line(line);
    }

    pub(crate) fn finish(self) -> SessionTree {
        self.0.finish()
    }
}

impl SessionTree {
    /// What became of each line of a reply, by where it begins. Each sidechain is judged by itself.
    pub(crate) fn fates_of_lines(&self) -> impl Iterator<Item = (u64, Fate)> {
        let fates = self.fates();
        let replies = self
            .nodes()
            .filter(|(_, node)| node.kind == NodeKind::Reply);
        replies.flat_map(move |(id, _)| {
            let fate = fates[id.index()];
            let own = self.spans(id).iter().map(|span| span.offset);
            let copies = self.folded(id).iter().filter(|line| line.replaced);
            own.chain(copies.map(|line| line.offset))
                .map(move |offset| (offset, fate))
        })
    }

    fn fates(&self) -> Vec<Fate> {
        let mut fates = vec![Fate::Left; self.len()];
        let main = self.live_leaf();
        let sides = (0..self.chains.len()).map(|at| self.sidechain_leaf(at));
        for (chain, leaf) in std::iter::once(main).chain(sides).enumerate() {
            let Some(leaf) = leaf else {
                continue;
            };
            let first = self.mark_way(leaf, Fate::Live, &mut fates);
            let others = self.roots_of(chain).iter().filter(|root| **root != first);
            for other in others {
                if is_gap(self.node(first)) || is_gap(self.node(*other)) {
                    let end = self.latest_under(*other).unwrap_or(*other);
                    self.mark_way(end, Fate::Unknown, &mut fates);
                }
            }
        }
        fates
    }

    /// Marks the way up from a message, and gives its first one.
    fn mark_way(&self, leaf: NodeId, fate: Fate, fates: &mut [Fate]) -> NodeId {
        let mut at = leaf;
        loop {
            let known = &mut fates[at.index()];
            *known = fate.max(*known);
            match self.node(at).parent() {
                Some(parent) => at = parent,
                None => return at,
            }
        }
    }
}

/// Whether something is missing before a message that nothing comes before: its parent, or what a
/// compaction does not name. A prompt without a parent is simply the first.
fn is_gap(first: &Node) -> bool {
    first.is_orphan()
        || first.is(Marks::ADRIFT)
        || matches!(first.kind, NodeKind::Summary | NodeKind::Compaction)
}
