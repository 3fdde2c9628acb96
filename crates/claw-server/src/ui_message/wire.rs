//! How an event is read and written.

use rusty_claw_protocol::Json;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{
    BatchPlace, InputState, PromptOutcome, Resolution, SessionPhase, TaskStatus, TodoItem,
    ToolFailure, UiMessage,
};
use crate::event::{ProgressUpdate, is_none};
use crate::input::TurnId;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::stop_reason::StopReason;
use crate::unknown_message::UnknownMessage;

/// The variants again, for serde's derive.
///
/// The derive cannot stand on `UiMessage` itself, because it has no way to keep a variant that it
/// does not know. The compiler holds the two lists against each other.
#[derive(Serialize, Deserialize)]
#[serde(remote = "UiMessage")]
enum Known {
    TextChunk {
        text: String,
        session_id: i64,
        turn_id: TurnId,
    },
    ToolExecuting {
        tool_use_id: String,
        tool_name: String,
        input: Value,
        session_id: i64,
    },
    ToolCompleted {
        tool_use_id: String,
        result: String,
        session_id: i64,
    },
    Complete {
        session_id: i64,
        turn_id: TurnId,
        stop_reason: StopReason,
    },
    PermissionRequired {
        tool_use_id: String,
        request: PermissionRequest,
        session_id: i64,
    },
    BatchPermissionRequired {
        batch_id: String,
        requests: Vec<PermissionRequest>,
        session_id: i64,
    },
    UserInteractionRequired {
        tool_use_id: String,
        request: AskUserQuestionsRequest,
        session_id: i64,
    },
    TokenUpdate {
        input_tokens: i64,
        output_tokens: i64,
        session_id: i64,
    },
    Error {
        message: String,
        session_id: Option<i64>,
    },
    System {
        message: String,
        session_id: Option<i64>,
    },
    Display {
        content: String,
        session_id: i64,
    },
    CommandComplete {
        command: String,
        session_id: i64,
    },
    TextRetracted {
        offset: u64,
        length: u64,
        session_id: i64,
        turn_id: TurnId,
    },
    SubagentText {
        tool_use_id: String,
        text: String,
        session_id: i64,
    },
    ToolProgress {
        tool_use_id: String,
        tool_name: String,
        elapsed_ms: u64,
        session_id: i64,
    },
    ToolFailed {
        tool_use_id: String,
        failure: ToolFailure,
        session_id: i64,
    },
    TaskProgress {
        task_id: String,
        tool_use_id: Option<String>,
        status: TaskStatus,
        description: String,
        subagent_type: Option<String>,
        tool_uses: Option<u64>,
        total_tokens: Option<u64>,
        duration_ms: Option<u64>,
        last_tool: Option<String>,
        session_id: i64,
    },
    PlanUpdated {
        tool_use_id: String,
        plan: String,
        session_id: i64,
    },
    TodoUpdated {
        items: Vec<TodoItem>,
        #[serde(default, skip_serializing_if = "is_none")]
        left_out: u64,
        session_id: i64,
    },
    Progress {
        update: Box<ProgressUpdate>,
        session_id: i64,
    },
    Usage {
        turn_id: TurnId,
        input_tokens: u64,
        output_tokens: u64,
        cache_read_tokens: u64,
        cache_creation_tokens: u64,
        total_cost_micros: Option<u64>,
        session_id: i64,
    },
    UsageLimit {
        limit: Option<String>,
        status: String,
        used_percent: Option<u64>,
        resets_at_ms: Option<i64>,
        session_id: i64,
    },
    SessionState {
        state: SessionPhase,
        detail: Option<String>,
        session_id: i64,
    },
    InputReceipt {
        input_id: String,
        state: InputState,
        reason: Option<String>,
        session_id: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn_id: Option<TurnId>,
    },
    PromptRequired {
        prompt_id: String,
        kind: String,
        request: Value,
        session_id: i64,
    },
    PromptResolved {
        prompt_id: String,
        resolution: Resolution,
        outcome: Option<PromptOutcome>,
        by: Option<String>,
        batch: Option<BatchPlace>,
        session_id: i64,
    },
    Gap {
        from: u64,
        to: u64,
        session_id: i64,
    },
    #[serde(skip)]
    #[allow(dead_code, reason = "the derive builds the other type")]
    Unknown(UnknownMessage),
}

/// The names that [`Known`] reads.
const NAMES: [&str; 27] = [
    "TextChunk",
    "ToolExecuting",
    "ToolCompleted",
    "Complete",
    "PermissionRequired",
    "BatchPermissionRequired",
    "UserInteractionRequired",
    "TokenUpdate",
    "Error",
    "System",
    "Display",
    "CommandComplete",
    "TextRetracted",
    "SubagentText",
    "ToolProgress",
    "ToolFailed",
    "TaskProgress",
    "PlanUpdated",
    "TodoUpdated",
    "Progress",
    "Usage",
    "UsageLimit",
    "SessionState",
    "InputReceipt",
    "PromptRequired",
    "PromptResolved",
    "Gap",
];

impl Serialize for UiMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown(message) => message.serialize(serializer),
            known => Known::serialize(known, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for UiMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Json::deserialize(deserializer)?;
        let mut text = serde_json::Deserializer::from_str(raw.text());
        if let Ok(known) = Known::deserialize(&mut text) {
            return Ok(known);
        }
        let name = match raw.parse() {
            Ok(Name(name)) => name,
            // serde_json refuses half surrogates in a key; the event is kept without a name.
            Err(_) if raw.is_object() => String::new(),
            Err(_) => {
                return Err(D::Error::custom(format_args!(
                    "an event is an object with its name as the only key, not {raw}"
                )));
            }
        };
        Ok(Self::Unknown(UnknownMessage::keep(name, &NAMES, raw)))
    }
}

/// What a value of an externally tagged enum calls itself: the only key of an object, or a string
/// when the variant has no members. Empty when an object has no key or several.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object or a string")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Name, E> {
        Ok(Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Name, A::Error> {
        let mut name = String::new();
        let mut count = 0;
        while let Some((key, IgnoredAny)) = members.next_entry::<String, _>()? {
            name = key;
            count += 1;
        }
        Ok(Name(if count == 1 { name } else { String::new() }))
    }
}
