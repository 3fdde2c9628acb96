//! Resolves lines with the same uuid.

use std::collections::HashMap;

use super::step::RepairAction;
use super::work::Work;
use crate::conversation::Id;

const RULE: &str = "uuid-unique";
const NEARER: &str = "two lines had the uuid of its parent; the nearer one is meant";

impl Work {
    /// Removes copies, and gives other lines with a duplicate uuid a new one.
    ///
    /// If several lines have the same uuid, the CLI reads only the last. A copy has the same
    /// content as the first line, so it can be removed. Another line with the uuid is kept, and
    /// later children of the uuid become children of the nearer line.
    pub(super) fn settle_copies(&mut self) {
        self.index();
        let mut first: HashMap<Id, usize> = HashMap::new();
        let mut renamed: HashMap<Id, usize> = HashMap::new();
        for at in 0..self.items.len() {
            let Some(node) = self.node(at) else {
                continue;
            };
            let (id, parent) = (node.id, node.parent.id());
            let nearer = parent.and_then(|parent| {
                let nearer = renamed.get(&parent).copied()?;
                let before = first.get(&parent).copied();
                // The parent of a result is its call, the parent of a block is the one before it.
                let means_first = before.is_some_and(|before| {
                    self.belongs_to(at, before) && !self.belongs_to(at, nearer)
                });
                (!means_first).then_some(nearer)
            });
            let Some(earlier) = first.get(&id).copied() else {
                first.insert(id, at);
                if nearer.is_some() {
                    self.relink(at, nearer, RULE, NEARER);
                }
                continue;
            };
            if self.is_copy(at, earlier) {
                let line = self.items[earlier].line;
                self.remove(at);
                let uuid = self.names.text(id);
                let why = format!("it says what line {line} says, under the same uuid");
                self.step(at, (RULE, RepairAction::DropCopy), why).before = Some(uuid);
                continue;
            }
            self.rename(at, earlier, nearer);
            renamed.insert(id, at);
            self.renamed.push(at);
        }
        self.index();
    }

    /// Returns whether a line contains only results of calls in its parent. The CLI finds such
    /// results wherever the conversation continues.
    pub(super) fn is_result_of_parent(&self, at: usize) -> bool {
        let only_answers = self.node(at).is_some_and(|node| node.only_answers);
        let parent = self.parent_at(at);
        only_answers && parent.is_some_and(|parent| self.belongs_to(at, parent))
    }

    /// The unused uuid that the next line names as its parent: the original uuid of this line.
    fn wanted_behind(&self, at: usize) -> Option<Id> {
        let next = (at + 1..self.items.len()).find_map(|next| self.node(next))?;
        let wanted = next.parent.id()?;
        let is_free = self.find(wanted).is_none() && !self.elsewhere.contains(&wanted);
        is_free.then_some(wanted)
    }

    /// Returns whether a line has a result of a call in another one, or is a block of the same
    /// reply.
    fn belongs_to(&self, at: usize, other: usize) -> bool {
        let Some((node, other)) = self.node(at).zip(self.node(other)) else {
            return false;
        };
        let answers = other.calls().any(|call| node.answers.contains(&call));
        answers || (node.reply.is_some() && node.reply == other.reply)
    }

    fn is_copy(&self, at: usize, earlier: usize) -> bool {
        let both = self.node(at).zip(self.node(earlier));
        both.is_some_and(|(node, other)| {
            let same_words = node.said == other.said && node.parent == other.parent;
            node.hash == other.hash || same_words
        })
    }

    fn rename(&mut self, at: usize, earlier: usize, nearer: Option<usize>) {
        let line = self.items[earlier].line;
        let offset = self.items[at].span.offset;
        let wanted = self.wanted_behind(at);
        let fresh = wanted.unwrap_or_else(|| self.names.fresh_uuid(offset, "uuid"));
        let both = self.node(at).zip(self.node(earlier));
        let same_parent = both.is_some_and(|(node, other)| {
            node.parent == other.parent || node.parent.id() == Some(node.id)
        });
        let Some(node) = self.node_mut(at) else {
            return;
        };
        let old = std::mem::replace(&mut node.id, fresh);
        self.items[at].edit.uuid = Some(fresh);
        let (old, new) = (self.names.text(old), self.names.text(fresh));
        let why =
            format!("line {line} has this uuid and says something else; the CLI would forget it");
        let step = self.step(at, (RULE, RepairAction::NewUuid), why);
        step.before = Some(old);
        step.after = Some(new);
        if nearer.is_some() {
            self.relink(at, nearer, RULE, NEARER);
        } else if same_parent && !self.is_result_of_parent(at) {
            // As siblings, only one of the two would be visible.
            let before = self.line_before(at).or(Some(earlier));
            let why = "so that the model sees both lines that had the uuid";
            self.relink(at, before, RULE, why);
        }
    }
}
