//! Repairs sidechain flags that do not match their chain.
//!
//! A wrong flag on the last line is enough to make the CLI find no conversation.

use crate::check::common::may_change_side;

use super::item::Node;
use super::step::RepairAction;
use super::work::Work;

const RULE: &str = "sidechain-consistent";

/// The children of a line, by their original flags.
#[derive(Debug, Clone, Copy, Default)]
struct Below {
    /// Children of the other kind of chain, where the chain must not change.
    wrong: u32,
    /// Those of them without the flag. In the document's dialect a missing flag means the main
    /// conversation, and a flag is more likely lost than added.
    unmarked: u32,
    /// All other children.
    right: u32,
    /// Children in the main conversation.
    main: u32,
}

impl Below {
    /// Returns whether the line itself has the wrong flag.
    fn is_odd_one_out(self) -> bool {
        self.wrong > self.unmarked && self.right == 0
    }
}

impl Work {
    /// Gives lines the flag of their chain.
    pub(super) fn mend_sides(&mut self) {
        if self.of_agent {
            self.mend_agent_file();
            return;
        }
        let below = self.below();
        self.mend_roots(&below);
        let mut done = vec![false; self.items.len()];
        for start in 0..self.items.len() {
            // Parents first: a chain of wrong flags is repaired from its top.
            let mut way = Vec::new();
            let mut next = Some(start);
            while let Some(at) = next.filter(|at| !done[*at]) {
                done[at] = true;
                way.push(at);
                next = self.parent_at(at);
            }
            for at in way.into_iter().rev() {
                self.mend_side(at, below[at]);
            }
        }
    }

    fn mend_agent_file(&mut self) {
        let is_wrong = |node: &Node| node.has_flag && !node.side.sidechain && !node.of_document();
        for at in self.nodes_where(|_, node| is_wrong(node)) {
            self.set_side(at, true, "it is in the file of a subagent");
        }
    }

    fn below(&self) -> Vec<Below> {
        let mut below = vec![Below::default(); self.items.len()];
        for (at, node) in self.nodes() {
            let parent = self.parent_at(at);
            let Some((parent, above)) = parent.and_then(|at| Some((at, self.node(at)?))) else {
                continue;
            };
            let below = &mut below[parent];
            below.main += u32::from(!node.side.sidechain);
            if fits(above, node) {
                below.right += 1;
            } else {
                below.wrong += 1;
                below.unmarked += u32::from(!node.has_flag && node.of_document());
            }
        }
        below
    }

    /// Gives roots the flag of their children.
    fn mend_roots(&mut self, below: &[Below]) {
        let roots = self.nodes_where(|at, node| {
            let may_change = node.has_flag && node.side.agent.is_none();
            may_change && self.parent_at(at).is_none() && below[at].is_odd_one_out()
        });
        for at in roots {
            let sidechain = self.node(at).is_some_and(|node| node.side.sidechain);
            self.set_side(at, !sidechain, "none of its children are");
        }
    }

    fn mend_side(&mut self, at: usize, below: Below) {
        let Some(node) = self.node(at).filter(|_| !self.items[at].gone) else {
            return;
        };
        let Some(parent) = self.parent_at(at).and_then(|parent| self.node(parent)) else {
            return;
        };
        let (own, above) = (node.side, parent.side);
        // A subagent's line may be in the main file, under the call.
        let may_lack_it = !node.has_flag && !node.of_document();
        if own.sidechain == above.sidechain || may_lack_it || own.agent.is_some() {
            return;
        }
        if fits(parent, node) {
            // A task without replies for a subagent, in the middle of a conversation.
            if below.is_odd_one_out() {
                self.set_side(at, above.sidechain, "the lines around it are not");
            }
            return;
        }
        if !own.sidechain && below.main > 0 {
            // The conversation continues from a subagent's line: continue from the subagent's call
            // instead.
            let asked = self.main_above(at);
            if asked.is_some() {
                let why = "it is not part of its parent's sidechain";
                self.relink(at, asked, RULE, why);
                return;
            }
        }
        self.set_side(at, above.sidechain, "its parent is not");
    }

    /// The nearest ancestor in the main conversation.
    fn main_above(&self, at: usize) -> Option<usize> {
        let mut above = self.parent_at(at)?;
        for _ in 0..self.items.len() {
            if above == at {
                return None;
            }
            if !self.node(above)?.side.sidechain {
                return Some(above);
            }
            above = self.parent_at(above)?;
        }
        None
    }

    fn set_side(&mut self, at: usize, sidechain: bool, why: &str) {
        let Some(node) = self.node_mut(at) else {
            return;
        };
        node.side.sidechain = sidechain;
        self.items[at].edit.sidechain = Some(sidechain);
        let is = if sidechain { "main chain" } else { "sidechain" };
        let why = format!("it is marked as part of a {is}, but {why}");
        let step = self.step(at, (RULE, RepairAction::Sidechain), why);
        step.before = Some((!sidechain).to_string());
        step.after = Some(sidechain.to_string());
    }
}

/// Returns whether a line's flag is valid under a parent.
fn fits(parent: &Node, line: &Node) -> bool {
    let to = line.side.sidechain;
    to == parent.side.sidechain || may_change_side(parent.row.marks, line.row.marks, to)
}
