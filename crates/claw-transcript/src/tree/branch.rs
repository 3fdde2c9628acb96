//! Branches, and paths through a tree.

use std::vec;

use super::node::{NodeId, NodeKind, some};
use super::session_tree::SessionTree;
use super::sidechain::Sidechain;

/// The reason for a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BranchCause {
    /// The first, or the only one.
    Original,
    /// The user went back and sent another prompt.
    Edited,
    /// The model answered the same prompt again.
    Regenerated,
    /// Its parent is missing.
    Orphaned,
    /// Something else, such as a second result of one call.
    Other,
}

impl BranchCause {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Edited => "edited",
            Self::Regenerated => "regenerated",
            Self::Orphaned => "orphaned",
            Self::Other => "other",
        }
    }
}

/// A path from a root to a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branch {
    /// Its last message.
    pub leaf: NodeId,
    /// The first message that it shares with no branch before it in the list.
    pub first: NodeId,
    /// The last message that it shares; `None` for one that begins with a root.
    pub fork: Option<NodeId>,
    /// The number of messages that it does not share.
    pub own: usize,
    /// The reason for the branch.
    pub cause: BranchCause,
    /// Whether the CLI would resume it. All others were abandoned.
    pub live: bool,
}

impl SessionTree {
    /// The last message of the branch that the CLI would resume.
    pub fn live_leaf(&self) -> Option<NodeId> {
        some(self.leaf)
    }

    /// The branch that the CLI would resume, from its first message. Compactions do not cut it; see
    /// [`SessionTree::context`].
    pub fn live(&self) -> vec::IntoIter<NodeId> {
        let leaf = self.live_leaf();
        leaf.map(|leaf| self.path_to(leaf)).unwrap_or_default()
    }

    /// The path from the root to a message.
    pub fn path_to(&self, id: NodeId) -> vec::IntoIter<NodeId> {
        let mut way: Vec<NodeId> = self.up_from(id).collect();
        way.reverse();
        way.into_iter()
    }

    /// A message and those above it, up to the root.
    pub(crate) fn up_from(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let up = std::iter::successors(Some(id), |id| self.node(*id).parent());
        // There are no cycles; the bound is for ids of other trees.
        up.take(self.len())
    }

    /// All branches of the main conversation: the live one first, then abandoned ones in the order
    /// of the file. A fork is a branch if more than one path leads to a message of the
    /// conversation; results of parallel calls are none.
    pub fn branches(&self) -> Vec<Branch> {
        let Some(live) = self.live_leaf() else {
            return Vec::new();
        };
        let mut branches = Vec::new();
        let mut waiting = Vec::new();
        let root = self.walk(live, None, &mut waiting, &mut branches, true);
        for other in self.roots_of(0).iter().filter(|id| **id != root) {
            waiting.extend(self.latest_under(*other).map(|leaf| (*other, leaf)));
        }
        while let Some((first, leaf)) = waiting.pop() {
            self.walk(leaf, Some(first), &mut waiting, &mut branches, false);
        }
        branches[1..].sort_by_key(|branch| branch.first);
        branches
    }

    /// Walks from a leaf up to the start of its branch, and returns the first message.
    fn walk(
        &self,
        leaf: NodeId,
        first: Option<NodeId>,
        waiting: &mut Vec<(NodeId, NodeId)>,
        branches: &mut Vec<Branch>,
        live: bool,
    ) -> NodeId {
        let (mut at, mut below, mut own) = (leaf, None, 0);
        loop {
            own += 1;
            for child in self.children(at) {
                if let (true, Some(end)) = (Some(*child) != below, self.latest_under(*child)) {
                    waiting.push((*child, end));
                }
            }
            below = Some(at);
            match self.node(at).parent() {
                Some(parent) if Some(at) != first => at = parent,
                _ => break,
            }
        }
        branches.push(Branch {
            leaf,
            first: at,
            fork: self.node(at).parent(),
            own,
            cause: self.cause(at),
            live,
        });
        at
    }

    pub(crate) fn cause(&self, first: NodeId) -> BranchCause {
        let node = self.node(first);
        let spoken = |id: &&NodeId| self.latest_spoken(**id).is_some();
        let is_first = match node.parent() {
            Some(parent) => self.children(parent).iter().find(spoken) == Some(&first),
            None if node.is_orphan() => return BranchCause::Orphaned,
            None => {
                let roots = self.roots_of(node.chain as usize);
                roots.iter().find(spoken) == Some(&first)
            }
        };
        match node.kind {
            _ if is_first => BranchCause::Original,
            NodeKind::Reply => BranchCause::Regenerated,
            kind if kind.starts_turn() || kind == NodeKind::Queued => BranchCause::Edited,
            // Rewinding past a compaction adds a boundary as the parent of the new prompt.
            NodeKind::Compaction if !node.is_cut() => BranchCause::Edited,
            _ => BranchCause::Other,
        }
    }

    /// The model's context at a message: everything since the last compaction, its summary, and the
    /// messages that it kept.
    pub fn context(&self, leaf: NodeId) -> Vec<NodeId> {
        let way: Vec<NodeId> = self.path_to(leaf).collect();
        let cut = way.iter().rposition(|id| self.node(*id).is_cut());
        let Some(cut) = cut else {
            return way;
        };
        let rest = &way[cut..];
        let summary = rest.iter().take(2).rposition(|id| {
            matches!(
                self.node(*id).kind(),
                NodeKind::Summary | NodeKind::Compaction
            )
        });
        let (head, tail) = rest.split_at(summary.map_or(1, |at| at + 1));
        let kept = self.kept(way[cut]);
        [head, kept, tail].concat()
    }

    /// The last message of a sidechain.
    pub fn sidechain_leaf(&self, sidechain: usize) -> Option<NodeId> {
        let roots = self.roots_of(sidechain + 1).iter();
        let leaf = roots.filter_map(|root| self.latest_under(*root)).max();
        leaf.or_else(|| self.chains.get(sidechain).and_then(Sidechain::root))
    }
}
