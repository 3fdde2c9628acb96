//! Run Claude Code from Rust.
//!
//! One question, one answer:
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
//! A conversation, in which every prompt has exactly one outcome, also when the process dies:
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
//! Three promises. No line of the CLI can break a session: what is new is kept, what is not JSON
//! is a value too. Nothing hangs: control does not wait behind unread messages, so long as memory
//! and disk take them ([`Options::unread_in_file`]), and everything that waits has a limit or an
//! end. And no answer is never a yes: a callback that is missing, late or
//! broken denies.
//!
//! # Where to look
//! **To run it.** [`query`] and [`query_as`], [`Session`], [`Turn`] and [`TurnStream`], [`Options`], [`Prompt`] with
//! images and documents, [`TextStream`] for text as it is written, [`Pool`] for sessions ahead of
//! time, [`blocking`] for scripts.
//!
//! **To have a say.** [`permission`]: callbacks, rules, questions and plans. [`hook`]: what the CLI
//! tells a program at given moments. [`mcp`]: functions of your program as tools of the model.
//! [`elicitation`] and [`dialog`]: what MCP servers and the CLI ask the user.
//!
//! **To keep it.** [`sessions`]: session files, without a process. [`store`]: conversations kept
//! where you want them and resumed on another machine.
//!
//! **To look inside.** [`messages`] and [`control`]: everything that travels, with examples of
//! parsing and matching. [`Line`], [`Received`] and [`Peek`]: from lines to messages, the line
//! itself kept. [`framing`]: from bytes to lines. [`transport`]: processes and other ways to reach a
//! CLI. [`cli`]: finding it, and asking what it is.
//!
//! **When it goes wrong.** [`StartError`] before there is a session, [`SessionError`] while there is
//! one, [`TurnOutcome`] for what became of a prompt.
//!
//! The folder `examples/` has a program for each of these; all run without a key.
//!
//! # Lines without a session
//! Whoever has the CLI's output already needs no session:
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
#[cfg(doctest)]
mod guides;
mod host;
mod options;
mod outgoing;
mod pool;
mod prompt;
mod pump;
mod query;
mod session;
mod start_limiter;
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
pub use query::{NotAnswered, Query, query, resolve_settings};
pub use session::{
    Attached, CloseReport, ClosedBy, Detached, EndCause, Session, SessionEnd, Turn, TurnEvent,
    TurnLimit, TurnOutcome, TurnReport, TurnStream,
};
// What the server's ledger of turns is made of; not for users, who have `Turn`.
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

// What tools and structured answers are derived with, so that a user's crate needs no more than
// this one: `#[serde(crate = "rusty_claw::serde")]`, `#[schemars(crate = "rusty_claw::schemars")]`.
pub use {schemars, serde, serde_json};
