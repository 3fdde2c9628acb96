//! Prompts that came at once.

use crate::event::AskedPrompt;

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
    held: Vec<AskedPrompt>,
    since_ms: i64,
}

impl PromptGroups {
    /// Holds a prompt back for those that come with it.
    pub fn hold(&mut self, prompt: AskedPrompt, now_ms: i64) {
        if self.held.is_empty() {
            self.since_ms = now_ms;
        }
        self.held.push(prompt);
    }

    /// When the prompts that are held are to be asked, for a timer.
    #[must_use]
    pub fn due_ms(&self) -> Option<i64> {
        (!self.held.is_empty()).then(|| self.since_ms.saturating_add(GROUP_WINDOW_MS))
    }

    /// Lets go of a prompt that the CLI took back before it was asked.
    pub fn withdraw(&mut self, id: &crate::event::PromptId) -> bool {
        let before = self.held.len();
        self.held.retain(|prompt| prompt.id != *id);
        self.held.len() < before
    }

    /// The prompts to ask now, none while others may still join. Two or more have a group, which
    /// is named after the first of them.
    pub fn take(&mut self, now_ms: i64) -> Vec<AskedPrompt> {
        if self.due_ms().is_none_or(|due| now_ms < due) {
            return Vec::new();
        }
        let mut asked = std::mem::take(&mut self.held);
        if asked.len() > 1 {
            let group = asked.first().map(|first| first.id.as_str().to_owned());
            for prompt in &mut asked {
                prompt.group.clone_from(&group);
            }
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;
    use crate::event::{PromptId, PromptKind};

    fn prompt(id: &str) -> AskedPrompt {
        AskedPrompt::new(PromptId::new(id), PromptKind::Permission, Json::default())
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
