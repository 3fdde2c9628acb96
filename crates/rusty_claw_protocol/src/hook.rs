//! Hooks: events that the CLI reports to a host, and the host's answers.

mod agent_input;
mod answers;
mod common_input;
mod elicitation_input;
mod model_input;
mod output;
mod session_input;
mod session_output;
mod specific_output;
mod tool_input;
mod turn_input;
mod workspace_input;

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::unknown::Unknown;

pub use agent_input::*;
pub use common_input::*;
pub use elicitation_input::*;
pub use model_input::*;
pub use output::*;
pub use session_input::*;
pub use session_output::*;
pub use specific_output::*;
pub use tool_input::*;
pub use turn_input::*;
pub use workspace_input::*;

open_enum! {
    /// An event at which hooks run.
    pub enum HookEvent {
        /// Project setup or maintenance.
        Setup = "Setup",
        /// A session starts, resumes or restarts.
        SessionStart = "SessionStart",
        /// A session ends.
        SessionEnd = "SessionEnd",
        /// A prompt was submitted.
        UserPromptSubmit = "UserPromptSubmit",
        /// A command in a prompt is expanded.
        UserPromptExpansion = "UserPromptExpansion",
        /// A tool is about to be called.
        PreToolUse = "PreToolUse",
        /// A tool returned.
        PostToolUse = "PostToolUse",
        /// A tool failed.
        PostToolUseFailure = "PostToolUseFailure",
        /// All tool calls of one model response completed.
        PostToolBatch = "PostToolBatch",
        /// A tool call needs permission.
        PermissionRequest = "PermissionRequest",
        /// A tool call was denied.
        PermissionDenied = "PermissionDenied",
        /// The CLI notifies the user.
        Notification = "Notification",
        /// A part of the answer is about to be displayed.
        MessageDisplay = "MessageDisplay",
        /// The model finished its turn.
        Stop = "Stop",
        /// The turn ended because of an API error.
        StopFailure = "StopFailure",
        /// A subagent starts.
        SubagentStart = "SubagentStart",
        /// A subagent finished.
        SubagentStop = "SubagentStop",
        /// A teammate is about to become idle.
        TeammateIdle = "TeammateIdle",
        /// A task was created.
        TaskCreated = "TaskCreated",
        /// A task is about to be marked as completed.
        TaskCompleted = "TaskCompleted",
        /// The conversation is about to be compacted.
        PreCompact = "PreCompact",
        /// The conversation was compacted.
        PostCompact = "PostCompact",
        /// The model is about to change.
        PreModelSwitch = "PreModelSwitch",
        /// The model changed.
        PostModelSwitch = "PostModelSwitch",
        /// An MCP server requests user input.
        Elicitation = "Elicitation",
        /// The user answered an elicitation.
        ElicitationResult = "ElicitationResult",
        /// Settings changed.
        ConfigChange = "ConfigChange",
        /// An instruction file was loaded.
        InstructionsLoaded = "InstructionsLoaded",
        /// A worktree is requested.
        WorktreeCreate = "WorktreeCreate",
        /// A worktree is no longer needed.
        WorktreeRemove = "WorktreeRemove",
        /// The working directory changed.
        CwdChanged = "CwdChanged",
        /// A watched file changed.
        FileChanged = "FileChanged",
        /// A working directory was added.
        DirectoryAdded = "DirectoryAdded",
    }
}

/// The input of a hook. Tagged by `hook_event_name`.
#[wire_type(tag = "hook_event_name", rename_all = "PascalCase")]
pub enum HookInput {
    /// Project setup or maintenance.
    Setup(Box<SetupInput>),
    /// A session starts, resumes or restarts.
    SessionStart(Box<SessionStartInput>),
    /// A session ends.
    SessionEnd(Box<SessionEndInput>),
    /// A prompt was submitted.
    UserPromptSubmit(Box<UserPromptSubmitInput>),
    /// A command in a prompt is expanded.
    UserPromptExpansion(Box<UserPromptExpansionInput>),
    /// A tool is about to be called.
    PreToolUse(Box<PreToolUseInput>),
    /// A tool returned.
    PostToolUse(Box<PostToolUseInput>),
    /// A tool failed.
    PostToolUseFailure(Box<PostToolUseFailureInput>),
    /// All tool calls of one model response completed.
    PostToolBatch(Box<PostToolBatchInput>),
    /// A tool call needs permission.
    PermissionRequest(Box<PermissionRequestInput>),
    /// A tool call was denied.
    PermissionDenied(Box<PermissionDeniedInput>),
    /// The CLI notifies the user.
    Notification(Box<NotificationInput>),
    /// A part of the answer is about to be displayed.
    MessageDisplay(Box<MessageDisplayInput>),
    /// The model finished its turn.
    Stop(Box<StopInput>),
    /// The turn ended because of an API error.
    StopFailure(Box<StopFailureInput>),
    /// A subagent starts.
    SubagentStart(Box<SubagentStartInput>),
    /// A subagent finished.
    SubagentStop(Box<SubagentStopInput>),
    /// A teammate is about to become idle.
    TeammateIdle(Box<TeammateIdleInput>),
    /// A task was created.
    TaskCreated(Box<TaskCreatedInput>),
    /// A task is about to be marked as completed.
    TaskCompleted(Box<TaskCompletedInput>),
    /// The conversation is about to be compacted.
    PreCompact(Box<PreCompactInput>),
    /// The conversation was compacted.
    PostCompact(Box<PostCompactInput>),
    /// The model is about to change.
    PreModelSwitch(Box<PreModelSwitchInput>),
    /// The model changed.
    PostModelSwitch(Box<PostModelSwitchInput>),
    /// An MCP server requests user input.
    Elicitation(Box<ElicitationInput>),
    /// The user answered an elicitation.
    ElicitationResult(Box<ElicitationResultInput>),
    /// Settings changed.
    ConfigChange(Box<ConfigChangeInput>),
    /// An instruction file was loaded.
    InstructionsLoaded(Box<InstructionsLoadedInput>),
    /// A worktree is requested.
    WorktreeCreate(Box<WorktreeCreateInput>),
    /// A worktree is no longer needed.
    WorktreeRemove(Box<WorktreeRemoveInput>),
    /// The working directory changed.
    CwdChanged(Box<CwdChangedInput>),
    /// A watched file changed.
    FileChanged(Box<FileChangedInput>),
    /// A working directory was added.
    DirectoryAdded(Box<DirectoryAddedInput>),
    /// An unrecognized event.
    Unknown(Unknown),
}

impl HookInput {
    /// Returns the event.
    pub fn event(&self) -> HookEvent {
        HookEvent::from(self.tag())
    }

    /// Returns the members common to all events; `None` for an unrecognized event.
    pub fn common(&self) -> Option<&HookCommon> {
        macro_rules! common {
            ($($variant:ident)+) => {
                match self {
                    $(Self::$variant(input) => Some(&input.common),)+
                    Self::Unknown(_) => None,
                }
            };
        }
        common! {
            Setup SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse
            PostToolUse PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied
            Notification MessageDisplay Stop StopFailure SubagentStart SubagentStop TeammateIdle
            TaskCreated TaskCompleted PreCompact PostCompact PreModelSwitch PostModelSwitch
            Elicitation ElicitationResult ConfigChange InstructionsLoaded WorktreeCreate
            WorktreeRemove CwdChanged FileChanged DirectoryAdded
        }
    }
}
