//! Queued prompts after the last message.

use std::collections::{HashMap, HashSet};

use super::ids::Id;
use super::node::Node;
use super::thread::Thread;

/// Queued prompts that are descendants of the leaf through lines that are not shown. Those on the
/// path of another branch are left out.
pub(crate) fn queued_behind<'a>(nodes: &'a [Node], thread: &Thread<'a>) -> Vec<&'a Node> {
    let Some(leaf) = thread.leaf else {
        return Vec::new();
    };
    let mut under: HashMap<Id, Vec<&Node>> = HashMap::new();
    for node in nodes.iter().filter(|node| !node.is_said()) {
        let moved = thread.tree.parent_of(node.id);
        let moved = moved.filter(|moved| Some(*moved) != node.parent);
        for parent in node.parent.into_iter().chain(moved) {
            under.entry(parent).or_default().push(node);
        }
    }
    let mut seen: HashSet<Id> = thread.chain.iter().map(|node| node.id).collect();
    let elsewhere = ancestors_of_other_branches(nodes, &seen);

    let mut queued = Vec::new();
    let mut waiting = vec![leaf];
    while let Some(node) = waiting.pop() {
        if node.id != leaf.id {
            if !seen.insert(node.id) {
                continue;
            }
            if node.queued.is_some() && !elsewhere.contains(&node.id) {
                queued.push(node);
            }
        }
        let mut children = under.get(&node.id).cloned().unwrap_or_default();
        children.sort_by_key(|child| child.time);
        waiting.extend(
            children
                .into_iter()
                .rev()
                .filter(|child| !seen.contains(&child.id)),
        );
    }
    queued
}

fn ancestors_of_other_branches(nodes: &[Node], chain: &HashSet<Id>) -> HashSet<Id> {
    let by_id: HashMap<Id, &Node> = nodes.iter().map(|node| (node.id, node)).collect();
    let mut ancestors = HashSet::new();
    for node in nodes {
        if !node.is_said() || node.sidechain || node.team || chain.contains(&node.id) {
            continue;
        }
        let mut above = node.parent;
        while let Some(parent) = above.and_then(|above| by_id.get(&above)) {
            if chain.contains(&parent.id) || !ancestors.insert(parent.id) {
                break;
            }
            above = parent.parent;
        }
    }
    ancestors
}
