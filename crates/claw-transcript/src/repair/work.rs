//! The lines of a file during a repair.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::check::common::is_older_than;
use crate::entry::Entry;
use crate::lines::Span;

use super::item::{Item, Node, Parent};
use super::step::{RepairAction, RepairStep};
use crate::conversation::{Id, Ids};

/// The distance between the ranks of two lines of the file, and the offset of a line's own rank. A
/// placeholder for a lost line comes before it, a result after it.
const RANKS: u64 = 4;
const OWN: u64 = 2;
pub(super) const BEFORE: u64 = OWN - 1;
pub(super) const BEHIND: u64 = OWN + 1;

/// A file between reading and writing.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) names: Ids,
    /// The lines in the order of the file, then added lines.
    pub(super) items: Vec<Item>,
    /// The removed bytes.
    pub(super) removed: Vec<Span>,
    pub(super) steps: Vec<RepairStep>,
    /// Whether it is the file of a subagent.
    pub(super) of_agent: bool,
    /// The length of the file when it was read.
    pub(super) length: u64,
    /// The session ids in the lines, in the order of the file.
    pub(super) sessions: Vec<String>,
    pub(super) known_sessions: HashSet<Id>,
    /// The first working directory in the lines.
    pub(super) cwd: Option<PathBuf>,
    pub(super) by_id: HashMap<Id, usize>,
    /// The lines that make each call. Some gateways number the calls of each reply from one.
    pub(super) callers: HashMap<Id, Vec<usize>>,
    /// Parents that are in other files, where they belong.
    pub(super) elsewhere: HashSet<Id>,
    /// The messages that compactions kept or refer to.
    pub(super) preserved: HashSet<Id>,
    /// Lines that had a duplicate uuid.
    pub(super) renamed: Vec<usize>,
    /// The number of changed parents.
    pub(super) relinked: u64,
    /// The rank of the first line whose parent is a later one; the maximum if there is none.
    pub(super) first_forward: u64,
}

impl Work {
    /// Records the session id and the working directory of a line.
    pub(super) fn note_session(&mut self, entry: &Entry<'_>) {
        if let Some(session) = entry.session()
            && self.known_sessions.insert(self.names.of(&session))
        {
            self.sessions.push(session.into_owned());
        }
        if self.cwd.is_none() {
            self.cwd = entry.cwd().map(|cwd| PathBuf::from(cwd.into_owned()));
        }
    }

    pub(super) fn add_step(&mut self, step: RepairStep) -> &mut RepairStep {
        let at = self.steps.len();
        self.steps.push(step);
        &mut self.steps[at]
    }

    /// Adds a step for a whole line.
    pub(super) fn step(
        &mut self,
        item: usize,
        what: (&'static str, RepairAction),
        why: impl Into<String>,
    ) -> &mut RepairStep {
        let item = &self.items[item];
        let step = RepairStep::new(what, (item.line, item.span.offset), why);
        self.add_step(step)
    }

    /// Removes a line. Its bytes are kept in the file of removed bytes.
    pub(super) fn remove(&mut self, at: usize) {
        self.items[at].gone = true;
        self.removed.push(self.items[at].span);
    }

    /// The remaining lines of the conversation, with their indices.
    pub(super) fn nodes(&self) -> impl DoubleEndedIterator<Item = (usize, &Node)> {
        self.items
            .iter()
            .enumerate()
            .filter(|(_, item)| !item.gone)
            .filter_map(|(at, item)| Some((at, item.node.as_deref()?)))
    }

    /// The indices of those lines of the conversation that have a property.
    pub(super) fn nodes_where(&self, has: impl Fn(usize, &Node) -> bool) -> Vec<usize> {
        let nodes = self.nodes().filter(|(at, node)| has(*at, node));
        nodes.map(|(at, _)| at).collect()
    }

    pub(super) fn node(&self, at: usize) -> Option<&Node> {
        self.items.get(at)?.node.as_deref()
    }

    pub(super) fn node_mut(&mut self, at: usize) -> Option<&mut Node> {
        self.items.get_mut(at)?.node.as_deref_mut()
    }

    /// Indexes the first line with each uuid, the lines that make each call, and the messages that
    /// compactions refer to. Resets the ranks.
    pub(super) fn index(&mut self) {
        let mut by_id = HashMap::new();
        let mut callers: HashMap<Id, Vec<usize>> = HashMap::new();
        let mut preserved = HashSet::new();
        for (at, node) in self.nodes() {
            by_id.entry(node.id).or_insert(at);
            for call in node.calls() {
                callers.entry(call).or_default().push(at);
            }
            preserved.extend(node.kept.iter().chain(&node.named).copied());
        }
        self.by_id = by_id;
        self.callers = callers;
        self.preserved = preserved;
        for (rank, item) in (0..).zip(&mut self.items) {
            item.rank = rank * RANKS + OWN;
        }
        self.note_forward_links();
    }

    /// The parents that are not in this file, in the order of the file.
    pub(super) fn lost_parents(&self) -> Vec<String> {
        let parents = self.nodes().filter_map(|(_, node)| node.parent.id());
        let mut seen = HashSet::new();
        let lost = parents.filter(|id| self.find(*id).is_none() && seen.insert(*id));
        lost.map(|id| self.names.text(id)).collect()
    }

    /// Records the parents that are in other files.
    pub(super) fn set_elsewhere(&mut self, elsewhere: &HashSet<String>) {
        let names = elsewhere.iter().map(|id| self.names.of(id));
        self.elsewhere = names.collect();
    }

    /// Returns whether the parent of a line is missing, but should exist.
    pub(super) fn is_parent_lost(&self, at: usize) -> bool {
        let Some(node) = self.node(at) else {
            return false;
        };
        let id = match node.parent {
            Parent::Root | Parent::Absent => return false,
            Parent::Odd => return true,
            Parent::Id(id) => id,
        };
        let gone = || {
            let first = self.nodes().next().map(|(_, first)| first);
            let first = first.filter(|first| first.boundary);
            first.is_some_and(|boundary| is_older_than(&boundary.row, &node.row))
        };
        let kept = self.preserved.contains(&id) || self.preserved.contains(&node.id);
        self.find(id).is_none() && !self.elsewhere.contains(&id) && !kept && !gone()
    }

    pub(super) fn find(&self, id: Id) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The line that makes a call: the nearest one before its result, or else the first one.
    pub(super) fn caller(&self, call: Id, answer: usize) -> Option<usize> {
        let callers = self.callers.get(&call)?;
        let before = callers.partition_point(|caller| *caller < answer);
        callers.get(before.saturating_sub(1)).copied()
    }

    pub(super) fn is_called(&self, call: Id) -> bool {
        self.callers.contains_key(&call)
    }

    /// Adds a line before or after another one.
    pub(super) fn add(&mut self, mut item: Item, beside: usize, place: u64) -> usize {
        let at = self.items.len();
        item.rank = self.rank(beside) - OWN + place;
        if let Some(node) = &item.node {
            self.by_id.insert(node.id, at);
        }
        self.items.push(item);
        at
    }

    pub(super) fn parent_at(&self, at: usize) -> Option<usize> {
        self.find(self.node(at)?.parent.id()?)
    }

    /// Returns whether a line is a descendant of another one, or the same.
    pub(super) fn is_below(&self, below: usize, above: usize) -> bool {
        // Before the first forward link, all ancestors of a line come before it.
        let end = self.rank(above).min(self.first_forward);
        let mut at = below;
        for _ in 0..=self.items.len() {
            if at == above {
                return true;
            }
            match self.parent_at(at).filter(|_| self.rank(at) >= end) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        false
    }

    pub(super) fn rank(&self, at: usize) -> u64 {
        self.items.get(at).map_or(u64::MAX, |item| item.rank)
    }

    /// Sets the parent of a line; `None` makes it a root.
    pub(super) fn relink(
        &mut self,
        at: usize,
        under: Option<usize>,
        rule: &'static str,
        why: impl Into<String>,
    ) {
        let new = under.and_then(|under| self.node(under)).map(|node| node.id);
        let Some(node) = self.node_mut(at) else {
            return;
        };
        let old = std::mem::replace(&mut node.parent, new.map_or(Parent::Root, Parent::Id));
        if old == node.parent {
            return;
        }
        self.relinked += 1;
        let before = match old {
            Parent::Id(name) => self.names.text(name),
            Parent::Root => "null".to_owned(),
            Parent::Absent => "nothing".to_owned(),
            Parent::Odd => "something that is no uuid".to_owned(),
        };
        let after = new.map_or_else(|| "null".to_owned(), |name| self.names.text(name));
        self.note_forward_link(at);
        self.items[at].edit.parent = Some(new);
        // A second change of the parent updates the first step.
        let step = self.items[at].relink_step;
        if let Some(step) = step.and_then(|step| self.steps.get_mut(step)) {
            step.after = Some(after);
            return;
        }
        self.items[at].relink_step = Some(self.steps.len());
        let step = self.step(at, (rule, RepairAction::Relink), why);
        step.before = Some(before);
        step.after = Some(after);
    }
}
