//! The lines of a file while they are repaired.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::check::alike::is_older_than;
use crate::entry::Entry;
use crate::lines::Span;

use super::item::{Item, Node, Parent};
use super::names::{Name, Names};
use super::step::{RepairAction, RepairStep};

/// How far apart the ranks of two lines of the file are, and which of those between them a line
/// of the file has. What stands in for a lost line comes before, a result behind.
const RANKS: u64 = 4;
const OWN: u64 = 2;
pub(super) const BEFORE: u64 = OWN - 1;
pub(super) const BEHIND: u64 = OWN + 1;

/// A file between reading and writing.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) names: Names,
    /// In the order of the file; lines that are added stand at the end.
    pub(super) items: Vec<Item>,
    /// What is taken out of the file.
    pub(super) removed: Vec<Span>,
    pub(super) steps: Vec<RepairStep>,
    /// Whether it is the file of a subagent.
    pub(super) of_agent: bool,
    /// Whether the file will be another one.
    pub(super) changed: bool,
    /// How long the file was when it was read.
    pub(super) length: u64,
    /// The sessions that lines say they are of, in the order of the file.
    pub(super) sessions: Vec<Name>,
    /// The first directory that a line names.
    pub(super) cwd: Option<PathBuf>,
    by_id: HashMap<Name, usize>,
    /// By call: the lines that make it. Some gateways count calls anew in each reply.
    callers: HashMap<Name, Vec<usize>>,
    /// Parents that are in other files, where they belong.
    pub(super) elsewhere: HashSet<Name>,
    /// What compactions say they kept.
    preserved: HashSet<Name>,
    /// Lines that had the uuid of another one.
    pub(super) renamed: Vec<usize>,
    /// How often something was hung anew.
    pub(super) relinked: u64,
    /// The rank of the first line that hangs under a later one; none has more than the highest.
    pub(super) first_forward: u64,
}

impl Work {
    pub(super) fn new(of_agent: bool) -> Self {
        Self {
            names: Names::default(),
            items: Vec::new(),
            removed: Vec::new(),
            steps: Vec::new(),
            of_agent,
            changed: false,
            length: 0,
            sessions: Vec::new(),
            cwd: None,
            by_id: HashMap::new(),
            callers: HashMap::new(),
            elsewhere: HashSet::new(),
            preserved: HashSet::new(),
            renamed: Vec::new(),
            relinked: 0,
            first_forward: u64::MAX,
        }
    }

    /// Notes what a line says of the session as a whole.
    pub(super) fn note_session(&mut self, entry: &Entry<'_>) {
        if let Some(session) = entry.session() {
            let session = self.names.of(&session);
            if self.sessions.last() != Some(&session) && !self.sessions.contains(&session) {
                self.sessions.push(session);
            }
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

    /// A step for a whole line.
    pub(super) fn step(
        &mut self,
        item: usize,
        rule: &'static str,
        action: RepairAction,
        why: impl Into<String>,
    ) -> &mut RepairStep {
        self.changed = true;
        let item = &self.items[item];
        let step = RepairStep {
            rule,
            action,
            line: item.line,
            offset: item.span.offset,
            before: None,
            after: None,
            why: why.into(),
        };
        self.add_step(step)
    }

    /// The lines of the conversation that stay, with where they are.
    pub(super) fn nodes(&self) -> impl DoubleEndedIterator<Item = (usize, &Node)> {
        self.items
            .iter()
            .enumerate()
            .filter(|(_, item)| !item.gone)
            .filter_map(|(at, item)| Some((at, item.node.as_deref()?)))
    }

    pub(super) fn node(&self, at: usize) -> Option<&Node> {
        self.items.get(at)?.node.as_deref()
    }

    pub(super) fn node_mut(&mut self, at: usize) -> Option<&mut Node> {
        self.items.get_mut(at)?.node.as_deref_mut()
    }

    /// Looks at which line has which uuid (the first one does), which make which call, and what
    /// compactions kept.
    pub(super) fn index(&mut self) {
        let mut by_id = HashMap::new();
        let mut callers: HashMap<Name, Vec<usize>> = HashMap::new();
        let mut preserved = HashSet::new();
        for (at, node) in self.nodes() {
            by_id.entry(node.id).or_insert(at);
            for call in &node.calls {
                callers.entry(*call).or_default().push(at);
            }
            preserved.extend(node.kept.iter().chain(&node.named).copied());
        }
        self.by_id = by_id;
        self.callers = callers;
        self.preserved = preserved;
        for (rank, item) in (0..).zip(&mut self.items) {
            item.rank = rank * RANKS + OWN;
        }
    }

    /// The parents that are not in this file, in the order of the file.
    pub(super) fn lost_parents(&self) -> Vec<String> {
        let parents = self.nodes().filter_map(|(_, node)| node.parent.id());
        let mut seen = HashSet::new();
        let lost = parents.filter(|id| self.find(*id).is_none() && seen.insert(*id));
        lost.map(|id| self.names.text(id)).collect()
    }

    /// Takes note of parents that are in other files.
    pub(super) fn know(&mut self, elsewhere: &HashSet<String>) {
        let names = elsewhere.iter().map(|id| self.names.of(id));
        self.elsewhere = names.collect();
    }

    /// Whether nothing is there under which a line says it hangs, and should be.
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

    pub(super) fn find(&self, id: Name) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The line that makes the call which a line answers: the nearest one before it, or else the
    /// first one.
    pub(super) fn caller(&self, call: Name, answer: usize) -> Option<usize> {
        let callers = self.callers.get(&call)?;
        let before = callers.partition_point(|caller| *caller < answer);
        callers.get(before.saturating_sub(1)).copied()
    }

    /// Records a line that makes a call.
    pub(super) fn note_caller(&mut self, call: Name, at: usize) {
        self.callers.entry(call).or_default().push(at);
    }

    pub(super) fn is_called(&self, call: Name) -> bool {
        self.callers.contains_key(&call)
    }

    /// Makes a new line known, which belongs before or behind another one.
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

    /// Whether a line hangs, over however many others, under another one, or is it.
    pub(super) fn is_below(&self, below: usize, above: usize) -> bool {
        // Before the first link to a later line, everything above a line stands before it.
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

    /// Hangs a line under another one, or under nothing.
    pub(super) fn hang(
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
        // What was hung anew twice is told once.
        if let Some(step) = self.items[at]
            .told
            .and_then(|told| self.steps.get_mut(told))
        {
            step.after = Some(after);
            return;
        }
        self.items[at].told = Some(self.steps.len());
        let step = self.step(at, rule, RepairAction::Relink, why);
        step.before = Some(before);
        step.after = Some(after);
    }
}
