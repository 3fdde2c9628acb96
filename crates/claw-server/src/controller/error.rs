//! Errors of a controller.

use rusty_claw::{SessionError, StartError};

use crate::input::Role;
use crate::log::LogError;

/// An error of a [`Controller`](crate::Controller).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// There is no such session.
    #[error("there is no session {session_id} here: it has ended, or was never opened")]
    NoSession {
        /// The requested id.
        session_id: i64,
    },
    /// A session with this id is open.
    #[error("session {session_id} is already open")]
    AlreadyOpen {
        /// The requested id.
        session_id: i64,
    },
    /// The log has events of a session with this id, or this process had one.
    #[error(
        "there was a session {session_id} already: give its history to go on with it, or open \
         another number"
    )]
    HasHistory {
        /// The requested id.
        session_id: i64,
    },
    /// The given history is not that of this session.
    #[error("this is not the history of session {session_id}: {why}")]
    WrongHistory {
        /// The requested id.
        session_id: i64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The client has seen more of a session than its events.
    #[error(
        "session {session_id} has no event {after}: its last one is {latest}. The number belongs \
         to another session, or the log has lost its end: begin at 0"
    )]
    AheadOfLog {
        /// The requested id.
        session_id: i64,
        /// The last sequence that the client has seen.
        after: u64,
        /// The sequence of the session's last event.
        latest: u64,
    },
    /// The session or the controller is being closed.
    #[error("the session, or the whole controller, is closing and accepts nothing new")]
    ShuttingDown,
    /// Too many inputs are queued.
    #[error("{limit} inputs are already queued: send it again when some of them are done")]
    QueueFull {
        /// Maximum number of queued inputs.
        limit: usize,
    },
    /// The key belongs to an input with other content or another mode.
    #[error(
        "the key {key:?} belongs to an input with another text or mode: use a new key for a new \
         input"
    )]
    KeyReused {
        /// The rejected key.
        key: String,
    },
    /// The turn of an input has a role other than `User`.
    #[error("an input must have the role User, not {}: create its turn id with TurnId::new_user_turn", role.as_str())]
    NotUserTurn {
        /// The rejected role.
        role: Role,
    },
    /// The sequence of an input's turn is not higher than that of the last input.
    #[error(
        "the input has sequence {sequence}, which is too low: use {} or higher, and repeat an input \
         under its idempotency key",
        last.saturating_add(1)
    )]
    StaleTurn {
        /// The rejected sequence.
        sequence: u64,
        /// The highest accepted sequence; 0 if there is none, since sequences start at 1.
        last: u64,
    },
    /// The input cannot be converted to a prompt.
    #[error("the input cannot be sent: {why}")]
    Unsendable {
        /// The reason.
        why: &'static str,
    },
    /// The CLI did not start.
    #[error("the session did not start")]
    Start(#[source] StartError),
    /// A request to the CLI failed.
    #[error("the request to the CLI failed")]
    Session(#[source] SessionError),
    /// Code of the session, such as a log or a transport, panicked.
    #[error("the session ended because its code panicked: see standard error")]
    Panicked,
    /// An event could not be stored, so nothing was done.
    #[error(transparent)]
    Log(#[from] LogError),
}
