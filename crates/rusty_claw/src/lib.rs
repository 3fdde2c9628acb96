//! Run Claude Code from Rust.
//!
//! The CLI speaks JSON, one object for each line. This crate reads and writes those lines as
//! types, and no line can break it: what is new is kept, what is not JSON is a value too.
//!
//! ```
//! use rusty_claw::framing::{Frame, LineFramer};
//! use rusty_claw::messages::ContentBlock;
//! use rusty_claw::Line;
//!
//! // What the CLI prints, in whatever pieces the pipe gives it to us.
//! let mut framer = LineFramer::new();
//! framer.push(br#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"te"#);
//! framer.push(b"xt\",\"text\":\"Hello!\"}]}}\nsomething printed this\n");
//! framer.push(b"{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"Hello!\"}\n");
//!
//! let mut answer = String::new();
//! let mut ended = false;
//! while let Some(frame) = framer.next_frame() {
//!     let Frame::Line(bytes) = frame else { continue };
//!     match Line::decode(bytes) {
//!         Line::Message(received) => {
//!             for block in received.message.content_blocks() {
//!                 if let ContentBlock::Text { text, .. } = block {
//!                     answer.push_str(text);
//!                 }
//!             }
//!             ended |= received.message.is_final();
//!         }
//!         other => println!("not a message: {:?}", other.raw()),
//!     }
//! }
//! assert_eq!(answer, "Hello!");
//! assert!(ended);
//! ```
//!
//! Where to look:
//! - [`messages`]: everything the CLI prints, with examples of parsing and matching.
//! - [`control`]: the questions and answers that travel beside the conversation.
//! - [`permission`]: who decides whether a tool runs: callbacks, rules, questions and plans.
//! - [`hook`]: what the CLI tells a program at given moments, and what it may say to it.
//! - [`elicitation`] and [`dialog`]: what MCP servers and the CLI ask the user.
//! - [`framing`]: from bytes to lines.
//! - [`mcp`]: functions of your program as tools of the model.
//! - [`Line`], [`Received`] and [`Peek`]: from lines to messages, the line itself kept.

pub mod blocking;
pub mod cli;
pub mod control;
pub mod dialog;
pub mod elicitation;
pub mod framing;
pub mod hook;
pub mod mcp;
pub mod messages;
pub mod permission;
pub mod store;
pub mod transport;

mod error;
mod future;
mod host;
mod options;
mod outgoing;
mod pool;
mod prompt;
mod pump;
mod query;
mod session;
mod stream;
mod structured;
mod text;

/// Sessions on disk: list, describe, read, rename, tag, archive, fork and delete them.
///
/// Nothing here starts a process or waits for one; call it on a blocking thread when folders are
/// large.
pub use claw_transcript as sessions;

pub use error::{SessionError, StartError};
pub use future::BoxFuture;
pub use options::{
    ClaudeCodePrompt, CloseLadder, CustomPrompt, Options, PermissionPrompts, PluginDelivery,
    QuestionPreview, SettingSource, SystemPrompt, Thinking,
};
pub use pool::Pool;
pub use prompt::Prompt;
pub use pump::LaneCounts;
pub use query::{NotAnswered, Query, query};
pub use session::{
    Attached, CloseReport, ClosedBy, Detached, EndCause, Session, SessionEnd, Turn, TurnLimit,
    TurnOutcome, TurnReport,
};
pub use stream::MessageStream;
pub use structured::{QueryAsError, query_as};
pub use text::{TextAssembler, TextPiece, TextSource, TextStream};

pub use rusty_claw_protocol::tool;
pub use rusty_claw_protocol::{
    DecodeError, Extra, Json, Line, Map, Peek, RawLine, Received, Str, Unknown, UnknownCause,
};

// What tools and structured answers are derived with, so that a user's crate needs no more than
// this one: `#[serde(crate = "rusty_claw::serde")]`, `#[schemars(crate = "rusty_claw::schemars")]`.
pub use {schemars, serde, serde_json};
