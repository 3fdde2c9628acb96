//! Prompts that came at once.

use crate::event::{AskedPrompt, PromptKind};

/// How long prompts are held back so that others can join them. A person does not see it; three
/// reads of one reply come within a few milliseconds of each other.
pub const GROUP_WINDOW_MS: i64 = 50;

/// Makes groups of prompts that the CLI asked one by one.
///
/// ```
/// use claw_server::event::{AskedPrompt, PromptId, PromptKind};
/// use claw_server::prompts::PromptGroups;
/// use claw_server::Json;
///
/// let prompt = |id: &str| AskedPrompt::new(PromptId::new(id), PromptKind::Permission, Json::default());
/// let mut groups = PromptGroups::default();
/// groups.hold(prompt("a"), 1_000);
/// groups.hold(prompt("b"), 1_020);
/// assert_eq!(groups.due_ms(), Some(1_050));
/// assert!(groups.take(1_049).is_empty());
/// let asked = groups.take(1_050);
/// assert_eq!(asked.len(), 2);
/// assert_eq!(asked[0].group, asked[1].group);
/// ```
#[derive(Debug, Clone, Default)]
pub struct PromptGroups {
    /// Each with its place in the order of the questions.
    held: Vec<(u64, AskedPrompt)>,
    since_ms: i64,
}

impl PromptGroups {
    /// Holds a prompt back for those that come with it.
    pub fn hold(&mut self, prompt: AskedPrompt, now_ms: i64) {
        let last = self.held.iter().map(|(order, _)| *order).max();
        self.hold_as(last.map_or(0, |last| last + 1), prompt, now_ms);
    }

    /// The same, for one that may have been overtaken on its way here: those with a lower number
    /// were asked before it.
    pub fn hold_as(&mut self, order: u64, prompt: AskedPrompt, now_ms: i64) {
        if self.held.is_empty() {
            self.since_ms = now_ms;
        }
        self.held.push((order, prompt));
    }

    /// When the prompts that are held are to be asked, for a timer.
    #[must_use]
    pub fn due_ms(&self) -> Option<i64> {
        (!self.held.is_empty()).then(|| self.since_ms.saturating_add(GROUP_WINDOW_MS))
    }

    /// Lets go of a prompt that the CLI took back before it was asked.
    pub fn withdraw(&mut self, id: &crate::event::PromptId) -> bool {
        let before = self.held.len();
        self.held.retain(|(_, prompt)| prompt.id != *id);
        self.held.len() < before
    }

    /// The prompts to ask now, none while others may still join. Two or more permissions have a
    /// group, which is named after the first of them, and stand behind each other; what else is
    /// asked comes after them.
    pub fn take(&mut self, now_ms: i64) -> Vec<AskedPrompt> {
        if self.due_ms().is_none_or(|due| now_ms < due) {
            return Vec::new();
        }
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|(order, _)| *order);
        let held = held.into_iter().map(|(_, prompt)| prompt);
        let is_permission = |prompt: &AskedPrompt| prompt.kind == PromptKind::Permission;
        let (mut asked, others): (Vec<_>, Vec<_>) = held.partition(is_permission);
        let size = u32::try_from(asked.len()).unwrap_or(u32::MAX);
        if size > 1 {
            let group = asked.first().map(|first| first.id.as_str().to_owned());
            let group = group.unwrap_or_default();
            asked = (0..)
                .zip(asked)
                .map(|(index, prompt)| prompt.in_group(group.clone(), index, size))
                .collect();
        }
        asked.extend(others);
        asked
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;
    use crate::event::PromptId;

    fn prompt(id: &str) -> AskedPrompt {
        AskedPrompt::new(PromptId::new(id), PromptKind::Permission, Json::default())
    }

    #[test]
    fn a_group_is_of_permissions_and_says_how_many_it_has() {
        let mut groups = PromptGroups::default();
        groups.hold(prompt("a"), 0);
        let mut question = prompt("q");
        question.kind = PromptKind::Question;
        groups.hold(question, 1);
        groups.hold(prompt("b"), 2);
        let asked: Vec<_> = groups
            .take(50)
            .into_iter()
            .map(|prompt| {
                (
                    prompt.id,
                    prompt.group,
                    prompt.group_index,
                    prompt.group_size,
                )
            })
            .collect();
        let group = Some("a".to_owned());
        assert_eq!(
            asked,
            [
                (PromptId::new("a"), group.clone(), Some(0), Some(2)),
                (PromptId::new("b"), group, Some(1), Some(2)),
                (PromptId::new("q"), None, None, None),
            ]
        );
    }

    #[test]
    fn a_group_stands_in_the_order_of_the_questions() {
        let mut groups = PromptGroups::default();
        for (order, id) in [(3, "c"), (1, "a"), (2, "b")] {
            groups.hold_as(order, prompt(id), 0);
        }
        let asked = groups.take(50);
        let ids: Vec<&str> = asked.iter().map(|prompt| prompt.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
    }

    #[test]
    fn one_alone_has_no_group_and_one_taken_back_is_not_asked() {
        let mut groups = PromptGroups::default();
        assert_eq!(groups.due_ms(), None);
        groups.hold(prompt("a"), 10);
        groups.hold(prompt("b"), 59);
        assert!(groups.withdraw(&PromptId::new("a")));
        assert!(!groups.withdraw(&PromptId::new("a")));
        let asked = groups.take(60);
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].group, None);
        assert_eq!(groups.due_ms(), None);
        // The next one begins a window of its own.
        groups.hold(prompt("c"), 100);
        assert_eq!(groups.due_ms(), Some(150));
    }
}
