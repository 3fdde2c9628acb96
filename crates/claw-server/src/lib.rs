//! What stands between an agent and its users: events out, input in, prompts answered.
//!
//! An application shows what an agent does and passes on what its users say. It sees neither the
//! CLI nor its lines: it receives [`UiMessage`] values (or [`MobileMessage`] values, which are
//! fewer and flatter) and sends [`ControllerInputPayload`] values. All of them are JSON on a wire,
//! and none of them breaks an old client: what a newer server says is kept as `Unknown`.
//!
//! ```
//! use claw_server::{StopReason, TurnId, UiMessage};
//!
//! let mut answer = String::new();
//! let mut done = false;
//! for line in [
//!     r#"{"TextChunk":{"text":"Hel","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}"#,
//!     r#"{"TextChunk":{"text":"lo","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}"#,
//!     r#"{"Confetti":{"session_id":1,"colour":"green"}}"#,
//!     r#"{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}"#,
//! ] {
//!     match serde_json::from_str(line)? {
//!         UiMessage::TextChunk { text, .. } => answer.push_str(&text),
//!         UiMessage::Complete { stop_reason, turn_id, .. } => {
//!             assert_eq!(turn_id, TurnId::new_assistant_turn(1));
//!             done = stop_reason == StopReason::EndTurn;
//!         }
//!         other => assert_eq!(other.name(), "Confetti"),
//!     }
//! }
//! assert_eq!(answer, "Hello");
//! assert!(done);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! What happened in a session is kept as [`SessionEvent`] values; see [`event`].
//!
//! Today the crate has these types; the controller, the registries that answer prompts, and the
//! projections that make messages of events are to come.

pub mod event;
pub mod grants;
mod input;
mod mobile;
mod open_names;
mod permission;
pub mod prompts;
mod question;
pub mod rules;
mod stop_reason;
mod ui_message;
mod unknown_message;

pub use event::{Fact, SessionEvent, TextDelta};
pub use input::{ControllerInputPayload, Role, TurnId};
pub use mobile::{ClaudeResponse, MobileMessage, ProgressUpdateMessage};
pub use permission::{PermissionLevel, PermissionRequest, TargetType};
pub use question::{AskUserQuestionsRequest, Question, QuestionType};
pub use rusty_claw_protocol::{Json, UnknownCause};
pub use stop_reason::StopReason;
pub use ui_message::UiMessage;
pub use unknown_message::UnknownMessage;
