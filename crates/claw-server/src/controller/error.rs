//! Errors of a controller.

use rusty_claw::{SessionError, StartError};

use crate::input::Role;
use crate::log::LogError;
use crate::session_id::SessionId;

/// An error of a [`Controller`](crate::Controller).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// There is no such session.
    #[error("there is no session {session_id} here: it has ended, or was never opened")]
    NoSession {
        /// The requested id.
        session_id: SessionId,
    },
    /// A payload names a session that is not open.
    #[error("the tenant has no open session with the number {number}")]
    UnknownNumber {
        /// The number in the payload.
        number: i64,
    },
    /// A session with this id is open.
    #[error("session {session_id} is already open")]
    AlreadyOpen {
        /// The requested id.
        session_id: SessionId,
    },
    /// The log has events of a session with this id, or this process had one.
    #[error(
        "there was a session {session_id} already: reopen it to continue it, or use another id"
    )]
    HasHistory {
        /// The requested id.
        session_id: SessionId,
    },
    /// The log lacks events that are needed to rebuild the state of the session.
    #[error("the log of session {session_id} is incomplete: it cannot be opened again, only read")]
    Incomplete {
        /// The requested id.
        session_id: SessionId,
    },
    /// The client has seen more of a session than its events.
    #[error(
        "session {session_id} has no event {after}: its last one is {latest}. The number belongs \
         to another session, or the log has lost its end: begin at 0"
    )]
    AheadOfLog {
        /// The requested id.
        session_id: SessionId,
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
    /// The session has no running CLI, according to its log: open it without attaching.
    #[error("session {session_id} has no running CLI to attach to")]
    NotRunning {
        /// The requested id.
        session_id: SessionId,
    },
    /// The running CLI cannot be reached. Nothing was recorded: open the session without attaching.
    #[error("the running CLI of the session cannot be reached")]
    Attach(#[source] StartError),
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
