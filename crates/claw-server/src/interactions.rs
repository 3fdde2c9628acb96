//! Pending interactions, and which answers to them count.
//!
//! [`InteractionRegistry`] tracks the open interactions of a session. It decides but does not act:
//! each method returns the [`Fact`] to record, the owner of the log appends it, and only then is it
//! applied ([`InteractionRegistry::apply`]) and the CLI receives its answer. So the registry of a
//! session that moves to another machine is rebuilt by applying its events.
//!
//! - The first answer counts. A later one is refused with the name of who answered first, and
//!   [`AnswerRefused`] distinguishes "answered", "expired", "withdrawn" and "never asked".
//! - Without an answer, an interaction expires and is denied.
//! - Interactions that were asked together are answered one by one or all at once, each on its own:
//!   denying one does not answer the others.

mod group;

use std::collections::{HashMap, VecDeque};

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) use group::GROWS_MS;
pub use group::{GROUP_WINDOW_MS, InteractionGroups};

use crate::event::{Fact, Interaction, InteractionAnswer, InteractionId, LifecycleState};

/// Number of ended interactions that are kept, so that a late answer gets a specific error.
pub(crate) const REMEMBERED: usize = 1024;
/// Number of answers that are kept for a CLI that repeats its request. The SDK serves more requests
/// at a time, but a turn rarely has this many answers; without its answer a request is asked anew.
const UNCONFIRMED: usize = 64;

/// The interactions of one session; see [the module](self).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct InteractionRegistry {
    /// Oldest first. There are few.
    open: Vec<Interaction>,
    over: HashMap<InteractionId, Over>,
    /// Oldest first.
    order: VecDeque<InteractionId>,
    /// Interactions of the running turn that were answered or have expired, oldest first. The CLI
    /// may not have received the answer if the owner was lost.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    unconfirmed: VecDeque<Unconfirmed>,
}

/// An ended interaction whose answer may not have reached the CLI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unconfirmed {
    pub(crate) interaction: Interaction,
    /// The answer; `None` if it expired and was denied.
    pub(crate) answer: Option<Json>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Over {
    end: InteractionEnd,
    /// Its group and its index there.
    place: Option<(String, u32)>,
}

/// How an interaction ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum InteractionEnd {
    /// It was answered.
    Answered {
        /// Who answered, if known.
        by: Option<String>,
        /// The idempotency key of the answer, if it had one.
        key: Option<String>,
    },
    /// It was not answered in time.
    Expired,
    /// The agent no longer waits for it.
    Withdrawn,
}

/// Why an answer does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerRefused {
    /// It was answered before.
    #[error("{} answered this interaction first", by_whom(.by.as_deref()))]
    AlreadyAnswered {
        /// Who answered, if known.
        by: Option<String>,
    },
    /// It expired and was denied.
    #[error("this interaction expired and was denied: ask the agent again")]
    Expired,
    /// The agent no longer waits for it.
    #[error(
        "the agent does not wait for this interaction any more: its turn was stopped or its process ended"
    )]
    Withdrawn,
    /// It was never asked in this session, or its end is no longer kept.
    #[error("this session has no such interaction")]
    Unknown,
    /// The answer does not fit the interaction, which stays pending.
    #[error("this does not answer the interaction, which is still pending: {why}")]
    Unfit {
        /// What is wrong with it.
        why: String,
    },
    /// The log cannot store the answer now, so it does not count: send it again with its key.
    #[error("the answer was not stored: {reason}")]
    NotStored {
        /// What the log reported.
        reason: String,
    },
    /// The session is not open here, or it ended before the answer could be stored.
    #[error("the session has ended, or was never opened here")]
    NoSession,
}

fn by_whom(by: Option<&str>) -> String {
    by.map_or("another client".to_owned(), |by| {
        format!("another client ({by})")
    })
}

impl InteractionRegistry {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the pending interactions, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &Interaction> {
        self.open.iter()
    }

    /// Returns a pending interaction.
    #[must_use]
    pub fn get(&self, id: &InteractionId) -> Option<&Interaction> {
        self.open.iter().find(|interaction| interaction.id == *id)
    }

    /// Returns whether an interaction with this id is pending, or has ended and is still kept.
    #[must_use]
    pub fn knows(&self, id: &InteractionId) -> bool {
        self.get(id).is_some() || self.over.contains_key(id)
    }

    /// Returns how an interaction ended, if that is still kept.
    #[must_use]
    pub fn ended(&self, id: &InteractionId) -> Option<&InteractionEnd> {
        self.over.get(id).map(|over| &over.end)
    }

    /// Returns whether this answer was accepted before, under the same idempotency key.
    #[must_use]
    pub fn is_repeat(&self, id: &InteractionId, key: &str) -> bool {
        let first = match self.ended(id) {
            Some(InteractionEnd::Answered { key, .. }) => key.as_deref(),
            _ => None,
        };
        first == Some(key)
    }

    /// Returns the interaction at an index of a group, whether it is pending or has ended.
    #[must_use]
    pub fn in_group(&self, group: &str, index: u32) -> Option<InteractionId> {
        let open = self.open.iter().find_map(|interaction| {
            let (its_group, its_index) = place(interaction)?;
            (its_group == group && its_index == index).then_some(&interaction.id)
        });
        let is_meant = |over: &Over| {
            let place = over.place.as_ref();
            place.is_some_and(|(its_group, its_index)| its_group == group && *its_index == index)
        };
        let over = || self.over.iter().find(|(_, over)| is_meant(over));
        open.or_else(|| over().map(|(id, _)| id)).cloned()
    }

    /// Returns the fact that records an answer.
    ///
    /// # Errors
    /// The interaction is not pending.
    pub fn answer(&self, answer: InteractionAnswer) -> Result<Fact, AnswerRefused> {
        self.pending(&answer.id)?;
        Ok(Fact::InteractionAnswered(answer))
    }

    /// Returns a pending interaction, or why it cannot be answered.
    pub(crate) fn pending(&self, id: &InteractionId) -> Result<&Interaction, AnswerRefused> {
        if let Some(interaction) = self.get(id) {
            return Ok(interaction);
        }
        Err(match self.ended(id) {
            Some(InteractionEnd::Answered { by, .. }) => {
                AnswerRefused::AlreadyAnswered { by: by.clone() }
            }
            Some(InteractionEnd::Expired) => AnswerRefused::Expired,
            Some(InteractionEnd::Withdrawn) => AnswerRefused::Withdrawn,
            None => AnswerRefused::Unknown,
        })
    }

    /// Returns the facts that record expired interactions. Each must be denied.
    #[must_use]
    pub fn expired(&self, now_ms: i64) -> Vec<Fact> {
        let is_late =
            |interaction: &&Interaction| interaction.expires_at_ms.is_some_and(|at| at <= now_ms);
        let late = self.open.iter().filter(is_late);
        late.map(|interaction| Fact::InteractionExpired(interaction.id.clone()))
            .collect()
    }

    /// Returns when the next interaction expires, for a timer.
    #[must_use]
    pub fn next_expiry_ms(&self) -> Option<i64> {
        let expiries = self
            .open
            .iter()
            .filter_map(|interaction| interaction.expires_at_ms);
        expiries.min()
    }

    /// Returns the facts that withdraw all pending interactions, for when the process is gone.
    #[must_use]
    pub fn abandoned(&self) -> Vec<Fact> {
        let ids = self.open.iter().map(|interaction| interaction.id.clone());
        ids.map(Fact::InteractionWithdrawn).collect()
    }

    /// Returns the interactions whose answers the CLI may not have received.
    pub(crate) fn unconfirmed(&self) -> impl Iterator<Item = &Unconfirmed> {
        self.unconfirmed.iter()
    }

    fn keep(&mut self, id: &InteractionId, answer: Option<&Json>) {
        let Some(interaction) = self.get(id).cloned() else {
            return;
        };
        if self.unconfirmed.len() >= UNCONFIRMED {
            self.unconfirmed.pop_front();
        }
        let answer = answer.cloned();
        self.unconfirmed.push_back(Unconfirmed {
            interaction,
            answer,
        });
    }

    /// Applies a logged fact.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::InteractionOpened(interaction) => {
                self.open.retain(|open| open.id != interaction.id);
                if let Some((group, 1..)) = place(interaction) {
                    self.begins(group, interaction.group_size);
                }
                self.open.push(interaction.clone());
            }
            Fact::InteractionAnswered(answer) => {
                self.keep(&answer.id, Some(&answer.answer));
                let end = InteractionEnd::Answered {
                    by: answer.by.clone(),
                    key: answer.key.clone(),
                };
                self.end(&answer.id, end);
            }
            Fact::InteractionExpired(id) => {
                self.keep(id, None);
                self.end(id, InteractionEnd::Expired);
            }
            Fact::InteractionWithdrawn(id) => self.end(id, InteractionEnd::Withdrawn),
            Fact::TurnEnded(_) => self.unconfirmed.clear(),
            // Another process never gets the answers to requests of this one.
            Fact::Lifecycle(lifecycle) if lifecycle.state != LifecycleState::Ready => {
                self.unconfirmed.clear();
            }
            _ => {}
        }
    }

    /// Adds the first interaction to its group: it was asked before the group existed.
    fn begins(&mut self, group: &str, size: Option<u32>) {
        let is_first = |interaction: &&mut Interaction| interaction.id.as_str() == group;
        if let Some(first) = self.open.iter_mut().find(is_first)
            && first.group.is_none()
        {
            first.group = Some(group.to_owned());
            (first.group_index, first.group_size) = (Some(0), size);
        }
    }

    /// The first end counts, even if the log has two.
    fn end(&mut self, id: &InteractionId, end: InteractionEnd) {
        let Some(at) = self
            .open
            .iter()
            .position(|interaction| interaction.id == *id)
        else {
            return;
        };
        let interaction = self.open.remove(at);
        let place = place(&interaction).map(|(group, index)| (group.to_owned(), index));
        if self.over.insert(id.clone(), Over { end, place }).is_none() {
            self.order.push_back(id.clone());
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.over.remove(&oldest);
        }
    }
}

fn place(interaction: &Interaction) -> Option<(&str, u32)> {
    Some((interaction.group.as_deref()?, interaction.group_index?))
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;
    use crate::event::InteractionKind;

    fn asked(id: &str, expires_at_ms: Option<i64>) -> Fact {
        let (id, kind) = (InteractionId::new(id), InteractionKind::Permission);
        let mut interaction = Interaction::new(id, kind, Json::default());
        interaction.expires_at_ms = expires_at_ms;
        Fact::InteractionOpened(interaction)
    }

    fn answer(id: &str, by: &str) -> InteractionAnswer {
        let mut answer = InteractionAnswer::new(InteractionId::new(id), Json::default());
        answer.by = Some(by.to_owned());
        answer
    }

    #[test]
    fn the_first_answer_counts_and_the_second_is_told_who_was_faster() {
        let mut interactions = InteractionRegistry::new();
        interactions.apply(&asked("p1", None));
        let phone = interactions.answer(answer("p1", "phone")).unwrap();
        // Nothing changes until the fact is applied.
        assert_eq!(interactions.open().count(), 1);
        interactions.apply(&phone);
        let refused = interactions.answer(answer("p1", "desktop")).unwrap_err();
        let by = Some("phone".to_owned());
        assert_eq!(refused, AnswerRefused::AlreadyAnswered { by });
        let printed = "another client (phone) answered this interaction first";
        assert_eq!(refused.to_string(), printed);
        // Two writers may both have answered in time; the order in the log decides.
        interactions.apply(&Fact::InteractionAnswered(answer("p1", "desktop")));
        assert_eq!(interactions.answer(answer("p1", "x")).unwrap_err(), refused);
    }

    #[test]
    fn expired_withdrawn_and_unknown_are_told_apart() {
        let mut interactions = InteractionRegistry::new();
        interactions.apply(&asked("late", Some(1_000)));
        interactions.apply(&asked("open", Some(3_000)));
        interactions.apply(&asked("left", None));
        assert_eq!(interactions.next_expiry_ms(), Some(1_000));
        assert!(interactions.expired(999).is_empty());
        let late = interactions.expired(1_000);
        assert_eq!(late, [Fact::InteractionExpired(InteractionId::new("late"))]);
        late.iter().for_each(|fact| interactions.apply(fact));
        interactions.apply(&Fact::InteractionWithdrawn(InteractionId::new("left")));
        let refused = |id| interactions.answer(answer(id, "x")).err();
        assert_eq!(refused("late"), Some(AnswerRefused::Expired));
        assert_eq!(refused("left"), Some(AnswerRefused::Withdrawn));
        assert_eq!(refused("other"), Some(AnswerRefused::Unknown));
        assert_eq!(refused("open"), None);
        let open = InteractionId::new("open");
        assert_eq!(interactions.abandoned(), [Fact::InteractionWithdrawn(open)]);
    }

    #[test]
    fn the_oldest_stands_first_whatever_it_is_called() {
        let mut interactions = InteractionRegistry::new();
        for id in ["c", "a", "b"] {
            interactions.apply(&asked(id, None));
        }
        let ids = interactions
            .open()
            .map(|interaction| interaction.id.as_str());
        assert!(ids.eq(["c", "a", "b"]));
        let id = InteractionId::new("a");
        assert_eq!(interactions.ended(&id), None);
        interactions.apply(&Fact::InteractionExpired(id.clone()));
        assert_eq!(interactions.ended(&id), Some(&InteractionEnd::Expired));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut interactions = InteractionRegistry::new();
        for number in 0..REMEMBERED + 10 {
            let id = format!("p{number}");
            interactions.apply(&asked(&id, None));
            interactions.apply(&Fact::InteractionWithdrawn(InteractionId::new(id)));
        }
        assert_eq!(interactions.over.len(), REMEMBERED);
        assert_eq!(interactions.order.len(), REMEMBERED);
        let refused = |id| interactions.answer(answer(id, "x")).unwrap_err();
        assert_eq!(refused("p0"), AnswerRefused::Unknown);
        assert_eq!(refused("p99"), AnswerRefused::Withdrawn);
    }
}
