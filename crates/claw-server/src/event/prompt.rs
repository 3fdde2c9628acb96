//! What waits for a person.

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use super::text_id::text_id;
use crate::open_names::open_names;

text_id! {
    /// Names a prompt of a session in the log and in answers.
    PromptId
}

open_names! {
    /// What a person is asked for.
    pub enum PromptKind {
        /// Whether a tool may run.
        Permission,
        /// Answers to questions of the agent.
        Question,
        /// Whether a plan is to be carried out.
        Plan,
        /// What a tool server wants to know.
        Elicitation,
        /// A choice in a dialog of the CLI.
        Dialog,
    }
}

/// A prompt that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskedPrompt {
    /// Its id.
    pub id: PromptId,
    /// What is asked for. A kind that a client does not know can still be declined.
    pub kind: PromptKind,
    /// The prompts that were open at once have the same group. When it has the id of another prompt,
    /// it is about that one too: it was asked before anybody knew of the others, and is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Which of its group it is, from 0 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_index: Option<u32>,
    /// How many its group has with those that were asked together with it; more may join.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_size: Option<u32>,
    /// The call of a tool that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// What the CLI asks, as it came: the body of its control request.
    pub request: Json,
    /// When it is denied for want of an answer, in milliseconds since 1970; nothing when it waits
    /// for ever. For those who show it: its owner counts by a clock that nobody sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<i64>,
}

impl AskedPrompt {
    /// One of several prompts that were open at once.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>, index: u32, size: u32) -> Self {
        self.group = Some(group.into());
        self.group_index = Some(index);
        self.group_size = Some(size);
        self
    }

    /// By what clients name it: its call, or its own id when it is not the first of its call.
    pub(crate) fn name(&self) -> &str {
        let id = self.id.as_str();
        match self.tool_use_id.as_deref() {
            Some(call) if !is_numbered(id, call) => call,
            _ => id,
        }
    }

    /// A prompt on its own that waits for ever.
    pub fn new(id: PromptId, kind: PromptKind, request: Json) -> Self {
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

/// Whether a prompt's id is its call's and a number behind it.
fn is_numbered(id: &str, call: &str) -> bool {
    id.strip_prefix(call)
        .is_some_and(|rest| rest.starts_with('#'))
}

/// The answer that counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptAnswer {
    /// The prompt.
    pub id: PromptId,
    /// What the CLI was told.
    pub answer: Json,
    /// Who answered: a person, a device, or a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl PromptAnswer {
    /// An answer of nobody in particular.
    pub fn new(id: PromptId, answer: Json) -> Self {
        Self {
            id,
            answer,
            by: None,
        }
    }
}
