//! Permissions that are asked for at once.

use serde::{Deserialize, Serialize};

use crate::event::{AskedPrompt, PromptId};
use crate::permission::PermissionRequest;
use crate::ui_message::UiMessage;

/// How many are shown as one. A CLI asks a handful at once; a log may hold anything, and a group
/// that is not whole is kept, and not shown.
pub(in super::super) const MOST: usize = 1024;

/// The group that was asked last, as long as all of it waits: others may join it. Those that were
/// asked at one time stand one behind the other in the log, and it is sent when the last of them has
/// come; when others join, it is sent again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Groups {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    id: String,
    /// How many it has, as far as is known.
    size: u32,
    asked: Vec<Waiting>,
    /// How many of them were sent.
    sent: usize,
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

    /// There is no process, so nobody waits.
    pub(super) fn forget(&mut self) {
        self.open = None;
    }

    /// A turn is over. What a subagent in the background asked for waits on, and others may join
    /// it; only a group that was cut short is sent as it is.
    pub(super) fn turn_over(&mut self, session_id: i64, messages: &mut Vec<UiMessage>) {
        let is_cut_short = |group: &Group| group.sent < group.asked.len();
        if self.open.as_ref().is_some_and(is_cut_short) {
            self.flush(session_id, messages);
        }
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
        let (id, index, size) = match (&prompt.group, prompt.group_index, prompt.group_size) {
            (Some(id), index, Some(size)) => (id.as_str(), index.unwrap_or(0), size),
            _ => (prompt.id.as_str(), 0, 1),
        };
        let is_next = |open: &Group| {
            let next = open.asked.len();
            open.id == id && next == index as usize && next < MOST
        };
        if !self.open.as_ref().is_some_and(is_next) {
            self.flush(session_id, messages);
        }
        // The rest of a group that was cut short comes one by one.
        if self.open.is_none() && index != 0 {
            return messages.push(waiting.alone(session_id));
        }
        let group = self.open.get_or_insert_with(|| Group {
            id: id.to_owned(),
            size,
            asked: Vec::new(),
            sent: 0,
        });
        group.size = size;
        group.asked.push(waiting);
        if group.asked.len() >= size as usize {
            group.send(session_id, messages);
        }
    }

    /// One of the group waits no more: what there is of it is sent, and nobody joins it.
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

    /// What there is of the group is sent, and nobody joins it.
    pub(super) fn flush(&mut self, session_id: i64, messages: &mut Vec<UiMessage>) {
        if let Some(mut group) = self.open.take()
            && group.sent < group.asked.len()
        {
            group.send(session_id, messages);
        }
    }
}

impl Group {
    fn send(&mut self, session_id: i64, messages: &mut Vec<UiMessage>) {
        self.sent = self.asked.len();
        messages.push(match self.asked.as_slice() {
            [only] if self.size == 1 => only.clone().alone(session_id),
            asked => UiMessage::BatchPermissionRequired {
                batch_id: self.id.clone(),
                requests: asked.iter().map(|one| one.request.clone()).collect(),
                session_id,
            },
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
