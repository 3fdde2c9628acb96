//! Connects an agent to its users: events out, input in, interactions answered.
//!
//! An application displays what an agent does and forwards what its users write. It does not handle
//! the CLI or its output: it receives [`UiMessage`] values (or [`MobileMessage`] values, which are
//! fewer and flatter) and sends [`ControllerInputPayload`] values. All of them are JSON on the
//! wire, and old clients keep working: what a newer server adds is kept as `Unknown`.
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
//! The history of a session is stored as [`SessionEvent`] values; see [`event`]. An
//! [`EventBuilder`] creates them from the CLI's output, and [`UiProjection`] and
//! [`MobileProjection`] turn them into messages: pure projections, which can be saved and restored
//! anywhere.
//!
//! A [`Controller`] runs sessions on the SDK: it accepts [`Input`], asks people through the
//! registries in [`registry`], stores every event in an [`EventLog`] before it is visible, and
//! sends messages to every [`EventSink`]. A disconnected front end resumes with
//! [`Controller::resume`]. A [`Follower`] delivers sessions that run elsewhere, or that have ended,
//! from their log.

mod controller;
#[cfg(test)]
mod errors_page;
pub mod event;
mod event_builder;
mod follower;
pub mod grants;
/// Compiles the examples of the server mode guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/server-mode.md")]
mod guide {}
mod input;
pub mod interactions;
mod is_default;
mod log;
mod mobile;
mod open_enum;
mod parking;
mod permission;
pub mod progress;
mod project;
mod projection;
mod question;
mod recording;
#[cfg(test)]
mod reference_page;
pub mod registry;
mod sequenced;
mod session_id;
mod sink;
mod state_version;
mod stop_reason;
mod ui_message;
mod unknown_message;

pub use controller::{
    Activity, Controller, ControllerBuilder, ControllerError, Input, InputReceipt, SessionClosed,
    SessionSetup, Watch, WatchEnd,
};
pub use event::{Fact, InputMode, SessionEvent, TextDelta};
pub use event_builder::{EventBuilder, Output};
pub use follower::Follower;
pub use input::{ControllerInputPayload, Role, TurnId};

pub use log::{
    Checkpoint, EventLog, Fence, Latest, LogError, LogStream, LogUpdate, MemoryLog, PageLimit,
    SessionList,
};
pub use mobile::{
    ClaudeResponse, ErrorMessage, FailedInput, InteractionRequest, MissingEvents, MobileMessage,
    MobilePermissionRequest, MobileSessionState, Operation, OperationState, ProgressUpdateMessage,
    QuestionRequest, RequestResolved, ResponseRetracted, SessionProject, SubAgentProgress,
    ToolOperation, TurnComplete,
};
pub use permission::{PermissionLevel, PermissionRequest, TargetType};
pub use progress::{ProgressParser, ProgressTracker, SubAgentProgressMonitor, SubAgentStatus};
pub use project::Project;
pub use projection::{MobileProjection, NO_TOOL_RESULT, UNFOLLOWED_TOOL, UiProjection};
pub use question::{AskUserQuestionsRequest, Question, QuestionType};
pub use recording::Recording;
pub use rusty_claw::permission::rules;
pub use rusty_claw_protocol::{Json, UnknownCause};
pub use sequenced::{Sequenced, SequencedMessage};
pub use session_id::{InvalidSessionId, SessionId};
pub use sink::{Delivery, Dialect, EventSink, InputSource};
pub use stop_reason::StopReason;
pub use ui_message::{
    BatchPlace, InputState, InteractionOutcome, Resolution, SessionPhase, TaskStatus, TodoItem,
    TodoStatus, ToolFailure, UiMessage,
};
pub use unknown_message::UnknownMessage;
