//! Joins sidechains to the calls that started them.

use std::collections::HashMap;
use std::path::Path;

use super::key::short;
use super::node::{NONE, NodeId};
use super::parts::{Parts, cycles};
use super::session_tree::TreeFile;
use super::sidechain::Sidechain;
use crate::members::Members;

/// The sidecar of an agent's file.
#[derive(Debug, Default)]
struct Sidecar {
    tool_use_id: Option<u64>,
    parent_agent: Option<u64>,
    agent_type: Option<String>,
    description: Option<String>,
}

impl Sidecar {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path.with_extension("meta.json")).unwrap_or_default();
        let members = Members::read(&text).unwrap_or_default();
        let string = |name| members.string(name).filter(|text| !text.is_empty());
        Self {
            tool_use_id: string("toolUseId").map(|id| short(&*id)),
            parent_agent: string("parentAgentId").map(|id| short(&*id)),
            agent_type: string("agentType").map(Into::into),
            description: string("description").map(Into::into),
        }
    }
}

/// Finds the call that started each sidechain, and its result.
pub(super) fn join(parts: &mut Parts, files: &[TreeFile]) {
    if parts.chains.is_empty() {
        return;
    }
    for (node, at) in parts.nodes.iter().zip(0u32..) {
        if node.chain != 0 {
            parts.chains[node.chain as usize - 1].root.get_or_insert(at);
        }
    }
    let tables = Tables::new(parts);
    for at in 0..parts.chains.len() {
        let number = NodeId::at(at + 1).0;
        let file = parts.chains[at].file.map(|file| &files[file]);
        let sidecar = file
            .and_then(|file| file.path.as_deref())
            .map(Sidecar::read)
            .unwrap_or_default();
        let agent = parts.chains[at].agent_id.as_deref().map(short);
        let agent = agent.or_else(|| tables.agents.get(&number).copied());
        let (call, result) = tables.start(parts, number, agent, &sidecar, file);
        let report = agent.and_then(|agent| tables.reports.get(&agent).copied());
        let chain = &mut parts.chains[at];
        chain.agent_type = sidecar.agent_type;
        chain.description = sidecar.description;
        chain.started_by = chain.started_by.or(call);
        chain.returned = chain.returned.or(report).or(result);
    }
    break_cycles(parts);
}

/// Tables by which the caller of a sidechain is found.
struct Tables {
    /// By chain and tool id: the reply that calls.
    calls: HashMap<(u32, u64), u32>,
    /// By chain and tool id: the results.
    answers: HashMap<(u32, u64), u32>,
    /// By agent, run or task: the results that name it.
    launches: HashMap<u64, u32>,
    reports: HashMap<u64, u32>,
    /// By the hash of a prompt: replies with such calls, latest first.
    briefs: HashMap<u64, Vec<u32>>,
    /// By chain: the hash of its first prompt.
    openings: HashMap<u32, u64>,
    agents: HashMap<u32, u64>,
    /// By subagent: the chain of its file.
    chains: HashMap<u64, u32>,
}

impl Tables {
    fn new(parts: &Parts) -> Self {
        let node = |line: u32| parts.node_of[line as usize];
        let chain = |line: u32| {
            let node = parts.nodes.get(node(line) as usize);
            node.map_or(0, |node| node.chain)
        };
        let links = &parts.links;
        let mut briefs: HashMap<u64, Vec<u32>> = HashMap::new();
        for (text, line) in links.briefs.iter().rev() {
            briefs.entry(*text).or_default().push(node(*line));
        }
        let mut openings = HashMap::new();
        for (line, text) in &links.openings {
            let of = parts.nodes.get(node(*line) as usize);
            let side = of.and_then(|of| parts.chains.get(of.sidechain()?));
            if side.is_some_and(|side| side.root == Some(node(*line))) {
                openings.insert(chain(*line), *text);
            }
        }
        let in_chain = |(id, at): &(u64, u32)| ((chain(*at), *id), node(*at));
        let by_id = |(id, at): &(u64, u32)| (*id, node(*at));
        let named = parts.chains.iter().zip(1..);
        let named = named.filter_map(|(chain, at)| Some((short(chain.agent_id.as_deref()?), at)));
        // The first call, answer and launch with an id count, and the last report.
        Self {
            calls: links.calls.iter().rev().map(in_chain).collect(),
            answers: links.answers.iter().rev().map(in_chain).collect(),
            launches: links.launches.iter().rev().map(by_id).collect(),
            reports: links.reports.iter().map(by_id).collect(),
            briefs,
            openings,
            agents: {
                let agents = links.agents.iter();
                agents.map(|(at, id)| (chain(*at), *id)).collect()
            },
            chains: named.collect(),
        }
    }

    /// The reply that started a sidechain, and the result of its call.
    fn start(
        &self,
        parts: &Parts,
        chain: u32,
        agent: Option<u64>,
        sidecar: &Sidecar,
        file: Option<&TreeFile>,
    ) -> (Option<u32>, Option<u32>) {
        if let Some(id) = sidecar.tool_use_id {
            let parent = sidecar
                .parent_agent
                .and_then(|id| self.chains.get(&id).copied());
            // The chain it names, the main one, then any other.
            let mut places = parent
                .into_iter()
                .chain(0..=NodeId::at(parts.chains.len()).0);
            let found =
                places.find(|place| *place != chain && self.calls.contains_key(&(*place, id)));
            if let Some(place) = found {
                let result = self.answers.get(&(place, id)).copied();
                return (self.calls.get(&(place, id)).copied(), result);
            }
        }
        let run = file
            .and_then(|file| file.path.as_deref())
            .and_then(Path::parent)
            .and_then(Path::file_name)
            .map(|run| short(&*run.to_string_lossy()));
        let launched = agent
            .and_then(|agent| self.launches.get(&agent))
            .or_else(|| self.launches.get(&run?))
            .copied();
        let result = launched.and_then(|result| parts.nodes.get(result as usize));
        let caller = result.and_then(|result| parts.above_results(result.parent));
        if caller.is_some() {
            return (caller, launched);
        }
        let opening = self.openings.get(&chain);
        let callers = opening.and_then(|text| self.briefs.get(text));
        // The last such call before it: a prompt may occur twice.
        let root = parts.chains[chain as usize - 1].root;
        let caller = callers.and_then(|callers| {
            let other = |at: &&u32| parts.nodes[**at as usize].chain != chain;
            let mut others = callers.iter().filter(other);
            let before = others.clone().find(|at| Some(**at) < root);
            before.or_else(|| others.next()).copied()
        });
        (caller, None)
    }
}

/// A sidechain cannot be started from within itself.
fn break_cycles(parts: &mut Parts) {
    let starter = |chain: &Sidechain| {
        let by = &parts.nodes[chain.started_by? as usize];
        by.chain.checked_sub(1)
    };
    let chains = parts.chains.iter();
    let above: Vec<u32> = chains.map(|chain| starter(chain).unwrap_or(NONE)).collect();
    for first in cycles(&above) {
        parts.chains[first].started_by = None;
    }
}
