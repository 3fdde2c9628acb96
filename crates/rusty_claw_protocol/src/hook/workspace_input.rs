//! Events around files, folders and settings.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookCommon;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Settings were changed while the session runs.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ConfigChangeInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Which settings.
    pub source: ConfigChangeSource,
    /// The file.
    pub file_path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Which settings were changed.
    pub enum ConfigChangeSource {
        /// The user's.
        UserSettings = "user_settings",
        /// The project's.
        ProjectSettings = "project_settings",
        /// The project's private ones.
        LocalSettings = "local_settings",
        /// Those of the organisation.
        PolicySettings = "policy_settings",
        /// The skills.
        Skills = "skills",
    }
}

/// A file with instructions for the model was read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InstructionsLoadedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The file.
    pub file_path: Str,
    /// Whose instructions they are.
    pub memory_type: InstructionsOwner,
    /// Why it was read.
    pub load_reason: InstructionsLoadReason,
    /// The patterns that the file says it is for.
    pub globs: Option<Vec<Str>>,
    /// The file whose use brought it in.
    pub trigger_file_path: Option<Str>,
    /// The file that includes it.
    pub parent_file_path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whose instructions a file holds.
    pub enum InstructionsOwner {
        /// The user's.
        User = "User",
        /// The project's.
        Project = "Project",
        /// The project's private ones.
        Local = "Local",
        /// Those of the organisation.
        Managed = "Managed",
    }
}

open_enum! {
    /// Why a file with instructions was read.
    pub enum InstructionsLoadReason {
        /// The session starts.
        SessionStart = "session_start",
        /// A tool touched a folder below.
        NestedTraversal = "nested_traversal",
        /// A tool touched a file that its patterns match.
        PathGlobMatch = "path_glob_match",
        /// Another such file includes it.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }
}

/// A worktree is wanted: the hook makes it and says where.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WorktreeCreateInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// What it is to be called.
    pub name: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A worktree is no longer wanted: the hook removes it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WorktreeRemoveInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Where it is.
    pub worktree_path: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The working folder changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CwdChangedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The folder so far.
    pub old_cwd: Str,
    /// The folder from now on.
    pub new_cwd: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A file that hooks asked to watch has changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FileChangedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The file.
    pub file_path: Str,
    /// What happened to it.
    pub event: FileChange,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What happened to a file.
    pub enum FileChange {
        /// It was written.
        Change = "change",
        /// It appeared.
        Add = "add",
        /// It is gone.
        Unlink = "unlink",
    }
}

/// A folder was added to those that tools may work in.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct DirectoryAddedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The folder.
    pub directory: Str,
    /// What added it.
    pub source: DirectoryAddedSource,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What added a folder.
    pub enum DirectoryAddedSource {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A host program.
        RegisterRepoRoot = "register_repo_root",
    }
}
