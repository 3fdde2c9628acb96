//! Builds a tree from the lines of its files.

use std::io::{self, Read};

use super::groups::Groups;
use super::key::{Index, NAMELESS};
use super::line::{self, Line, Links};
use super::node::{FoldedLine, Marks, NONE, NodeId};
use super::node_builder::NodeBuilder;
use super::parts::Parts;
use super::session_tree::{SessionTree, TreeFile};
use super::sidechain::Sidechain;
use super::{join, live_leaf, parallel_calls};
use crate::entry::salvage;
use crate::facts::Facts;
use crate::lines::{self, Lines, readable};

/// Reads files line by line, and builds the tree at the end.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    files: Vec<TreeFile>,
    lines: Vec<Line>,
    links: Links,
    /// The last line of the file that is being read.
    before: u32,
    /// Lines outside of chains, with the line before them.
    loose: Vec<(u32, FoldedLine)>,
}

impl Builder {
    /// Starts a file of which the caller reads the lines.
    #[cfg(feature = "usage")]
    pub(crate) fn new() -> Self {
        let mut builder = Self::default();
        builder.begin(TreeFile::default());
        builder
    }

    /// Reads all lines of a file.
    pub(super) fn add(&mut self, file: TreeFile, reader: impl Read) -> io::Result<()> {
        self.begin(file);
        let mut lines = Lines::new(reader);
        while let Some(line) = lines.next_line()? {
            self.line(&line);
        }
        Ok(())
    }

    /// Starts a file.
    fn begin(&mut self, file: TreeFile) {
        self.files.push(file);
        self.before = NONE;
    }

    /// Adds one line of the current file.
    pub(crate) fn line(&mut self, line: &lines::Line<'_>) {
        let text = readable(line.raw);
        if let Some(facts) = Facts::read(&text) {
            self.note(&facts, line.offset, line.raw.len());
            return;
        }
        for piece in salvage(line.raw) {
            let (offset, len) = (line.offset + piece.start as u64, piece.len());
            let text = readable(&line.raw[piece]);
            if let Some(facts) = Facts::read(&text) {
                self.note(&facts, offset, len);
            }
        }
    }

    fn note(&mut self, facts: &Facts<'_>, offset: u64, len: usize) {
        let file = NodeId::at(self.files.len().saturating_sub(1)).0;
        let at = NodeId::at(self.lines.len()).0;
        match line::read(facts, at, &mut self.links) {
            Some(mut line) => {
                (line.file, line.offset, line.len) = (file, offset, len as u64);
                self.before = at;
                self.lines.push(line);
            }
            None => self.loose.push((
                self.before,
                FoldedLine {
                    offset,
                    kind: facts.kind,
                    replaced: false,
                    file,
                },
            )),
        }
    }

    /// Builds the tree.
    pub(crate) fn finish(mut self) -> SessionTree {
        let main = |line: &Line| {
            line.file == 0 && line.role.is_some() && !line.marks.has(Marks::SIDECHAIN)
        };
        let one_chain = !self.lines.iter().any(main);
        let named = self.lines.iter().enumerate();
        let named = named.filter(|(_, line)| line.key != NAMELESS);
        let pairs = named.map(|(at, line)| (line.key, NodeId::at(at).0));
        let index = Index::new(pairs.collect());
        let count = self.lines.len();
        let chains: Vec<Sidechain> = self.files.iter().zip(0..).filter_map(agent_chain).collect();
        let mut parts = Parts {
            lines: std::mem::take(&mut self.lines),
            links: std::mem::take(&mut self.links),
            index,
            above: Vec::with_capacity(count),
            node_of: vec![NONE; count],
            nodes: Vec::new(),
            chains,
        };
        parts.split_replies();
        let replaced = parts.resolve();
        parts.break_cycles();
        let mut builder = NodeBuilder::new(&self.files, &parts, one_chain);
        builder.add_all(&mut parts, &replaced);
        let mut spans = builder.spans;
        parallel_calls::put_in_order(&mut parts);
        parts.break_message_cycles();
        join::join(&mut parts, &self.files);
        let leaf = live_leaf::leaf(&parts, &replaced, one_chain);
        let kept = live_leaf::kept(&parts);

        let mut nodes = parts.nodes;
        let mut folded: Vec<(u32, FoldedLine)> = Vec::new();
        for (at, line) in parts.lines.iter().enumerate() {
            let is_copy = replaced[at] != NONE;
            if line.role.is_none() || is_copy {
                let fold = FoldedLine {
                    offset: line.offset,
                    kind: line.kind,
                    replaced: is_copy,
                    file: line.file,
                };
                folded.push((parts.node_of[at], fold));
            }
        }
        for (before, line) in self.loose {
            let owner = parts.node_of.get(before as usize).copied();
            folded.push((owner.unwrap_or(NONE), line));
        }
        folded.sort_by_key(|(owner, line)| (*owner, line.file, line.offset));
        let mut index = parts.index;
        index.map(|line| parts.node_of[line as usize]);
        // Blocks in the order of the reply; the sort is stable.
        spans.sort_by_key(|(node, (block, _))| (*node, *block));
        let spans = spans.into_iter().map(|(node, (_, span))| (node, span));
        let count = nodes.len();
        let children = nodes.iter().zip(0..);
        let children = children.filter(|(node, _)| node.parent != NONE);
        let children = children.map(|(node, at)| (node.parent, NodeId(at)));
        let children = Groups::new(count, children.collect());
        nodes.shrink_to_fit();
        let mut tree = SessionTree {
            files: self.files,
            nodes,
            spans: Groups::new(count, spans.collect()),
            folded: Groups::new(count, folded),
            children,
            kept: Groups::new(count, kept),
            chains: parts.chains,
            index,
            latest: Vec::new(),
            roots: Groups::default(),
            leaf,
        };
        tree.settle();
        tree
    }
}

/// The chain of an agent's file.
fn agent_chain((file, at): (&TreeFile, u32)) -> Option<Sidechain> {
    let agent = (at > 0).then_some(file.agent.as_ref()).flatten()?;
    Some(Sidechain {
        file: Some(at as usize),
        agent_id: Some(agent.clone()),
        ..Sidechain::default()
    })
}
