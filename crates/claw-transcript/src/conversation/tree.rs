//! The lines of a file as a tree.

use std::collections::HashSet;

use super::ids::{Id, Ids};
use super::node::{Node, Preserved};
use crate::entry::Kind;

/// The lines of a file by uuid.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    /// The last line with each uuid, by number.
    lines: Vec<Option<&'a Node>>,
    /// The parent of each line, by number, after compactions moved it.
    parents: Vec<Option<Id>>,
    /// Uuids in the order in which they first appear.
    order: Vec<Id>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(nodes: &'a [Node], ids: &Ids) -> Self {
        let mut tree = Self {
            lines: vec![None; ids.len()],
            parents: vec![None; ids.len()],
            order: Vec::new(),
        };
        for node in nodes {
            let at = node.id.index();
            if tree.lines[at].replace(node).is_none() {
                tree.order.push(node.id);
            }
            tree.parents[at] = node.parent;
        }
        tree
    }

    pub(super) fn get(&self, id: Id) -> Option<&'a Node> {
        self.lines.get(id.index()).copied().flatten()
    }

    pub(super) fn parent_of(&self, id: Id) -> Option<Id> {
        self.parents.get(id.index()).copied().flatten()
    }

    /// Every line, in the order in which the uuids first appear.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &'a Node> {
        self.order.iter().filter_map(|id| self.get(*id))
    }

    /// A line and its ancestors, up to the root. Stops at a cycle.
    pub(super) fn up_from(&self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        let mut seen = HashSet::new();
        std::iter::successors(Some(node), |node| self.get(self.parent_of(node.id)?))
            .take_while(move |node| seen.insert(node.id))
    }

    /// Moves the messages that compactions kept after their summaries.
    pub(super) fn move_preserved(&mut self) {
        for id in self.order.clone() {
            let kept = self.get(id).and_then(|node| node.preserved.as_deref());
            if let Some(Preserved { anchor, all, ends }) = kept {
                match (anchor, all, ends) {
                    (Some(anchor), Some(all), _) => self.move_all(*anchor, all),
                    (Some(anchor), None, Some((head, tail))) => {
                        self.move_ends(*anchor, *head, *tail);
                    }
                    _ => {}
                }
            }
        }
    }

    fn move_all(&mut self, anchor: Id, all: &[Id]) {
        let (Some(first), Some(last)) = (all.first(), all.last()) else {
            return;
        };
        if all.iter().any(|id| self.get(*id).is_none()) {
            return;
        }
        let mut parent = anchor;
        for id in all {
            self.parents[id.index()] = Some(parent);
            parent = *id;
        }
        self.rehang(anchor, *first, Some(*last));
    }

    fn move_ends(&mut self, anchor: Id, head: Option<Id>, tail: Option<Id>) {
        let Some(head) = head else {
            return;
        };
        if self.get(head).is_some() {
            self.parents[head.index()] = Some(anchor);
        }
        self.rehang(anchor, head, tail);
    }

    /// Moves the other children of the anchor after the kept messages.
    fn rehang(&mut self, anchor: Id, head: Id, tail: Option<Id>) {
        for id in &self.order {
            if *id != head && self.parents[id.index()] == Some(anchor) {
                self.parents[id.index()] = tail;
            }
        }
    }

    /// The nearest message at or above the last childless line of the main conversation, and that
    /// line.
    pub(super) fn latest_leaf(&self) -> Option<(&'a Node, &'a Node)> {
        let is_main = |node: &&Node| {
            !node.sidechain && !node.team && node.kind != Kind::Progress && !node.fork_briefing
        };
        let mut main: Vec<&Node> = self.nodes().filter(is_main).collect();
        main.sort_by_key(|node| node.span.offset);
        let line = |at: usize| self.lines[at];
        let (leaf, end) = live_end(
            main.iter().map(|node| node.id.index()),
            self.lines.len(),
            |at| self.parents[at].map(Id::index),
            |at| line(at).is_some_and(Node::is_said),
        )?;
        Some((line(leaf)?, line(end)?))
    }

    /// The latest message on any branch, for files without a main conversation, such as those of
    /// sidechains.
    pub(super) fn any_leaf(&self) -> Option<&'a Node> {
        let parents: HashSet<Id> = self
            .nodes()
            .filter_map(|node| self.parent_of(node.id))
            .collect();
        let said: Vec<&Node> = self
            .nodes()
            .filter(|node| !parents.contains(&node.id))
            .filter_map(|end| self.up_from(end).find(|node| node.is_said()))
            .collect();
        let place = |node: &&&Node| node.span.offset;
        let shown = said
            .iter()
            .filter(|node| !node.sidechain && !node.team && !node.meta)
            .max_by_key(place);
        shown.or_else(|| said.iter().max_by_key(place)).copied()
    }
}

/// Finds the end of the conversation that the CLI would resume: the nearest message at or above
/// the last of the lines without children, and that line.
///
/// `lines` are the indices of the main conversation in the order of the file, less than `count`.
/// `above` returns the parent of any line.
pub(crate) fn live_end(
    lines: impl DoubleEndedIterator<Item = usize> + Clone,
    count: usize,
    above: impl Fn(usize) -> Option<usize>,
    is_said: impl Fn(usize) -> bool,
) -> Option<(usize, usize)> {
    let mut is_parent = vec![false; count];
    for parent in lines.clone().filter_map(&above) {
        is_parent[parent] = true;
    }
    // Each line is visited once, so that cycles end.
    let mut silent = vec![false; count];
    for end in lines.rev().filter(|at| !is_parent[*at]) {
        let mut next = Some(end);
        while let Some(at) = next.filter(|at| !silent[*at]) {
            if is_said(at) {
                return Some((at, end));
            }
            silent[at] = true;
            next = above(at);
        }
    }
    None
}
