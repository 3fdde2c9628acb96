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
    /// The position of each line in the file, by number.
    places: Vec<usize>,
    /// Uuids in the order in which they first appear.
    order: Vec<Id>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(nodes: &'a [Node], ids: &Ids) -> Self {
        let mut tree = Self {
            lines: vec![None; ids.len()],
            parents: vec![None; ids.len()],
            places: vec![0; ids.len()],
            order: Vec::new(),
        };
        for (place, node) in nodes.iter().enumerate() {
            let at = node.id.index();
            if tree.lines[at].replace(node).is_none() {
                tree.order.push(node.id);
            }
            tree.parents[at] = node.parent;
            tree.places[at] = place;
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
        let main = |node: &&Node| {
            !node.sidechain && !node.team && node.kind != Kind::Progress && !node.fork_briefing
        };
        let parents: HashSet<Id> = self
            .nodes()
            .filter(main)
            .filter_map(|node| self.parent_of(node.id))
            .collect();
        let mut ends: Vec<&Node> = self
            .nodes()
            .filter(main)
            .filter(|node| !parents.contains(&node.id))
            .collect();
        ends.sort_by_key(|node| std::cmp::Reverse(self.places[node.id.index()]));
        let mut silent = HashSet::new();
        for end in ends {
            let mut way = Vec::new();
            for node in self.up_from(end) {
                if silent.contains(&node.id) {
                    break;
                }
                if node.is_said() {
                    return Some((node, end));
                }
                way.push(node.id);
            }
            silent.extend(way);
        }
        None
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
        let place = |node: &&&Node| self.places[node.id.index()];
        let shown = said
            .iter()
            .filter(|node| !node.sidechain && !node.team && !node.meta)
            .max_by_key(place);
        shown.or_else(|| said.iter().max_by_key(place)).copied()
    }
}
