//! Joins lines into messages.

use std::collections::HashMap;

use super::line::Line;
use super::node::{LineSpan, Marks, NONE, Node, NodeId, NodeKind, some};
use super::parts::Parts;
use super::session_tree::TreeFile;
use super::sidechain::Sidechain;

/// Assigns each line to its message, parents first.
pub(super) struct NodeBuilder {
    one_chain: bool,
    /// By file: its chain.
    file_chains: Vec<u32>,
    /// By reply and its parent: the reply's node.
    replies: HashMap<(u64, u32), u32>,
    /// By reply: its node. Made for the first line whose parent is missing.
    by_message: Option<HashMap<u64, u32>>,
    agents: HashMap<u64, u32>,
    /// Line and its subagent.
    agent_of: Vec<(u32, u64)>,
    pub(super) spans: Vec<(u32, (u16, LineSpan))>,
}

impl NodeBuilder {
    pub(super) fn new(files: &[TreeFile], parts: &Parts, one_chain: bool) -> Self {
        let mut file_chains = vec![0; files.len()];
        for (chain, number) in parts.chains.iter().zip(1..) {
            if let Some(file) = chain.file {
                file_chains[file] = number;
            }
        }
        Self {
            one_chain,
            file_chains,
            replies: HashMap::new(),
            by_message: None,
            agents: HashMap::new(),
            agent_of: parts.links.agents.clone(),
            spans: Vec::with_capacity(parts.lines.len()),
        }
    }

    pub(super) fn add_all(&mut self, parts: &mut Parts, replaced: &[u32]) {
        let mut done = vec![false; parts.lines.len()];
        let mut way = Vec::new();
        for start in 0..parts.lines.len() {
            let mut at = start;
            while !done[at] {
                way.push(at);
                // A copy comes after the line that replaced it, which has the children.
                let next = some(replaced[at]).or(some(parts.above[at]));
                let Some(next) = next else {
                    break;
                };
                at = next.index();
            }
            while let Some(at) = way.pop() {
                if !done[at] {
                    done[at] = true;
                    if replaced[at] == NONE {
                        self.add(parts, at);
                    } else {
                        parts.node_of[at] = parts.node_of[replaced[at] as usize];
                    }
                }
            }
        }
    }

    fn add(&mut self, parts: &mut Parts, at: usize) {
        let before = some(parts.above[at]).map_or(NONE, |above| parts.node_of[above.index()]);
        let line = parts.lines[at].clone();
        let Some(kind) = line.role else {
            parts.node_of[at] = before;
            return;
        };
        let span = LineSpan {
            offset: line.offset,
            len: line.len,
        };
        let (chain, parent, reply) = match self.reply_of_orphan(parts, &line, parts.above[at]) {
            Some(reply) => {
                let node = &parts.nodes[reply as usize];
                (node.chain, node.parent, Some(reply))
            }
            None => {
                let chain = self.chain_of(parts, at, &line, before);
                let parent = self.parent_in(parts, chain, before);
                (chain, parent, self.reply_of(parts, &line, chain, parent))
            }
        };
        if let Some(reply) = reply {
            let node = &mut parts.nodes[reply as usize];
            // It has found its reply, so it is no orphan.
            node.marks.set(line.marks.without(Marks::ORPHAN));
            node.calls = node.calls.saturating_add(line.calls);
            parts.node_of[at] = reply;
            self.spans.push((reply, (line.block, span)));
            return;
        }
        let id = NodeId::at(parts.nodes.len()).0;
        // The message of the main conversation that follows a sidechain.
        if chain == 0
            && let Some(before) = parts.nodes.get(before as usize)
            && let Some(side) = before.sidechain()
        {
            parts.chains[side].returned = Some(id);
        }
        parts.nodes.push(Node {
            parent,
            chain,
            file: line.file,
            time: line.time,
            message: line.message,
            kind,
            phase: line.phase,
            marks: line.marks,
            calls: line.calls,
            answers: line.answers,
        });
        parts.node_of[at] = id;
        self.spans.push((id, (line.block, span)));
        if line.message != 0 {
            self.replies.insert((line.message, parent), id);
            if let Some(by_message) = &mut self.by_message {
                by_message.insert(line.message, id);
            }
        }
    }

    /// The chain of a line; 0 is the main conversation.
    fn chain_of(&mut self, parts: &mut Parts, at: usize, line: &Line, before: u32) -> u32 {
        let of_file = self.file_chains[line.file as usize];
        if of_file != 0 || self.one_chain || !line.marks.has(Marks::SIDECHAIN) {
            return of_file;
        }
        let found = self
            .agent_of
            .binary_search_by_key(&at, |(line, _)| *line as usize);
        let agent = found.ok().map(|found| self.agent_of[found].1);
        if let Some(chain) = agent.and_then(|agent| self.agents.get(&agent)) {
            return *chain;
        }
        let above = parts.nodes.get(before as usize);
        if let Some(above) = above.filter(|above| above.chain != 0 && agent.is_none()) {
            return above.chain;
        }
        parts.chains.push(Sidechain {
            started_by: above.is_some().then_some(before),
            ..Sidechain::default()
        });
        let chain = NodeId::at(parts.chains.len()).0;
        if let Some(agent) = agent {
            self.agents.insert(agent, chain);
        }
        chain
    }

    /// The nearest message of this chain above a message of any chain.
    fn parent_in(&mut self, parts: &mut Parts, chain: u32, before: u32) -> u32 {
        let mut parent = before;
        // Leave the sidechains in between, which the document's dialect has inline.
        let mut left = parts.chains.len();
        while chain == 0 && parent != NONE && parts.nodes[parent as usize].chain != 0 {
            let inner = parts.nodes[parent as usize].chain;
            parent = parts.chains[inner as usize - 1].started_by.unwrap_or(NONE);
            // Sidechains that started each other form a cycle.
            match left.checked_sub(1) {
                Some(fewer) => left = fewer,
                None => return NONE,
            }
        }
        if parent == NONE || parts.nodes[parent as usize].chain == chain {
            return parent;
        }
        let own = &mut parts.chains[chain as usize - 1];
        own.started_by.get_or_insert(parent);
        NONE
    }

    /// The reply of a block whose parent is missing: one with the same id, in the same file, and
    /// also a sidechain or not.
    fn reply_of_orphan(&mut self, parts: &Parts, line: &Line, above: u32) -> Option<u32> {
        if line.message == 0 || above != NONE || !line.marks.has(Marks::ORPHAN) {
            return None;
        }
        let by_message = self.by_message.get_or_insert_with(|| {
            let nodes = parts.nodes.iter().zip(0..);
            let replies = nodes.filter(|(node, _)| node.message != 0);
            replies.map(|(node, id)| (node.message, id)).collect()
        });
        let reply = *by_message.get(&line.message)?;
        let node = &parts.nodes[reply as usize];
        let same_sort = node.marks.has(Marks::SIDECHAIN) == line.marks.has(Marks::SIDECHAIN);
        (node.file == line.file && same_sort).then_some(reply)
    }

    /// The reply of a block: it has the same id and is above the block, possibly with results in
    /// between, or beside it.
    fn reply_of(&self, parts: &Parts, line: &Line, chain: u32, parent: u32) -> Option<u32> {
        if line.message == 0 {
            return None;
        }
        let mut above = parent;
        while let Some(node) = parts.nodes.get(above as usize) {
            if node.message == line.message && node.chain == chain && node.file == line.file {
                return Some(above);
            }
            if node.kind != NodeKind::Results {
                break;
            }
            above = node.parent;
        }
        let beside = self.replies.get(&(line.message, parent)).copied()?;
        let node = &parts.nodes[beside as usize];
        (node.chain == chain && node.file == line.file).then_some(beside)
    }
}
