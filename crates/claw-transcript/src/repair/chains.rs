//! What lines hang together, while links are mended.
//!
//! A file may have lost any number of lines, so that each question here is answered without going
//! over the whole file or up a whole chain.

use std::collections::HashMap;

use crate::entry::Kind;

use super::item::{Node, Side};
use super::names::Name;
use super::work::Work;

/// No line.
const NONE: usize = usize::MAX;

#[derive(Debug)]
pub(super) struct Chains {
    /// By line: one above it, or itself for the top of a chain. Shortened whenever it is followed.
    up: Vec<usize>,
    /// The first line of each circle: a circle is cut there.
    cut: Vec<bool>,
    /// The lines of each chain that others may hang under.
    sides: HashMap<Side, Vec<usize>>,
    /// The blocks of each reply.
    replies: HashMap<Name, Vec<usize>>,
    /// By line: the next one of its chain, itself too, in which somebody says something.
    next_said: Vec<usize>,
    /// By line that is settled: the nearest one above, itself too, in which somebody does.
    said_above: Vec<usize>,
}

impl Chains {
    pub(super) fn of(work: &Work) -> Self {
        let count = work.items.len();
        let mut chains = Self {
            up: (0..count).collect(),
            cut: vec![false; count],
            sides: HashMap::new(),
            replies: HashMap::new(),
            next_said: vec![NONE; count],
            said_above: vec![NONE; count],
        };
        for (at, node) in work.nodes() {
            if let Some(parent) = work.parent_at(at) {
                chains.up[at] = parent;
            }
            if node.may_have_children() {
                chains.sides.entry(node.side).or_default().push(at);
            }
            if let Some(reply) = node.reply {
                chains.replies.entry(reply).or_default().push(at);
            }
        }
        let mut said: HashMap<Side, usize> = HashMap::new();
        for (at, node) in work.nodes().rev() {
            if node.is_said() {
                said.insert(node.side, at);
            }
            chains.next_said[at] = said.get(&node.side).copied().unwrap_or(NONE);
        }
        chains.cut_circles(work);
        chains
    }

    /// Cuts each circle at its first line, which hangs under a later one or under itself.
    fn cut_circles(&mut self, work: &Work) {
        // The walk that a line was seen on; walks are counted from one.
        let mut seen = vec![0_usize; self.up.len()];
        for start in 0..self.up.len() {
            let mut at = start;
            while seen[at] == 0 {
                seen[at] = start + 1;
                at = self.up[at];
            }
            let is_circle = seen[at] == start + 1 && (self.up[at] != at || is_own(work, at));
            if !is_circle {
                continue;
            }
            let (mut first, mut here) = (at, self.up[at]);
            while here != at {
                first = first.min(here);
                here = self.up[here];
            }
            self.cut[first] = true;
            self.up[first] = first;
        }
    }

    pub(super) fn is_cut(&self, at: usize) -> bool {
        self.cut.get(at).copied().unwrap_or(false)
    }

    /// The line that a chain hangs down from.
    pub(super) fn top(&mut self, mut at: usize) -> usize {
        while self.up[at] != at {
            self.up[at] = self.up[self.up[at]];
            at = self.up[at];
        }
        at
    }

    /// Takes note of what a line hangs under for good. Lines are settled in the order of the file.
    pub(super) fn settle(&mut self, work: &Work, at: usize) {
        let parent = work.parent_at(at);
        if let Some(parent) = parent.filter(|parent| self.up[at] == at && *parent != at) {
            self.up[at] = parent;
        }
        let said = work.node(at).is_some_and(Node::is_said);
        self.said_above[at] = match parent.filter(|parent| work.rank(*parent) < work.rank(at)) {
            _ if said => at,
            Some(parent) => self.said_above[parent],
            None => NONE,
        };
    }

    /// Takes a line in that was added.
    pub(super) fn add(&mut self, work: &Work, at: usize) {
        self.up.push(at);
        self.cut.push(false);
        self.next_said.push(at);
        self.said_above.push(NONE);
        self.settle(work, at);
    }

    /// The nearest line before one, of the same chain, that does not hang under it. The line is
    /// the top of its own.
    pub(super) fn before(
        &mut self,
        work: &Work,
        at: usize,
        wanted: impl Fn(&Node) -> bool,
    ) -> Option<usize> {
        let lines = self.sides.remove(&work.node(at)?.side)?;
        let end = lines.partition_point(|other| *other < at);
        let mut before = lines[..end].iter().rev().copied();
        let found =
            before.find(|other| work.node(*other).is_some_and(&wanted) && self.top(*other) != at);
        self.sides.insert(work.node(at)?.side, lines);
        found
    }

    /// The block before one, of the same reply and chain.
    pub(super) fn block_before(&mut self, work: &Work, at: usize) -> Option<usize> {
        let node = work.node(at)?;
        let reply = node.reply?;
        let blocks = self.replies.remove(&reply)?;
        let end = blocks.partition_point(|other| *other < at);
        let mut before = blocks[..end].iter().rev().copied();
        let found = before.find(|other| {
            let fits = work
                .node(*other)
                .is_some_and(|other| other.side == node.side && !other.nameless);
            fits && self.top(*other) != at
        });
        self.replies.insert(reply, blocks);
        found
    }

    /// Whether a reply would follow another one if a line were hung under one.
    pub(super) fn is_between_replies(&self, work: &Work, at: usize, under: Option<usize>) -> bool {
        let next = self.next_said.get(at).and_then(|next| work.node(*next));
        let Some(next) = next.filter(|next| next.kind == Kind::Assistant) else {
            return false;
        };
        let above = under.and_then(|under| self.said_above.get(under));
        let above = above.and_then(|above| work.node(*above));
        // Behind a call a result will stand.
        above.is_some_and(|above| {
            above.kind == Kind::Assistant && above.reply != next.reply && above.calls.is_empty()
        })
    }
}

/// Whether a line hangs under itself.
fn is_own(work: &Work, at: usize) -> bool {
    work.parent_at(at) == Some(at)
}
