//! The tree itself: messages and the links between them.

use std::path::{Path, PathBuf};

use super::groups::Groups;
use super::key::{self, Index};
use super::node::{FoldedLine, LineSpan, Marks, NONE, Node, NodeId, some};
use super::sidechain::Sidechain;

/// A session as a tree of messages.
///
/// ```
/// use claw_transcript::{NodeKind, SessionTree};
///
/// let session = br#"
/// {"type":"user","uuid":"1","sessionId":"s","message":"hello"}
/// {"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":"hi"}
/// {"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":"one"}
/// {"type":"user","uuid":"4","parentUuid":"2","sessionId":"s","message":"two instead"}
/// "#;
/// let tree = SessionTree::of_reader(&session[..])?;
/// assert_eq!(tree.len(), 4);
/// let branches = tree.branches();
/// assert_eq!(branches.len(), 2);
/// let live: Vec<NodeKind> = tree.path_to(branches[0].leaf).map(|id| tree.node(id).kind()).collect();
/// assert_eq!(live, [NodeKind::Prompt, NodeKind::Reply, NodeKind::Prompt]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SessionTree {
    pub(super) files: Vec<TreeFile>,
    pub(super) nodes: Vec<Node>,
    pub(super) spans: Groups<LineSpan>,
    pub(super) folded: Groups<FoldedLine>,
    pub(super) children: Groups<NodeId>,
    /// By compaction: the messages that it kept.
    pub(super) kept: Groups<NodeId>,
    pub(super) chains: Vec<Sidechain>,
    pub(super) index: Index,
    /// By node: the latest descendant, or the node itself, that is part of the conversation.
    pub(super) latest: Vec<u32>,
    /// By chain: its messages without a parent. The first chain is the main conversation.
    pub(super) roots: Groups<NodeId>,
    pub(super) leaf: u32,
}

/// A file of a tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct TreeFile {
    pub(super) path: Option<PathBuf>,
    pub(super) agent: Option<String>,
}

impl SessionTree {
    /// The paths of the files it was read from, the main one first.
    pub fn files(&self) -> impl Iterator<Item = Option<&Path>> {
        self.files.iter().map(|file| file.path.as_deref())
    }

    /// The number of messages in all branches and sidechains.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns a message.
    ///
    /// # Panics
    /// The id belongs to another, larger tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All messages, roughly in the order of the files.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .zip(0..)
            .map(|(node, at)| (NodeId(at), node))
    }

    /// The messages without a parent, including those of sidechains.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.nodes()
            .filter(|(_, node)| node.parent == NONE)
            .map(|(id, _)| id)
    }

    /// The messages that directly follow one. Not every fork is a branch, see
    /// [`SessionTree::branches`].
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.children.group(id.index())
    }

    /// The positions of a message's lines, in the order of its blocks. Replies on disk have one per
    /// block.
    pub fn spans(&self, id: NodeId) -> &[LineSpan] {
        self.spans.group(id.index())
    }

    /// The lines between a message and the next one: attachments, hidden messages, session state,
    /// requests.
    pub fn folded(&self, id: NodeId) -> &[FoldedLine] {
        self.folded.group(id.index())
    }

    /// The lines before the first message.
    pub fn folded_at_start(&self) -> &[FoldedLine] {
        self.folded.rest()
    }

    /// The messages that a compaction kept verbatim.
    pub fn kept(&self, id: NodeId) -> &[NodeId] {
        self.kept.group(id.index())
    }

    /// Finds the message that has a line with this uuid, or after which the line is folded.
    pub fn find(&self, uuid: &str) -> Option<NodeId> {
        let all = self.index.all(key::key(uuid)).iter().copied();
        all.filter_map(some).next_back()
    }

    /// The conversations of subagents.
    pub fn sidechains(&self) -> &[Sidechain] {
        &self.chains
    }

    /// The memory that the tree takes, in bytes.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.spans.bytes()
            + self.folded.bytes()
            + self.children.bytes()
            + self.kept.bytes()
            + self.chains.capacity() * size_of::<Sidechain>()
            + self.index.bytes()
            + self.latest.capacity() * size_of::<u32>()
            + self.roots.bytes()
    }

    /// Computes the roots, the latest messages and the live branch.
    pub(super) fn settle(&mut self) {
        let roots = self.roots().map(|id| (self.node(id).chain, id)).collect();
        self.roots = Groups::new(self.chains.len() + 1, roots);
        // From the roots down; anything not reached would be in a cycle.
        let mut order: Vec<u32> = self.roots().map(|id| id.0).collect();
        let mut at = 0;
        while let Some(node) = order.get(at).copied() {
            order.extend(self.children.group(node as usize).iter().map(|id| id.0));
            at += 1;
        }
        debug_assert_eq!(order.len(), self.nodes.len(), "a cycle of messages");
        self.latest = vec![NONE; self.nodes.len()];
        for node in order.into_iter().rev() {
            let own = &self.nodes[node as usize];
            let mut latest = self.latest[node as usize];
            if latest == NONE && own.kind.is_said() {
                latest = node;
            }
            self.latest[node as usize] = latest;
            if let (Some(parent), true) = (some(own.parent), latest != NONE) {
                let above = &mut self.latest[parent.index()];
                if *above == NONE || *above < latest {
                    *above = latest;
                }
            }
        }
        if let Some(leaf) = some(self.leaf) {
            self.leaf = self.with_asides(leaf).0;
        }
        let mut up = self.leaf;
        while let Some(node) = self.nodes.get_mut(up as usize) {
            node.marks.set(Marks::LIVE);
            up = node.parent;
        }
    }

    /// The messages of a chain without a parent. Chain 0 is the main conversation.
    pub(crate) fn roots_of(&self, chain: usize) -> &[NodeId] {
        self.roots.group(chain)
    }

    /// The latest message of the conversation at or below a message; `None` if there are only
    /// notices.
    pub(crate) fn latest_spoken(&self, id: NodeId) -> Option<NodeId> {
        some(self.latest[id.index()])
    }

    /// The end of the latest path below a message that is part of the conversation.
    pub(crate) fn latest_under(&self, id: NodeId) -> Option<NodeId> {
        self.latest_spoken(id).map(|end| self.with_asides(end))
    }

    /// The last of the notices and interrupts that follow a message.
    pub(super) fn with_asides(&self, id: NodeId) -> NodeId {
        let mut end = id;
        let silent = |id: &&NodeId| self.latest[id.index()] == NONE;
        while let Some(next) = self.children(end).iter().rev().find(silent) {
            end = *next;
        }
        end
    }
}
