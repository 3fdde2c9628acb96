//! Events of files, directories and settings.

use rusty_claw_macros::wire_type;

use crate::hook::HookCommon;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Settings changed during the session.
#[wire_type]
pub struct ConfigChangeInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The settings that changed.
    pub source: ConfigChangeSource,
    /// The file.
    pub file_path: Option<Str>,
}

open_enum! {
    /// The settings that changed.
    pub enum ConfigChangeSource {
        /// The user's.
        UserSettings = "user_settings",
        /// The project's.
        ProjectSettings = "project_settings",
        /// The project's private settings.
        LocalSettings = "local_settings",
        /// The organisation's.
        PolicySettings = "policy_settings",
        /// The skills.
        Skills = "skills",
    }
}

/// An instruction file was loaded.
#[wire_type]
pub struct InstructionsLoadedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The file.
    pub file_path: Str,
    /// The owner of the instructions.
    pub memory_type: InstructionsOwner,
    /// Why it was loaded.
    pub load_reason: InstructionsLoadReason,
    /// The path patterns that the file applies to.
    pub globs: Option<Vec<Str>>,
    /// The file whose use triggered it.
    pub trigger_file_path: Option<Str>,
    /// The file that includes it.
    pub parent_file_path: Option<Str>,
}

open_enum! {
    /// The owner of an instruction file.
    pub enum InstructionsOwner {
        /// The user's.
        User = "User",
        /// The project's.
        Project = "Project",
        /// The project's private instructions.
        Local = "Local",
        /// The organisation's.
        Managed = "Managed",
    }
}

open_enum! {
    /// Why an instruction file was loaded.
    pub enum InstructionsLoadReason {
        /// A session started.
        SessionStart = "session_start",
        /// A tool accessed a directory below.
        NestedTraversal = "nested_traversal",
        /// A tool accessed a file that matches its patterns.
        PathGlobMatch = "path_glob_match",
        /// Another instruction file includes it.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }
}

/// A worktree is requested: the hook creates it and returns its path.
#[wire_type]
pub struct WorktreeCreateInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The worktree's name.
    pub name: Str,
}

/// A worktree is no longer needed: the hook removes it.
#[wire_type]
pub struct WorktreeRemoveInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The worktree's path.
    pub worktree_path: Str,
}

/// The working directory changed.
#[wire_type]
pub struct CwdChangedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The directory before.
    pub old_cwd: Str,
    /// The directory after.
    pub new_cwd: Str,
}

/// A file watched by hooks changed.
#[wire_type]
pub struct FileChangedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The file.
    pub file_path: Str,
    /// The kind of change.
    pub event: FileChange,
}

open_enum! {
    /// The kind of a file change.
    pub enum FileChange {
        /// It was written.
        Change = "change",
        /// It was created.
        Add = "add",
        /// It was deleted.
        Unlink = "unlink",
    }
}

/// A working directory was added.
#[wire_type]
pub struct DirectoryAddedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The directory.
    pub directory: Str,
    /// The origin.
    pub source: DirectoryAddedSource,
}

open_enum! {
    /// The origin of an added directory.
    pub enum DirectoryAddedSource {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A host program.
        RegisterRepoRoot = "register_repo_root",
    }
}
