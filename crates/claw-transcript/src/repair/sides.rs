//! Sidechain flags that do not fit their chain.
//!
//! A last line with a wrong flag is enough for the CLI to find no conversation at all.

use crate::check::alike::may_change_side;

use super::item::Node;
use super::step::RepairAction;
use super::work::Work;

const RULE: &str = "sidechain-consistent";

/// What hangs right under a line, as the flags were.
#[derive(Debug, Clone, Copy, Default)]
struct Below {
    /// Lines of the other kind of chain, where a chain may not change.
    wrong: u32,
    /// Those of them without the flag. In the document a missing flag means the main conversation,
    /// and a flag is more likely lost than added.
    unmarked: u32,
    /// All others.
    right: u32,
    /// Lines of the conversation.
    main: u32,
}

impl Below {
    /// Whether the line itself is what does not fit.
    fn is_odd_one_out(self) -> bool {
        self.wrong > self.unmarked && self.right == 0
    }
}

impl Work {
    /// Gives lines the flag of the chain that they hang in.
    pub(super) fn mend_sides(&mut self) {
        if self.of_agent {
            self.mend_agent_file();
            return;
        }
        let below = self.below();
        self.mend_roots(&below);
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
                self.mend_side(at, below[at]);
            }
        }
    }

    fn mend_agent_file(&mut self) {
        let wrong: Vec<usize> = self
            .nodes()
            .filter(|(_, node)| node.has_flag && !node.side.sidechain && !node.of_document())
            .map(|(at, _)| at)
            .collect();
        for at in wrong {
            self.set_side(at, true, "it stands in the file of a subagent");
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

    /// Lines under nothing have the flag of all that hangs under them.
    fn mend_roots(&mut self, below: &[Below]) {
        let roots: Vec<(usize, bool)> = self
            .nodes()
            .filter(|(at, node)| {
                node.has_flag && node.side.agent.is_none() && self.parent_at(*at).is_none()
            })
            .filter(|(at, _)| below[*at].is_odd_one_out())
            .map(|(at, node)| (at, !node.side.sidechain))
            .collect();
        for (at, sidechain) in roots {
            self.set_side(at, sidechain, "everything that hangs under it is not");
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
        // A subagent's line may stand in the main file, under the call.
        let may_lack_it = !node.has_flag && !node.of_document();
        if own.sidechain == above.sidechain || may_lack_it || own.agent.is_some() {
            return;
        }
        if fits(parent, node) {
            // A task for a subagent that nobody worked on, in the middle of a conversation.
            if below.is_odd_one_out() {
                self.set_side(at, above.sidechain, "what is around it is not");
            }
            return;
        }
        if !own.sidechain && below.main > 0 {
            // The conversation goes on from a subagent's line: from where that was asked, rather.
            let asked = self.main_above(at);
            if asked.is_some() {
                let why = "it is no part of the sidechain that it hangs under";
                self.hang(at, asked, RULE, why);
                return;
            }
        }
        self.set_side(at, above.sidechain, "what it hangs under is not");
    }

    /// The nearest line of the conversation that a line hangs under.
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
        let step = self.step(
            at,
            RULE,
            RepairAction::Sidechain,
            format!("it is marked as part of a {is}, but {why}"),
        );
        step.before = Some((!sidechain).to_string());
        step.after = Some(sidechain.to_string());
    }
}

/// Whether a line may have the flag that it has under another one.
fn fits(parent: &Node, line: &Node) -> bool {
    let to = line.side.sidechain;
    to == parent.side.sidechain || may_change_side(parent.row.marks, line.row.marks, to)
}
