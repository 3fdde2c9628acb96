//! The order in which lines are written.

use std::collections::HashMap;

use crate::lines::LineEnd;

use super::item::{Item, Source};
use super::step::{RepairAction, RepairStep};
use super::work::Work;

const MOVE: (&str, RepairAction) = ("parent-exists", RepairAction::Move);

impl Work {
    /// Sorts lines into the order in which they are written. Most keep their position. A line whose
    /// parent comes later moves after the parent; if several lines have such a parent, the parent
    /// moves before them. Added results come after the calls of their reply.
    pub(super) fn settle_order(&mut self) {
        let count = self.items.len();
        let added = self.items.iter();
        let has_added = added.rev().any(|item| item.source != Source::File);
        self.note_forward_links();
        if !has_added && !self.has_forward() {
            return;
        }
        let mut behind: HashMap<usize, Vec<usize>> = HashMap::new();
        let results =
            (0..count).filter(|at| matches!(self.items[*at].source, Source::StandIn { .. }));
        for at in results {
            if let Some(last) = self.parent_at(at).map(|call| self.last_block(call)) {
                behind.entry(last).or_default().push(at);
            }
        }
        let mut early: HashMap<usize, usize> = HashMap::new();
        for (at, _) in self.nodes() {
            if let Some(parent) = self.parent_at(at).filter(|parent| *parent > at) {
                *early.entry(parent).or_default() += 1;
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut written = vec![false; count];
        let mut moved = Vec::new();
        let mut raised = Vec::new();
        for start in 0..count {
            let mut stack = vec![start];
            while let Some(at) = stack.pop() {
                let later = self.parent_at(at).filter(|parent| !written[*parent]);
                if written[at] || self.items[at].gone {
                    continue;
                }
                if let Some(parent) = later.filter(|parent| *parent != at) {
                    // The placeholder of a lost line comes right before the child of that line.
                    let above = self.parent_at(parent);
                    if matches!(self.items[parent].source, Source::Words { .. })
                        && above.is_none_or(|above| written[above])
                    {
                        stack.extend([at, parent]);
                        continue;
                    }
                    let several = early.get(&parent).is_some_and(|children| *children > 1);
                    let in_file = self.items[parent].source == Source::File;
                    if several && in_file && above.is_none_or(|above| written[above]) {
                        raised.push((parent, at));
                        stack.extend([at, parent]);
                        continue;
                    }
                    if self.items[at].source == Source::File {
                        behind.entry(parent).or_default().push(at);
                        moved.push((at, parent));
                    } else if at != start {
                        behind.entry(parent).or_default().push(at);
                    }
                    continue;
                }
                written[at] = true;
                order.push(at);
                stack.extend(behind.remove(&at).into_iter().flatten().rev());
            }
        }
        // Lines of a remaining cycle must not be lost.
        order.extend((0..count).filter(|at| !written[*at] && !self.items[*at].gone));
        for (at, parent) in moved {
            if self.items[parent].source != Source::File {
                continue;
            }
            let line = self.items[parent].line;
            let why = format!("its parent, line {line}, comes later");
            self.step(at, MOVE, why);
        }
        for (at, child) in raised {
            let line = self.items[child].line;
            let why = format!("it is the parent of line {line} and others that come before it");
            self.step(at, MOVE, why);
        }
        let mut items: Vec<Option<Item>> = self.items.drain(..).map(Some).collect();
        let ordered = order.into_iter();
        self.items = ordered.filter_map(|at| items.get_mut(at)?.take()).collect();
        self.index();
    }

    /// Drops the step for the newline of the last line if there are no other steps.
    pub(super) fn leave_last_line(&mut self) {
        let is_end = |step: &RepairStep| step.action == RepairAction::EndLine;
        if !self.steps.is_empty() && self.steps.iter().all(is_end) {
            self.steps.clear();
            if let Some(last) = self.items.last_mut() {
                last.end = LineEnd::None;
            }
        }
    }

    /// The last of the lines after a call that are blocks of the same reply.
    fn last_block(&self, call: usize) -> usize {
        let Some(reply) = self.node(call).and_then(|node| node.reply) else {
            return call;
        };
        let mut last = call;
        for at in call + 1..self.items.len() {
            match self.node(at) {
                Some(node) if node.reply == Some(reply) => last = at,
                Some(node) if node.is_said() && !node.only_answers => break,
                _ => {}
            }
        }
        last
    }
}
