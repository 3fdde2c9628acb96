//! Permission handlers: decide about tool calls.
//!
//! When the CLI cannot decide whether a tool may run, it sends a request. A [`PermissionHandler`]
//! answers: an async closure, a [`Policy`] of rules, or a type of your own. Without one every
//! request is denied with a message that says so.
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
//! List what may run and leave the rest to a person: such a list is safe, because an allow needs
//! certainty. A deny is a net and not a wall (see [`Policy`]).
//!
//! [`rules`] has rules in the CLI's own notation, which only allow. They match shell commands and
//! paths in the same way as a policy.
//!
//! There are three kinds of requests, see [`PermissionAsk::kind`]: permission to run a tool,
//! questions with choices ([`QuestionAsk`]), and plans to approve ([`PlanAsk`]).

mod answer;
mod ask;
mod fit;
mod glob;
mod handler;
mod path;
mod path_context;
mod plain_path;
mod plan;
mod policy;
mod protected;
mod question;
mod rule;
pub mod rules;
mod shell;
mod target;
#[cfg(test)]
mod test_cases;

pub use answer::PermissionAnswer;
pub use ask::{AskKind, PermissionAsk};
pub use handler::PermissionHandler;
pub use plan::PlanAsk;
pub use policy::{Policy, Verdict};
pub use question::QuestionAsk;
pub use rule::Rule;

pub use rusty_claw_protocol::permission::*;
