//! Permissions that are asked for at once.

use serde::{Deserialize, Serialize};

use crate::event::{AskedPrompt, PromptId};
use crate::permission::PermissionRequest;
use crate::ui_message::UiMessage;

/// The group that is being recorded. Its prompts stand one behind the other in the log, and it is
/// sent when the last has come.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Groups {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    id: String,
    size: u32,
    asked: Vec<Waiting>,
}

/// One permission that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Waiting {
    prompt: PromptId,
    tool_use_id: String,
    request: PermissionRequest,
}

impl Groups {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_none()
    }

    /// The turn is over, and nobody waits any more.
    pub(super) fn forget(&mut self) {
        self.open = None;
    }

    pub(super) fn asked(
        &mut self,
        prompt: &AskedPrompt,
        session_id: i64,
        messages: &mut Vec<UiMessage>,
    ) {
        let call = prompt.name();
        let waiting = Waiting {
            prompt: prompt.id.clone(),
            tool_use_id: call.to_owned(),
            request: PermissionRequest::of_prompt(prompt),
        };
        let (Some(id), Some(size)) = (&prompt.group, prompt.group_size) else {
            return messages.push(waiting.alone(session_id));
        };
        if self.open.as_ref().is_some_and(|open| open.id != *id) {
            self.flush(session_id, messages);
        }
        // The rest of a group that was cut short comes one by one.
        if self.open.is_none() && prompt.group_index.unwrap_or(0) != 0 {
            return messages.push(waiting.alone(session_id));
        }
        let group = self.open.get_or_insert_with(|| Group {
            id: id.clone(),
            size,
            asked: Vec::new(),
        });
        group.asked.push(waiting);
        if group.asked.len() >= group.size as usize {
            self.flush(session_id, messages);
        }
    }

    /// One of the group was answered before the group was whole: what there is of it is sent.
    pub(super) fn resolved(
        &mut self,
        id: &PromptId,
        session_id: i64,
        messages: &mut Vec<UiMessage>,
    ) {
        let waits = |group: &Group| group.asked.iter().any(|waiting| waiting.prompt == *id);
        if self.open.as_ref().is_some_and(waits) {
            self.flush(session_id, messages);
        }
    }

    /// What there is of the group is sent.
    pub(super) fn flush(&mut self, session_id: i64, messages: &mut Vec<UiMessage>) {
        let Some(mut group) = self.open.take() else {
            return;
        };
        if group.size == 1
            && let Some(only) = group.asked.pop()
        {
            return messages.push(only.alone(session_id));
        }
        messages.push(UiMessage::BatchPermissionRequired {
            batch_id: group.id,
            requests: group
                .asked
                .into_iter()
                .map(|waiting| waiting.request)
                .collect(),
            session_id,
        });
    }
}

impl Waiting {
    fn alone(self, session_id: i64) -> UiMessage {
        UiMessage::PermissionRequired {
            tool_use_id: self.tool_use_id,
            request: self.request,
            session_id,
        }
    }
}
