//! What hangs under what.

use std::collections::HashMap;

use super::chains::Chains;
use super::item::{Node, Parent};
use super::names::Name;
use super::step::RepairAction;
use super::work::Work;

impl Work {
    /// Hangs every line under one that is there, and none under itself.
    pub(super) fn mend_links(&mut self) {
        let mut chains = Chains::of(self);
        let mut stand_ins: HashMap<Name, usize> = HashMap::new();
        for at in 0..self.items.len() {
            if self.items[at].gone || self.node(at).is_none() {
                continue;
            }
            let circular = chains.is_cut(at);
            if !circular && !self.is_parent_lost(at) {
                chains.settle(self, at);
                continue;
            }
            let lost = self.node(at).and_then(|node| node.parent.id());
            let known = lost.and_then(|lost| stand_ins.get(&lost).copied());
            let known = known.filter(|known| self.alike(*known, at) && chains.top(*known) != at);
            if let Some(known) = known {
                let why = "this stands in for the line that it hangs under, which is lost";
                self.hang(at, Some(known), "parent-exists", why);
                chains.settle(self, at);
                continue;
            }
            let (under, evidence) = self.stand_in(at, &mut chains);
            if circular {
                let why = format!("it hangs under itself, by a circle; {evidence}");
                self.hang(at, under, "parent-acyclic", why);
                chains.settle(self, at);
                continue;
            }
            let between = chains.is_between_replies(self, at, under);
            if let Some(new) = self.stand_in_for_lost(at, under, between) {
                chains.add(self, new);
                stand_ins.extend(lost.map(|lost| (lost, new)));
                let why = "this stands in for the line that it hangs under, which is lost";
                self.hang(at, Some(new), "parent-exists", why);
            } else {
                let why = format!("the line that it hangs under is lost; {evidence}");
                self.hang(at, under, "parent-exists", why);
            }
            chains.settle(self, at);
        }
    }

    fn alike(&self, one: usize, other: usize) -> bool {
        let sides = self.node(one).zip(self.node(other));
        sides.is_some_and(|(one, other)| one.side == other.side)
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

    /// Finds the first line that hangs under a later one.
    pub(super) fn note_forward_links(&mut self) {
        let first = self.nodes().find(|(at, _)| self.is_forward(*at));
        let first = first.map(|(at, _)| self.rank(at));
        self.first_forward = first.unwrap_or(u64::MAX);
    }

    /// Notes when a line that was hung anew hangs under a later one.
    pub(super) fn note_forward_link(&mut self, at: usize) {
        if self.is_forward(at) {
            self.first_forward = self.first_forward.min(self.rank(at));
        }
    }

    pub(super) fn has_forward(&self) -> bool {
        self.first_forward != u64::MAX
    }

    fn is_forward(&self, at: usize) -> bool {
        let parent = self.parent_at(at);
        parent.is_some_and(|parent| self.rank(parent) >= self.rank(at))
    }

    /// What a line should hang under when nothing valid is said, and by what evidence.
    fn stand_in(&self, at: usize, chains: &mut Chains) -> (Option<usize>, &'static str) {
        let Some(node) = self.node(at) else {
            return (None, "");
        };
        if node.boundary {
            return (None, "a compaction begins a chain");
        }
        if node.summary {
            let boundary = chains.before(self, at, |other| other.boundary || other.summary);
            let boundary = boundary.filter(|at| self.node(*at).is_some_and(|node| node.boundary));
            return (
                boundary,
                "it is a compaction's summary, which begins a chain",
            );
        }
        let mut fits = |other: usize| {
            let alike = self.alike(other, at);
            let named = self.node(other).is_some_and(|node| !node.nameless);
            alike && named && other < at && chains.top(other) != at
        };
        let mut callers = node
            .answers
            .iter()
            .filter_map(|call| self.caller(*call, at));
        let caller = callers.find(|caller| fits(*caller));
        if let Some(caller) = caller {
            return (Some(caller), "it answers a call of this line");
        }
        // The torn line stood between the two, so that its parent is the nearer evidence only
        // when it is not the line before.
        let torn = node.torn_before.and_then(|parent| self.find(parent));
        let torn = torn.filter(|torn| fits(*torn));
        if let Some(block) = chains.block_before(self, at) {
            return (Some(block), "this is the block before it of the same reply");
        }
        if let Some(torn) = torn {
            return (Some(torn), "a torn line before it hung under this one");
        }
        let before = chains.before(self, at, |_| true);
        match before {
            Some(_) => (before, "this is the line before it in the same chain"),
            None => (
                None,
                "no line before it is of the same chain, so that it begins one",
            ),
        }
    }

    /// The nearest line before one, of the same chain, that does not hang under it.
    pub(super) fn line_before(&self, at: usize) -> Option<usize> {
        let side = self.node(at)?.side;
        let mut before = (0..at).rev().filter_map(|other| {
            let item = self.items.get(other).filter(|item| !item.gone)?;
            Some((other, item.node.as_deref()?))
        });
        let found = before.find(|(other, node)| {
            node.side == side && node.may_have_children() && !self.is_below(*other, at)
        });
        found.map(|(other, _)| other)
    }

    /// Puts a line that nothing goes on from between two that follow each other, so that the way
    /// from the last line to the first goes over it.
    pub(super) fn put_on_the_way(&mut self, at: usize, rule: &'static str) {
        let Some(node) = self.node(at).filter(|node| !node.nameless) else {
            return;
        };
        let side = node.side;
        let before = (0..at).rev().filter_map(|other| self.node(other));
        let reply = before
            .filter(|node| node.side == side)
            .find_map(|node| node.reply);
        let is_seam = |node: &Node| {
            let continues = node.reply.is_some() && node.reply == reply;
            let answers = node.answers.iter().any(|call| self.is_called(*call));
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
