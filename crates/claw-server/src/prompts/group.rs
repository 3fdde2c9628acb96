//! Prompts that came at once.

use crate::event::{AskedPrompt, PromptKind};

/// How long a prompt is held back so that the next can join it. A person does not see it; three
/// reads of one reply come ten to forty milliseconds after each other, because the CLI asks for
/// each when it has read the call.
pub const GROUP_WINDOW_MS: i64 = 50;

/// How long the first of a group is held back at most, however many join it or are expected to.
pub(crate) const LONGEST_MS: i64 = 6 * GROUP_WINDOW_MS;

/// Makes groups of prompts that the CLI asked one by one.
///
/// Times are milliseconds of whatever clock its owner has, which should be one that only goes
/// forward: when the time of day is set back, prompts would be held back for as long.
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
/// assert_eq!(groups.due_ms(), Some(1_070));
/// assert!(groups.take(1_069).is_empty());
/// let asked = groups.take(1_070);
/// assert_eq!(asked.len(), 2);
/// assert_eq!(asked[0].group, asked[1].group);
/// ```
#[derive(Debug, Clone, Default)]
pub struct PromptGroups {
    /// Each with its place in the order of the questions.
    held: Vec<(u64, AskedPrompt)>,
    /// When the first of them came, and when the last.
    since_ms: i64,
    latest_ms: i64,
    expects_more: bool,
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
        self.latest_ms = now_ms;
        self.held.push((order, prompt));
    }

    /// Whether more are known to be on their way, because the agent still writes the message whose
    /// calls are asked for: then those that are held wait for them, as long as a person does not
    /// see it.
    pub fn expect_more(&mut self, expects_more: bool) {
        self.expects_more = expects_more;
    }

    /// When the prompts that are held are to be asked, for a timer.
    #[must_use]
    pub fn due_ms(&self) -> Option<i64> {
        let quiet = self.latest_ms.saturating_add(GROUP_WINDOW_MS);
        let longest = self.since_ms.saturating_add(LONGEST_MS);
        let due = if self.expects_more {
            longest
        } else {
            quiet.min(longest)
        };
        (!self.held.is_empty()).then_some(due)
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
            .take(52)
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
        let asked = groups.take(109);
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].group, None);
        assert_eq!(groups.due_ms(), None);
        // The next one begins a window of its own.
        groups.hold(prompt("c"), 200);
        assert_eq!(groups.due_ms(), Some(250));
    }

    #[test]
    fn each_waits_for_the_next_and_the_first_not_for_ever() {
        let mut groups = PromptGroups::default();
        for now in [0, 50, 100, 150, 200, 250] {
            groups.hold(prompt(&now.to_string()), now);
            assert_eq!(groups.due_ms(), Some(now + 50));
        }
        groups.hold(prompt("290"), 290);
        assert_eq!(groups.due_ms(), Some(300));
        assert_eq!(groups.take(300).len(), 7);
        // The same when more are expected, until they are not.
        groups.expect_more(true);
        groups.hold(prompt("a"), 1_000);
        assert_eq!(groups.due_ms(), Some(1_300));
        groups.expect_more(false);
        assert_eq!(groups.due_ms(), Some(1_050));
    }
}
