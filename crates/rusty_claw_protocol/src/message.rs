//! A decoded line.

mod access;
mod api;
mod assistant;
mod compact_system;
mod control_frame;
pub(crate) mod envelope;
mod frame;
mod ids;
mod lifecycle;
mod progress;
mod rate_limit;
mod result;
mod system;
mod tool_info;
mod user;

pub use api::*;
pub use assistant::*;
pub use compact_system::*;
pub use envelope::{ControlForm, McpMessage, Message};
pub use frame::*;
pub use lifecycle::*;
pub use progress::*;
pub use rate_limit::*;
pub use result::*;
pub use system::*;
pub use tool_info::*;
pub use user::*;
