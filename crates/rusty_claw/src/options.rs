//! Options of a session.
//!
//! `fields` has the fields. Each module of a topic has its builder methods, its flags and members
//! of `initialize`, and its checks. `launch` runs all checks and assembles what is sent.

mod argv;
mod check;
mod conversation;
mod environment;
mod fields;
pub(crate) mod files;
mod json_value;
mod launch;
mod limit_options;
pub(crate) mod limits;
mod model;
mod output;
mod permission;
mod process;
mod prompt;
mod sandbox;
mod served;
mod settings;
mod system_prompt;
mod tools;

#[cfg(test)]
mod tests;

pub use fields::{
    Options, PermissionPrompts, PluginDelivery, QuestionPreview, SettingSource, Thinking,
};
pub use limits::CloseLadder;
pub use system_prompt::{ClaudeCodePrompt, CustomPrompt, SystemPrompt};

pub(crate) use limits::Limits;
