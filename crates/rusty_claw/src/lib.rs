//! Run Claude Code from Rust.
//!
//! A single prompt:
//!
//! ```no_run
//! use rusty_claw::{Options, query};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let answer = query("What is 2 + 2?", Options::new()).await?.text().await?;
//! println!("{answer}");
//! # Ok(())
//! # }
//! ```
//!
//! A conversation. Every prompt has exactly one outcome, even if the process dies:
//!
//! ```no_run
//! use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
//! use rusty_claw::{Options, Session};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options::new()
//!     .permission_mode(PermissionMode::Default)
//!     .can_use_tool(|ask: PermissionAsk| async move {
//!         match ask.tool_name() {
//!             "Read" => PermissionAnswer::allow(),
//!             other => PermissionAnswer::deny(format!("{other} is not for this session")),
//!         }
//!     });
//! let (session, _) = Session::start(options).await?;
//! let mut turn = session.chat("What is in this folder?").await?;
//! while let Some(received) = turn.next_message().await {
//!     println!("{}", received.message.message_type());
//! }
//! let outcome = turn.outcome().await;
//! println!("{outcome}: {}", outcome.text().unwrap_or_default());
//! session.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Three guarantees. No output of the CLI breaks a session: unknown messages are kept, and lines
//! that are not JSON are values too. Nothing hangs: control requests do not wait behind unread
//! messages while memory and disk can hold them ([`Options::unread_in_file`]), and every wait has a
//! limit or an end. A callback that is missing, late or broken denies.
//!
//! # Where to look
//! **Run it.** [`query`] and [`query_as`], [`Session`], [`Turn`] and [`TurnStream`], [`Options`],
//! [`Prompt`] with images and documents, [`TextStream`] for text as it is written, [`Pool`] for
//! sessions started in advance, [`blocking`] for scripts.
//!
//! **Control it.** [`permission`]: callbacks, rules, questions and plans. [`hook`]: callbacks for
//! events of the CLI. [`mcp`]: functions of your program as tools of the model. [`elicitation`] and
//! [`dialog`]: questions of MCP servers and the CLI to the user.
//!
//! **Store it.** [`sessions`]: session files, without a process. [`store`]: conversations in your
//! own storage, which can be resumed on another machine.
//!
//! **Inspect it.** [`messages`] and [`control`]: everything that is sent, with examples of parsing
//! and matching. [`Line`], [`Received`] and [`Peek`]: from lines to messages that keep their line.
//! [`framing`]: from bytes to lines. [`transport`]: processes and other connections to a CLI.
//! [`cli`]: finding and probing it.
//!
//! **Handle errors.** [`StartError`] before there is a session, [`SessionError`] while there is
//! one, [`TurnOutcome`] for the outcome of a prompt.
//!
//! The folder `examples/` has a program for each of these; all run without an API key.
//!
//! # Lines without a session
//! If you already have the CLI's output, you need no session:
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

#[macro_use]
mod debug_fields;

pub mod blocking;
pub mod cli;
/// The control protocol: requests and responses beside the conversation, in both directions.
pub mod control {
    pub mod messages;
}
pub mod dialog;
pub mod elicitation;
pub mod framing;
pub mod hook;
pub mod mcp;
pub mod messages;
pub mod permission;
pub mod store;
pub mod transport;

mod cache_folder;
mod causes;
mod duration;
mod error;
mod future;
#[cfg(doctest)]
mod guides;
mod host;
mod options;
mod outgoing;
mod pool;
mod prompt;
mod pump;
mod query;
#[cfg(test)]
mod recordings;
#[doc(hidden)]
pub mod runtime;
mod session;
mod start_limiter;
mod stream;
mod structured;
mod text;

/// Sessions on disk: list, describe, read, rename, tag, archive, fork and delete them.
///
/// Nothing here starts a process or waits for one. The functions block: for large folders, call
/// them on a blocking thread.
pub use claw_transcript as sessions;

pub use error::{SessionError, StartError};
pub use future::BoxFuture;
pub use options::{
    ClaudeCodePrompt, CloseLadder, CustomPrompt, Options, PermissionPrompts, PluginDelivery,
    QuestionPreview, SettingSource, SystemPrompt, Thinking,
};
pub use pool::Pool;
pub use prompt::Prompt;
pub use pump::queue_state::LaneCounts;
pub use query::{Query, query, resolve_settings};
pub use session::{
    Attached, CloseReport, ClosedBy, Detached, EndCause, NotAnswered, Session, SessionEnd, Turn,
    TurnEvent, TurnLimit, TurnOutcome, TurnReport, TurnStream,
};
// For the server's turn ledger; users have `Turn`.
#[doc(hidden)]
pub use session::{Ledger as TurnLedger, Resolved as ResolvedPrompt};
pub use start_limiter::StartLimiter;
pub use stream::MessageStream;
pub use structured::{QueryAsError, query_as};
pub use text::{TextAssembler, TextPiece, TextSource, TextStream};

pub use rusty_claw_protocol::tool;
pub use rusty_claw_protocol::{
    DecodeError, Extra, Json, Line, Map, Peek, RawLine, Received, Str, Unknown, UnknownCause,
};

// For derives on tools and structured answers, so that a user's crate needs no other dependency:
// `#[serde(crate = "rusty_claw::serde")]`, `#[schemars(crate = "rusty_claw::schemars")]`.
pub use {schemars, serde, serde_json};
