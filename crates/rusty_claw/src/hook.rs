//! What the CLI tells a program at given moments, and what the program may say to it.
//!
//! A [`Hook`] names an event and what is to be done then. Typed ones take the input of their
//! event; [`Hook::on`] takes any.
//!
//! ```
//! use rusty_claw::hook::{Hook, HookEvent, HookInput, HookOutput};
//! use rusty_claw::tool::ToolView;
//! use std::time::Duration;
//!
//! let no_pushing = Hook::pre_tool_use(|input, _| async move {
//!     match ToolView::of(&input.tool_name, &input.tool_input) {
//!         ToolView::Bash(bash) if bash.command.contains("git push") => HookOutput::deny("Not from here"),
//!         _ => HookOutput::none(),
//!     }
//! })
//! .matching("Bash")
//! .timeout(Duration::from_secs(5));
//!
//! let log = Hook::on(HookEvent::Notification).run(|input: HookInput, _| async move {
//!     println!("{}", input.event());
//!     HookOutput::none()
//! });
//! # let _ = (no_pushing, log);
//! ```
//!
//! A hook that fails never lets something happen that it might have stopped. When the callback
//! panics, is not done in time, ends in an error or answers with what the CLI would not
//! understand, then `PreToolUse` denies the call and `UserPromptSubmit` blocks the prompt. Other
//! events are told of the failure, which the CLI takes for "no opinion", or for a block when the
//! hook says so: see [`Hook::on_failure_block`].

mod check;
mod context;
mod handler;
mod one;
mod registry;
mod typed;

pub use context::HookContext;
pub use handler::{HookHandler, IntoHookOutput};
pub use one::{Hook, HookOn};
pub use typed::TypedHookInput;

pub(crate) use check::failed;
pub(crate) use registry::Hooks;
#[cfg(test)]
pub(crate) use typed::one_of_each;

pub use rusty_claw_protocol::hook::*;
