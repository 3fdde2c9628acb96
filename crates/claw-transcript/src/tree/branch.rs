//! The ways through a tree.

use super::node::{NONE, Node, NodeId, NodeKind, some};
use super::{SessionTree, Sidechain};

/// Why there is a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BranchCause {
    /// It was there first, or is the only one.
    Original,
    /// Somebody went back and asked something else.
    Edited,
    /// The model answered the same thing again.
    Regenerated,
    /// The message that it hangs under is lost.
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

/// One way from a root to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branch {
    /// Its last message.
    pub leaf: NodeId,
    /// The first message that it shares with no branch before it in the list.
    pub first: NodeId,
    /// The last message that it shares; `None` for one that begins with a root.
    pub fork: Option<NodeId>,
    /// How many messages it does not share.
    pub own: usize,
    /// Why it is there.
    pub cause: BranchCause,
    /// Whether the CLI would resume it. All others were abandoned.
    pub live: bool,
}

/// A part of a branch between two compactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment {
    /// The compaction that it begins with; `None` for the first.
    pub boundary: Option<NodeId>,
    /// Its first message.
    pub first: NodeId,
    /// Its last message.
    pub last: NodeId,
    /// How many messages it has.
    pub len: usize,
}

impl SessionTree {
    /// The last message of the branch that the CLI would resume.
    pub fn live_leaf(&self) -> Option<NodeId> {
        some(self.leaf)
    }

    /// The branch that the CLI would resume, from the first message on. Compactions do not cut it;
    /// see [`SessionTree::context`] for what the model still knows.
    pub fn live(&self) -> Path {
        self.live_leaf()
            .map_or_else(Path::default, |leaf| self.path_to(leaf))
    }

    /// The way to a message, from the root on.
    pub fn path_to(&self, id: NodeId) -> Path {
        let up = std::iter::successors(Some(id), |id| self.node(*id).parent());
        // Parents form no circles; the bound is for ids that are not of this tree.
        let mut way: Vec<NodeId> = up.take(self.len()).collect();
        way.reverse();
        Path(way.into_iter())
    }

    /// All branches of the main conversation: the live one first, then abandoned ones in the order
    /// of the file. A fork counts where more than one way leads to something said; the results of
    /// parallel calls make none.
    pub fn branches(&self) -> Vec<Branch> {
        let main = |id: &NodeId| self.node(*id).chain == 0;
        let Some(live) = self.live_leaf() else {
            return Vec::new();
        };
        let mut branches = Vec::new();
        let mut waiting = Vec::new();
        let root = self.walk(live, None, &mut waiting, &mut branches, true);
        for other in self.roots().filter(main).filter(|id| Some(*id) != root) {
            if let Some(leaf) = self.latest_under(other) {
                self.walk(leaf, Some(other), &mut waiting, &mut branches, false);
            }
        }
        while let Some((first, leaf)) = waiting.pop() {
            self.walk(leaf, Some(first), &mut waiting, &mut branches, false);
        }
        branches[1..].sort_by_key(|branch| branch.first);
        branches
    }

    /// Up from a leaf to where the branch begins; gives its first message.
    fn walk(
        &self,
        leaf: NodeId,
        first: Option<NodeId>,
        waiting: &mut Vec<(NodeId, NodeId)>,
        branches: &mut Vec<Branch>,
        live: bool,
    ) -> Option<NodeId> {
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
        Some(at)
    }

    pub(super) fn cause(&self, first: NodeId) -> BranchCause {
        let node = self.node(first);
        let said = |id: &NodeId| self.latest[id.index()] != NONE;
        let is_first = match node.parent() {
            Some(parent) => self.children(parent).iter().find(|id| said(id)) == Some(&first),
            None if node.is_orphan() => return BranchCause::Orphaned,
            None => {
                let roots = self.roots_of(node.chain as usize);
                roots.iter().find(|id| said(id)) == Some(&first)
            }
        };
        match node.kind {
            _ if is_first => BranchCause::Original,
            NodeKind::Reply => BranchCause::Regenerated,
            kind if kind.starts_turn() || kind == NodeKind::Queued => BranchCause::Edited,
            // Rewinding behind a compaction leaves a boundary where the new prompt hangs.
            NodeKind::Compaction if !node.is_cut() => BranchCause::Edited,
            _ => BranchCause::Other,
        }
    }

    /// What the model knows at a message: all since the last compaction, its summary, and what it
    /// kept word by word.
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

    /// The parts of a branch between its compactions.
    pub fn segments(&self, leaf: NodeId) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        for id in self.path_to(leaf) {
            let cut = self.node(id).is_cut();
            match segments.last_mut().filter(|_| !cut) {
                Some(segment) => {
                    segment.last = id;
                    segment.len += 1;
                }
                None => segments.push(Segment {
                    boundary: cut.then_some(id),
                    first: id,
                    last: id,
                    len: 1,
                }),
            }
        }
        segments
    }

    /// The last message of a sidechain; its way there is [`SessionTree::path_to`] it.
    pub fn sidechain_leaf(&self, sidechain: usize) -> Option<NodeId> {
        let roots = self.roots_of(sidechain + 1).iter();
        let leaf = roots.filter_map(|root| self.latest_under(*root)).max();
        leaf.or_else(|| self.chains.get(sidechain).and_then(Sidechain::root))
    }

    /// The messages of a chain that nothing comes before; 0 is the main one.
    pub(super) fn roots_of(&self, chain: usize) -> &[NodeId] {
        self.roots.row(chain)
    }

    /// The end of the latest way under a message on which something is said.
    pub(super) fn latest_under(&self, id: NodeId) -> Option<NodeId> {
        some(self.latest[id.index()]).map(|end| self.with_asides(end))
    }

    /// A message and what stands behind it without anything being said: a notice, a note that
    /// somebody interrupted.
    pub(super) fn with_asides(&self, id: NodeId) -> NodeId {
        let mut end = id;
        let silent = |id: &&NodeId| self.latest[id.index()] == NONE;
        while let Some(next) = self.children(end).iter().rev().find(silent) {
            end = *next;
        }
        end
    }

    /// How many sidechains a sidechain lies in, itself included; 0 for the main conversation.
    pub fn depth(&self, id: NodeId) -> usize {
        let mut depth = 0;
        let mut chain = self.node(id).sidechain();
        while let Some(at) = chain.filter(|_| depth <= self.chains.len()) {
            depth += 1;
            let by = self.chains[at].started_by();
            chain = by.and_then(|by| self.node(by).sidechain());
        }
        depth
    }

    /// The sidechains that a message started.
    pub fn started(&self, id: NodeId) -> impl Iterator<Item = (usize, &Sidechain)> {
        let chains = self.chains.iter().enumerate();
        chains.filter(move |(_, chain)| chain.started_by() == Some(id))
    }

    pub(super) fn nodes_of(&self, path: Path) -> impl Iterator<Item = (NodeId, &Node)> {
        path.map(|id| (id, self.node(id)))
    }
}

/// The messages of a branch in order: an iterator that can be put back to any place on it.
#[derive(Debug, Clone, Default)]
pub struct Path(std::vec::IntoIter<NodeId>);

impl Path {
    /// Those that are still to come.
    pub fn rest(&self) -> &[NodeId] {
        self.0.as_slice()
    }

    /// Leaves out all up to and with this message: goes on where somebody stopped. `false`, and
    /// nothing is left out, when it is not on the branch.
    pub fn skip_past(&mut self, id: NodeId) -> bool {
        match self.rest().iter().position(|at| *at == id) {
            Some(at) => self.0.nth(at).is_some(),
            None => false,
        }
    }
}

impl Iterator for Path {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Path {
    fn next_back(&mut self) -> Option<NodeId> {
        self.0.next_back()
    }
}

impl ExactSizeIterator for Path {}
