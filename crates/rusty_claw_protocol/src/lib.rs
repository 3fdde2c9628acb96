//! Every message of the Claude Code CLI, typed and lossless.
//!
//! The CLI prints one JSON object for each line. [`Line::decode`] turns a line into a typed
//! [`messages::Message`] and keeps the line itself, byte for byte. It never fails: a type that is
//! new to this library is `Unknown`, a member that is new is kept in `extra`, and a line that is
//! not JSON is a value too.
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
//! Structs are `#[non_exhaustive]`, for every release of the CLI adds members. Each has a
//! constructor that takes the members that are always there; the other fields are assigned:
//!
//! ```
//! use rusty_claw_protocol::messages::{ApiMessage, AssistantMessage};
//!
//! let mut answer = AssistantMessage::new(ApiMessage::default());
//! answer.request_id = Some("req_1".into());
//! ```

// The derive names this crate by its name, also inside it.
extern crate self as rusty_claw_protocol;

pub mod audit;
mod content;
pub mod control;
mod error;
mod extra;
pub mod hook;
#[doc(hidden)]
pub mod inventory;
mod json;
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

/// The messages and what they contain.
pub mod messages {
    pub use crate::content::*;
    pub use crate::message::*;
    pub use crate::stream::*;
    pub use crate::usage::*;
}
