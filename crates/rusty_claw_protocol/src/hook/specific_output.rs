//! What only one event can be answered with.

use rusty_claw_macros::Wire;

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

/// The part of an answer that depends on the event. Told apart by `hookEventName`.
///
/// It must name the event that is being answered, or the CLI refuses the whole answer.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "hookEventName")]
#[non_exhaustive]
pub enum HookSpecificOutput {
    /// Whether and how the tool runs.
    #[wire(name = "PreToolUse")]
    PreToolUse(Box<PreToolUseOutput>),
    /// What the model sees of the result.
    #[wire(name = "PostToolUse")]
    PostToolUse(Box<PostToolUseOutput>),
    /// More about the failure.
    #[wire(name = "PostToolUseFailure")]
    PostToolUseFailure(AdditionalContext),
    /// More about the calls.
    #[wire(name = "PostToolBatch")]
    PostToolBatch(AdditionalContext),
    /// The answer to the permission question.
    #[wire(name = "PermissionRequest")]
    PermissionRequest(Box<PermissionRequestOutput>),
    /// Whether the model may try again.
    #[wire(name = "PermissionDenied")]
    PermissionDenied(PermissionDeniedOutput),
    /// More about the prompt.
    #[wire(name = "UserPromptSubmit")]
    UserPromptSubmit(Box<UserPromptSubmitOutput>),
    /// More about the command.
    #[wire(name = "UserPromptExpansion")]
    UserPromptExpansion(Box<UserPromptExpansionOutput>),
    /// How the session begins.
    #[wire(name = "SessionStart")]
    SessionStart(Box<SessionStartOutput>),
    /// More about the project.
    #[wire(name = "Setup")]
    Setup(AdditionalContext),
    /// Whether the model changes.
    #[wire(name = "PreModelSwitch")]
    PreModelSwitch(PreModelSwitchOutput),
    /// More about the change.
    #[wire(name = "PostModelSwitch")]
    PostModelSwitch(AdditionalContext),
    /// More for the subagent to know.
    #[wire(name = "SubagentStart")]
    SubagentStart(AdditionalContext),
    /// More for the subagent to know, which then goes on.
    #[wire(name = "SubagentStop")]
    SubagentStop(AdditionalContext),
    /// More for the model to know, which then goes on.
    #[wire(name = "Stop")]
    Stop(AdditionalContext),
    /// More about the notice.
    #[wire(name = "Notification")]
    Notification(AdditionalContext),
    /// The answer to the server's question, in the place of the user.
    #[wire(name = "Elicitation")]
    Elicitation(ElicitationOutput),
    /// Another answer than the user's.
    #[wire(name = "ElicitationResult")]
    ElicitationResult(ElicitationOutput),
    /// What to watch in the new folder.
    #[wire(name = "CwdChanged")]
    CwdChanged(WatchPaths),
    /// What to watch from now on.
    #[wire(name = "FileChanged")]
    FileChanged(WatchPaths),
    /// Where the worktree is.
    #[wire(name = "WorktreeCreate")]
    WorktreeCreate {
        /// The folder that the hook made.
        #[wire(name = "worktreePath")]
        worktree_path: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// What to show.
    #[wire(name = "MessageDisplay")]
    MessageDisplay {
        /// The text to show in place of the piece.
        #[wire(name = "displayContent")]
        display_content: Option<String>,
        /// What no field holds.
        extra: Extra,
    },
    /// The answer to an event that is new to this library.
    Unknown(Unknown),
}

impl HookSpecificOutput {
    /// The event that this answers.
    pub fn event(&self) -> HookEvent {
        HookEvent::from(self.tag())
    }
}

open_enum! {
    /// What a hook decides about a tool call or a change of the model.
    pub enum HookPermissionDecision {
        /// Go ahead without a question.
        Allow = "allow",
        /// Do not.
        Deny = "deny",
        /// Ask the user.
        Ask = "ask",
        /// End the turn with the call undecided; the host decides when it resumes the session.
        Defer = "defer",
    }
}

/// Something for the model to know.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AdditionalContext {
    /// The text.
    pub additional_context: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `PreToolUse`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PreToolUseOutput {
    /// Whether the tool runs.
    pub permission_decision: Option<HookPermissionDecision>,
    /// Why: the model reads it when the tool does not run, the user when asked.
    pub permission_decision_reason: Option<String>,
    /// The input to run it with, in the shape of that tool.
    pub updated_input: Option<Json>,
    /// Something for the model to know.
    pub additional_context: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `PostToolUse`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PostToolUseOutput {
    /// Something for the model to know.
    pub additional_context: Option<String>,
    /// Something for the classifier that decides about tool calls to know.
    pub classifier_context: Option<String>,
    /// What the model sees in place of the result, in the shape of that tool.
    pub updated_tool_output: Option<Json>,
    /// The same for tools of MCP servers; the older name.
    #[wire(name = "updatedMCPToolOutput")]
    pub updated_mcp_tool_output: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `PermissionRequest`.
#[derive(Debug, Clone, PartialEq, Default, Wire)]
#[non_exhaustive]
pub struct PermissionRequestOutput {
    /// The answer to the question.
    pub decision: PermissionRequestDecision,
    /// What no field holds.
    pub extra: Extra,
}

/// A hook's answer to a permission question. Told apart by `behavior`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "behavior")]
#[non_exhaustive]
pub enum PermissionRequestDecision {
    /// Run the tool.
    Allow {
        /// The input to run it with, when not the one that the model gave.
        #[wire(name = "updatedInput")]
        updated_input: Option<Json>,
        /// Changes to the permissions that go with the answer.
        #[wire(name = "updatedPermissions")]
        updated_permissions: Option<Vec<PermissionUpdate>>,
        /// What no field holds.
        extra: Extra,
    },
    /// Do not run it.
    Deny {
        /// Why not: the model reads it.
        message: Option<String>,
        /// Whether the turn ends here.
        interrupt: Option<bool>,
        /// What no field holds.
        extra: Extra,
    },
    /// A behaviour that is new to this library.
    Unknown(Unknown),
}

impl PermissionRequestDecision {
    /// Run the tool as the model asked.
    pub fn allow() -> Self {
        Self::Allow {
            updated_input: None,
            updated_permissions: None,
            extra: Extra::new(),
        }
    }

    /// Do not run the tool, and tell the model why.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny {
            message: Some(message.into()),
            interrupt: None,
            extra: Extra::new(),
        }
    }
}

/// The safe answer: the tool does not run.
impl Default for PermissionRequestDecision {
    fn default() -> Self {
        Self::Deny {
            message: None,
            interrupt: None,
            extra: Extra::new(),
        }
    }
}

/// The answer to `PermissionDenied`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionDeniedOutput {
    /// Whether the model may try the call again.
    pub retry: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
