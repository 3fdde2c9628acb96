//! Prompts that wait, and who may answer them.
//!
//! [`PromptDesk`] knows which prompts of a session are open. It decides and does not act: each
//! method says which [`Fact`] is now true, whoever keeps the log appends it, and only then the desk
//! is told ([`PromptDesk::apply`]) and the CLI gets its answer. So the desk of a session that came
//! up again on another machine is made by applying its events.
//!
//! - The first answer counts. A later one is told who was faster, and [`AnswerRefused`] keeps
//!   "answered", "expired", "withdrawn" and "never asked" apart.
//! - No answer is a no: a prompt whose time is over expires, and is denied.
//! - Prompts that were asked together are answered one by one or all at once, each on its own: a no
//!   to one of them is no answer to the others.

mod group;

use std::collections::{HashMap, VecDeque};

#[cfg(test)]
pub(crate) use group::GROWS_MS;
pub use group::{GROUP_WINDOW_MS, PromptGroups};

use crate::event::{AskedPrompt, Fact, PromptAnswer, PromptId};

/// How many prompts that are over are remembered, so that a late answer can be told why.
pub(crate) const REMEMBERED: usize = 1024;

/// The prompts of one session; see [the module](self).
#[derive(Debug, Clone, Default)]
pub struct PromptDesk {
    /// The oldest first. There are few.
    open: Vec<AskedPrompt>,
    over: HashMap<PromptId, Over>,
    /// The oldest first.
    order: VecDeque<PromptId>,
}

/// A prompt that waits no more.
#[derive(Debug, Clone)]
struct Over {
    end: PromptEnd,
    /// The group that it was asked in, and its place there.
    place: Option<(String, u32)>,
}

/// How a prompt came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptEnd {
    /// Somebody answered it.
    Answered {
        /// Who, where that is known.
        by: Option<String>,
    },
    /// Nobody answered in time.
    Expired,
    /// The agent does not wait for it any more.
    Withdrawn,
}

/// Why an answer does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerRefused {
    /// It was answered before.
    #[error("somebody{} answered this prompt first", by_whom(.by.as_deref()))]
    AlreadyAnswered {
        /// Who, where that is known.
        by: Option<String>,
    },
    /// Its time was over, and it was denied.
    #[error("this prompt expired and was denied: ask the agent again")]
    Expired,
    /// The agent does not wait for it any more.
    #[error(
        "the agent does not wait for this prompt any more: its turn was stopped or its process ended"
    )]
    Withdrawn,
    /// It was never asked in this session, or so long ago that nobody remembers.
    #[error("this session has asked no such prompt")]
    Unknown,
    /// It is no answer to this prompt, which keeps waiting.
    #[error("this is no answer to the prompt, which keeps waiting: {why}")]
    Unfit {
        /// What is wrong with it.
        why: String,
    },
    /// The session is not open here, or it ended before the answer could be stored.
    #[error("the session has ended, or was never opened here")]
    NoSession,
}

fn by_whom(by: Option<&str>) -> String {
    by.map(|by| format!(" ({by})")).unwrap_or_default()
}

impl PromptDesk {
    /// A desk without prompts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The prompts that wait, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &AskedPrompt> {
        self.open.iter()
    }

    /// One prompt that waits.
    #[must_use]
    pub fn get(&self, id: &PromptId) -> Option<&AskedPrompt> {
        self.open.iter().find(|prompt| prompt.id == *id)
    }

    /// Whether a prompt of this id waits, or is remembered.
    #[must_use]
    pub fn knows(&self, id: &PromptId) -> bool {
        self.get(id).is_some() || self.over.contains_key(id)
    }

    /// How a prompt that is remembered came to its end.
    #[must_use]
    pub fn ended(&self, id: &PromptId) -> Option<&PromptEnd> {
        self.over.get(id).map(|over| &over.end)
    }

    /// The prompt at a place of a group, whether it waits or is remembered.
    #[must_use]
    pub fn in_group(&self, group: &str, index: u32) -> Option<PromptId> {
        let open = self.open.iter().find_map(|prompt| {
            let (its_group, its_index) = place(prompt)?;
            (its_group == group && its_index == index).then_some(&prompt.id)
        });
        let is_meant = |over: &Over| {
            let place = over.place.as_ref();
            place.is_some_and(|(its_group, its_index)| its_group == group && *its_index == index)
        };
        let over = || self.over.iter().find(|(_, over)| is_meant(over));
        open.or_else(|| over().map(|(id, _)| id)).cloned()
    }

    /// Says what an answer makes true.
    ///
    /// # Errors
    /// When the answer does not count, and why.
    pub fn answer(&self, answer: PromptAnswer) -> Result<Fact, AnswerRefused> {
        if self.get(&answer.id).is_some() {
            return Ok(Fact::PromptAnswered(answer));
        }
        Err(match self.over.get(&answer.id).map(|over| &over.end) {
            Some(PromptEnd::Answered { by }) => AnswerRefused::AlreadyAnswered { by: by.clone() },
            Some(PromptEnd::Expired) => AnswerRefused::Expired,
            Some(PromptEnd::Withdrawn) => AnswerRefused::Withdrawn,
            None => AnswerRefused::Unknown,
        })
    }

    /// The prompts whose time is over: each is to be denied.
    #[must_use]
    pub fn expired(&self, now_ms: i64) -> Vec<Fact> {
        let is_late = |prompt: &&AskedPrompt| prompt.expires_at_ms.is_some_and(|at| at <= now_ms);
        let late = self.open.iter().filter(is_late);
        late.map(|prompt| Fact::PromptExpired(prompt.id.clone()))
            .collect()
    }

    /// When the next prompt expires, for a timer.
    #[must_use]
    pub fn next_expiry_ms(&self) -> Option<i64> {
        let expiries = self.open.iter().filter_map(|prompt| prompt.expires_at_ms);
        expiries.min()
    }

    /// What is true when the process of the session is gone: nobody waits for an answer.
    #[must_use]
    pub fn abandoned(&self) -> Vec<Fact> {
        let ids = self.open.iter().map(|prompt| prompt.id.clone());
        ids.map(Fact::PromptWithdrawn).collect()
    }

    /// Takes note of what is in the log.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::PromptAsked(prompt) => {
                self.open.retain(|open| open.id != prompt.id);
                if let Some((group, 1..)) = place(prompt) {
                    self.begins(group, prompt.group_size);
                }
                self.open.push(prompt.clone());
            }
            Fact::PromptAnswered(answer) => self.end(
                &answer.id,
                PromptEnd::Answered {
                    by: answer.by.clone(),
                },
            ),
            Fact::PromptExpired(id) => self.end(id, PromptEnd::Expired),
            Fact::PromptWithdrawn(id) => self.end(id, PromptEnd::Withdrawn),
            _ => {}
        }
    }

    /// The first of a group was asked alone when nobody knew of the others.
    fn begins(&mut self, group: &str, size: Option<u32>) {
        let is_first = |prompt: &&mut AskedPrompt| prompt.id.as_str() == group;
        if let Some(first) = self.open.iter_mut().find(is_first)
            && first.group.is_none()
        {
            first.group = Some(group.to_owned());
            (first.group_index, first.group_size) = (Some(0), size);
        }
    }

    /// The first end is the end, also when the log has two.
    fn end(&mut self, id: &PromptId, end: PromptEnd) {
        let Some(at) = self.open.iter().position(|prompt| prompt.id == *id) else {
            return;
        };
        let prompt = self.open.remove(at);
        let place = place(&prompt).map(|(group, index)| (group.to_owned(), index));
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

fn place(prompt: &AskedPrompt) -> Option<(&str, u32)> {
    Some((prompt.group.as_deref()?, prompt.group_index?))
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;
    use crate::event::PromptKind;

    fn asked(id: &str, expires_at_ms: Option<i64>) -> Fact {
        let mut prompt =
            AskedPrompt::new(PromptId::new(id), PromptKind::Permission, Json::default());
        prompt.expires_at_ms = expires_at_ms;
        Fact::PromptAsked(prompt)
    }

    fn answer(id: &str, by: &str) -> PromptAnswer {
        let mut answer = PromptAnswer::new(PromptId::new(id), Json::default());
        answer.by = Some(by.to_owned());
        answer
    }

    #[test]
    fn the_first_answer_counts_and_the_second_is_told_who_was_faster() {
        let mut desk = PromptDesk::new();
        desk.apply(&asked("p1", None));
        let phone = desk.answer(answer("p1", "phone")).unwrap();
        // Until it is in the log, nothing has happened.
        assert_eq!(desk.open().count(), 1);
        desk.apply(&phone);
        let refused = desk.answer(answer("p1", "desktop")).unwrap_err();
        assert_eq!(
            refused,
            AnswerRefused::AlreadyAnswered {
                by: Some("phone".to_owned())
            }
        );
        assert_eq!(
            refused.to_string(),
            "somebody (phone) answered this prompt first"
        );
        // Two writers may both have asked in time; the log's order decides.
        desk.apply(&Fact::PromptAnswered(answer("p1", "desktop")));
        assert_eq!(desk.answer(answer("p1", "x")).unwrap_err(), refused);
    }

    #[test]
    fn expired_withdrawn_and_unknown_are_told_apart() {
        let mut desk = PromptDesk::new();
        desk.apply(&asked("late", Some(1_000)));
        desk.apply(&asked("open", Some(3_000)));
        desk.apply(&asked("left", None));
        assert_eq!(desk.next_expiry_ms(), Some(1_000));
        assert!(desk.expired(999).is_empty());
        let late = desk.expired(1_000);
        assert_eq!(late, [Fact::PromptExpired(PromptId::new("late"))]);
        late.iter().for_each(|fact| desk.apply(fact));
        desk.apply(&Fact::PromptWithdrawn(PromptId::new("left")));
        let refused = |id| desk.answer(answer(id, "x")).err();
        assert_eq!(refused("late"), Some(AnswerRefused::Expired));
        assert_eq!(refused("left"), Some(AnswerRefused::Withdrawn));
        assert_eq!(refused("other"), Some(AnswerRefused::Unknown));
        assert_eq!(refused("open"), None);
        assert_eq!(
            desk.abandoned(),
            [Fact::PromptWithdrawn(PromptId::new("open"))]
        );
    }

    #[test]
    fn the_oldest_stands_first_whatever_it_is_called() {
        let mut desk = PromptDesk::new();
        for id in ["c", "a", "b"] {
            desk.apply(&asked(id, None));
        }
        let ids: Vec<&str> = desk.open().map(|prompt| prompt.id.as_str()).collect();
        assert_eq!(ids, ["c", "a", "b"]);
        assert_eq!(desk.ended(&PromptId::new("a")), None);
        desk.apply(&Fact::PromptExpired(PromptId::new("a")));
        assert_eq!(desk.ended(&PromptId::new("a")), Some(&PromptEnd::Expired));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut desk = PromptDesk::new();
        for number in 0..REMEMBERED + 10 {
            let id = format!("p{number}");
            desk.apply(&asked(&id, None));
            desk.apply(&Fact::PromptWithdrawn(PromptId::new(id)));
        }
        assert_eq!(
            (desk.over.len(), desk.order.len()),
            (REMEMBERED, REMEMBERED)
        );
        assert_eq!(
            desk.answer(answer("p0", "x")).unwrap_err(),
            AnswerRefused::Unknown
        );
        assert_eq!(
            desk.answer(answer("p99", "x")).unwrap_err(),
            AnswerRefused::Withdrawn
        );
    }
}
