//! Repairs the parents of lines.

use std::collections::HashMap;

use super::chains::Chains;
use super::item::{Node, Parent};
use super::step::RepairAction;
use super::work::Work;
use crate::conversation::Id;

const STOOD_IN: &str = "this replaces its parent, which is lost";

impl Work {
    /// Gives every line a parent that exists, and breaks cycles.
    pub(super) fn mend_links(&mut self) {
        let mut chains = Chains::of(self);
        let mut stand_ins: HashMap<Id, usize> = HashMap::new();
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
                self.relink(at, Some(known), "parent-exists", STOOD_IN);
                chains.settle(self, at);
                continue;
            }
            let (under, evidence) = self.stand_in(at, &mut chains);
            let between = chains.is_between_replies(self, at, under);
            if circular {
                let why = format!("its ancestors form a cycle; {evidence}");
                self.relink(at, under, "parent-acyclic", why);
            } else if let Some(new) = self.stand_in_for_lost(at, under, between) {
                chains.add(self, new);
                stand_ins.extend(lost.map(|lost| (lost, new)));
                self.relink(at, Some(new), "parent-exists", STOOD_IN);
            } else {
                let why = format!("its parent is lost; {evidence}");
                self.relink(at, under, "parent-exists", why);
            }
            chains.settle(self, at);
        }
    }

    fn alike(&self, one: usize, other: usize) -> bool {
        let sides = self.node(one).zip(self.node(other));
        sides.is_some_and(|(one, other)| one.side == other.side)
    }

    /// Removes lost messages from the lists of compactions. The CLI would otherwise keep none of
    /// them.
    pub(super) fn forget_lost(&mut self) {
        for at in self.nodes_where(|_, node| !node.kept.is_empty()) {
            let kept = self.node(at).map(|node| &node.kept[..]).unwrap_or_default();
            let lost = kept.iter().copied().filter(|id| self.find(*id).is_none());
            let lost: Vec<Id> = lost.collect();
            if lost.is_empty() {
                continue;
            }
            let names: Vec<String> = lost.iter().map(|name| self.names.text(*name)).collect();
            self.items[at].edit.forget = lost;
            let what = ("parent-exists", RepairAction::Forget);
            let why = "messages that the compaction kept are lost; the CLI would then keep none of \
                       them";
            self.step(at, what, why).before = Some(names.join(", "));
        }
    }

    /// Finds the first line whose parent is a later one.
    pub(super) fn note_forward_links(&mut self) {
        let first = self.nodes().find(|(at, _)| self.is_forward(*at));
        let first = first.map(|(at, _)| self.rank(at));
        self.first_forward = first.unwrap_or(u64::MAX);
    }

    /// Updates the first forward link after a line got a new parent.
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

    /// The parent for a line without a valid one, and the evidence.
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
            let evidence = "it is a compaction's summary, which begins a chain";
            return (boundary, evidence);
        }
        let mut fits = |other: usize| {
            let alike = self.alike(other, at);
            let named = self.node(other).is_some_and(|node| !node.nameless);
            alike && named && other < at && chains.top(other) != at
        };
        let answers = node.answers.iter();
        let mut callers = answers.filter_map(|call| self.caller(*call, at));
        if let Some(caller) = callers.find(|caller| fits(*caller)) {
            return (Some(caller), "it answers a call of this line");
        }
        // The torn line was between the two, so its parent is the better evidence only if it is not
        // the line before.
        let torn = node.torn_before.and_then(|parent| self.find(parent));
        let torn = torn.filter(|torn| fits(*torn));
        if let Some(block) = chains.block_before(self, at) {
            return (Some(block), "this is the block before it of the same reply");
        }
        if let Some(torn) = torn {
            return (Some(torn), "a torn line before it hung under this one");
        }
        let before = chains.before(self, at, |_| true);
        let evidence = match before {
            Some(_) => "this is the line before it in the same chain",
            None => "no line before it is of the same chain, so that it begins one",
        };
        (before, evidence)
    }

    /// The nearest line before `at`, in the same chain, that is not its descendant.
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

    /// Inserts a line without children between two consecutive lines, so that the path from the
    /// last line to the first contains it.
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
        if let Some(seam) = seam
            && let Some(parent) = self.parent_at(seam)
            && !self.is_below(parent, at)
        {
            self.relink(at, Some(parent), rule, "so that the branch includes it");
            let why = "so that the model sees the line before it";
            self.relink(seam, Some(at), rule, why);
        }
    }
}
