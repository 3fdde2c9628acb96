//! The lines of a file while they are repaired.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::entry::Entry;
use crate::lines::Span;

use super::item::{Item, Node, Parent};
use super::names::{Name, Names};
use super::step::{RepairAction, RepairStep};

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
    /// By call: the first line that makes it.
    callers: HashMap<Name, usize>,
    /// Lines that had the uuid of another one.
    pub(super) renamed: Vec<usize>,
    /// How often something was hung anew.
    pub(super) relinked: u64,
    /// Whether any line hangs under a later one.
    pub(super) has_forward: bool,
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
            renamed: Vec::new(),
            relinked: 0,
            has_forward: false,
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

    /// Looks at which line has which uuid, and which makes which call; the first one does.
    pub(super) fn index(&mut self) {
        let mut by_id = HashMap::new();
        let mut callers = HashMap::new();
        for (at, node) in self.nodes() {
            by_id.entry(node.id).or_insert(at);
            for call in &node.calls {
                callers.entry(*call).or_insert(at);
            }
        }
        self.by_id = by_id;
        self.callers = callers;
    }

    pub(super) fn find(&self, id: Name) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    pub(super) fn caller(&self, call: Name) -> Option<usize> {
        self.callers.get(&call).copied()
    }

    /// Makes a new line known.
    pub(super) fn add(&mut self, item: Item) -> usize {
        let at = self.items.len();
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
        // Without links to later lines, everything above a line stands before it.
        if !self.has_forward && below < above {
            return false;
        }
        let mut seen = HashSet::new();
        let mut next = Some(below);
        while let Some(at) = next.filter(|at| seen.insert(*at)) {
            if at == above {
                return true;
            }
            next = self.parent_at(at);
        }
        false
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
        self.has_forward |= under.is_some_and(|under| under > at);
        let told = self.items[at].edit.parent.replace(new).is_some();
        if told {
            // What was hung anew twice is told once.
            let offset = self.items[at].span.offset;
            let mut steps = self.steps.iter_mut().rev();
            let step =
                steps.find(|step| step.action == RepairAction::Relink && step.offset == offset);
            if let Some(step) = step {
                step.after = Some(after);
            }
            return;
        }
        let step = self.step(at, rule, RepairAction::Relink, why);
        step.before = Some(before);
        step.after = Some(after);
    }
}
