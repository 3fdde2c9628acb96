//! The session as a whole: its name, its place, its end.

use rusty_claw_macros::Wire;

use super::{AgentDefinition, InitializeResponse};
use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::Map;

/// Gives the session a title.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RenameSession {
    /// The title.
    pub title: String,
    /// Who renames: `host` or `remote`.
    pub source: Option<Str>,
    /// Which session, when not the running one.
    pub session_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Has the model write a title.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GenerateSessionTitle {
    /// What the session is about.
    pub description: String,
    /// Whether the title is kept, not only returned.
    pub persist: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The title that the model wrote.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GenerateSessionTitleResponse {
    /// `None` when it wrote none.
    pub title: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Gives the session a colour, where something shows it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetColor {
    /// The colour's name.
    pub color: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Ends the process in good order, with everything that runs in its background.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct EndSession {
    /// Why, for the log.
    pub reason: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Turns a process that was started ahead of need into a session.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ClaimSession {
    /// The folder to work in.
    pub cwd: Str,
    /// Environment of the session's commands.
    pub env: Option<Map<String>>,
    /// Further folders that tools may use.
    pub additional_directories: Option<Vec<Str>>,
    /// The mode to start in.
    pub permission_mode: Option<PermissionMode>,
    /// The system prompt, in blocks.
    pub system_prompt: Option<Vec<String>>,
    /// What to add to the system prompt.
    pub append_system_prompt: Option<String>,
    /// Subagents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The session's title.
    pub title: Option<String>,
    /// In-process servers that the host serves.
    pub sdk_mcp_servers: Option<Vec<Str>>,
    /// Whether the reply carries a fresh `initialize` reply.
    pub include_initialize: Option<bool>,
    /// That a person has said they trust the folder.
    pub workspace_trust: Option<WorkspaceTrust>,
    /// What no field holds.
    pub extra: Extra,
}

/// A person's word that a folder may be trusted.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WorkspaceTrust {
    /// Whether they do.
    pub accepted: bool,
    /// The folder.
    pub directory: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The session that came of a claim.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ClaimSessionResponse {
    /// `ok`; a claim that fails is an error.
    pub status: Str,
    /// Where it works.
    pub cwd: Option<Str>,
    /// Its id, chosen when the process started.
    pub session_id: Str,
    /// How long the process had waited.
    pub parked_ms: Option<u64>,
    /// Whether the host's in-process servers are connected.
    pub sdk_mcp_settled: bool,
    /// What `initialize` would say now.
    pub initialize: Option<Box<InitializeResponse>>,
    /// Whether the trust in the folder was written down.
    pub workspace_trust_recorded: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Moves the session to another folder.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetCwd {
    /// The folder. Leniency: a recorded host has also called it `cwd`.
    #[wire(alias = "cwd")]
    pub path: Str,
    /// Whether a person has said they trust it.
    pub trust_accepted: Option<bool>,
    /// Which folder they said that of.
    pub trusted_directory: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What became of the move. Told apart by `status`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "status")]
#[non_exhaustive]
pub enum SetCwdResponse {
    /// The session is there.
    Ok {
        /// Where it is now.
        cwd: Str,
        /// Whether that is another folder than before.
        changed: bool,
        /// Whether its file moved along.
        transcript_relocated: bool,
        /// What no field holds.
        extra: Extra,
    },
    /// A person must trust the folder first.
    NeedsTrust {
        /// The folder that the trust would cover.
        trust_root: Option<Str>,
        /// The folder that was asked for.
        directory: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// It cannot go there.
    Rejected {
        /// Why not.
        reason: SetCwdRejection,
        /// Why not, in words.
        message: String,
        /// What no field holds.
        extra: Extra,
    },
    /// An outcome that is new to this library.
    Unknown(Unknown),
}

open_enum! {
    /// Why a session cannot move to a folder.
    pub enum SetCwdRejection {
        /// There is no such folder.
        NotFound = "not_found",
        /// It is not a folder.
        NotADirectory = "not_a_directory",
        /// A rule forbids it.
        BlockedByRule = "blocked_by_rule",
        /// A turn is running.
        Busy = "busy",
        /// The path itself is dangerous.
        UnsafePath = "unsafe_path",
        /// The request came from elsewhere.
        RemoteOrigin = "remote_origin",
    }
}

/// Adds a repository that the session did not start in.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RegisterRepoRoot {
    /// Its folder.
    pub directory: Str,
    /// Whether its instruction files are read.
    pub reload_claude_md: Option<bool>,
    /// Whether its plugins are loaded.
    pub reload_plugins: Option<bool>,
    /// Whether its skills are loaded.
    pub reload_skills: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The repository that was added.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RegisterRepoRootResponse {
    /// Its folder, resolved.
    pub directory: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Says whether somebody watches, so that the CLI can save work that only watchers need.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetHasSubscribers {
    /// `None` when nobody knows.
    #[wire(nullable)]
    pub has_subscribers: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Pauses the suggestions of what to say next.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetPromptSuggestionsPaused {
    /// Whether they pause.
    pub paused: bool,
    /// What no field holds.
    pub extra: Extra,
}
