//! A screen that shows pending permissions.

use std::collections::BTreeMap;

use claw_server::UiMessage;

/// A front end that handles batches as described in the guide.
#[derive(Default)]
pub(crate) struct Screen {
    alone: Vec<String>,
    /// What is at each place; nothing where it was resolved.
    batches: BTreeMap<String, Vec<Option<String>>>,
    /// How many batches took the place of something.
    pub(crate) grown: usize,
}

impl Screen {
    pub(crate) fn take(&mut self, message: UiMessage) {
        match message {
            UiMessage::PermissionRequired {
                tool_use_id,
                request,
                ..
            } => {
                assert_eq!(request.target, tool_use_id);
                assert!(!self.shows(&tool_use_id), "{tool_use_id} is shown twice");
                self.alone.push(tool_use_id);
            }
            UiMessage::BatchPermissionRequired {
                batch_id, requests, ..
            } => {
                let now: Vec<_> = requests.into_iter().map(|one| Some(one.target)).collect();
                let first = self.alone.iter().position(|alone| *alone == batch_id);
                let first = first.map(|at| vec![Some(self.alone.remove(at))]);
                let before = self.batches.remove(&batch_id).or(first);
                if let Some(before) = before {
                    assert!(now.len() > before.len(), "{batch_id} came for nothing");
                    assert!(now.starts_with(&before), "{before:?} became {now:?}");
                    self.grown += 1;
                }
                self.batches.insert(batch_id, now);
            }
            UiMessage::InteractionResolved {
                interaction_id,
                batch,
                ..
            } => match batch {
                Some(place) => {
                    let batch = self.batches.get_mut(&place.batch_id);
                    let batch = batch.expect("a batch that was shown");
                    let gone = batch[place.index as usize].take();
                    assert_eq!(gone, Some(interaction_id), "{place:?}");
                }
                None => {
                    let at = self.alone.iter().position(|alone| *alone == interaction_id);
                    self.alone.remove(at.expect("it was shown alone"));
                }
            },
            _ => {}
        }
    }

    fn shows(&self, call: &str) -> bool {
        let batched = self.batches.values().flatten().flatten();
        batched.chain(&self.alone).any(|shown| shown == call)
    }

    /// What is shown, and where.
    pub(crate) fn places(&self) -> BTreeMap<String, Option<(String, u32)>> {
        let mut places = BTreeMap::new();
        for (id, batch) in &self.batches {
            for (index, call) in (0..).zip(batch) {
                if let Some(call) = call {
                    places.insert(call.clone(), Some((id.clone(), index)));
                }
            }
        }
        places.extend(self.alone.iter().map(|call| (call.clone(), None)));
        places
    }
}
