//! Puts the results of parallel calls in order, so that they make no branches.
//!
//! A reply with three calls is three lines on disk, each the parent of the next, and each result is
//! a child of its own call; the conversation continues under the last one. The document's dialect
//! has a message for each call instead. In the tree the results of one reply follow one another,
//! and the conversation continues after the last.

use std::collections::{HashMap, HashSet};

use super::node::{Marks, NONE, NodeId, NodeKind};
use super::parts::Parts;

pub(super) fn put_in_order(parts: &mut Parts) {
    adopt(parts);
    let ends = ends_of_batches(parts);
    let mut answers: HashMap<u32, Vec<u64>> = HashMap::new();
    for (call, line) in &parts.links.answers {
        let node = parts.node_of[*line as usize];
        answers.entry(node).or_default().push(*call);
    }
    // Results by the reply that they belong to, in the order of the nodes.
    let mut owned: Vec<(u32, u32)> = Vec::new();
    for (node, at) in parts.nodes.iter().zip(0u32..) {
        if node.kind == NodeKind::Results
            && let Some(owner) = owner_of(parts, node.parent)
        {
            owned.push((ends[owner as usize], at));
        }
    }
    owned.sort_by_key(|pair| *pair);
    let mut behind: HashMap<u32, u32> = HashMap::new();
    let mut member_of: HashMap<u32, u32> = HashMap::new();
    for batch in owned.chunk_by(|a, b| a.0 == b.0) {
        let owner = batch[0].0;
        let single = batch.len() == 1 && parts.nodes[batch[0].1 as usize].parent == owner;
        if !single {
            line_up(parts, owner, batch, &answers, &mut behind, &mut member_of);
        }
    }
    for at in 0..parts.nodes.len() {
        let parent = parts.nodes[at].parent;
        if let Some(last) = behind.get(&parent) {
            let own = member_of.get(&NodeId::at(at).0);
            if own.is_none_or(|own| own != last) {
                parts.nodes[at].parent = *last;
            }
        }
    }
}

/// Chains the results of one reply. A second answer to the same call starts another chain, so that
/// it stays a branch.
fn line_up(
    parts: &mut Parts,
    owner: u32,
    batch: &[(u32, u32)],
    answers: &HashMap<u32, Vec<u64>>,
    behind: &mut HashMap<u32, u32>,
    member_of: &mut HashMap<u32, u32>,
) {
    let none = Vec::new();
    let mut ways: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
    for (_, result) in batch {
        let calls = answers.get(result).unwrap_or(&none);
        let free = |(taken, _): &&mut (Vec<u64>, Vec<u32>)| {
            calls.is_empty() || calls.iter().all(|call| !taken.contains(call))
        };
        match ways.iter_mut().find(free) {
            Some((taken, results)) => {
                taken.extend(calls);
                results.push(*result);
            }
            None => ways.push((calls.clone(), vec![*result])),
        }
    }
    for (_, results) in ways {
        let Some(last) = results.last().copied() else {
            continue;
        };
        let mut parent = owner;
        for result in results {
            parts.nodes[result as usize].parent = parent;
            member_of.insert(result, last);
            if result != last {
                behind.insert(result, last);
            }
            parent = result;
        }
    }
}

/// The reply above a message with results, if only results are between.
fn owner_of(parts: &Parts, above: u32) -> Option<u32> {
    let owner = parts.above_results(above)?;
    let node = &parts.nodes[owner as usize];
    (node.kind == NodeKind::Reply && node.calls > 0).then_some(owner)
}

/// By node: the last of the consecutive calls, which the document's dialect writes as one message
/// each; for all others the node itself.
fn ends_of_batches(parts: &Parts) -> Vec<u32> {
    let mut ends: Vec<u32> = (0..).take(parts.nodes.len()).collect();
    let calls = |at: u32| {
        let node = parts.nodes.get(at as usize);
        node.is_some_and(|node| {
            node.kind == NodeKind::Reply && node.calls > 0 && node.is(Marks::DOCUMENT)
        })
    };
    // The only call below each call: of two, one is another attempt.
    let mut next: HashMap<u32, Option<u32>> = HashMap::new();
    for (node, at) in parts.nodes.iter().zip(0u32..) {
        if calls(at) && calls(node.parent) {
            next.entry(node.parent)
                .and_modify(|next| *next = None)
                .or_insert(Some(at));
        }
    }
    // Children have larger numbers than their parents.
    for at in (0..parts.nodes.len()).rev() {
        if let Some(Some(next)) = next.get(&NodeId::at(at).0) {
            ends[at] = ends[*next as usize];
        }
    }
    ends
}

/// Moves results that are elsewhere, or whose parent is missing, to their call, as the CLI does: if
/// they have no children and nothing else answers the call.
fn adopt(parts: &mut Parts) {
    // By chain and tool id: the reply that calls; none if two do.
    let mut callers: HashMap<(u32, u64), Option<u32>> = HashMap::new();
    for (call, line) in &parts.links.calls {
        let at = parts.node_of[*line as usize];
        // The line may be a copy that was replaced.
        let node = parts.nodes.get(at as usize);
        if let Some(node) = node.filter(|node| node.kind == NodeKind::Reply) {
            callers
                .entry((node.chain, *call))
                .and_modify(|known| *known = known.filter(|known| *known == at))
                .or_insert(Some(at));
        }
    }
    let mut has_children = vec![false; parts.nodes.len()];
    for node in &parts.nodes {
        if let Some(above) = has_children.get_mut(node.parent as usize) {
            *above = true;
        }
    }
    let mut answered: HashSet<(u32, u64)> = HashSet::new();
    let mut far: Vec<(u32, u64, u32)> = Vec::new();
    for (call, line) in &parts.links.answers {
        let at = parts.node_of[*line as usize];
        let Some(node) = parts.nodes.get(at as usize) else {
            continue;
        };
        let caller = callers.get(&(node.chain, *call)).copied().flatten();
        match caller {
            Some(caller) if owner_of(parts, node.parent) != Some(caller) => {
                far.push((at, *call, caller));
            }
            _ => {
                answered.insert((node.chain, *call));
            }
        }
    }
    for (at, call, caller) in far {
        let chain = parts.nodes[at as usize].chain;
        let lost = parts.nodes[at as usize].parent == NONE;
        // A result with children stays, unless its parent is missing and it comes after its call,
        // so that there is no cycle.
        let free = !has_children[at as usize] || (lost && caller < at);
        if free && answered.insert((chain, call)) {
            parts.nodes[at as usize].parent = caller;
        }
    }
}
