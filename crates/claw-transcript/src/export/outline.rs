//! In which order messages are written: branches where they fork, subagents under their calls.

use std::collections::{HashMap, HashSet};

use super::{Branches, SoftDeletes};
use crate::tree::{Branch, NodeId, SessionTree};

/// One step of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A message.
    Node(NodeId),
    /// A branch that was left begins: the number in [`Outline::branches`].
    Open(usize),
    /// It ends, and the one that it left goes on.
    Close,
}

/// The order of a session.
pub(super) struct Outline<'t> {
    tree: &'t SessionTree,
    pub(super) branches: Vec<Branch>,
    /// By message: the subagents that it started.
    agents: HashMap<NodeId, Vec<usize>>,
    /// The subagents that are written at all, by their number.
    written: Vec<bool>,
    choice: Branches,
}

impl<'t> Outline<'t> {
    pub(super) fn new(tree: &'t SessionTree, choice: &Branches, sidechains: bool) -> Self {
        let mut agents: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (at, chain) in tree.sidechains().iter().enumerate() {
            if let (Some(by), true) = (chain.started_by(), sidechains) {
                agents.entry(by).or_default().push(at);
            }
        }
        Self {
            tree,
            branches: tree.branches(),
            agents,
            written: vec![sidechains; tree.sidechains().len()],
            choice: choice.clone(),
        }
    }

    /// Leaves out subagents that deleted messages started, and those that these started.
    pub(super) fn leave_out_agents_of(&mut self, deleted: &SoftDeletes) {
        let marked = deleted.iter().filter_map(|(uuid, _)| self.tree.find(uuid));
        let marked: HashSet<NodeId> = marked.collect();
        if marked.is_empty() {
            return;
        }
        let chains = self.tree.sidechains();
        // One comes after the one that started it, but a file may say anything.
        for _ in 0..chains.len() {
            let before = self.written.clone();
            for (at, chain) in chains.iter().enumerate() {
                let gone = |by: NodeId| {
                    let of = self.tree.node(by).sidechain();
                    marked.contains(&by) || of.is_some_and(|of| of != at && !self.written[of])
                };
                if chain.started_by().is_some_and(gone) {
                    self.written[at] = false;
                }
            }
            if self.written == before {
                break;
            }
        }
        let written = &self.written;
        for agents in self.agents.values_mut() {
            agents.retain(|agent| written[*agent]);
        }
    }

    /// All subagents that are written, in the order of the tree.
    pub(super) fn all_agents(&self) -> Vec<usize> {
        let all = 0..self.written.len();
        all.filter(|agent| self.written[*agent]).collect()
    }

    /// The subagents that a message started.
    pub(super) fn agents_of(&self, id: NodeId) -> &[usize] {
        self.agents.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The subagents that nobody is known to have started.
    pub(super) fn strays(&self) -> Vec<usize> {
        let chains = self.tree.sidechains();
        let mut agents = self.all_agents();
        agents.retain(|agent| chains[*agent].started_by().is_none());
        agents
    }

    /// The conversation of a subagent.
    pub(super) fn agent(&self, agent: usize) -> Vec<Step> {
        let leaf = self.tree.sidechain_leaf(agent);
        let path = leaf.map(|leaf| self.tree.path_to(leaf));
        path.into_iter().flatten().map(Step::Node).collect()
    }

    /// The main conversation. `None` when it was to end at a message that is not there.
    pub(super) fn main(&self) -> Option<Vec<Step>> {
        match &self.choice {
            Branches::Live => Some(self.tree.live().map(Step::Node).collect()),
            Branches::Through(uuid) => {
                let id = self.tree.find(uuid)?;
                // The whole branch that the message is on, the live one if it is on several.
                let on = |branch: &&Branch| self.tree.path_to(branch.leaf).any(|on| on == id);
                let leaf = self
                    .branches
                    .iter()
                    .find(on)
                    .map_or(id, |branch| branch.leaf);
                Some(self.tree.path_to(leaf).map(Step::Node).collect())
            }
            Branches::All => Some(self.all()),
        }
    }

    fn all(&self) -> Vec<Step> {
        let mut forks: HashMap<Option<NodeId>, Vec<usize>> = HashMap::new();
        for (at, branch) in self.branches.iter().enumerate().skip(1) {
            forks.entry(branch.fork).or_default().push(at);
        }
        let Some(live) = self.branches.first() else {
            return Vec::new();
        };
        let start = self.tree.path_to(live.leaf).next().unwrap_or(live.first);
        let roots = forks.remove(&None).unwrap_or_default();
        let (before, after): (Vec<usize>, Vec<usize>) = roots
            .into_iter()
            .partition(|at| self.branches[*at].first < start);
        let mut steps = Vec::with_capacity(self.tree.len());
        for at in before {
            self.branch(at, &mut forks, &mut steps);
        }
        self.way(
            self.tree.path_to(live.leaf).collect(),
            &mut forks,
            &mut steps,
        );
        for at in after {
            self.branch(at, &mut forks, &mut steps);
        }
        steps
    }

    fn branch(
        &self,
        at: usize,
        forks: &mut HashMap<Option<NodeId>, Vec<usize>>,
        steps: &mut Vec<Step>,
    ) {
        steps.push(Step::Open(at));
        self.way(self.own_way(at), forks, steps);
        steps.push(Step::Close);
    }

    /// The messages that only this branch has.
    fn own_way(&self, at: usize) -> Vec<NodeId> {
        let branch = &self.branches[at];
        let up = std::iter::successors(Some(branch.leaf), |id| self.tree.node(*id).parent());
        let mut way: Vec<NodeId> = up.take(branch.own).collect();
        way.reverse();
        way
    }

    /// A way, and the branches that leave it. A file can nest them as deep as it is long, so there
    /// is a stack of ways.
    fn way(
        &self,
        way: Vec<NodeId>,
        forks: &mut HashMap<Option<NodeId>, Vec<usize>>,
        steps: &mut Vec<Step>,
    ) {
        let mut open = vec![way.into_iter()];
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new()];
        while let (Some(way), Some(branches)) = (open.last_mut(), waiting.last_mut()) {
            if let Some(at) = branches.pop() {
                steps.push(Step::Open(at));
                open.push(self.own_way(at).into_iter());
                waiting.push(Vec::new());
                continue;
            }
            match way.next() {
                Some(id) => {
                    steps.push(Step::Node(id));
                    let mut leaving = forks.remove(&Some(id)).unwrap_or_default();
                    leaving.reverse();
                    *branches = leaving;
                }
                None => {
                    open.pop();
                    waiting.pop();
                    if !open.is_empty() {
                        steps.push(Step::Close);
                    }
                }
            }
        }
    }
}
