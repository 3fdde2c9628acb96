//! Whether messages are on the way to the end of their conversation.

use super::node::{Marks, Node, NodeId, NodeKind};
use super::session_tree::SessionTree;

/// Whether a message leads to the end of its conversation. If there are two values, the larger one
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Liveness {
    /// The user went back and continued elsewhere.
    Abandoned,
    /// Lines are missing between it and the end of the conversation.
    Unknown,
    /// It leads to the end.
    Live,
}

impl SessionTree {
    /// The liveness of each line of a reply, by its offset. Each sidechain is evaluated separately.
    pub(crate) fn liveness_of_lines(&self) -> impl Iterator<Item = (u64, Liveness)> {
        let found = self.liveness();
        let replies = self
            .nodes()
            .filter(|(_, node)| node.kind == NodeKind::Reply);
        replies.flat_map(move |(id, _)| {
            let liveness = found[id.index()];
            let own = self.spans(id).iter().map(|span| span.offset);
            let copies = self.folded(id).iter().filter(|line| line.replaced);
            own.chain(copies.map(|line| line.offset))
                .map(move |offset| (offset, liveness))
        })
    }

    fn liveness(&self) -> Vec<Liveness> {
        let mut found = vec![Liveness::Abandoned; self.len()];
        let main = self.live_leaf();
        let sides = (0..self.chains.len()).map(|at| self.sidechain_leaf(at));
        for (chain, leaf) in std::iter::once(main).chain(sides).enumerate() {
            let Some(leaf) = leaf else {
                continue;
            };
            let first = self.mark_way(leaf, Liveness::Live, &mut found);
            let others = self.roots_of(chain).iter().filter(|root| **root != first);
            for other in others {
                if is_gap(self.node(first)) || is_gap(self.node(*other)) {
                    let end = self.latest_under(*other).unwrap_or(*other);
                    self.mark_way(end, Liveness::Unknown, &mut found);
                }
            }
        }
        found
    }

    /// Marks the path from a message to its root, and returns the root.
    fn mark_way(&self, leaf: NodeId, liveness: Liveness, found: &mut [Liveness]) -> NodeId {
        let mut root = leaf;
        for id in self.up_from(leaf) {
            found[id.index()] = liveness.max(found[id.index()]);
            root = id;
        }
        root
    }
}

/// Returns whether messages are missing before a root: its parent, or what was before a
/// compaction. A prompt without a parent is simply the first.
fn is_gap(first: &Node) -> bool {
    first.is_orphan()
        || first.is(Marks::ADRIFT)
        || matches!(first.kind, NodeKind::Summary | NodeKind::Compaction)
}
