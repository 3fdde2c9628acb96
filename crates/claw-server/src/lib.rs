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
//! What happened in a session is kept as [`SessionEvent`] values; see [`event`]. A [`SessionLedger`]
//! makes them from what the CLI prints, and [`UiProjection`] and [`MobileProjection`] make the
//! messages from them: pure functions, which can be put away and taken up again anywhere.
//!
//! A [`Controller`] runs sessions on the SDK: it takes [`Input`], asks people through the registries
//! in [`registry`], keeps every event in an [`EventLog`] before anybody sees it, and sends messages
//! to every [`EventSink`]. A front end that was cut off goes on where it was with
//! [`Controller::resume`].

mod controller;
#[cfg(test)]
mod errors_page;
pub mod event;
pub mod grants;
/// The code in the book's guide, compiled like any other example so that it cannot rot.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/server-mode.md")]
mod guide {}
mod input;
mod ledger;
mod log;
mod mobile;
mod open_names;
mod permission;
mod permission_of;
pub mod progress;
mod project;
mod projection;
pub mod prompts;
mod question;
mod question_of;
mod recording;
#[cfg(test)]
mod reference_page;
pub mod registry;
pub mod rules;
mod sequenced;
mod sink;
mod state_version;
mod stop_reason;
mod ui_message;
mod unknown_message;

pub use controller::{
    Controller, ControllerBuilder, ControllerError, Input, InputReceipt, SessionClosed,
    SessionSetup, Watch, WatchEnd,
};
pub use event::{Fact, InputMode, SessionEvent, TextDelta};
pub use input::{ControllerInputPayload, Role, TurnId};
pub use ledger::{Output, SessionLedger};
pub use log::{EventLog, LogError, MemoryLog, PageLimit};
pub use mobile::{
    ClaudeResponse, ErrorMessage, FailedInput, MissingEvents, MobileMessage,
    MobilePermissionRequest, MobileSessionState, Operation, OperationState, ProgressUpdateMessage,
    PromptRequest, QuestionRequest, RequestResolved, ResponseRetracted, SessionProject,
    SubAgentProgress, ToolOperation, TurnComplete,
};
pub use permission::{PermissionLevel, PermissionRequest, TargetType};
pub use progress::{ProgressParser, ProgressTracker, SubAgentProgressMonitor, SubAgentStatus};
pub use project::Project;
pub use projection::{MobileProjection, NO_TOOL_RESULT, UNFOLLOWED_TOOL, UiProjection};
pub use question::{AskUserQuestionsRequest, Question, QuestionType};
pub use recording::Recording;
pub use rusty_claw_protocol::{Json, UnknownCause};
pub use sequenced::{Sequenced, SequencedMessage};
pub use sink::{Delivery, Dialect, EventSink, InputSource};
pub use stop_reason::StopReason;
pub use ui_message::{
    BatchPlace, InputState, PromptOutcome, Resolution, SessionPhase, TaskStatus, TodoItem,
    TodoStatus, ToolFailure, UiMessage,
};
pub use unknown_message::UnknownMessage;
