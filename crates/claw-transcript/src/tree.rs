//! Entries become messages, and messages become threads.
//!
//! Lines of a session file hang under each other by `parentUuid`, but that is a tree of lines: a
//! reply is one line for each block, parallel calls fork it, attachments lie between, compactions
//! cut it, and subagents are in other files. Here it is a tree of messages, the same for the disk's
//! dialect and the document's. It keeps a few facts of each message and where its lines lie, never
//! their text.

mod branch;
mod build;
mod draw;
mod facts;
mod family;
#[cfg(feature = "usage")]
mod fate;
mod key;
mod live;
mod node;
mod place;
mod reader;
mod results;
mod sidechain;
mod turn;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::SessionLibrary;

pub use branch::{Branch, BranchCause, Path as BranchPath, Segment};
pub use draw::{DrawOptions, DrawnRow, draw, draw_rows};
pub use family::{Family, FamilyMember, ForkKind, families};
#[cfg(feature = "usage")]
pub(crate) use fate::{Fate, FileTree};
pub use node::{FoldedLine, LineSpan, Node, NodeId, NodeKind, Phase};
pub use reader::TreeReader;
pub use sidechain::Sidechain;
pub use turn::{Turn, TurnOutcome};

use build::Builder;
use key::{Index, Rows};
use node::{Marks, NONE, some};

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
    files: Vec<TreeFile>,
    nodes: Vec<Node>,
    spans: Rows<LineSpan>,
    folded: Rows<FoldedLine>,
    children: Rows<NodeId>,
    /// By boundary: the messages that it kept.
    kept: Rows<NodeId>,
    chains: Vec<Sidechain>,
    index: Index,
    /// By node: the latest message under it that is the end of something said; none where nothing
    /// is said.
    latest: Vec<u32>,
    /// By chain: the messages of it that nothing comes before; first those of the main one.
    roots: Rows<NodeId>,
    leaf: u32,
}

/// A file that a tree was read from.
#[derive(Debug, Clone)]
pub(crate) struct TreeFile {
    path: Option<PathBuf>,
    agent: Option<String>,
}

impl SessionTree {
    /// Reads a session: its main file, and those of its subagents, which are joined to the calls
    /// that started them. The first file is the main one, whatever its name says.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(files: &[SessionFile]) -> Result<Self, TranscriptError> {
        let mut builder = Builder::default();
        for file in files {
            let reader = File::open(&file.path).map_err(TranscriptError::io("open", &file.path))?;
            let agent = match &file.role {
                FileRole::Agent { agent_id } => Some(agent_id.clone()),
                _ => None,
            };
            let path = Some(file.path.clone());
            builder
                .add(TreeFile { path, agent }, reader)
                .map_err(TranscriptError::io("read", &file.path))?;
        }
        Ok(builder.finish())
    }

    /// Reads a session by the path of its main file, with the subagents in the folder beside it.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TranscriptError> {
        let main = SessionFile::at(path)?;
        let mut files = main.agents()?;
        files.insert(0, main);
        Self::read(&files)
    }

    /// Reads a session that is not in a file.
    ///
    /// # Errors
    /// The reader failed.
    pub fn of_reader(reader: impl Read) -> io::Result<Self> {
        let mut builder = Builder::default();
        let file = TreeFile {
            path: None,
            agent: None,
        };
        builder.add(file, reader)?;
        Ok(builder.finish())
    }

    /// Where the files are that it was read from, the main one first.
    pub fn files(&self) -> impl Iterator<Item = Option<&Path>> {
        self.files.iter().map(|file| file.path.as_deref())
    }

    /// How many messages there are, in all branches and sidechains.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What is known of a message.
    ///
    /// # Panics
    /// The id is of another, larger tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All messages, about in the order of the files.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .zip(0..)
            .map(|(node, at)| (NodeId(at), node))
    }

    /// The messages that nothing comes before, sidechains' first ones too.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.nodes()
            .filter(|(_, node)| node.parent == NONE)
            .map(|(id, _)| id)
    }

    /// The messages directly behind one. Several mean a branch only where more than one of them
    /// leads to something said, see [`SessionTree::branches`].
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.children.row(id.index())
    }

    /// Where the lines of a message are, in the order of its blocks. More than one for replies on
    /// disk.
    pub fn spans(&self, id: NodeId) -> &[LineSpan] {
        self.spans.row(id.index())
    }

    /// The lines between a message and those behind it: attachments, hidden messages, the state of
    /// the session, requests.
    pub fn folded(&self, id: NodeId) -> &[FoldedLine] {
        self.folded.row(id.index())
    }

    /// The lines that come before all messages.
    pub fn folded_at_start(&self) -> &[FoldedLine] {
        self.folded.rest()
    }

    /// The messages that a compaction kept: the model still knows them word by word.
    pub fn kept(&self, id: NodeId) -> &[NodeId] {
        self.kept.row(id.index())
    }

    /// The message that has a line with this uuid, or the one that such a line is folded behind.
    pub fn find(&self, uuid: &str) -> Option<NodeId> {
        let all = self.index.all(key::key(uuid)).iter().copied();
        all.filter_map(some).next_back()
    }

    /// The conversations of subagents.
    pub fn sidechains(&self) -> &[Sidechain] {
        &self.chains
    }

    /// How many bytes of memory the tree takes.
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

    /// Finds the ends of all ways, and marks the live one.
    fn settle(&mut self) {
        let roots = self.roots().map(|id| (self.node(id).chain, id)).collect();
        self.roots = Rows::new(self.chains.len() + 1, roots);
        // Down from the roots; whatever is not reached would be in a circle.
        let mut order: Vec<u32> = self.roots().map(|id| id.0).collect();
        let mut at = 0;
        while let Some(node) = order.get(at).copied() {
            order.extend(self.children.row(node as usize).iter().map(|id| id.0));
            at += 1;
        }
        debug_assert_eq!(order.len(), self.nodes.len(), "a circle of messages");
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
}

impl SessionLibrary {
    /// The tree of a session with its subagents.
    ///
    /// # Errors
    /// There is no such session, or one of its files cannot be read.
    pub fn tree(&self, session_id: &str) -> Result<SessionTree, TranscriptError> {
        SessionTree::read(&self.session_files(session_id)?)
    }
}
