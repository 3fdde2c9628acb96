//! Restores blocks and results that are not on the path from the leaf to the root.
//!
//! A message with three tool calls is three lines, each the child of the previous one, and each
//! result is a child of its call. The path contains only one of the results, so the others are
//! inserted after their message.

use std::collections::{HashMap, HashSet};

use super::ids::Id;
use super::node::Node;
use super::tree::Tree;
use crate::entry::Kind;

pub(super) fn with_siblings<'a>(tree: &Tree<'a>, chain: Vec<&'a Node>) -> Vec<&'a Node> {
    let spoken: Vec<&Node> = chain
        .iter()
        .copied()
        .filter(|node| node.kind == Kind::Assistant)
        .collect();
    if spoken.is_empty() {
        return chain;
    }
    let family = Family::new(tree);
    let mut on_chain: HashSet<Id> = chain.iter().map(|node| node.id).collect();
    let answered: HashSet<Id> = chain
        .iter()
        .flat_map(|node| node.answers.iter().copied())
        .collect();
    let last_of: HashMap<Id, Id> = spoken
        .iter()
        .filter_map(|node| Some((node.message_id?, node.id)))
        .collect();

    let mut behind: HashMap<Id, Vec<&Node>> = HashMap::new();
    let mut done = HashSet::new();
    for node in &spoken {
        let Some(message) = node.message_id.filter(|message| done.insert(*message)) else {
            continue;
        };
        let missing = family.missing(message, &on_chain, &answered);
        on_chain.extend(missing.iter().map(|node| node.id));
        if let (false, Some(last)) = (missing.is_empty(), last_of.get(&message)) {
            behind.insert(*last, missing);
        }
    }
    let mut whole = Vec::with_capacity(chain.len());
    for node in chain {
        whole.push(node);
        whole.extend(behind.remove(&node.id).unwrap_or_default());
    }
    whole
}

/// Lines grouped by message and tool ids.
struct Family<'a> {
    /// The blocks of each message.
    blocks: HashMap<Id, Vec<&'a Node>>,
    /// The results of each block, by the block's uuid.
    results: HashMap<Id, Vec<&'a Node>>,
    /// The block that makes each call; `None` if two messages do.
    callers: HashMap<Id, Option<&'a Node>>,
    /// The position of each line.
    places: HashMap<Id, usize>,
}

impl<'a> Family<'a> {
    fn new(tree: &Tree<'a>) -> Self {
        let mut family = Self {
            blocks: HashMap::new(),
            results: HashMap::new(),
            callers: HashMap::new(),
            places: HashMap::new(),
        };
        let mut results = Vec::new();
        for (place, node) in tree.nodes().enumerate() {
            family.places.insert(node.id, place);
            if let Some(message) = node.message_id {
                family.blocks.entry(message).or_default().push(node);
                for call in &node.calls {
                    let caller = family.callers.entry(*call).or_insert(Some(node));
                    *caller = caller
                        .filter(|earlier| earlier.message_id == Some(message))
                        .map(|_| node);
                }
            } else if node.answers_tools {
                results.push(node);
            }
        }
        for result in results {
            family.assign(tree, result);
        }
        family
    }

    /// Assigns a result to its parent, to the line that it names, and to its callers.
    fn assign(&mut self, tree: &Tree<'a>, result: &'a Node) {
        let alike =
            |other: &&Node| other.sidechain == result.sidechain && other.agent == result.agent;
        let parent = tree.parent_of(result.id);
        let named = result
            .source_assistant
            .filter(|named| Some(*named) != parent)
            .and_then(|named| tree.get(named));
        let callers = result.answers.iter();
        let callers = callers.filter_map(|call| self.callers.get(call).copied().flatten());
        let owners: Vec<Id> = parent
            .into_iter()
            .chain(
                named
                    .into_iter()
                    .chain(callers)
                    .filter(alike)
                    .map(|node| node.id),
            )
            .collect();
        for owner in owners {
            let results = self.results.entry(owner).or_default();
            if results.iter().all(|known| known.id != result.id) {
                results.push(result);
            }
        }
    }

    /// The blocks and results of a message that are not on the chain, blocks first.
    fn missing(
        &self,
        message: Id,
        on_chain: &HashSet<Id>,
        answered: &HashSet<Id>,
    ) -> Vec<&'a Node> {
        let none = Vec::new();
        let blocks = self.blocks.get(&message).unwrap_or(&none);
        let own: HashSet<Id> = blocks.iter().map(|block| block.id).collect();
        let mut missing: Vec<&Node> = blocks
            .iter()
            .copied()
            .filter(|block| !on_chain.contains(&block.id))
            .collect();
        missing.sort_by_key(|node| node.time);

        let mut seen = HashSet::new();
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for block in blocks {
            for result in self.results.get(&block.id).unwrap_or(&none) {
                if on_chain.contains(&result.id) || !seen.insert(result.id) {
                    continue;
                }
                if result.parent.is_some_and(|parent| own.contains(&parent)) {
                    near.push(*result);
                } else {
                    far.push(*result);
                }
            }
        }
        // A result elsewhere in the tree is used only for a call without another result.
        let mut answered = answered.clone();
        answered.extend(near.iter().flat_map(|node| node.answers.iter().copied()));
        far.sort_by_key(|node| self.places.get(&node.id).copied());
        for result in far {
            let fills = result.answers.iter().any(|call| {
                let caller = self.callers.get(call).copied().flatten();
                !answered.contains(call) && caller.is_some_and(|caller| own.contains(&caller.id))
            });
            if fills {
                answered.extend(result.answers.iter().copied());
                near.push(result);
            }
        }
        near.sort_by_key(|node| node.time);
        missing.extend(near);
        missing
    }
}
