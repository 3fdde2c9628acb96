//! Which branch the CLI would resume.

use super::build::Parts;
use super::facts::Line;
use super::key::NAMELESS;
use super::node::{Marks, NONE};

/// The last message of the live branch: that of the last line of the main conversation that
/// nothing of it hangs under, or the nearest thing said above it.
pub(super) fn leaf(parts: &Parts, replaced: &[u32], one_chain: bool) -> u32 {
    let main = |at: usize| {
        let line: &Line = &parts.lines[at];
        let aside = line.marks.has(Marks::NO_LEAF)
            || (line.marks.has(Marks::SIDECHAIN) && !one_chain)
            || line.file != 0
            || line.key == NAMELESS;
        !aside && replaced[at] == NONE
    };
    // What the line itself says, not where a boundary was put.
    let above = |at: usize| parts.find(parts.lines[at].parent, 0);
    let mut is_parent = vec![false; parts.lines.len()];
    for at in (0..parts.lines.len()).filter(|at| main(*at)) {
        if let Some(above) = above(at) {
            is_parent[above as usize] = true;
        }
    }
    let mut silent = vec![false; parts.lines.len()];
    for end in (0..parts.lines.len()).rev() {
        if !main(end) || is_parent[end] {
            continue;
        }
        let mut at = end;
        while !silent[at] {
            silent[at] = true;
            let node = parts.node_of[at];
            // The document's main conversation may hang under a sidechain.
            let main = parts
                .nodes
                .get(node as usize)
                .is_some_and(|of| of.chain == 0);
            if parts.lines[at].marks.has(Marks::SPOKEN) && main {
                return node;
            }
            match above(at) {
                Some(above) => at = above as usize,
                None => break,
            }
        }
    }
    // Nothing but circles, or nothing said: the last message there is.
    let in_main = parts.nodes.iter().rposition(|node| node.chain == 0);
    in_main.map_or(NONE, |at| super::node::NodeId::at(at).0)
}

/// For each boundary the messages that it kept, in order.
pub(super) fn kept(parts: &Parts) -> Vec<(u32, u32)> {
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
        let kept = kept.into_iter().filter(|kept| *kept != NONE);
        pairs.extend(kept.map(|kept| (node, kept)));
    }
    pairs
}

/// From one message to another under it; only the two when it is not under it.
fn between(parts: &Parts, head: u32, tail: u32) -> Vec<u32> {
    let mut way = vec![tail];
    let mut at = tail;
    while at != head {
        match parts.nodes.get(at as usize) {
            // A boundary kept its messages from before it, not from before another one.
            Some(node) if node.parent != NONE && way.len() < parts.nodes.len() => at = node.parent,
            _ => return vec![head, tail],
        }
        way.push(at);
    }
    way.reverse();
    way
}
