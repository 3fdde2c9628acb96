//! Sidechain flags that do not fit their chain.
//!
//! A last line with a wrong flag is enough for the CLI to find no conversation at all.

use std::collections::HashMap;

use super::step::RepairAction;
use super::work::Work;

impl Work {
    /// Gives lines the flag of the chain that they hang in.
    pub(super) fn mend_sides(&mut self) {
        if self.of_agent {
            self.mend_agent_file();
            return;
        }
        self.mend_roots();
        let mut done = vec![false; self.items.len()];
        for start in 0..self.items.len() {
            // Parents first: a chain of wrong flags is mended from its top.
            let mut way = Vec::new();
            let mut next = Some(start);
            while let Some(at) = next.filter(|at| !done[*at]) {
                done[at] = true;
                way.push(at);
                next = self.parent_at(at);
            }
            for at in way.into_iter().rev() {
                self.mend_side(at);
            }
        }
    }

    fn mend_agent_file(&mut self) {
        let wrong: Vec<usize> = self
            .nodes()
            .filter(|(_, node)| node.has_flag && !node.side.sidechain)
            .map(|(at, _)| at)
            .collect();
        for at in wrong {
            self.set_side(at, true, "it stands in the file of a subagent");
        }
    }

    /// Lines under nothing have the flag of all that hangs under them.
    fn mend_roots(&mut self) {
        let mut below: HashMap<usize, (usize, usize)> = HashMap::new();
        for (at, node) in self.nodes() {
            if let Some(parent) = self.parent_at(at) {
                let (main, side) = below.entry(parent).or_default();
                *(if node.side.sidechain { side } else { main }) += 1;
            }
        }
        let roots: Vec<(usize, bool)> = self
            .nodes()
            .filter(|(at, node)| {
                node.has_flag && node.side.agent.is_none() && self.parent_at(*at).is_none()
            })
            .filter_map(|(at, node)| match below.get(&at)? {
                (0, 1..) if !node.side.sidechain => Some((at, true)),
                (1.., 0) if node.side.sidechain => Some((at, false)),
                _ => None,
            })
            .collect();
        for (at, sidechain) in roots {
            self.set_side(at, sidechain, "everything that hangs under it is not");
        }
    }

    fn mend_side(&mut self, at: usize) {
        let Some(node) = self.node(at).filter(|_| !self.items[at].gone) else {
            return;
        };
        let Some(parent) = self.parent_at(at).and_then(|parent| self.node(parent)) else {
            return;
        };
        let (own, above) = (node.side, parent.side);
        // A subagent's line may stand in the main file, under the call.
        if own.sidechain == above.sidechain || !node.has_flag || own.agent.is_some() {
            return;
        }
        self.set_side(at, above.sidechain, "what it hangs under is not");
    }

    fn set_side(&mut self, at: usize, sidechain: bool, why: &str) {
        let Some(node) = self.node_mut(at) else {
            return;
        };
        node.side.sidechain = sidechain;
        self.items[at].edit.sidechain = Some(sidechain);
        let is = if sidechain { "main chain" } else { "sidechain" };
        let step = self.step(
            at,
            "sidechain-consistent",
            RepairAction::Sidechain,
            format!("it is marked as part of a {is}, but {why}"),
        );
        step.before = Some((!sidechain).to_string());
        step.after = Some(sidechain.to_string());
    }
}
