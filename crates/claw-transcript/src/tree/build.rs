//! Lines become messages, and messages a tree.

use std::collections::HashMap;
use std::io::{self, Read};

use super::facts::{self, Line, Links};
use super::key::{Index, NAMELESS, Rows, short};
use super::node::{FoldedLine, LineSpan, Marks, NONE, Node, NodeId};
use super::place::Placer;
use super::sidechain::Sidechain;
use super::{SessionTree, TreeFile, live, results};
use crate::entry::{Body, Entry};
use crate::lines::{self, Lines};
use crate::requests::{self, RequestMark};

/// Reads files, one line at a time, and puts the tree together at the end.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) files: Vec<TreeFile>,
    pub(super) lines: Vec<Line>,
    pub(super) links: Links,
    /// The last line of the file that is being read.
    before: u32,
    /// Lines that are in no chain, with the line before them.
    loose: Vec<(u32, FoldedLine)>,
}

/// The tables from which the tree is made, by line and by node.
pub(super) struct Parts {
    pub(super) lines: Vec<Line>,
    pub(super) links: Links,
    pub(super) index: Index,
    /// By line: the line it hangs under.
    pub(super) above: Vec<u32>,
    /// By line: its message, or the nearest one above.
    pub(super) node_of: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) chains: Vec<Sidechain>,
}

impl Builder {
    /// Reads all lines of a file.
    pub(super) fn add(&mut self, file: TreeFile, reader: impl Read) -> io::Result<()> {
        self.begin(file);
        let mut lines = Lines::new(reader);
        while let Some(line) = lines.next_line()? {
            self.line(&line);
        }
        Ok(())
    }

    /// The lines that follow are of this file.
    pub(super) fn begin(&mut self, file: TreeFile) {
        self.files.push(file);
        self.before = NONE;
    }

    /// Takes one line of the file that was begun last.
    pub(super) fn line(&mut self, line: &lines::Line<'_>) {
        match line.body() {
            Body::Blank => {}
            Body::Entry(entry) => self.note(&entry, line.offset, line.raw.len() as u64),
            Body::Broken(damage) => {
                for piece in damage.pieces {
                    let offset = line.offset + piece.start as u64;
                    if let Some(entry) = Entry::read(&line.raw[piece.clone()]) {
                        self.note(&entry, offset, piece.len() as u64);
                    }
                }
            }
        }
    }

    fn note(&mut self, entry: &Entry<'_>, offset: u64, len: u64) {
        let file = NodeId::at(self.files.len().saturating_sub(1)).0;
        let at = NodeId::at(self.lines.len()).0;
        match facts::line(entry, at, &mut self.links) {
            Some(line) => {
                self.before = at;
                self.lines.push(Line {
                    file,
                    offset,
                    len,
                    ..line
                });
            }
            None => self.loose.push((
                self.before,
                FoldedLine {
                    offset,
                    kind: entry.kind(),
                    replaced: false,
                    file,
                },
            )),
        }
    }

    /// Puts everything in its place.
    pub(super) fn finish(mut self) -> SessionTree {
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
        parts.tell_replies_apart();
        let replaced = parts.resolve();
        parts.break_circles();
        let mut placer = Placer::new(&self.files, &parts, one_chain);
        placer.place_all(&mut parts, &replaced);
        let Placer {
            spans, returned, ..
        } = placer;
        for (chain, node) in returned {
            parts.chains[chain as usize - 1].returned = node;
        }
        results::put_in_line(&mut parts);
        parts.break_message_circles();
        super::sidechain::join(&mut parts, &self.files);
        let leaf = live::leaf(&parts, &replaced, one_chain);
        let kept = live::kept(&parts);
        self.assemble(parts, spans, &replaced, leaf, kept)
    }

    fn assemble(
        self,
        parts: Parts,
        spans: Vec<(u32, (u16, LineSpan))>,
        replaced: &[u32],
        leaf: u32,
        kept: Vec<(u32, u32)>,
    ) -> SessionTree {
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
        let mut spans = spans;
        // Blocks in the order of the reply; a stable sort keeps the file's order without one.
        spans.sort_by_key(|(node, (block, _))| (*node, *block));
        let spans = spans.into_iter().map(|(node, (_, span))| (node, span));
        let count = nodes.len();
        let children = nodes.iter().zip(0..);
        let children = children.filter(|(node, _)| node.parent != NONE);
        let children = children.map(|(node, at)| (node.parent, NodeId(at)));
        let children = Rows::new(count, children.collect());
        let spans = Rows::new(count, spans.collect());
        let kept = Rows::new(
            count,
            kept.into_iter().map(|(of, it)| (of, NodeId(it))).collect(),
        );
        nodes.shrink_to_fit();
        let mut tree = SessionTree {
            files: self.files,
            nodes,
            spans,
            folded: Rows::new(count, folded),
            children,
            kept,
            chains: parts.chains,
            index,
            latest: Vec::new(),
            roots: Rows::default(),
            leaf,
        };
        tree.settle();
        tree
    }
}

/// The chain of an agent's file, before anything is known of it.
fn agent_chain((file, at): (&TreeFile, u32)) -> Option<Sidechain> {
    let agent = (at > 0).then_some(file.agent.as_ref()).flatten()?;
    Some(Sidechain {
        file: Some(at as usize),
        agent_id: Some(agent.clone()),
        ..Sidechain::default()
    })
}

impl Parts {
    /// Finds what each line hangs under. Gives for each line the later one with its id, which
    /// takes its place.
    fn resolve(&mut self) -> Vec<u32> {
        let mut replaced = vec![NONE; self.lines.len()];
        for (at, line) in self.lines.iter().enumerate() {
            let last = self.find(line.key, line.file);
            // A line finds itself, or a later one of its file.
            replaced[at] = last.filter(|last| *last as usize != at).unwrap_or(NONE);
        }
        for at in 0..self.lines.len() {
            let line = &self.lines[at];
            let above = self.find(line.parent, line.file);
            let lost = line.marks.has(Marks::ODD_PARENT)
                || (line.parent != NAMELESS && above.is_none_or(|above| above as usize == at));
            self.lines[at].marks.set_if(Marks::ORPHAN, lost);
            self.above.push(match above {
                Some(above) if above as usize != at => above,
                _ => NONE,
            });
        }
        // A copy that lost its parent, as some releases wrote them, keeps that of the original.
        let copies = replaced.iter().copied().enumerate();
        for (at, last) in copies.filter(|(_, last)| *last != NONE) {
            let above = self.above[at];
            self.lines[last as usize].marks.set(Marks::DOUBLED);
            if self.above[last as usize] == NONE && above != last {
                self.above[last as usize] = above;
            }
        }
        for boundary in std::mem::take(&mut self.links.boundaries) {
            self.hang_boundary(&boundary);
            self.links.boundaries.push(boundary);
        }
        replaced
    }

    /// Gives replies names of their own where requests say that one id is of several.
    fn tell_replies_apart(&mut self) {
        let mut requests = std::mem::take(&mut self.links.requests);
        requests.sort_by_key(|(line, _)| (self.lines[*line as usize].message, *line));
        let id = |line: u32| self.lines[line as usize].message;
        let mut names = Vec::new();
        for same in requests.chunk_by(|(a, _), (b, _)| id(*a) == id(*b)) {
            if same.windows(2).all(|pair| pair[0].1.mark == pair[1].1.mark) {
                continue;
            }
            let mut best: HashMap<RequestMark, (u64, u64)> = HashMap::new();
            for (_, request) in same {
                let best = best.entry(request.mark).or_default();
                *best = (*best).max((request.output, request.prompt));
            }
            let prompts = best.into_iter().map(|(mark, (_, prompt))| (mark, prompt));
            let replies = requests::replies(prompts.collect());
            for (line, request) in same {
                let reply = replies.get(&request.mark).copied().unwrap_or_default();
                names.push((*line, short((id(*line), reply))));
            }
        }
        for (line, name) in names {
            self.lines[line as usize].message = name;
        }
    }

    /// The last line with a name: of the same file, else of the first one.
    pub(super) fn find(&self, key: u128, file: u32) -> Option<u32> {
        if key == NAMELESS {
            return None;
        }
        let all = self.index.all(key);
        let own = all.iter().rev();
        let mut own = own.filter(|at| self.lines[**at as usize].file == file);
        if let Some(own) = own.next() {
            return Some(*own);
        }
        let first = self.lines[*all.first()? as usize].file;
        let mut first = all
            .iter()
            .rev()
            .filter(|at| self.lines[**at as usize].file == first);
        first.next().copied()
    }

    /// A boundary comes after what it compacted, which its parent does not say.
    fn hang_boundary(&mut self, boundary: &facts::Boundary) {
        let at = boundary.line as usize;
        let (file, marks) = (self.lines[at].file, self.lines[at].marks);
        let before = self.find(boundary.before, file);
        let last_kept = boundary.kept.last();
        let last_kept = last_kept.and_then(|key| self.find(*key, file));
        let above = if marks.has(Marks::REWOUND) {
            last_kept.or(before)
        } else {
            before.or(last_kept)
        };
        match above.filter(|above| *above as usize != at) {
            Some(above) => self.above[at] = above,
            None => self.lines[at]
                .marks
                .set_if(Marks::ORPHAN, boundary.before != NAMELESS),
        }
    }

    /// Makes a root of the first line of each circle.
    fn break_circles(&mut self) {
        for first in circles(&self.above) {
            self.above[first] = NONE;
            self.lines[first].marks.set(Marks::ORPHAN);
        }
    }

    /// The same for messages: results that were put elsewhere may close one, in files that nobody
    /// writes but to break readers.
    fn break_message_circles(&mut self) {
        let parents: Vec<u32> = self.nodes.iter().map(|node| node.parent).collect();
        for first in circles(&parents) {
            self.nodes[first].parent = NONE;
            self.nodes[first].marks.set(Marks::ORPHAN);
        }
    }
}

/// The first of each circle in a table of parents.
fn circles(above: &[u32]) -> Vec<usize> {
    let mut found = Vec::new();
    // 0: not seen, otherwise the number of the walk that saw it.
    let mut seen = vec![0u32; above.len()];
    for start in 0..above.len() {
        let walk = NodeId::at(start).0 + 1;
        let mut at = start;
        while seen[at] == 0 {
            seen[at] = walk;
            match above[at] {
                NONE => break,
                next => at = next as usize,
            }
        }
        if seen[at] != walk || above[at] == NONE {
            continue;
        }
        let (mut first, mut next) = (at, above[at] as usize);
        while next != at {
            first = first.min(next);
            next = above[next] as usize;
        }
        found.push(first);
    }
    found
}
