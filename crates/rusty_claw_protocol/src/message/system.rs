//! Facts about the session and what happens in it.

mod compact;
mod entry;
mod hook;
mod init;
mod model;
mod notice;
mod plugin;
mod retry;
mod session;
mod startup;
mod storage;
mod task;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::message::{McpServerInfo, ToolInfo};
use crate::text::Str;
use crate::unknown::Unknown;

pub use compact::*;
pub use entry::*;
pub use hook::*;
pub use init::*;
pub use model::*;
pub use notice::*;
pub use plugin::*;
pub use retry::*;
pub use session::*;
pub use startup::*;
pub use storage::*;
pub use task::*;

/// Facts about the session and what happens in it.
///
/// Told apart by `subtype`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum SystemMessage {
    /// What the session is made of. Printed at the start of every turn, not as a greeting.
    Init {
        /// The session.
        session_id: Str,
        /// The tools the model may call.
        tools: Vec<ToolInfo>,
        /// The MCP servers.
        mcp_servers: Vec<McpServerInfo>,
        /// Everything else the CLI says.
        #[wire(flatten)]
        details: Box<InitDetails>,
        /// What no field holds.
        extra: Extra,
    },
    /// The history before this point was summarised.
    CompactBoundary {
        /// How and how much.
        compact_metadata: Option<Box<CompactMetadata>>,
        /// The last line before the boundary.
        logical_parent_uuid: Option<Str>,
        /// The line's id.
        uuid: Option<Str>,
        /// The session.
        session_id: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// What the CLI is busy with, or a new permission mode.
    Status(Box<StatusMessage>),
    /// The API failed and is asked again.
    ApiRetry(Box<ApiRetryMessage>),
    /// A control request takes long.
    ControlRequestProgress(Box<ControlRequestProgressMessage>),
    /// The model could not be used and another one took over.
    ModelFallback(Box<ModelFallbackMessage>),
    /// The model declined and another one was asked.
    ModelRefusalFallback(Box<ModelRefusalFallbackMessage>),
    /// The model declined and no other one was asked.
    ModelRefusalNoFallback(Box<ModelRefusalNoFallbackMessage>),
    /// What a slash command printed.
    LocalCommandOutput(Box<LocalCommandOutputMessage>),
    /// A hook has begun.
    HookStarted(Box<HookStartedMessage>),
    /// A hook is still running.
    HookProgress(Box<HookProgressMessage>),
    /// A hook has ended.
    HookResponse(Box<HookResponseMessage>),
    /// How the installation of plugins goes.
    PluginInstall(Box<PluginInstallMessage>),
    /// A task has begun.
    TaskStarted(Box<TaskStartedMessage>),
    /// Something about a task has changed.
    TaskUpdated(Box<TaskUpdatedMessage>),
    /// How far a task is.
    TaskProgress(Box<TaskProgressMessage>),
    /// A task has ended.
    TaskNotification(Box<TaskNotificationMessage>),
    /// Which tasks run behind the conversation.
    BackgroundTasksChanged(Box<BackgroundTasksChangedMessage>),
    /// How much the model has thought so far.
    ThinkingTokens(Box<ThinkingTokensMessage>),
    /// Whether the session works, waits, or rests.
    SessionStateChanged(Box<SessionStateChangedMessage>),
    /// The session has a new title.
    SessionTitleChanged(Box<SessionTitleChangedMessage>),
    /// Something could not be written to disk.
    SessionWritesLost(Box<SessionWritesLostMessage>),
    /// The process is about to end.
    WorkerShuttingDown(Box<WorkerShuttingDownMessage>),
    /// The slash commands have changed.
    CommandsChanged(Box<CommandsChangedMessage>),
    /// Text for the user that is shown for a moment.
    Notification(Box<NotificationMessage>),
    /// Text for the user that belongs to the conversation.
    Informational(Box<InformationalMessage>),
    /// Files were stored.
    FilesPersisted(Box<FilesPersistedMessage>),
    /// Memories were found.
    MemoryRecall(Box<MemoryRecallMessage>),
    /// A question of an MCP server is settled.
    ElicitationComplete(Box<ElicitationCompleteMessage>),
    /// A tool call was refused without asking anybody.
    PermissionDenied(Box<PermissionDeniedMessage>),
    /// Lines of the session file could not be handed to the host's store.
    MirrorError(Box<MirrorErrorMessage>),
    /// Surfaces that plugins draw must be drawn again.
    UiInvalidate(Box<UiInvalidateMessage>),
    /// The repository in the working directory changed. Not declared, but printed.
    VcsStateChanged(Box<VcsStateChangedMessage>),
    /// What a tool returned, as the session file document has it. The CLI has `user` lines
    /// instead.
    ToolResult(Box<SystemEntry>),
    /// A failure, as the session file document has it.
    Error(Box<SystemEntry>),
    /// Something that is not shown, as the session file document has it.
    Meta(Box<SystemEntry>),
    /// A subtype that is new to this library.
    Unknown(Unknown),
}
