//! The control protocol: questions and answers beside the conversation.
//!
//! Both sides ask. A [`ControlRequest`] travels in a `control_request` frame, its
//! [`ControlResponse`] in a `control_response` frame that repeats the request's id. What a success
//! carries depends on the request: [`Verb`] and [`ControlPayload`] say what.

mod agent;
mod answers;
mod ask;
mod build;
mod context_parts;
mod context_usage;
mod diff;
mod files;
mod hooks_listing;
mod initialize;
mod initialized;
mod mcp;
mod plugins;
mod report;
mod request;
mod session;
mod settings;
mod tasks;
mod turn;
mod usage;
mod verb;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::message::Message;
use crate::text::Str;
use crate::unknown::Unknown;

pub use agent::*;
pub use answers::*;
pub use ask::*;
pub use context_parts::*;
pub use context_usage::*;
pub use diff::*;
pub use files::*;
pub use hooks_listing::*;
pub use initialize::*;
pub use initialized::*;
pub use mcp::*;
pub use plugins::*;
pub use report::*;
pub use request::*;
pub use session::*;
pub use settings::*;
pub use tasks::*;
pub use turn::*;
pub use usage::*;
pub use verb::*;

/// The answer to a control request. Told apart by `subtype`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum ControlResponse {
    /// It was done.
    Success {
        /// What came of it; its type depends on the request, see [`ControlPayload::read`].
        response: Option<Json>,
        // Leniency: the message document answers `can_use_tool` with these two. The CLI does not
        // understand them, so they are read and never sent.
        /// Whether the tool may run, as one document has it.
        allowed: Option<bool>,
        /// Why not, as one document has it.
        reason: Option<String>,
        /// Prompts that still wait for an answer.
        #[wire(flatten)]
        pending: Box<PendingPrompts>,
        /// What no field holds.
        extra: Extra,
    },
    /// It was not done.
    Error {
        /// Why not.
        error: String,
        /// Why not, for programs: `unsupported_request`, `invalid_mode`, ….
        error_code: Option<Str>,
        /// Prompts that still wait for an answer.
        #[wire(flatten)]
        pending: Box<PendingPrompts>,
        /// What no field holds.
        extra: Extra,
    },
    /// An outcome that is new to this library.
    Unknown(Unknown),
}

/// The prompts that still wait for an answer, for a host that lost track. The CLI sends them with
/// the reply to `initialize`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PendingPrompts {
    /// Permission questions, as the frames they came in.
    #[wire(name = "pending_permission_requests")]
    pub permissions: Option<Vec<Message>>,
    /// Dialogs, as the frames they came in.
    #[wire(name = "pending_user_dialog_requests")]
    pub dialogs: Option<Vec<Message>>,
    /// Elicitations, as the frames they came in.
    #[wire(name = "pending_elicitation_requests")]
    pub elicitations: Option<Vec<Message>>,
    /// What no field holds.
    pub extra: Extra,
}
