//! Lines, nodes and chains while a tree is built.

use std::collections::HashMap;

use super::key::{Index, NAMELESS, short};
use super::line::{Boundary, Line, Links};
use super::node::{Marks, NONE, Node, NodeId, NodeKind};
use super::sidechain::Sidechain;
use crate::requests::{self, RequestMark};

/// The tables from which the tree is made.
pub(super) struct Parts {
    pub(super) lines: Vec<Line>,
    pub(super) links: Links,
    pub(super) index: Index,
    /// By line: its parent.
    pub(super) above: Vec<u32>,
    /// By line: its message, or the nearest one above it.
    pub(super) node_of: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) chains: Vec<Sidechain>,
}

impl Parts {
    /// Finds the parent of each line. Returns for each line the later one with the same id, which
    /// replaces it.
    pub(super) fn resolve(&mut self) -> Vec<u32> {
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
        // Some releases wrote copies without a parent; they keep that of the original.
        let copies = replaced.iter().copied().enumerate();
        for (at, last) in copies.filter(|(_, last)| *last != NONE) {
            let above = self.above[at];
            self.lines[last as usize].marks.set(Marks::DOUBLED);
            if self.above[last as usize] == NONE && above != last {
                self.above[last as usize] = above;
            }
        }
        for boundary in std::mem::take(&mut self.links.boundaries) {
            self.place_boundary(&boundary);
            self.links.boundaries.push(boundary);
        }
        replaced
    }

    /// Gives replies new ids if their requests show that several share one.
    pub(super) fn split_replies(&mut self) {
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

    /// The last line with an id: in the same file, else in the first one that has it.
    pub(super) fn find(&self, key: u128, file: u32) -> Option<u32> {
        let all = self.index.all(key);
        let last_in = |file: u32| {
            let mut last = all.iter().rev().copied();
            last.find(|at| self.lines[*at as usize].file == file)
        };
        last_in(file).or_else(|| last_in(self.lines[*all.first()? as usize].file))
    }

    /// The nearest message at or above one that is not results.
    pub(super) fn above_results(&self, mut at: u32) -> Option<u32> {
        loop {
            let node = self.nodes.get(at as usize)?;
            if node.kind != NodeKind::Results {
                return Some(at);
            }
            at = node.parent;
        }
    }

    /// Makes a compaction follow what it compacted, which its parent does not show.
    fn place_boundary(&mut self, boundary: &Boundary) {
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

    /// Makes a root of the first line of each cycle.
    pub(super) fn break_cycles(&mut self) {
        for first in cycles(&self.above) {
            self.above[first] = NONE;
            self.lines[first].marks.set(Marks::ORPHAN);
        }
    }

    /// The same for messages: in hostile files, results that were moved may close a cycle.
    pub(super) fn break_message_cycles(&mut self) {
        let parents: Vec<u32> = self.nodes.iter().map(|node| node.parent).collect();
        for first in cycles(&parents) {
            self.nodes[first].parent = NONE;
            self.nodes[first].marks.set(Marks::ORPHAN);
        }
    }
}

/// The first element of each cycle in a table of parents.
pub(super) fn cycles(above: &[u32]) -> Vec<usize> {
    let mut found = Vec::new();
    // 0: not seen, otherwise the walk that saw it.
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
