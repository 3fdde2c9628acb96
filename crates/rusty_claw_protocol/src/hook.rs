//! Hooks: what the CLI tells a host at given moments, and what the host answers.

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

use rusty_claw_macros::Wire;

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
    /// A moment at which hooks run.
    pub enum HookEvent {
        /// The program was started to set a project up, or to look after one.
        Setup = "Setup",
        /// A session starts, or starts over.
        SessionStart = "SessionStart",
        /// A session ends.
        SessionEnd = "SessionEnd",
        /// A prompt was submitted.
        UserPromptSubmit = "UserPromptSubmit",
        /// A command in a prompt is replaced by its text.
        UserPromptExpansion = "UserPromptExpansion",
        /// A tool is about to be called.
        PreToolUse = "PreToolUse",
        /// A tool returned.
        PostToolUse = "PostToolUse",
        /// A tool failed.
        PostToolUseFailure = "PostToolUseFailure",
        /// All tool calls of one model answer are done.
        PostToolBatch = "PostToolBatch",
        /// Somebody must say whether a tool may run.
        PermissionRequest = "PermissionRequest",
        /// A tool call was refused.
        PermissionDenied = "PermissionDenied",
        /// The CLI tells the user something.
        Notification = "Notification",
        /// A piece of the answer is about to be shown.
        MessageDisplay = "MessageDisplay",
        /// The model is done with its turn.
        Stop = "Stop",
        /// The turn ended because the API failed.
        StopFailure = "StopFailure",
        /// A subagent starts.
        SubagentStart = "SubagentStart",
        /// A subagent is done.
        SubagentStop = "SubagentStop",
        /// A teammate is about to have nothing to do.
        TeammateIdle = "TeammateIdle",
        /// A task was put on the list.
        TaskCreated = "TaskCreated",
        /// A task is about to be marked as done.
        TaskCompleted = "TaskCompleted",
        /// The conversation is about to be replaced by a summary.
        PreCompact = "PreCompact",
        /// The conversation was replaced by a summary.
        PostCompact = "PostCompact",
        /// The model is about to change.
        PreModelSwitch = "PreModelSwitch",
        /// The model has changed.
        PostModelSwitch = "PostModelSwitch",
        /// An MCP server asks the user something.
        Elicitation = "Elicitation",
        /// The user has answered an MCP server.
        ElicitationResult = "ElicitationResult",
        /// Settings were changed.
        ConfigChange = "ConfigChange",
        /// A file with instructions was read.
        InstructionsLoaded = "InstructionsLoaded",
        /// A worktree is wanted.
        WorktreeCreate = "WorktreeCreate",
        /// A worktree is no longer wanted.
        WorktreeRemove = "WorktreeRemove",
        /// The working folder changed.
        CwdChanged = "CwdChanged",
        /// A watched file has changed.
        FileChanged = "FileChanged",
        /// A folder was added to those that tools may work in.
        DirectoryAdded = "DirectoryAdded",
    }
}

/// What a hook is told. Told apart by `hook_event_name`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "hook_event_name")]
#[non_exhaustive]
pub enum HookInput {
    /// The program was started to set a project up, or to look after one.
    #[wire(name = "Setup")]
    Setup(Box<SetupInput>),
    /// A session starts, or starts over.
    #[wire(name = "SessionStart")]
    SessionStart(Box<SessionStartInput>),
    /// A session ends.
    #[wire(name = "SessionEnd")]
    SessionEnd(Box<SessionEndInput>),
    /// A prompt was submitted.
    #[wire(name = "UserPromptSubmit")]
    UserPromptSubmit(Box<UserPromptSubmitInput>),
    /// A command in a prompt is replaced by its text.
    #[wire(name = "UserPromptExpansion")]
    UserPromptExpansion(Box<UserPromptExpansionInput>),
    /// A tool is about to be called.
    #[wire(name = "PreToolUse")]
    PreToolUse(Box<PreToolUseInput>),
    /// A tool returned.
    #[wire(name = "PostToolUse")]
    PostToolUse(Box<PostToolUseInput>),
    /// A tool failed.
    #[wire(name = "PostToolUseFailure")]
    PostToolUseFailure(Box<PostToolUseFailureInput>),
    /// All tool calls of one model answer are done.
    #[wire(name = "PostToolBatch")]
    PostToolBatch(Box<PostToolBatchInput>),
    /// Somebody must say whether a tool may run.
    #[wire(name = "PermissionRequest")]
    PermissionRequest(Box<PermissionRequestInput>),
    /// A tool call was refused.
    #[wire(name = "PermissionDenied")]
    PermissionDenied(Box<PermissionDeniedInput>),
    /// The CLI tells the user something.
    #[wire(name = "Notification")]
    Notification(Box<NotificationInput>),
    /// A piece of the answer is about to be shown.
    #[wire(name = "MessageDisplay")]
    MessageDisplay(Box<MessageDisplayInput>),
    /// The model is done with its turn.
    #[wire(name = "Stop")]
    Stop(Box<StopInput>),
    /// The turn ended because the API failed.
    #[wire(name = "StopFailure")]
    StopFailure(Box<StopFailureInput>),
    /// A subagent starts.
    #[wire(name = "SubagentStart")]
    SubagentStart(Box<SubagentStartInput>),
    /// A subagent is done.
    #[wire(name = "SubagentStop")]
    SubagentStop(Box<SubagentStopInput>),
    /// A teammate is about to have nothing to do.
    #[wire(name = "TeammateIdle")]
    TeammateIdle(Box<TeammateIdleInput>),
    /// A task was put on the list.
    #[wire(name = "TaskCreated")]
    TaskCreated(Box<TaskCreatedInput>),
    /// A task is about to be marked as done.
    #[wire(name = "TaskCompleted")]
    TaskCompleted(Box<TaskCompletedInput>),
    /// The conversation is about to be replaced by a summary.
    #[wire(name = "PreCompact")]
    PreCompact(Box<PreCompactInput>),
    /// The conversation was replaced by a summary.
    #[wire(name = "PostCompact")]
    PostCompact(Box<PostCompactInput>),
    /// The model is about to change.
    #[wire(name = "PreModelSwitch")]
    PreModelSwitch(Box<PreModelSwitchInput>),
    /// The model has changed.
    #[wire(name = "PostModelSwitch")]
    PostModelSwitch(Box<PostModelSwitchInput>),
    /// An MCP server asks the user something.
    #[wire(name = "Elicitation")]
    Elicitation(Box<ElicitationInput>),
    /// The user has answered an MCP server.
    #[wire(name = "ElicitationResult")]
    ElicitationResult(Box<ElicitationResultInput>),
    /// Settings were changed.
    #[wire(name = "ConfigChange")]
    ConfigChange(Box<ConfigChangeInput>),
    /// A file with instructions was read.
    #[wire(name = "InstructionsLoaded")]
    InstructionsLoaded(Box<InstructionsLoadedInput>),
    /// A worktree is wanted.
    #[wire(name = "WorktreeCreate")]
    WorktreeCreate(Box<WorktreeCreateInput>),
    /// A worktree is no longer wanted.
    #[wire(name = "WorktreeRemove")]
    WorktreeRemove(Box<WorktreeRemoveInput>),
    /// The working folder changed.
    #[wire(name = "CwdChanged")]
    CwdChanged(Box<CwdChangedInput>),
    /// A watched file has changed.
    #[wire(name = "FileChanged")]
    FileChanged(Box<FileChangedInput>),
    /// A folder was added to those that tools may work in.
    #[wire(name = "DirectoryAdded")]
    DirectoryAdded(Box<DirectoryAddedInput>),
    /// An event that is new to this library.
    Unknown(Unknown),
}

impl HookInput {
    /// The event.
    pub fn event(&self) -> HookEvent {
        HookEvent::from(self.tag())
    }

    /// What every event says; `None` for an event that is new to this library.
    pub fn common(&self) -> Option<&HookCommon> {
        match self {
            Self::Setup(input) => Some(&input.common),
            Self::SessionStart(input) => Some(&input.common),
            Self::SessionEnd(input) => Some(&input.common),
            Self::UserPromptSubmit(input) => Some(&input.common),
            Self::UserPromptExpansion(input) => Some(&input.common),
            Self::PreToolUse(input) => Some(&input.common),
            Self::PostToolUse(input) => Some(&input.common),
            Self::PostToolUseFailure(input) => Some(&input.common),
            Self::PostToolBatch(input) => Some(&input.common),
            Self::PermissionRequest(input) => Some(&input.common),
            Self::PermissionDenied(input) => Some(&input.common),
            Self::Notification(input) => Some(&input.common),
            Self::MessageDisplay(input) => Some(&input.common),
            Self::Stop(input) => Some(&input.common),
            Self::StopFailure(input) => Some(&input.common),
            Self::SubagentStart(input) => Some(&input.common),
            Self::SubagentStop(input) => Some(&input.common),
            Self::TeammateIdle(input) => Some(&input.common),
            Self::TaskCreated(input) => Some(&input.common),
            Self::TaskCompleted(input) => Some(&input.common),
            Self::PreCompact(input) => Some(&input.common),
            Self::PostCompact(input) => Some(&input.common),
            Self::PreModelSwitch(input) => Some(&input.common),
            Self::PostModelSwitch(input) => Some(&input.common),
            Self::Elicitation(input) => Some(&input.common),
            Self::ElicitationResult(input) => Some(&input.common),
            Self::ConfigChange(input) => Some(&input.common),
            Self::InstructionsLoaded(input) => Some(&input.common),
            Self::WorktreeCreate(input) => Some(&input.common),
            Self::WorktreeRemove(input) => Some(&input.common),
            Self::CwdChanged(input) => Some(&input.common),
            Self::FileChanged(input) => Some(&input.common),
            Self::DirectoryAdded(input) => Some(&input.common),
            Self::Unknown(_) => None,
        }
    }
}
