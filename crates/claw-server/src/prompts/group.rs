//! Prompts that came at once.

use crate::event::{AskedPrompt, PromptId, PromptKind};

/// How long a prompt is held back at most, so that the next can be asked with it. A person does not
/// see it.
pub const GROUP_WINDOW_MS: i64 = 50;

/// How long others can join a group, from its first prompt on, while more are known to be on their
/// way. The CLI asks for each call of a reply when it has read it, ten to a hundred milliseconds
/// after each other and more on a busy machine.
pub(crate) const GROWS_MS: i64 = 20 * GROUP_WINDOW_MS;

/// Makes groups of prompts that the CLI asked one by one.
///
/// Nobody waits for a group to be whole: what came within the window is asked, and what comes later
/// joins it. The first of a group may so have been asked alone, without a group; the group has its
/// name, and it has the first place there. Its owner says before each [`take`](Self::take) what still
/// waits ([`grow_while`](Self::grow_while)): nothing joins what was answered.
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
/// assert_eq!(groups.due_ms(), Some(1_050));
/// assert!(groups.take(1_049).is_empty());
/// let asked = groups.take(1_050);
/// assert_eq!(asked.len(), 2);
/// assert_eq!(asked[0].group, asked[1].group);
/// // This one comes a moment later, and is the third of them.
/// groups.hold(prompt("c"), 1_060);
/// let joined = groups.take(1_110);
/// assert_eq!(joined[0].group, asked[0].group);
/// assert_eq!(joined[0].group_index, Some(2));
/// ```
#[derive(Debug, Clone, Default)]
pub struct PromptGroups {
    /// Each with its place in the order of the questions.
    held: Vec<(u64, AskedPrompt)>,
    /// When the first of them came, and when the last.
    since_ms: i64,
    latest_ms: i64,
    expects_more: bool,
    /// The permissions that were asked last, while others may join them.
    growing: Option<Growing>,
}

#[derive(Debug, Clone, Default)]
struct Growing {
    members: Vec<PromptId>,
    /// When the first of them came, and when the last.
    since_ms: i64,
    latest_ms: i64,
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
            let expects_more = self.expects_more;
            self.growing.take_if(|group| {
                let is_next = now_ms <= group.latest_ms.saturating_add(GROUP_WINDOW_MS);
                let is_late = now_ms > group.since_ms.saturating_add(GROWS_MS);
                is_late || !(is_next || expects_more)
            });
        }
        self.latest_ms = now_ms;
        self.held.push((order, prompt));
    }

    /// Whether more are known to be on their way, because the agent still writes the message whose
    /// calls are asked for: then those that come join those that were asked.
    pub fn expect_more(&mut self, expects_more: bool) {
        self.expects_more = expects_more;
    }

    /// Ends the group that others could join unless all of it still waits: what was answered is
    /// not asked again beside something new.
    pub fn grow_while(&mut self, waits: impl Fn(&PromptId) -> bool) {
        self.growing
            .take_if(|group| !group.members.iter().all(waits));
    }

    /// When the prompts that are held are to be asked, for a timer.
    #[must_use]
    pub fn due_ms(&self) -> Option<i64> {
        let due = self.since_ms.saturating_add(GROUP_WINDOW_MS);
        (!self.held.is_empty()).then_some(due)
    }

    /// Lets go of a prompt that the CLI took back before it was asked.
    pub fn withdraw(&mut self, id: &PromptId) -> bool {
        let before = self.held.len();
        self.held.retain(|(_, prompt)| prompt.id != *id);
        self.held.len() < before
    }

    /// The prompts to ask now, none while others may still come with them. Two or more permissions
    /// have a group, which is named after the first of them, and stand behind each other; what else
    /// is asked comes after them.
    pub fn take(&mut self, now_ms: i64) -> Vec<AskedPrompt> {
        if self.due_ms().is_none_or(|due| now_ms < due) {
            return Vec::new();
        }
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|(order, _)| *order);
        let held = held.into_iter().map(|(_, prompt)| prompt);
        let is_permission = |prompt: &AskedPrompt| prompt.kind == PromptKind::Permission;
        let (mut asked, others): (Vec<_>, Vec<_>) = held.partition(is_permission);
        if !asked.is_empty() {
            let since_ms = self.since_ms;
            let group = self.growing.get_or_insert_with(|| Growing {
                since_ms,
                ..Growing::default()
            });
            group.latest_ms = self.latest_ms;
            asked = group.join(asked);
        }
        asked.extend(others);
        asked
    }
}

impl Growing {
    /// Says of prompts which of the group they are, if it has more than one.
    fn join(&mut self, asked: Vec<AskedPrompt>) -> Vec<AskedPrompt> {
        let place = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let next = place(self.members.len());
        self.members
            .extend(asked.iter().map(|prompt| prompt.id.clone()));
        let size = place(self.members.len());
        match self.members.first() {
            Some(first) if size > 1 => (next..)
                .zip(asked)
                .map(|(index, prompt)| prompt.in_group(first.as_str(), index, size))
                .collect(),
            _ => asked,
        }
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;

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

    /// A prompt, and the group, its place there, and how many it has.
    type Placed<'a> = (&'a str, Option<(&'a str, u32, u32)>);

    fn places(asked: &[AskedPrompt]) -> Vec<Placed<'_>> {
        asked
            .iter()
            .map(|prompt| {
                let group = prompt.group.as_deref();
                let place = group.zip(prompt.group_index).zip(prompt.group_size);
                let place = place.map(|((group, index), size)| (group, index, size));
                (prompt.id.as_str(), place)
            })
            .collect()
    }

    #[test]
    fn nobody_waits_longer_than_the_window_and_what_comes_later_joins() {
        let mut groups = PromptGroups::default();
        groups.expect_more(true);
        groups.hold(prompt("a"), 0);
        assert_eq!(groups.due_ms(), Some(50));
        assert_eq!(places(&groups.take(50)), [("a", None)]);
        groups.grow_while(|_| true);
        groups.hold(prompt("b"), 130);
        groups.expect_more(false);
        groups.hold(prompt("c"), 170);
        assert_eq!(groups.due_ms(), Some(180));
        assert_eq!(
            places(&groups.take(180)),
            [("b", Some(("a", 1, 3))), ("c", Some(("a", 2, 3)))]
        );
        // The next without a word that it would come.
        groups.hold(prompt("d"), 220);
        assert_eq!(places(&groups.take(270)), [("d", Some(("a", 3, 4)))]);
        groups.hold(prompt("e"), 271);
        assert_eq!(places(&groups.take(321)), [("e", None)]);
    }

    #[test]
    fn a_group_grows_neither_for_ever_nor_when_one_was_answered() {
        let mut groups = PromptGroups::default();
        groups.expect_more(true);
        groups.hold(prompt("a"), 0);
        groups.take(50);
        groups.hold(prompt("b"), 1_000);
        assert_eq!(places(&groups.take(1_050)), [("b", Some(("a", 1, 2)))]);
        groups.hold(prompt("c"), 1_001);
        assert_eq!(places(&groups.take(1_051)), [("c", None)]);
        groups.hold(prompt("d"), 1_100);
        groups.grow_while(|id| id.as_str() != "c");
        assert_eq!(places(&groups.take(1_150)), [("d", None)]);
    }
}
