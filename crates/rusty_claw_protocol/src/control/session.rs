//! The session as a whole: title, directory, end.

use rusty_claw_macros::wire_type;

use super::{AgentDefinition, InitializeResponse};
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::Map;

/// Sets the session's title.
#[wire_type]
pub struct RenameSession {
    /// The title.
    pub title: String,
    /// The origin of the request: `host` or `remote`.
    pub source: Option<Str>,
    /// The session, if not the running one.
    pub session_id: Option<Str>,
}

/// Asks the model for a title.
#[wire_type]
pub struct GenerateSessionTitle {
    /// A description of the session.
    pub description: String,
    /// Whether to store the title.
    pub persist: Option<bool>,
}

/// The title that the model wrote.
#[wire_type]
pub struct GenerateSessionTitleResponse {
    /// `None` if it wrote none.
    pub title: Option<String>,
}

/// Sets the session's colour in user interfaces.
#[wire_type]
pub struct SetColor {
    /// The colour's name.
    pub color: Str,
}

/// Ends the process and all its background work cleanly.
#[wire_type]
pub struct EndSession {
    /// The reason, for the log.
    pub reason: Option<Str>,
}

/// Turns a prestarted process into a session.
#[wire_type]
pub struct ClaimSession {
    /// The working directory.
    pub cwd: Str,
    /// Environment of the session's commands.
    pub env: Option<Map<String>>,
    /// Further directories that tools may use.
    pub additional_directories: Option<Vec<Str>>,
    /// The initial permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// The system prompt, in blocks.
    pub system_prompt: Option<Vec<String>>,
    /// Text to append to the system prompt.
    pub append_system_prompt: Option<String>,
    /// Subagents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The session's title.
    pub title: Option<String>,
    /// In-process servers that the host serves.
    pub sdk_mcp_servers: Option<Vec<Str>>,
    /// Whether to include a new `initialize` response.
    pub include_initialize: Option<bool>,
    /// The user's confirmation that they trust the directory.
    pub workspace_trust: Option<WorkspaceTrust>,
}

/// A user's statement that they trust a directory.
#[wire_type]
pub struct WorkspaceTrust {
    /// Whether they trust it.
    pub accepted: bool,
    /// The directory.
    pub directory: Str,
}

/// The claimed session.
#[wire_type]
pub struct ClaimSessionResponse {
    /// `ok`; a failed claim is an error.
    pub status: Str,
    /// The working directory.
    pub cwd: Option<Str>,
    /// Its id, chosen when the process started.
    pub session_id: Str,
    /// How long the process had been idle.
    pub parked_ms: Option<u64>,
    /// Whether the host's in-process servers are connected.
    pub sdk_mcp_settled: bool,
    /// The current `initialize` response.
    pub initialize: Option<Box<InitializeResponse>>,
    /// Whether the trust in the directory was recorded.
    pub workspace_trust_recorded: Option<bool>,
}

/// Moves the session to another directory.
#[wire_type]
pub struct SetCwd {
    /// The directory. Leniency: a recorded host has also named it `cwd`.
    #[wire(alias = "cwd")]
    pub path: Str,
    /// Whether the user trusts it.
    pub trust_accepted: Option<bool>,
    /// The directory that they trust.
    pub trusted_directory: Option<Str>,
}

/// The outcome of the move. Tagged by `status`.
#[wire_type(tag = "status")]
pub enum SetCwdResponse {
    /// The session moved.
    Ok {
        /// The working directory now.
        cwd: Str,
        /// Whether the directory changed.
        changed: bool,
        /// Whether the session file was moved too.
        transcript_relocated: bool,
    },
    /// The user must trust the directory first.
    NeedsTrust {
        /// The directory that the trust would cover.
        trust_root: Option<Str>,
        /// The requested directory.
        directory: Str,
    },
    /// The move was rejected.
    Rejected {
        /// The reason.
        reason: SetCwdRejection,
        /// The reason as text.
        message: String,
    },
    /// An unrecognized outcome.
    Unknown(Unknown),
}

open_enum! {
    /// Why a session cannot move to a directory.
    pub enum SetCwdRejection {
        /// The directory does not exist.
        NotFound = "not_found",
        /// It is not a directory.
        NotADirectory = "not_a_directory",
        /// A rule forbids it.
        BlockedByRule = "blocked_by_rule",
        /// A turn is running.
        Busy = "busy",
        /// The path is unsafe.
        UnsafePath = "unsafe_path",
        /// The request came from a remote client.
        RemoteOrigin = "remote_origin",
    }
}

/// Adds a repository other than the initial one.
#[wire_type]
pub struct RegisterRepoRoot {
    /// Its directory.
    pub directory: Str,
    /// Whether to read its instruction files.
    pub reload_claude_md: Option<bool>,
    /// Whether to load its plugins.
    pub reload_plugins: Option<bool>,
    /// Whether to load its skills.
    pub reload_skills: Option<bool>,
}

/// The added repository.
#[wire_type]
pub struct RegisterRepoRootResponse {
    /// Its resolved directory.
    pub directory: Option<Str>,
}

/// Reports whether there are subscribers, so that the CLI can skip work that only they need.
#[wire_type]
pub struct SetHasSubscribers {
    /// `None` if unknown.
    #[wire(nullable)]
    pub has_subscribers: Option<bool>,
}

/// Pauses or resumes prompt suggestions.
#[wire_type]
pub struct SetPromptSuggestionsPaused {
    /// Whether they are paused.
    pub paused: bool,
}
