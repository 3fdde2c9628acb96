//! Callbacks that the CLI runs at given events.
//!
//! A [`Hook`] combines an event with a handler. Typed hooks take the input of their event;
//! [`Hook::on`] takes any.
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
//! A hook that fails never permits what it might have stopped. If the callback panics, times out,
//! returns an error or returns an output that the CLI would not understand, `PreToolUse` denies the
//! call and `UserPromptSubmit` blocks the prompt. For other events the failure is reported to the
//! CLI, which treats it as "no opinion", or as a block with [`Hook::on_failure_block`].

mod check;
mod context;
mod handler;
mod one;
mod registry;
mod typed;

pub use context::HookContext;
pub use handler::{HookHandler, IntoHookOutput};
pub use one::{Hook, HookOn, TypedHookInput};

pub(crate) use check::failed;
pub(crate) use registry::Hooks;
#[cfg(test)]
pub(crate) use typed::one_of_each;

pub use rusty_claw_protocol::hook::*;
