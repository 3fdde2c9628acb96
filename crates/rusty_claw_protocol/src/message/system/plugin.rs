//! Plugins: loaded ones, failed ones, and installation.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// A plugin of the session.
#[wire_type]
pub struct LoadedPlugin {
    /// Its name.
    pub name: Str,
    /// Its path; `builtin` if it is built in.
    pub path: String,
    /// Its name and source.
    pub source: Option<Str>,
    /// Its version.
    pub version: Option<Str>,
}

/// A plugin that failed to load.
#[wire_type]
pub struct PluginLoadError {
    /// The plugin.
    pub plugin: Str,
    /// The kind of error.
    #[wire(name = "type")]
    pub kind: Str,
    /// The error.
    pub message: String,
    /// The faulty file or directory.
    pub path: Option<String>,
    /// The administrator's rule behind it.
    pub managed_lock: Option<PluginManagedLock>,
}

/// An administrator's rule about a plugin.
#[wire_type]
pub struct PluginManagedLock {
    /// Whether the rule enables it.
    pub plugin_enabled: bool,
    /// The plugin.
    pub name: Str,
    /// Its marketplace.
    pub marketplace: Option<Str>,
}

/// A warning about a loaded plugin.
#[wire_type]
pub struct PluginLoadWarning {
    /// The plugin.
    pub plugin: Str,
    /// The kind of warning.
    #[wire(name = "type")]
    pub kind: Str,
    /// The warning.
    pub message: String,
}

/// An MCP server with an invalid configuration.
#[wire_type]
pub struct McpServerError {
    /// The server's name.
    pub name: Str,
    /// The kind of error.
    #[wire(name = "type")]
    pub kind: Str,
    /// The error.
    pub message: String,
}

/// The progress of plugin installation at startup.
#[wire_type]
pub struct PluginInstallMessage {
    /// The status.
    pub status: PluginInstallStatus,
    /// The plugin; absent if the line is about all plugins.
    pub name: Option<Str>,
    /// The error.
    pub error: Option<String>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The status of plugin installation.
    pub enum PluginInstallStatus {
        /// Installation started.
        Started = "started",
        /// This plugin was installed.
        Installed = "installed",
        /// This plugin failed.
        Failed = "failed",
        /// All plugins are done.
        Completed = "completed",
    }
}
