//! Who decides about tool calls, and how.
//!
//! When the CLI may not decide by itself whether a tool runs, it asks. A [`PermissionHandler`]
//! answers: an async closure, a [`Policy`] of rules, or a type of your own. Without one every
//! question is answered with a deny that says so.
//!
//! ```
//! use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionHandler, Policy, Rule};
//!
//! // Rules decide what they can, the closure decides the rest.
//! let policy = Policy::new()
//!     .working_in("/home/me/project")
//!     .deny(Rule::path("**/.env"))
//!     .allow(Rule::read_only())
//!     .allow(Rule::command("cargo test"))
//!     .then(|ask: PermissionAsk| async move {
//!         println!("{} wants to run", ask.tool_name());
//!         PermissionAnswer::deny("Nobody is here to ask")
//!     });
//! # fn is_a_handler(_: impl PermissionHandler) {}
//! # is_a_handler(policy);
//! ```
//!
//! List what may run and leave the rest to somebody: an allow needs certainty, so such a list
//! holds. A deny is a net and not a wall ([`Policy`] says why).
//!
//! Rules that only allow, as the CLI writes them, are in [`rules`]; a policy reads shell commands and
//! paths by the same judge.
//!
//! Three kinds of questions come this way; [`PermissionAsk::kind`] tells them apart: may a tool
//! run, which of these would you like ([`QuestionAsk`]), and is this plan good ([`PlanAsk`]).

mod answer;
mod ask;
mod glob;
mod handler;
mod path;
mod plan;
mod policy;
mod protected;
mod question;
mod rule;
pub mod rules;
mod shell;
mod target;

pub use answer::PermissionAnswer;
pub use ask::{AskKind, PermissionAsk};
pub use handler::PermissionHandler;
pub use plan::PlanAsk;
pub use policy::{Policy, Verdict};
pub use question::QuestionAsk;
pub use rule::Rule;

pub use rusty_claw_protocol::permission::*;
