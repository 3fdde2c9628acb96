//! What is true of every event.

use super::UiMessage;

impl UiMessage {
    /// The event's name: the key in its JSON.
    pub fn name(&self) -> &str {
        match self {
            Self::TextChunk { .. } => "TextChunk",
            Self::ToolExecuting { .. } => "ToolExecuting",
            Self::ToolCompleted { .. } => "ToolCompleted",
            Self::Complete { .. } => "Complete",
            Self::PermissionRequired { .. } => "PermissionRequired",
            Self::BatchPermissionRequired { .. } => "BatchPermissionRequired",
            Self::UserInteractionRequired { .. } => "UserInteractionRequired",
            Self::TokenUpdate { .. } => "TokenUpdate",
            Self::Error { .. } => "Error",
            Self::System { .. } => "System",
            Self::Display { .. } => "Display",
            Self::CommandComplete { .. } => "CommandComplete",
            Self::TextRetracted { .. } => "TextRetracted",
            Self::SubagentText { .. } => "SubagentText",
            Self::ToolProgress { .. } => "ToolProgress",
            Self::ToolFailed { .. } => "ToolFailed",
            Self::TaskProgress { .. } => "TaskProgress",
            Self::PlanUpdated { .. } => "PlanUpdated",
            Self::TodoUpdated { .. } => "TodoUpdated",
            Self::Progress { .. } => "Progress",
            Self::Usage { .. } => "Usage",
            Self::UsageLimit { .. } => "UsageLimit",
            Self::SessionState { .. } => "SessionState",
            Self::InputReceipt { .. } => "InputReceipt",
            Self::PromptRequired { .. } => "PromptRequired",
            Self::PromptResolved { .. } => "PromptResolved",
            Self::Gap { .. } => "Gap",
            Self::Unknown(unknown) => &unknown.name,
        }
    }

    /// The session to route the event to; nothing when it concerns all. An unknown event says it
    /// where the known ones do, or not at all.
    pub fn session_id(&self) -> Option<i64> {
        match self {
            Self::TextChunk { session_id, .. }
            | Self::ToolExecuting { session_id, .. }
            | Self::ToolCompleted { session_id, .. }
            | Self::Complete { session_id, .. }
            | Self::PermissionRequired { session_id, .. }
            | Self::BatchPermissionRequired { session_id, .. }
            | Self::UserInteractionRequired { session_id, .. }
            | Self::TokenUpdate { session_id, .. }
            | Self::Display { session_id, .. }
            | Self::CommandComplete { session_id, .. }
            | Self::TextRetracted { session_id, .. }
            | Self::SubagentText { session_id, .. }
            | Self::ToolProgress { session_id, .. }
            | Self::ToolFailed { session_id, .. }
            | Self::TaskProgress { session_id, .. }
            | Self::PlanUpdated { session_id, .. }
            | Self::TodoUpdated { session_id, .. }
            | Self::Progress { session_id, .. }
            | Self::Usage { session_id, .. }
            | Self::UsageLimit { session_id, .. }
            | Self::SessionState { session_id, .. }
            | Self::InputReceipt { session_id, .. }
            | Self::PromptRequired { session_id, .. }
            | Self::PromptResolved { session_id, .. }
            | Self::Gap { session_id, .. } => Some(*session_id),
            Self::Error { session_id, .. } | Self::System { session_id, .. } => *session_id,
            Self::Unknown(unknown) => {
                let body = unknown.raw.get(&unknown.name)?;
                body.get("session_id")?.parse().ok()
            }
        }
    }
}
