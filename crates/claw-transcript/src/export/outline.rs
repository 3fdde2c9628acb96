//! The order of an export: branches where they fork, subagents under their calls.

use std::collections::{HashMap, HashSet};

use super::options::Branches;
use super::soft_deletes::SoftDeletes;
use crate::tree::{Branch, NodeId, SessionTree, Sidechain};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Node(NodeId),
    /// The start of an abandoned branch, by its index in [`Outline::branches`].
    Open(usize),
    /// The end of an abandoned branch.
    Close,
    /// The start of a subagent, which ends at the next one.
    Agent,
}

impl Step {
    pub(super) fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node(id) => Some(*id),
            _ => None,
        }
    }
}

/// The branches that start at a message; those of `None` have a root of their own.
type Forks = HashMap<Option<NodeId>, Vec<usize>>;

pub(super) struct Outline<'t> {
    tree: &'t SessionTree,
    pub(super) branches: Vec<Branch>,
    /// The subagents by the message that started them.
    agents: HashMap<NodeId, Vec<usize>>,
    /// Whether each subagent is exported.
    written: Vec<bool>,
}

impl<'t> Outline<'t> {
    /// Excludes subagents that deleted messages started, directly or through other subagents.
    pub(super) fn new(tree: &'t SessionTree, sidechains: bool, deleted: &SoftDeletes) -> Self {
        let chains = tree.sidechains();
        let marked = deleted.iter().filter_map(|(uuid, _)| tree.find(uuid));
        let marked: HashSet<NodeId> = marked.collect();
        let mut written = vec![sidechains; chains.len()];
        loop {
            let is_excluded = |by: NodeId| {
                let parent = tree.node(by).sidechain();
                marked.contains(&by) || parent.is_some_and(|parent| !written[parent])
            };
            let starters = chains.iter().map(Sidechain::started_by);
            let mut agents = starters.zip(&written);
            match agents.position(|(by, written)| *written && by.is_some_and(is_excluded)) {
                Some(at) => written[at] = false,
                None => break,
            }
        }
        let mut agents: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (at, chain) in chains.iter().enumerate().filter(|(at, _)| written[*at]) {
            if let Some(by) = chain.started_by() {
                agents.entry(by).or_default().push(at);
            }
        }
        Self {
            tree,
            branches: tree.branches(),
            agents,
            written,
        }
    }

    /// The exported subagents, in the order of the tree.
    pub(super) fn all_agents(&self) -> Vec<usize> {
        let all = 0..self.written.len();
        all.filter(|agent| self.written[*agent]).collect()
    }

    /// The exported subagents that a message started.
    pub(super) fn agents_of(&self, id: NodeId) -> &[usize] {
        self.agents.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The exported subagents whose call is not known.
    pub(super) fn strays(&self) -> Vec<usize> {
        let chains = self.tree.sidechains();
        let mut agents = self.all_agents();
        agents.retain(|agent| chains[*agent].started_by().is_none());
        agents
    }

    pub(super) fn agent(&self, agent: usize) -> Vec<Step> {
        let leaf = self.tree.sidechain_leaf(agent);
        let path = leaf.map(|leaf| self.tree.path_to(leaf));
        path.into_iter().flatten().map(Step::Node).collect()
    }

    /// The steps, and those of all subagents after them.
    pub(super) fn with_agents(&self, steps: &[Step]) -> Vec<Step> {
        let mut steps = steps.to_vec();
        for agent in self.all_agents() {
            steps.push(Step::Agent);
            steps.extend(self.agent(agent));
        }
        steps
    }

    /// The main conversation; an error with the uuid if [`Branches::Through`] names an unknown
    /// message.
    pub(super) fn main(&self, choice: &Branches) -> Result<Vec<Step>, String> {
        match choice {
            Branches::Live => Ok(self.tree.live().map(Step::Node).collect()),
            Branches::Through(uuid) => {
                let id = self.tree.find(uuid).ok_or_else(|| uuid.clone())?;
                // The live branch is first.
                let on = |branch: &&Branch| self.tree.path_to(branch.leaf).any(|on| on == id);
                let branch = self.branches.iter().find(on);
                let leaf = branch.map_or(id, |branch| branch.leaf);
                Ok(self.tree.path_to(leaf).map(Step::Node).collect())
            }
            Branches::All => Ok(self.all()),
        }
    }

    fn all(&self) -> Vec<Step> {
        let mut forks: Forks = HashMap::new();
        for (at, branch) in self.branches.iter().enumerate().skip(1) {
            forks.entry(branch.fork).or_default().push(at);
        }
        let Some(live) = self.branches.first() else {
            return Vec::new();
        };
        let live: Vec<NodeId> = self.tree.path_to(live.leaf).collect();
        let roots = forks.remove(&None).unwrap_or_default();
        let start = live.first().copied();
        let is_before = |at: &usize| Some(self.branches[*at].first) < start;
        let (before, after): (Vec<usize>, Vec<usize>) = roots.into_iter().partition(is_before);
        let mut steps = Vec::with_capacity(self.tree.len());
        self.visit(live, before, &mut forks, &mut steps);
        self.visit(Vec::new(), after, &mut forks, &mut steps);
        steps
    }

    /// Adds the branches `first`, a path, and the branches that leave it. Uses a stack because a
    /// file can nest branches as deep as it is long.
    fn visit(
        &self,
        path: Vec<NodeId>,
        mut first: Vec<usize>,
        forks: &mut Forks,
        steps: &mut Vec<Step>,
    ) {
        first.reverse();
        let mut open = vec![(path.into_iter(), first)];
        while let Some((path, branches)) = open.last_mut() {
            if let Some(at) = branches.pop() {
                steps.push(Step::Open(at));
                open.push((self.own_path(at).into_iter(), Vec::new()));
            } else if let Some(id) = path.next() {
                steps.push(Step::Node(id));
                *branches = forks.remove(&Some(id)).unwrap_or_default();
                branches.reverse();
            } else {
                open.pop();
                if !open.is_empty() {
                    steps.push(Step::Close);
                }
            }
        }
    }

    /// The messages that only this branch has.
    fn own_path(&self, at: usize) -> Vec<NodeId> {
        let branch = &self.branches[at];
        let up = std::iter::successors(Some(branch.leaf), |id| self.tree.node(*id).parent());
        let mut path: Vec<NodeId> = up.take(branch.own).collect();
        path.reverse();
        path
    }
}
