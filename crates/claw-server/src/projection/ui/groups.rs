//! Batches of permissions.

use serde::{Deserialize, Serialize};

use crate::event::{Interaction, InteractionId};
use crate::permission::PermissionRequest;
use crate::ui_message::UiMessage;

/// Maximum size of a batch. The CLI asks for a handful at once, but a log may contain anything, and
/// incomplete groups are buffered.
pub(in super::super) const MOST: usize = 1024;

/// The last group of permissions, while all of it is open and others can join it. Permissions that
/// were opened together are adjacent in the log. The group is sent when the last of them arrives,
/// and again when others join.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Groups {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    id: String,
    /// The size, as far as known.
    size: u32,
    asked: Vec<Waiting>,
    /// The number of members that were sent.
    sent: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Waiting {
    interaction: InteractionId,
    tool_use_id: String,
    request: PermissionRequest,
}

impl Groups {
    /// Drops the group, because the process ended.
    pub(super) fn forget(&mut self) {
        self.open = None;
    }

    /// Sends an incomplete group when a turn ends. A complete group stays open: permissions of
    /// background subagents are still pending, and others may join.
    pub(super) fn turn_over(&mut self, session_id: i64, messages: &mut Vec<UiMessage>) {
        let is_cut_short = |group: &Group| group.sent < group.asked.len();
        if self.open.as_ref().is_some_and(is_cut_short) {
            self.flush(session_id, messages);
        }
    }

    pub(super) fn asked(
        &mut self,
        interaction: &Interaction,
        session_id: i64,
        messages: &mut Vec<UiMessage>,
    ) {
        let call = interaction.name();
        let waiting = Waiting {
            interaction: interaction.id.clone(),
            tool_use_id: call.to_owned(),
            request: PermissionRequest::of_interaction(interaction),
        };
        let (id, index, size) = match (
            &interaction.group,
            interaction.group_index,
            interaction.group_size,
        ) {
            (Some(id), index, Some(size)) => (id.as_str(), index.unwrap_or(0), size),
            _ => (interaction.id.as_str(), 0, 1),
        };
        let is_next = |open: &Group| {
            let next = open.asked.len();
            open.id == id && next == index as usize && next < MOST
        };
        if !self.open.as_ref().is_some_and(is_next) {
            self.flush(session_id, messages);
        }
        // The rest of an incomplete group is sent one by one.
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

    /// A member was resolved: sends the group and closes it.
    pub(super) fn resolved(
        &mut self,
        id: &InteractionId,
        session_id: i64,
        messages: &mut Vec<UiMessage>,
    ) {
        let waits = |group: &Group| group.asked.iter().any(|waiting| waiting.interaction == *id);
        if self.open.as_ref().is_some_and(waits) {
            self.flush(session_id, messages);
        }
    }

    /// Sends the group if members are unsent, and closes it.
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
