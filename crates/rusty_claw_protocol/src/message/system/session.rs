//! What the session is doing, and what changed about it.

use rusty_claw_macros::Wire;

use crate::control::SlashCommand;
use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// What the CLI is busy with. Also how a change of the permission mode is told.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StatusMessage {
    /// What it is busy with; nothing when it is done with that.
    pub status: Option<SessionActivity>,
    /// The permission mode, when it changed.
    #[wire(name = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// How summarising the history ended.
    pub compact_result: Option<CompactResult>,
    /// Why summarising failed.
    pub compact_error: Option<String>,
    /// How much of the summary has been written, in characters.
    pub compact_output_chars: Option<u64>,
    /// Set when a resumed session waits because of its plan.
    pub resume_held_for_plan: Option<bool>,
    /// The prompts it is about.
    pub user_message_uuids: Option<Vec<Str>>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What the CLI is busy with.
    pub enum SessionActivity {
        /// Summarising the history.
        Compacting = "compacting",
        /// Waiting for the API.
        Requesting = "requesting",
    }
}

open_enum! {
    /// How summarising the history ended.
    pub enum CompactResult {
        /// There is a summary.
        Success = "success",
        /// The history is as it was.
        Failed = "failed",
    }
}

/// Whether the session works, waits for a person, or rests. Printed on request only.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionStateChangedMessage {
    /// The state.
    pub state: SessionState,
    /// Set when only the host's process asked to be told.
    pub sdk_host_only: Option<bool>,
    /// Whether it is a person that the session waits for.
    pub waiting_on_user: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whether the session works, waits, or rests.
    pub enum SessionState {
        /// Nothing is going on.
        Idle = "idle",
        /// It works.
        Running = "running",
        /// It waits for an answer from a person.
        RequiresAction = "requires_action",
    }
}

/// The session has a new title.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionTitleChangedMessage {
    /// The title.
    pub title: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The process that runs the session is about to end.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WorkerShuttingDownMessage {
    /// Why.
    pub reason: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The slash commands are now these; replaces the whole list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CommandsChangedMessage {
    /// All commands.
    pub commands: Vec<SlashCommand>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Something could not be written to disk and is gone. Printed at the end.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionWritesLostMessage {
    /// Why the disk refused.
    pub error_code: LostWriteCause,
    /// What was lost.
    pub lost: Vec<LostWrite>,
    /// The sessions whose files are incomplete.
    pub transcript_session_ids: Option<Vec<Str>>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why the disk refused a write.
    pub enum LostWriteCause {
        /// It is full.
        NoSpace = "ENOSPC",
        /// The user's share of it is full.
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

/// Surfaces that plugins draw must be drawn again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UiInvalidateMessage {
    /// What must happen.
    pub event: Str,
    /// Set when prompts were looked at before.
    pub prompts_screened: Option<bool>,
    /// The surfaces; all of them when absent.
    pub instances: Option<Vec<UiInstance>>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A surface that a plugin draws.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UiInstance {
    /// Where it is shown.
    pub surface: Str,
    /// What it is.
    pub component: Str,
    /// Which one.
    pub instance_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The repository in the working directory changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct VcsStateChangedMessage {
    /// What happened: `commit`, `merge`, `push` and the like.
    pub kind: Str,
    /// The branch it happened on.
    pub branch: Option<Str>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}
