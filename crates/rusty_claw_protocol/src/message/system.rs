//! Facts about the session, and events in it.

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

use rusty_claw_macros::wire_type;

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

/// Facts about the session, and events in it.
///
/// Tagged by `subtype`.
#[wire_type(tag = "subtype")]
pub enum SystemMessage {
    /// The configuration of the session. Printed at the start of every turn, not only once.
    Init {
        /// The session's id.
        session_id: Str,
        /// The tools that the model may call.
        tools: Vec<ToolInfo>,
        /// The MCP servers.
        mcp_servers: Vec<McpServerInfo>,
        /// Further details.
        #[wire(flatten)]
        details: Box<InitDetails>,
    },
    /// The history before this point was compacted.
    CompactBoundary {
        /// Details of the compaction.
        compact_metadata: Option<Box<CompactMetadata>>,
        /// The last line before the boundary.
        logical_parent_uuid: Option<Str>,
        /// The line's id.
        uuid: Option<Str>,
        /// The session's id.
        session_id: Option<Str>,
    },
    /// The CLI's current activity, or a new permission mode.
    Status(Box<StatusMessage>),
    /// An API request failed and will be retried.
    ApiRetry(Box<ApiRetryMessage>),
    /// The progress of a slow control request.
    ControlRequestProgress(Box<ControlRequestProgressMessage>),
    /// The model was unavailable and another one is used.
    ModelFallback(Box<ModelFallbackMessage>),
    /// The model refused and another one was used.
    ModelRefusalFallback(Box<ModelRefusalFallbackMessage>),
    /// The model refused and no other one was used.
    ModelRefusalNoFallback(Box<ModelRefusalNoFallbackMessage>),
    /// The output of a slash command.
    LocalCommandOutput(Box<LocalCommandOutputMessage>),
    /// A hook started.
    HookStarted(Box<HookStartedMessage>),
    /// A hook is still running.
    HookProgress(Box<HookProgressMessage>),
    /// A hook ended.
    HookResponse(Box<HookResponseMessage>),
    /// The progress of plugin installation.
    PluginInstall(Box<PluginInstallMessage>),
    /// A task started.
    TaskStarted(Box<TaskStartedMessage>),
    /// A task changed.
    TaskUpdated(Box<TaskUpdatedMessage>),
    /// The progress of a task.
    TaskProgress(Box<TaskProgressMessage>),
    /// A task ended.
    TaskNotification(Box<TaskNotificationMessage>),
    /// The tasks in the background.
    BackgroundTasksChanged(Box<BackgroundTasksChangedMessage>),
    /// The number of thinking tokens so far.
    ThinkingTokens(Box<ThinkingTokensMessage>),
    /// The session became running, waiting or idle.
    SessionStateChanged(Box<SessionStateChangedMessage>),
    /// The session's title changed.
    SessionTitleChanged(Box<SessionTitleChangedMessage>),
    /// Data could not be written to disk.
    SessionWritesLost(Box<SessionWritesLostMessage>),
    /// The process is about to end.
    WorkerShuttingDown(Box<WorkerShuttingDownMessage>),
    /// The slash commands changed.
    CommandsChanged(Box<CommandsChangedMessage>),
    /// A temporary notification to the user.
    Notification(Box<NotificationMessage>),
    /// A message to the user in the conversation.
    Informational(Box<InformationalMessage>),
    /// Files were persisted.
    FilesPersisted(Box<FilesPersistedMessage>),
    /// Memories were recalled.
    MemoryRecall(Box<MemoryRecallMessage>),
    /// An elicitation completed.
    ElicitationComplete(Box<ElicitationCompleteMessage>),
    /// A tool call was denied without asking.
    PermissionDenied(Box<PermissionDeniedMessage>),
    /// Lines of the session file could not be written to the host's store.
    MirrorError(Box<MirrorErrorMessage>),
    /// User interfaces of plugins must be redrawn.
    UiInvalidate(Box<UiInvalidateMessage>),
    /// The repository in the working directory changed. Not declared, but printed.
    VcsStateChanged(Box<VcsStateChangedMessage>),
    /// A tool result, as in the session file document. The CLI has `user` lines instead.
    ToolResult(Box<SystemEntry>),
    /// A failure, as in the session file document.
    Error(Box<SystemEntry>),
    /// A hidden entry, as in the session file document.
    Meta(Box<SystemEntry>),
    /// An unrecognized subtype.
    Unknown(Unknown),
}
