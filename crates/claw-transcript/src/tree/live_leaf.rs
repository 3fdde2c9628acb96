//! The branch that the CLI would resume.

use super::key::NAMELESS;
use super::line::Line;
use super::node::{Marks, NONE, NodeId, some};
use super::parts::Parts;
use crate::conversation::live_end;

/// The last message of the live branch: that of the last line of the main conversation without
/// children, or the nearest user or assistant message above it.
pub(super) fn leaf(parts: &Parts, replaced: &[u32], one_chain: bool) -> u32 {
    let main = |at: usize| {
        let line: &Line = &parts.lines[at];
        let aside = line.marks.has(Marks::NO_LEAF)
            || (line.marks.has(Marks::SIDECHAIN) && !one_chain)
            || line.file != 0
            || line.key == NAMELESS;
        !aside && replaced[at] == NONE
    };
    // The parent in the line, not the one that a compaction was given.
    let above = |at: usize| Some(parts.find(parts.lines[at].parent, 0)? as usize);
    let is_said = |at: usize| {
        // In the document's dialect the main conversation may continue under a sidechain.
        let node = parts.nodes.get(parts.node_of[at] as usize);
        parts.lines[at].marks.has(Marks::SPOKEN) && node.is_some_and(|node| node.chain == 0)
    };
    let count = parts.lines.len();
    let lines = (0..count).filter(|at| main(*at));
    if let Some((leaf, _)) = live_end(lines, count, above, is_said) {
        return parts.node_of[leaf];
    }
    // Only cycles or notices: the last message.
    let in_main = parts.nodes.iter().rposition(|node| node.chain == 0);
    in_main.map_or(NONE, |at| NodeId::at(at).0)
}

/// Each compaction with the messages that it kept, in order.
pub(super) fn kept(parts: &Parts) -> Vec<(u32, NodeId)> {
    let mut pairs = Vec::new();
    for boundary in &parts.links.boundaries {
        let node = parts.node_of[boundary.line as usize];
        let file = parts.lines[boundary.line as usize].file;
        let named = boundary.kept.iter();
        let named = named.filter_map(|key| parts.find(*key, file));
        let mut kept: Vec<u32> = named.map(|line| parts.node_of[line as usize]).collect();
        if boundary.ends_only
            && let [head, tail] = kept[..]
        {
            kept = between(parts, head, tail);
        }
        kept.dedup();
        let kept = kept.into_iter().filter_map(some);
        pairs.extend(kept.map(|kept| (node, kept)));
    }
    pairs
}

/// The messages from one to another below it; only the two if it is not below it.
fn between(parts: &Parts, head: u32, tail: u32) -> Vec<u32> {
    let mut way = vec![tail];
    let mut at = tail;
    while at != head {
        match parts.nodes.get(at as usize) {
            Some(node) if node.parent != NONE && way.len() < parts.nodes.len() => at = node.parent,
            _ => return vec![head, tail],
        }
        way.push(at);
    }
    way.reverse();
    way
}
