//! Ends a fork at a message.
//!
//! The lines up to that message are not always a session that ends there: a compaction after it may
//! have started, and abandoned branches may end later in the file. Lines that would make a resumed
//! session continue elsewhere are omitted.

use std::collections::{HashMap, HashSet};

use crate::conversation::{Id, Ids, Node, Thread};
use crate::entry::Kind;

/// Returns the lines up to the named message; `None` if there is no such message.
pub(super) fn up_to(nodes: Vec<Node>, uuid: &str, ids: &mut Ids) -> Option<Vec<Node>> {
    let wanted = ids.known(uuid)?;
    let end = place_of(&nodes, wanted, ids)?;
    let end_id = nodes.get(end)?.id;
    let mut nodes = nodes;
    nodes.truncate(end + 1);
    let mut nodes = before_compaction(nodes);
    for node in &mut nodes {
        let anchor = node.preserved.as_ref().and_then(|kept| kept.anchor);
        if is_compaction(node) && anchor == Some(end_id) {
            node.preserved = None;
            node.forget_preserved = true;
        }
    }
    Some(without_dead_ends(nodes, ids))
}

/// Returns the index of the message. The live branch is preferred, and a queued prompt is also
/// found by the id under which it was sent.
fn place_of(nodes: &[Node], wanted: Id, ids: &Ids) -> Option<usize> {
    let places = first_places(nodes);
    let thread = Thread::find(nodes, ids);
    let last = thread
        .chain
        .iter()
        .filter_map(|node| places.get(&node.id))
        .max();
    let rest = nodes
        .get(last.map_or(0, |last| last + 1)..)
        .unwrap_or_default();
    let near: Vec<&Node> = thread.chain.iter().copied().chain(rest).collect();
    let all: Vec<&Node> = nodes.iter().collect();
    let found = named(&near, wanted).or_else(|| named(&all, wanted))?;
    places.get(&found.id).copied()
}

fn named<'a>(nodes: &[&'a Node], wanted: Id) -> Option<&'a Node> {
    let sent_as = |node: &&&Node| {
        node.queued
            .as_ref()
            .is_some_and(|queued| queued.source == Some(wanted))
    };
    let by_uuid = nodes.iter().find(|node| node.id == wanted);
    by_uuid.or_else(|| nodes.iter().find(sent_as)).copied()
}

fn first_places(nodes: &[Node]) -> HashMap<Id, usize> {
    let mut places = HashMap::new();
    for (place, node) in nodes.iter().enumerate() {
        places.entry(node.id).or_insert(place);
    }
    places
}

fn is_compaction(node: &Node) -> bool {
    node.compact_boundary && !node.rewind_boundary
}

/// Ends the fork before a compaction after the last message, which has no summary yet.
fn before_compaction(nodes: Vec<Node>) -> Vec<Node> {
    let said = nodes.iter().rposition(Node::is_said);
    let behind = said.map_or(0, |said| said + 1);
    let Some(at) = nodes[behind..].iter().position(is_compaction) else {
        return nodes;
    };
    let at = behind + at;
    let (before, boundary) = (&nodes[..at], &nodes[at]);
    let kept = boundary.preserved.as_deref();
    let mut ends: HashSet<Id> = HashSet::new();
    if kept.and_then(|kept| kept.anchor) != Some(boundary.id) {
        ends.extend(kept.into_iter().flat_map(|kept| kept.named()));
        ends.extend(boundary.logical_parent);
    }
    let mut end = before.iter().rposition(|node| ends.contains(&node.id));
    let earlier = before.iter().rfind(|node| node.compact_boundary);
    if let (Some(last), Some(earlier)) = (end, earlier) {
        // Messages that an earlier compaction kept end where that compaction ended.
        if let Some(kept) = earlier
            .preserved
            .as_deref()
            .filter(|_| is_compaction(earlier))
            && kept.named().any(|id| id == before[last].id)
        {
            let anchor = before.iter().rposition(|node| Some(node.id) == kept.anchor);
            end = end.max(anchor);
        }
    }
    let left = end.map_or(before, |end| &before[..=end]);
    if left.iter().any(|node| node.kind != Kind::Progress) {
        left.to_vec()
    } else {
        nodes
    }
}

/// Omits branches that would be resumed instead of the requested one.
fn without_dead_ends(nodes: Vec<Node>, ids: &mut Ids) -> Vec<Node> {
    let Some(last) = nodes.last().cloned() else {
        return nodes;
    };
    // Like the copies: without marks that lead elsewhere.
    let mut plain = nodes.clone();
    for node in &mut plain {
        node.team = false;
        node.source_assistant = None;
    }
    let mut next = last.clone();
    next.id = ids.fresh_uuid(0, "the next line");
    next.parent = Some(last.id);
    next.kind = Kind::System;
    next.queued = None;
    next.preserved = None;
    next.compact_boundary = false;
    next.message_id = None;
    next.fork_briefing = false;
    let mut with_next = plain.clone();
    with_next.push(next);
    let wanted = Thread::find(&with_next, ids).chain;
    let places = first_places(&nodes);
    let Some(start) = wanted
        .first()
        .and_then(|node| places.get(&node.id))
        .copied()
    else {
        return nodes;
    };
    let wanted: HashSet<Id> = wanted.iter().map(|node| node.id).collect();

    let mut dead = DeadEnds::new(&nodes, start, last.id, &wanted);
    for node in &nodes {
        let kept = node.preserved.as_deref();
        let needed = kept.is_some_and(|kept| kept.named().any(|id| dead.live.contains(&id)));
        if node.compact_boundary && !needed && dead.may_go(node.id) {
            dead.leave_out(node.id);
        }
    }
    // Each round omits at least one more line.
    loop {
        let left: Vec<Node> = plain
            .iter()
            .filter(|node| !dead.left_out.contains(&node.id))
            .cloned()
            .collect();
        let thread = Thread::find(&left, ids);
        let same = thread.chain.len() == wanted.len()
            && thread.chain.iter().all(|node| wanted.contains(&node.id));
        match thread.terminal {
            Some(end) if !same && dead.may_go(end.id) => dead.leave_out(end.id),
            _ => break,
        }
    }
    let left_out = dead.left_out;
    nodes
        .into_iter()
        .filter(|node| !left_out.contains(&node.id))
        .collect()
}

struct DeadEnds<'a> {
    nodes: &'a [Node],
    parents: HashMap<Id, Option<Id>>,
    places: HashMap<Id, usize>,
    /// The start of the requested conversation; earlier lines cannot be mistaken for it.
    start: usize,
    /// Lines that the requested conversation depends on.
    live: HashSet<Id>,
    left_out: HashSet<Id>,
}

impl<'a> DeadEnds<'a> {
    fn new(nodes: &'a [Node], start: usize, last: Id, wanted: &HashSet<Id>) -> Self {
        let parents: HashMap<Id, Option<Id>> =
            nodes.iter().map(|node| (node.id, node.parent)).collect();
        let mut live = HashSet::new();
        for id in wanted.iter().copied().chain([last]) {
            let mut next = Some(id);
            while let Some(id) = next.filter(|id| parents.contains_key(id) && live.insert(*id)) {
                next = parents.get(&id).copied().flatten();
            }
        }
        Self {
            nodes,
            parents,
            places: first_places(nodes),
            start,
            live,
            left_out: HashSet::new(),
        }
    }

    fn may_go(&self, id: Id) -> bool {
        let behind_start = self
            .places
            .get(&id)
            .is_none_or(|place| *place >= self.start);
        !self.live.contains(&id) && behind_start
    }

    /// Omits a line, its ancestors that nothing needs, and their descendants.
    fn leave_out(&mut self, id: Id) {
        let mut next = Some(id);
        while let Some(id) = next.filter(|id| self.parents.contains_key(id)) {
            if !self.may_go(id) || !self.left_out.insert(id) {
                break;
            }
            next = self.parents.get(&id).copied().flatten();
        }
        for node in self.nodes {
            if node
                .parent
                .is_some_and(|parent| self.left_out.contains(&parent))
            {
                self.left_out.insert(node.id);
            }
        }
    }
}
