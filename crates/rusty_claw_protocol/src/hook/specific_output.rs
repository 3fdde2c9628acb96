//! Event-specific outputs.

use rusty_claw_macros::wire_type;

use crate::extra::Extra;
use crate::hook::{
    ElicitationOutput, HookEvent, PreModelSwitchOutput, SessionStartOutput,
    UserPromptExpansionOutput, UserPromptSubmitOutput, WatchPaths,
};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionUpdate;
use crate::text::Str;
use crate::unknown::Unknown;

/// The part of an output that depends on the event. Tagged by `hookEventName`.
///
/// It must name the event that it answers, or the CLI rejects the whole output.
#[wire_type(tag = "hookEventName", rename_all = "PascalCase")]
pub enum HookSpecificOutput {
    /// Whether and with which input the tool runs.
    PreToolUse(Box<PreToolUseOutput>),
    /// How the model sees the result.
    PostToolUse(Box<PostToolUseOutput>),
    /// Context about the failure.
    PostToolUseFailure(AdditionalContext),
    /// Context about the calls.
    PostToolBatch(AdditionalContext),
    /// The answer to the permission request.
    PermissionRequest(Box<PermissionRequestOutput>),
    /// Whether the model may retry.
    PermissionDenied(PermissionDeniedOutput),
    /// Context about the prompt.
    UserPromptSubmit(Box<UserPromptSubmitOutput>),
    /// Context about the command.
    UserPromptExpansion(Box<UserPromptExpansionOutput>),
    /// How the session begins.
    SessionStart(Box<SessionStartOutput>),
    /// Context about the project.
    Setup(AdditionalContext),
    /// Whether the model may change.
    PreModelSwitch(PreModelSwitchOutput),
    /// Context about the change.
    PostModelSwitch(AdditionalContext),
    /// Context for the subagent.
    SubagentStart(AdditionalContext),
    /// Context for the subagent, which then continues.
    SubagentStop(AdditionalContext),
    /// Context for the model, which then continues.
    Stop(AdditionalContext),
    /// Context about the notification.
    Notification(AdditionalContext),
    /// The answer to the elicitation, instead of the user's.
    Elicitation(ElicitationOutput),
    /// Replaces the user's answer.
    ElicitationResult(ElicitationOutput),
    /// Files to watch in the new directory.
    CwdChanged(WatchPaths),
    /// Files to watch from now on.
    FileChanged(WatchPaths),
    /// The worktree's path.
    WorktreeCreate {
        /// The directory that the hook created.
        #[wire(name = "worktreePath")]
        worktree_path: Str,
    },
    /// The text to display.
    MessageDisplay {
        /// The text to display instead.
        #[wire(name = "displayContent")]
        display_content: Option<String>,
    },
    /// The output for an unrecognized event.
    Unknown(Unknown),
}

impl HookSpecificOutput {
    /// Returns the event that this answers.
    pub fn event(&self) -> HookEvent {
        HookEvent::from(self.tag())
    }
}

open_enum! {
    /// A hook's decision on a tool call or a model change.
    pub enum HookPermissionDecision {
        /// Proceed without asking.
        Allow = "allow",
        /// Do not proceed.
        Deny = "deny",
        /// Ask the user.
        Ask = "ask",
        /// End the turn with the call undecided; the host decides when it resumes the session.
        Defer = "defer",
    }
}

/// Additional context for the model.
#[wire_type(rename_all = "camelCase")]
pub struct AdditionalContext {
    /// The text.
    pub additional_context: Option<String>,
}

/// The output for `PreToolUse`.
#[wire_type(rename_all = "camelCase")]
pub struct PreToolUseOutput {
    /// Whether the tool may run.
    pub permission_decision: Option<HookPermissionDecision>,
    /// The reason; shown to the model if the call is denied, to the user if asked.
    pub permission_decision_reason: Option<String>,
    /// The input to use, in the tool's own shape.
    pub updated_input: Option<Json>,
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

/// The output for `PostToolUse`.
#[wire_type(rename_all = "camelCase")]
pub struct PostToolUseOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
    /// Additional context for the classifier that decides on tool calls.
    pub classifier_context: Option<String>,
    /// Replaces the result for the model, in the tool's own shape.
    pub updated_tool_output: Option<Json>,
    /// As above, for MCP tools; the older name.
    #[wire(name = "updatedMCPToolOutput")]
    pub updated_mcp_tool_output: Option<Json>,
}

/// The output for `PermissionRequest`.
#[wire_type]
pub struct PermissionRequestOutput {
    /// The answer to the request.
    pub decision: PermissionRequestDecision,
}

/// A hook's answer to a permission request. Tagged by `behavior`.
#[wire_type(tag = "behavior")]
pub enum PermissionRequestDecision {
    /// Allows the tool call.
    Allow {
        /// The input to use instead of the model's.
        #[wire(name = "updatedInput")]
        updated_input: Option<Json>,
        /// Permission changes to apply with the answer.
        #[wire(name = "updatedPermissions")]
        updated_permissions: Option<Vec<PermissionUpdate>>,
    },
    /// Denies the tool call.
    Deny {
        /// The reason, for the model.
        message: Option<String>,
        /// Whether to end the turn.
        interrupt: Option<bool>,
    },
    /// An unrecognized behavior.
    Unknown(Unknown),
}

impl PermissionRequestDecision {
    /// Allows the call unchanged.
    pub fn allow() -> Self {
        Self::Allow {
            updated_input: None,
            updated_permissions: None,
            extra: Extra::new(),
        }
    }

    /// Denies the call, with a reason for the model.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny {
            message: Some(message.into()),
            interrupt: None,
            extra: Extra::new(),
        }
    }
}

/// The safe default: denies the call.
impl Default for PermissionRequestDecision {
    fn default() -> Self {
        Self::Deny {
            message: None,
            interrupt: None,
            extra: Extra::new(),
        }
    }
}

/// The output for `PermissionDenied`.
#[wire_type]
pub struct PermissionDeniedOutput {
    /// Whether the model may retry the call.
    pub retry: Option<bool>,
}
