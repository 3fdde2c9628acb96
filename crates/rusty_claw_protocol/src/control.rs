//! The control protocol: requests and responses beside the conversation.
//!
//! Both sides send requests. A [`ControlRequest`] is sent in a `control_request` frame, its
//! [`ControlResponse`] in a `control_response` frame with the same id. The payload of a success
//! depends on the request; see [`Verb`] and [`ControlPayload`].

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

pub use crate::message::envelope::{ControlResponse, PendingPrompts};
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
