//! Interactions: requests that wait for a person.

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use super::text_id::text_id;
use crate::open_enum::open_enum;

text_id! {
    /// Identifies an interaction in the log and in answers.
    InteractionId
}

open_enum! {
    /// What a person has to decide or provide.
    pub enum InteractionKind {
        /// Whether a tool may run.
        Permission,
        /// Answers to questions of the agent.
        Question,
        /// Whether to carry out a plan.
        Plan,
        /// Input that an MCP server asks for.
        Elicitation,
        /// A choice in a dialog of the CLI.
        Dialog,
    }
}

/// A pending interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interaction {
    /// The id of the interaction.
    pub id: InteractionId,
    /// The kind of the request. A client can decline kinds that it does not support.
    pub kind: InteractionKind,
    /// Interactions that were open at the same time share a group. A group is named after its first
    /// interaction, which has no group itself if it was opened before the others were known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The index in the group, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_index: Option<u32>,
    /// The size of the group when this interaction was opened; others may join later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_size: Option<u32>,
    /// The id of the tool call that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The body of the CLI's control request, unchanged.
    pub request: Json,
    /// When it expires and is denied, in milliseconds since the Unix epoch; `None` if it never
    /// does. For display only: the owner of the session measures the timeout with a monotonic
    /// clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<i64>,
}

impl Interaction {
    /// Makes it a member of a group.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>, index: u32, size: u32) -> Self {
        self.group = Some(group.into());
        self.group_index = Some(index);
        self.group_size = Some(size);
        self
    }

    /// The name that clients use: the id of its tool call, or its own id if it is not the first of
    /// that call.
    pub(crate) fn name(&self) -> &str {
        let id = self.id.as_str();
        match self.tool_use_id.as_deref() {
            Some(call) if !is_numbered(id, call) => call,
            _ => id,
        }
    }

    /// Creates an interaction without a group that never expires.
    pub fn new(id: InteractionId, kind: InteractionKind, request: Json) -> Self {
        Self {
            id,
            kind,
            group: None,
            group_index: None,
            group_size: None,
            tool_use_id: None,
            tool_name: None,
            request,
            expires_at_ms: None,
        }
    }
}

/// Whether an interaction's id is that of its call with a `#` and a number appended.
fn is_numbered(id: &str, call: &str) -> bool {
    id.strip_prefix(call)
        .is_some_and(|rest| rest.starts_with('#'))
}

/// The answer that was accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InteractionAnswer {
    /// The id of the interaction.
    pub id: InteractionId,
    /// The response sent to the CLI.
    pub answer: Json,
    /// Who answered: a person, a device, or a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The idempotency key: an answer sent again with the same key is accepted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl InteractionAnswer {
    /// Creates an answer without an author and a key.
    pub fn new(id: InteractionId, answer: Json) -> Self {
        Self {
            id,
            answer,
            by: None,
            key: None,
        }
    }
}
