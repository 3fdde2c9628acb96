//! What hangs under what.

use std::collections::HashMap;

use super::item::{Node, Parent};
use super::names::Name;
use super::step::RepairAction;
use super::work::Work;

impl Work {
    /// Hangs every line under one that is there, and none under itself.
    pub(super) fn mend_links(&mut self) {
        let replies = self.blocks_of_replies();
        for at in 0..self.items.len() {
            let Some(node) = self.node(at).filter(|_| !self.items[at].gone) else {
                continue;
            };
            let lost = match node.parent {
                Parent::Root | Parent::Absent => false,
                Parent::Odd => true,
                Parent::Id(id) => self.find(id).is_none(),
            };
            let circular = !lost
                && self.parent_at(at).is_some_and(|parent| {
                    // In a circle there is one line that hangs under a later one or itself.
                    parent >= at && self.is_below(parent, at)
                });
            if lost {
                let (under, evidence) = self.stand_in(at, &replies);
                if self.stand_in_for_lost(at, under) {
                    continue;
                }
                let why = format!("the line that it hangs under is lost; {evidence}");
                self.hang(at, under, "parent-exists", why);
            } else if circular {
                let (under, evidence) = self.stand_in(at, &replies);
                let why = format!("it hangs under itself, by a circle; {evidence}");
                self.hang(at, under, "parent-acyclic", why);
            }
        }
    }

    /// Compactions whose kept messages are not all there would keep none of them.
    pub(super) fn forget_lost(&mut self) {
        let boundaries: Vec<usize> = self
            .nodes()
            .filter(|(_, node)| !node.kept.is_empty())
            .map(|(at, _)| at)
            .collect();
        for at in boundaries {
            let kept = self.node(at).map(|node| &node.kept[..]).unwrap_or_default();
            let lost = kept.iter().copied().filter(|id| self.find(*id).is_none());
            let lost: Vec<Name> = lost.collect();
            if lost.is_empty() {
                continue;
            }
            self.items[at].edit.forget.clone_from(&lost);
            let names: Vec<String> = lost.iter().map(|name| self.names.text(*name)).collect();
            self.step(
                at,
                "parent-exists",
                RepairAction::Forget,
                "messages that the compaction kept are lost; the CLI would then keep none of them",
            )
            .before = Some(names.join(", "));
        }
    }

    pub(super) fn note_forward_links(&mut self) {
        let is_forward = |at: usize| self.parent_at(at).is_some_and(|parent| parent >= at);
        let any = self.nodes().any(|(at, _)| is_forward(at));
        self.has_forward = any;
    }

    /// Where the blocks of each reply are.
    fn blocks_of_replies(&self) -> HashMap<Name, Vec<usize>> {
        let mut blocks: HashMap<Name, Vec<usize>> = HashMap::new();
        for (at, node) in self.nodes() {
            if let Some(reply) = node.reply {
                blocks.entry(reply).or_default().push(at);
            }
        }
        blocks
    }

    /// What a line should hang under when nothing valid is said, and by what evidence.
    fn stand_in(
        &self,
        at: usize,
        replies: &HashMap<Name, Vec<usize>>,
    ) -> (Option<usize>, &'static str) {
        let Some(node) = self.node(at) else {
            return (None, "");
        };
        let fits = |other: usize| {
            let alike = self
                .node(other)
                .is_some_and(|other| other.side == node.side);
            alike && other < at && !self.is_below(other, at)
        };
        if node.boundary {
            return (None, "a compaction begins a chain");
        }
        if node.summary {
            let boundary = self.line_before(at, |_, other| other.boundary || other.summary);
            let boundary = boundary.filter(|at| self.node(*at).is_some_and(|node| node.boundary));
            return (
                boundary,
                "it is a compaction's summary, which begins a chain",
            );
        }
        let mut callers = node.answers.iter().filter_map(|call| self.caller(*call));
        let caller = callers.find(|caller| fits(*caller));
        if let Some(caller) = caller {
            return (Some(caller), "it answers a call of this line");
        }
        let blocks = node.reply.and_then(|reply| replies.get(&reply));
        let block = blocks.and_then(|blocks| blocks.iter().rev().find(|other| fits(**other)));
        if let Some(block) = block {
            return (
                Some(*block),
                "this is the block before it of the same reply",
            );
        }
        let before = self.line_before(at, |_, _| true);
        // The torn line stood between the two, so that its parent is the nearer evidence only
        // when it is not the line before.
        let torn = node.torn_before.and_then(|parent| self.find(parent));
        if let Some(torn) = torn.filter(|torn| fits(*torn)) {
            return (Some(torn), "a torn line before it hung under this one");
        }
        (before, "this is the line before it in the same chain")
    }

    /// The nearest line before one, of the same chain, that does not hang under it.
    pub(super) fn line_before(
        &self,
        at: usize,
        wanted: impl Fn(usize, &Node) -> bool,
    ) -> Option<usize> {
        let side = self.node(at)?.side;
        let mut before = (0..at).rev().filter_map(|other| {
            let item = self.items.get(other).filter(|item| !item.gone)?;
            Some((other, item.node.as_deref()?))
        });
        let found = before.find(|(other, node)| {
            node.side == side
                && node.may_have_children()
                && wanted(*other, node)
                && !self.is_below(*other, at)
        });
        found.map(|(other, _)| other)
    }

    /// Puts a line that nothing goes on from between two that follow each other, so that the way
    /// from the last line to the first goes over it.
    pub(super) fn put_on_the_way(&mut self, at: usize, rule: &'static str) {
        let Some(side) = self.node(at).map(|node| node.side) else {
            return;
        };
        let before = (0..at).rev().filter_map(|other| self.node(other));
        let reply = before
            .filter(|node| node.side == side)
            .find_map(|node| node.reply);
        let is_seam = |node: &Node| {
            let continues = node.reply.is_some() && node.reply == reply;
            let answers = node.answers.iter().any(|call| self.caller(*call).is_some());
            node.side == side
                && node.may_have_children()
                && !continues
                && !answers
                && matches!(node.parent, Parent::Id(_))
        };
        let mut later = (at + 1..self.items.len()).filter(|later| !self.items[*later].gone);
        let seam = later.find(|later| self.node(*later).is_some_and(is_seam));
        let Some(seam) = seam else {
            return;
        };
        let Some(parent) = self.parent_at(seam) else {
            return;
        };
        if self.is_below(parent, at) {
            return;
        }
        self.hang(at, Some(parent), rule, "so that it lies on the way");
        self.hang(
            seam,
            Some(at),
            rule,
            "so that the model sees the line before it",
        );
    }
}
