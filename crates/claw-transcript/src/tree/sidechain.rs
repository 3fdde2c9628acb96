//! The conversations of subagents, and the calls that started them.

use std::collections::HashMap;
use std::path::Path;

use super::TreeFile;
use super::build::Parts;
use super::key::short;
use super::node::{NONE, NodeId, NodeKind, some};
use crate::members::Members;

/// A conversation beside the main one: that of a subagent, in its own file or, in old files and in
/// the document's dialect, between the lines of the main one.
#[derive(Debug, Clone)]
pub struct Sidechain {
    pub(super) file: Option<usize>,
    pub(super) agent_id: Option<String>,
    pub(super) agent_type: Option<String>,
    pub(super) description: Option<String>,
    pub(super) started_by: u32,
    pub(super) returned: u32,
    pub(super) root: u32,
}

impl Default for Sidechain {
    fn default() -> Self {
        Self {
            file: None,
            agent_id: None,
            agent_type: None,
            description: None,
            started_by: NONE,
            returned: NONE,
            root: NONE,
        }
    }
}

impl Sidechain {
    /// Which of the [files](super::SessionTree::files) is its own.
    pub fn file(&self) -> Option<usize> {
        self.file
    }

    /// By which lines and sidecars name the subagent.
    pub fn agent_id(&self) -> Option<&str> {
        self.agent_id.as_deref()
    }

    /// What kind of subagent it is, as its sidecar says.
    pub fn agent_type(&self) -> Option<&str> {
        self.agent_type.as_deref()
    }

    /// What it was to do, in a few words, as its sidecar says.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The message whose call started it, in the main conversation or in another sidechain.
    pub fn started_by(&self) -> Option<NodeId> {
        some(self.started_by)
    }

    /// The message that brought back what it found: the result of the call, or for one in the
    /// background the later notification.
    pub fn returned(&self) -> Option<NodeId> {
        some(self.returned)
    }

    /// Its first message.
    pub fn root(&self) -> Option<NodeId> {
        some(self.root)
    }
}

/// What stands in the file beside an agent's.
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

/// Finds for each sidechain the call that started it and what came back.
pub(super) fn join(parts: &mut Parts, files: &[TreeFile]) {
    if parts.chains.is_empty() {
        return;
    }
    for (node, at) in parts.nodes.iter().zip(0u32..) {
        if node.chain != 0 {
            let root = &mut parts.chains[node.chain as usize - 1].root;
            *root = (*root).min(at);
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
        if chain.started_by == NONE {
            chain.started_by = call.unwrap_or(NONE);
        }
        if chain.returned == NONE {
            chain.returned = report.or(result).unwrap_or(NONE);
        }
    }
    break_circles(parts);
}

/// By what a sidechain can be found.
struct Tables {
    /// By chain and tool id: the reply that calls.
    calls: HashMap<(u32, u64), u32>,
    /// By chain and tool id: the results.
    answers: HashMap<(u32, u64), u32>,
    /// By agent, run or task: the results that name it.
    launches: HashMap<u64, u32>,
    reports: HashMap<u64, u32>,
    /// By the text of a prompt: replies with such calls, latest first.
    briefs: HashMap<u64, Vec<u32>>,
    /// By chain: the text of its first prompt, and its subagent.
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
        let calls = links.calls.iter().rev();
        let answers = links.answers.iter().rev();
        let mut briefs: HashMap<u64, Vec<u32>> = HashMap::new();
        for (text, line) in links.briefs.iter().rev() {
            briefs.entry(*text).or_default().push(node(*line));
        }
        let mut openings = HashMap::new();
        for (line, text) in &links.openings {
            let of = parts.nodes.get(node(*line) as usize);
            let first = of.is_some_and(|of| {
                of.chain != 0 && parts.chains[of.chain as usize - 1].root == node(*line)
            });
            if first {
                openings.insert(chain(*line), *text);
            }
        }
        let named = parts.chains.iter().zip(1..);
        Self {
            calls: calls
                .map(|(id, at)| ((chain(*at), *id), node(*at)))
                .collect(),
            answers: answers
                .map(|(at, id)| ((chain(*at), *id), node(*at)))
                .collect(),
            launches: links
                .launches
                .iter()
                .rev()
                .map(|(id, at)| (*id, node(*at)))
                .collect(),
            reports: links
                .reports
                .iter()
                .map(|(id, at)| (*id, node(*at)))
                .collect(),
            briefs,
            openings,
            agents: links
                .agents
                .iter()
                .map(|(at, id)| (chain(*at), *id))
                .collect(),
            chains: named
                .filter_map(|(chain, at)| Some((short(chain.agent_id.as_deref()?), at)))
                .collect(),
        }
    }

    /// The reply that started a sidechain, and the results that its call got.
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
            // The chain it names, the main one, then any other: ids are unique but in test files.
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
        let caller = launched.and_then(|result| call_above(parts, result));
        if caller.is_some() {
            return (caller, launched);
        }
        let opening = self.openings.get(&chain);
        let callers = opening.and_then(|text| self.briefs.get(text));
        // The last such call before it: the same prompt may be given twice.
        let root = parts.chains[chain as usize - 1].root;
        let caller = callers.and_then(|callers| {
            let other = |at: &&u32| parts.nodes[**at as usize].chain != chain;
            let mut others = callers.iter().filter(other);
            let before = others.clone().find(|at| **at < root);
            before.or_else(|| others.next()).copied()
        });
        (caller, None)
    }
}

fn call_above(parts: &Parts, result: u32) -> Option<u32> {
    let mut above = parts.nodes.get(result as usize)?.parent;
    while let Some(node) = parts.nodes.get(above as usize) {
        if node.kind != NodeKind::Results {
            return Some(above);
        }
        above = node.parent;
    }
    None
}

/// A sidechain cannot have been started from within itself.
fn break_circles(parts: &mut Parts) {
    for start in 1..=parts.chains.len() {
        let mut chain = start;
        for _ in 0..=parts.chains.len() {
            let by = parts.chains[chain - 1].started_by;
            let Some(node) = parts.nodes.get(by as usize) else {
                break;
            };
            if node.chain as usize == start {
                parts.chains[start - 1].started_by = NONE;
                break;
            }
            if node.chain == 0 {
                break;
            }
            chain = node.chain as usize;
        }
    }
}
