//! Two lines with one uuid.

use std::collections::HashMap;

use super::names::Name;
use super::step::RepairAction;
use super::work::Work;

impl Work {
    /// Takes out copies, and gives other lines with a uuid that is taken one of their own.
    ///
    /// The CLI reads the last line with a uuid and forgets the others. A copy says nothing that
    /// the first does not; another line with its uuid does, and what stands behind it and hangs
    /// under that uuid hangs under the nearer one.
    pub(super) fn settle_copies(&mut self) {
        self.index();
        self.note_forward_links();
        let mut first: HashMap<Name, usize> = HashMap::new();
        let mut renamed: HashMap<Name, usize> = HashMap::new();
        for at in 0..self.items.len() {
            let Some(node) = self.node(at) else {
                continue;
            };
            let (id, parent) = (node.id, node.parent.id());
            let nearer = parent.and_then(|parent| {
                let nearer = renamed.get(&parent).copied()?;
                let before = first.get(&parent).copied();
                // A result hangs under its call, a block under the one before it.
                let means_first = before.is_some_and(|before| {
                    self.belongs_to(at, before) && !self.belongs_to(at, nearer)
                });
                (!means_first).then_some(nearer)
            });
            let Some(earlier) = first.get(&id).copied() else {
                first.insert(id, at);
                if let Some(nearer) = nearer {
                    self.hang(
                        at,
                        Some(nearer),
                        "uuid-unique",
                        "two lines had the uuid of its parent; the nearer one is meant",
                    );
                }
                continue;
            };
            if self.is_copy(at, earlier) {
                let line = self.items[earlier].line;
                self.items[at].gone = true;
                let (span, uuid) = (self.items[at].span, self.names.text(id));
                self.removed.push(span);
                self.step(
                    at,
                    "uuid-unique",
                    RepairAction::DropCopy,
                    format!("it says what line {line} says, under the same uuid"),
                )
                .before = Some(uuid);
                continue;
            }
            self.rename(at, earlier, nearer);
            renamed.insert(id, at);
            self.renamed.push(at);
        }
        self.index();
        self.note_forward_links();
    }

    /// Returns whether a line contains only results of calls in its parent. The CLI finds such
    /// results wherever the conversation continues.
    pub(super) fn is_result_of_parent(&self, at: usize) -> bool {
        let only_answers = self.node(at).is_some_and(|node| node.only_answers);
        let parent = self.parent_at(at);
        only_answers && parent.is_some_and(|parent| self.belongs_to(at, parent))
    }

    /// The unused uuid that the next line names as its parent: the original uuid of this line.
    fn wanted_behind(&self, at: usize) -> Option<Name> {
        let next = (at + 1..self.items.len()).find_map(|next| self.node(next))?;
        let wanted = next.parent.id()?;
        let is_free = self.find(wanted).is_none() && !self.elsewhere.contains(&wanted);
        is_free.then_some(wanted)
    }

    /// Whether a line answers a call of another one, or is a block of the same reply.
    fn belongs_to(&self, at: usize, other: usize) -> bool {
        let Some((node, other)) = self.node(at).zip(self.node(other)) else {
            return false;
        };
        let answers = node.answers.iter().any(|call| other.calls.contains(call));
        answers || (node.reply.is_some() && node.reply == other.reply)
    }

    fn is_copy(&self, at: usize, earlier: usize) -> bool {
        match (self.node(at), self.node(earlier)) {
            (Some(node), Some(other)) => {
                let same_bytes = node.hash == other.hash;
                let same_words = node.said == other.said && node.parent == other.parent;
                same_bytes || same_words
            }
            _ => false,
        }
    }

    fn rename(&mut self, at: usize, earlier: usize, nearer: Option<usize>) {
        let line = self.items[earlier].line;
        let offset = self.items[at].span.offset;
        let wanted = self.wanted_behind(at);
        let fresh = wanted.unwrap_or_else(|| self.names.fresh(offset, "uuid"));
        let same_parent = match (self.node(at), self.node(earlier)) {
            (Some(node), Some(other)) => {
                node.parent == other.parent || node.parent.id() == Some(node.id)
            }
            _ => false,
        };
        let Some(node) = self.node_mut(at) else {
            return;
        };
        let old = std::mem::replace(&mut node.id, fresh);
        self.items[at].edit.uuid = Some(fresh);
        let (old, new) = (self.names.text(old), self.names.text(fresh));
        let step = self.step(
            at,
            "uuid-unique",
            RepairAction::NewUuid,
            format!("line {line} has this uuid and says something else; the CLI would forget it"),
        );
        step.before = Some(old);
        step.after = Some(new);
        if let Some(nearer) = nearer {
            self.hang(
                at,
                Some(nearer),
                "uuid-unique",
                "two lines had the uuid of its parent; the nearer one is meant",
            );
        } else if same_parent && !self.is_result_of_parent(at) {
            // Beside the first one, only one of the two would be seen.
            let before = self.line_before(at).or(Some(earlier));
            self.hang(
                at,
                before,
                "uuid-unique",
                "so that the model sees both lines that had the uuid",
            );
        }
    }
}
