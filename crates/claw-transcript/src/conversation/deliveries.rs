//! Finds the queued prompts that reached the model in mid-turn.
//!
//! The log of the queue records them: each `remove` with the reason `absorbed_mid_turn` is one
//! delivered attachment. If a prompt has more attachments than deliveries, the last ones were
//! delivered.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::ids::{Id, Ids};
use super::node::Node;
use crate::entry::Kind;
use crate::facts::{Facts, Member};
use crate::members::Members;

/// The queue log of a file.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    by_delivery: HashMap<Id, usize>,
    by_command: HashMap<Id, usize>,
    /// The attachments of each delivery, without duplicates.
    copies: HashMap<Id, Vec<Id>>,
    copied: HashSet<Id>,
    /// The hash of each command's attachment; `None` if two differ.
    commands: HashMap<Id, Option<u64>>,
}

impl Deliveries {
    pub(super) fn note(&mut self, facts: &Facts<'_>, ids: &mut Ids) {
        match facts.kind {
            Kind::QueueOperation => {
                let line = Members::read(facts.text).unwrap_or_default();
                if line.string("operation").as_deref() != Some("remove")
                    || line.string("reason").as_deref() != Some("absorbed_mid_turn")
                {
                    return;
                }
                if let Some(delivery) = named(&line, "deliveryId") {
                    *self.by_delivery.entry(ids.of(&delivery)).or_default() += 1;
                } else if let Some(command) = named(&line, "commandUuid") {
                    *self.by_command.entry(ids.of(&command)).or_default() += 1;
                }
            }
            Kind::Attachment => {
                let queued = facts.object(Member::Attachment);
                let (Some(uuid), Some(queued)) = (facts.string(Member::Uuid), queued) else {
                    return;
                };
                if queued.string("type").as_deref() != Some("queued_command") {
                    return;
                }
                if let Some(delivery) = named(&queued, "delivery_id") {
                    let uuid = ids.of(&uuid);
                    if self.copied.insert(uuid) {
                        self.copies.entry(ids.of(&delivery)).or_default().push(uuid);
                    }
                } else if let Some(source) = named(&queued, "source_uuid") {
                    let mut hasher = DefaultHasher::new();
                    facts.get(Member::Attachment).hash(&mut hasher);
                    let text = hasher.finish();
                    let known = self.commands.entry(ids.of(&source)).or_insert(Some(text));
                    *known = known.filter(|known| *known == text);
                }
            }
            _ => {}
        }
    }

    /// Returns whether each line was delivered, by index. Lines without a log entry are left out.
    pub(crate) fn verdicts(&self, lines: &[&Node]) -> HashMap<usize, bool> {
        let mut verdicts = HashMap::new();
        let mut by_command: HashMap<Id, Vec<usize>> = HashMap::new();
        for (at, node) in lines.iter().enumerate() {
            let Some(queued) = &node.queued else {
                continue;
            };
            if let Some(delivery) = queued.delivery {
                if let Some(count) = self.by_delivery.get(&delivery) {
                    let copies = self.copies.get(&delivery).map_or(&[][..], Vec::as_slice);
                    let last = &copies[copies.len().saturating_sub(*count)..];
                    verdicts.insert(at, last.contains(&node.id));
                }
            } else if let Some(source) = queued.source {
                let alike = self.commands.get(&source).is_none_or(Option::is_some);
                if alike && self.by_command.contains_key(&source) {
                    by_command.entry(source).or_default().push(at);
                }
            }
        }
        for (source, places) in by_command {
            let count = self.by_command.get(&source).copied().unwrap_or_default();
            let first = places.len().saturating_sub(count);
            for (nth, at) in places.into_iter().enumerate() {
                verdicts.insert(at, nth >= first);
            }
        }
        verdicts
    }
}

fn named<'a>(line: &Members<'a>, name: &str) -> Option<Cow<'a, str>> {
    line.string(name).filter(|text| !text.is_empty())
}
