//! How a session is to be.
//!
//! Each file below holds one theme: its fields, its builder methods, what they say on the command
//! line and in `initialize`, and what is wrong with them. `check` looks at what contradicts
//! across themes, `launch` puts everything together.

mod argv;
mod check;
mod conversation;
mod environment;
pub(crate) mod files;
mod json_value;
mod launch;
mod limits;
mod model;
mod output;
mod permission;
mod process;
mod prompt;
mod sandbox;
mod served;
mod settings;
mod tools;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::host::Host;

pub use permission::PermissionPrompts;
pub use prompt::{ClaudeCodePrompt, CustomPrompt, SystemPrompt};
pub use settings::SettingSource;
pub use tools::PluginDelivery;

pub use environment::QuestionPreview;
pub use limits::CloseLadder;
pub use model::Thinking;

pub(crate) use limits::Limits;

/// How a session is to be: what the CLI is started with, what is served to it, and how long
/// things may take.
///
/// Everything has a default, which is the CLI's own unless the method says otherwise. Nothing is
/// checked until a session starts; then contradictions come back as
/// [`StartError::BadOption`](crate::StartError::BadOption), before any process is started.
///
/// One value can start many sessions: it is cheap to clone and is not used up.
///
/// ```
/// use rusty_claw::Options;
/// use rusty_claw::permission::PermissionMode;
///
/// let options = Options::new()
///     .cwd("/srv/shop")
///     .model("sonnet")
///     .permission_mode(PermissionMode::Plan)
///     .append_system_prompt("Answer in Portuguese.")
///     .include_partial_messages(true);
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) host: Host,
    pub(crate) limits: Limits,
    pub(crate) process: process::Process,
    pub(crate) environment: environment::Environment,
    pub(crate) conversation: conversation::Conversation,
    pub(crate) model: model::Model,
    pub(crate) prompt: prompt::Prompt,
    pub(crate) tools: tools::Tools,
    pub(crate) permission: permission::Permission,
    pub(crate) settings: settings::Settings,
    pub(crate) output: output::Output,
    pub(crate) served: served::Served,
    files: files::FileCache,
}

impl fmt::Debug for Options {
    // Variables, settings, headers and prompts hold secrets, so only what cannot is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("cli_path", &self.process.cli_path)
            .field("cwd", &self.process.cwd)
            .field("host", &self.host)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// The usual: the CLI's own defaults, nothing served, everything that asks denied.
    pub fn new() -> Self {
        Self::default()
    }
}
