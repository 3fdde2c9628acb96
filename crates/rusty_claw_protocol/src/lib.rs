//! Every message of the Claude Code CLI, typed and lossless.
//!
//! The CLI prints one JSON object per line. [`Line::decode`] turns a line into a typed
//! [`messages::Message`] and keeps the line itself, byte for byte. It never fails: an unrecognized
//! type becomes `Unknown`, unrecognized members are kept in `extra`, and a line that is not JSON is
//! returned as [`Line::NotJson`].
//!
//! ```
//! use rusty_claw_protocol::Line;
//! use rusty_claw_protocol::messages::{ContentBlock, Message};
//!
//! let line = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello!"}]}}"#;
//! let decoded = Line::decode(line);
//! if let Some(Message::Assistant(assistant)) = decoded.message() {
//!     for block in &assistant.message.content {
//!         if let ContentBlock::Text { text, .. } = block {
//!             println!("{text}");
//!         }
//!     }
//! }
//! assert_eq!(decoded.raw().as_bytes(), line.as_bytes());
//! ```
//!
//! Structs are `#[non_exhaustive]` because every CLI release adds members. Each has a constructor
//! that takes the required members; assign the other fields:
//!
//! ```
//! use rusty_claw_protocol::messages::{ApiMessage, AssistantMessage};
//!
//! let mut answer = AssistantMessage::new(ApiMessage::default());
//! answer.request_id = Some("req_1".into());
//! ```

// The derive refers to this crate by name, also inside it.
extern crate self as rusty_claw_protocol;

pub mod audit;
mod content;
pub mod control;
mod error;
mod extra;
pub mod hook;
#[doc(hidden)]
#[cfg(feature = "shapes")]
pub mod inventory;
mod json;
mod line_text;
mod message;
mod open_enum;
mod peek;
pub mod permission;
mod received;
mod stream;
mod text;
pub mod tool;
mod unknown;
mod usage;
#[doc(hidden)]
pub mod wire;

pub use error::DecodeError;
pub use extra::Extra;
pub use json::Json;
pub use peek::Peek;
pub use received::{Line, RawLine, Received};
pub use text::Str;
pub use unknown::{Unknown, UnknownCause};
pub use wire::Map;

/// The messages and their parts.
pub mod messages {
    pub use crate::content::*;
    pub use crate::message::*;
    pub use crate::stream::*;
    pub use crate::usage::*;
}
