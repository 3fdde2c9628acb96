//! Plugins: which are loaded, which are not, and how an installation goes.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A plugin that the session has.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LoadedPlugin {
    /// Its name.
    pub name: Str,
    /// Where it is; `builtin` when the CLI brings it.
    pub path: String,
    /// Its name and where it was installed from.
    pub source: Option<Str>,
    /// Its version.
    pub version: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A plugin that could not be loaded.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PluginLoadError {
    /// The plugin.
    pub plugin: Str,
    /// What kind of failure, for programs.
    #[wire(name = "type")]
    pub kind: Str,
    /// What went wrong.
    pub message: String,
    /// The file or directory at fault.
    pub path: Option<String>,
    /// The administrator's rule that stands behind it.
    pub managed_lock: Option<PluginManagedLock>,
    /// What no field holds.
    pub extra: Extra,
}

/// An administrator's rule about a plugin.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PluginManagedLock {
    /// Whether the rule switches it on or off.
    pub plugin_enabled: bool,
    /// The plugin.
    pub name: Str,
    /// Where it comes from.
    pub marketplace: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What is odd about a plugin that was loaded all the same.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PluginLoadWarning {
    /// The plugin.
    pub plugin: Str,
    /// What kind of oddity, for programs.
    #[wire(name = "type")]
    pub kind: Str,
    /// What is odd.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}

/// An MCP server whose configuration could not be used.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpServerError {
    /// The server.
    pub name: Str,
    /// What kind of failure, for programs.
    #[wire(name = "type")]
    pub kind: Str,
    /// What went wrong.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}

/// How the installation of plugins at the start goes.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PluginInstallMessage {
    /// How far it is.
    pub status: PluginInstallStatus,
    /// The plugin; absent when the line is about all of them.
    pub name: Option<Str>,
    /// Why it failed.
    pub error: Option<String>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How far the installation of plugins is.
    pub enum PluginInstallStatus {
        /// It begins.
        Started = "started",
        /// This one is there.
        Installed = "installed",
        /// This one is not.
        Failed = "failed",
        /// All are done.
        Completed = "completed",
    }
}
