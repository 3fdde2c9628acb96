//! Chains of lines, while links are repaired.
//!
//! A file may have lost any number of lines, so no query here may scan the whole file or a whole
//! chain.

use std::collections::HashMap;

use crate::entry::Kind;

use super::item::{Node, Side};
use super::work::Work;
use crate::conversation::Id;

/// No line.
const NONE: usize = usize::MAX;

#[derive(Debug)]
pub(super) struct Chains {
    /// An ancestor of each line, or the line itself at the top of a chain. Paths are compressed.
    up: Vec<usize>,
    /// Whether a line is the first one of a cycle, where the cycle is cut.
    cut: Vec<bool>,
    /// The lines of each chain that can have children.
    sides: HashMap<Side, Vec<usize>>,
    /// The blocks of each reply.
    replies: HashMap<Id, Vec<usize>>,
    /// The next message of the same chain, at or after each line.
    next_said: Vec<usize>,
    /// The nearest message at or above each settled line.
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

    /// Cuts each cycle at its first line, whose parent is a later line or itself.
    fn cut_circles(&mut self, work: &Work) {
        // The walk that visited a line, counted from one.
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

    /// The top of the chain of a line.
    pub(super) fn top(&mut self, mut at: usize) -> usize {
        while self.up[at] != at {
            self.up[at] = self.up[self.up[at]];
            at = self.up[at];
        }
        at
    }

    /// Records the final parent of a line. Lines are settled in the order of the file.
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

    /// Adds a line that the repair added.
    pub(super) fn add(&mut self, work: &Work, at: usize) {
        self.up.push(at);
        self.cut.push(false);
        self.next_said.push(at);
        self.said_above.push(NONE);
        self.settle(work, at);
    }

    /// The nearest line before `at`, in the same chain, that is not its descendant. `at` must be
    /// the top of its chain.
    pub(super) fn before(
        &mut self,
        work: &Work,
        at: usize,
        wanted: impl Fn(&Node) -> bool,
    ) -> Option<usize> {
        let side = work.node(at)?.side;
        let lines = self.sides.remove(&side)?;
        let found = self.nearest(&lines, at, |line| work.node(line).is_some_and(&wanted));
        self.sides.insert(side, lines);
        found
    }

    /// The previous block of the same reply and chain.
    pub(super) fn block_before(&mut self, work: &Work, at: usize) -> Option<usize> {
        let node = work.node(at)?;
        let reply = node.reply?;
        let blocks = self.replies.remove(&reply)?;
        let is_alike = |other: &Node| other.side == node.side && !other.nameless;
        let found = self.nearest(&blocks, at, |block| work.node(block).is_some_and(is_alike));
        self.replies.insert(reply, blocks);
        found
    }

    /// The last of some lines before `at` that fits and is not a descendant of it.
    fn nearest(
        &mut self,
        lines: &[usize],
        at: usize,
        fits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let end = lines.partition_point(|other| *other < at);
        let mut before = lines[..end].iter().rev().copied();
        before.find(|other| fits(*other) && self.top(*other) != at)
    }

    /// Returns whether a reply would directly follow another one if `under` were the parent of a
    /// line.
    pub(super) fn is_between_replies(&self, work: &Work, at: usize, under: Option<usize>) -> bool {
        let next = self.next_said.get(at).and_then(|next| work.node(*next));
        let Some(next) = next.filter(|next| next.kind == Kind::Assistant) else {
            return false;
        };
        let above = under.and_then(|under| self.said_above.get(under));
        let above = above.and_then(|above| work.node(*above));
        // A call will be followed by its result.
        above.is_some_and(|above| {
            above.kind == Kind::Assistant
                && above.reply != next.reply
                && above.calls().next().is_none()
        })
    }
}

/// Returns whether a line is its own parent.
fn is_own(work: &Work, at: usize) -> bool {
    work.parent_at(at) == Some(at)
}
