//! Activity and changes of the session.

use rusty_claw_macros::wire_type;

use crate::control::SlashCommand;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// The CLI's current activity. Also reports a change of the permission mode.
#[wire_type]
pub struct StatusMessage {
    /// The activity; `None` once it has ended.
    pub status: Option<SessionActivity>,
    /// The permission mode, if it changed.
    #[wire(name = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The outcome of a compaction.
    pub compact_result: Option<CompactResult>,
    /// Why the compaction failed.
    pub compact_error: Option<String>,
    /// Length of the summary so far, in characters.
    pub compact_output_chars: Option<u64>,
    /// Set if a resumed session is held because of its plan.
    pub resume_held_for_plan: Option<bool>,
    /// The related prompts.
    pub user_message_uuids: Option<Vec<Str>>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The CLI's current activity.
    pub enum SessionActivity {
        /// Compacting the history.
        Compacting = "compacting",
        /// Waiting for the API.
        Requesting = "requesting",
    }
}

open_enum! {
    /// The outcome of a compaction.
    pub enum CompactResult {
        /// The history was compacted.
        Success = "success",
        /// The history is unchanged.
        Failed = "failed",
    }
}

/// The session became running, waiting or idle. Printed only on request.
#[wire_type]
pub struct SessionStateChangedMessage {
    /// The state.
    pub state: SessionState,
    /// Set if only the host's process requested it.
    pub sdk_host_only: Option<bool>,
    /// Whether the session waits for the user.
    pub waiting_on_user: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The state of a session.
    pub enum SessionState {
        /// Idle.
        Idle = "idle",
        /// Running.
        Running = "running",
        /// Waiting for an answer of the user.
        RequiresAction = "requires_action",
    }
}

/// The session's title changed.
#[wire_type]
pub struct SessionTitleChangedMessage {
    /// The title.
    pub title: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The process that runs the session is about to end.
#[wire_type]
pub struct WorkerShuttingDownMessage {
    /// The reason.
    pub reason: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The slash commands changed; replaces the whole list.
#[wire_type]
pub struct CommandsChangedMessage {
    /// All commands.
    pub commands: Vec<SlashCommand>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// Data could not be written to disk and is lost. Printed at the end.
#[wire_type]
pub struct SessionWritesLostMessage {
    /// The cause.
    pub error_code: LostWriteCause,
    /// What was lost.
    pub lost: Vec<LostWrite>,
    /// The sessions whose files are incomplete.
    pub transcript_session_ids: Option<Vec<Str>>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// Why a write failed.
    pub enum LostWriteCause {
        /// The disk is full.
        NoSpace = "ENOSPC",
        /// The user's quota is exceeded.
        QuotaExceeded = "EDQUOT",
    }
}

open_enum! {
    /// What was lost.
    pub enum LostWrite {
        /// Lines of the session file.
        Transcript = "transcript",
        /// The CLI's own configuration.
        GlobalConfig = "global_config",
    }
}

/// User interfaces of plugins must be redrawn.
#[wire_type]
pub struct UiInvalidateMessage {
    /// The event.
    pub event: Str,
    /// Set if prompts were screened before.
    pub prompts_screened: Option<bool>,
    /// The affected instances; all if absent.
    pub instances: Option<Vec<UiInstance>>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A user interface of a plugin.
#[wire_type]
pub struct UiInstance {
    /// Where it is shown.
    pub surface: Str,
    /// The component.
    pub component: Str,
    /// The instance's id.
    pub instance_id: Str,
}

/// The repository in the working directory changed.
#[wire_type]
pub struct VcsStateChangedMessage {
    /// The kind of change: `commit`, `merge`, `push` and others.
    pub kind: Str,
    /// The branch.
    pub branch: Option<Str>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}
