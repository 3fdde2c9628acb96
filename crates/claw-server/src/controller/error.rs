//! What can go wrong with a controller.

use rusty_claw::{SessionError, StartError};

use crate::input::Role;
use crate::log::LogError;

/// Why a controller does not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// There is no such session.
    #[error("there is no session {session_id} here: it has ended, or was never opened")]
    NoSession {
        /// Its number.
        session_id: i64,
    },
    /// The number is taken.
    #[error("session {session_id} is open already")]
    AlreadyOpen {
        /// Its number.
        session_id: i64,
    },
    /// The log has events of a session of this number, or this process had one.
    #[error(
        "there was a session {session_id} already: give its history to go on with it, or open \
         another number"
    )]
    HasHistory {
        /// Its number.
        session_id: i64,
    },
    /// The history that was given is none of this session.
    #[error("this is not the history of session {session_id}: {why}")]
    WrongHistory {
        /// Its number.
        session_id: i64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Somebody has seen more of a session than happened in it.
    #[error(
        "session {session_id} has no event {after}: its last one is {latest}. The number belongs \
         to another session, or the log has lost its end: begin at 0"
    )]
    AheadOfLog {
        /// The session.
        session_id: i64,
        /// What was seen.
        after: u64,
        /// The last event of the session.
        latest: u64,
    },
    /// The session or the controller is being closed.
    #[error("the session, or the whole controller, is being closed and takes nothing new")]
    ShuttingDown,
    /// Too many inputs wait.
    #[error("{limit} inputs wait already: send it again when some of them are done")]
    QueueFull {
        /// How many may wait.
        limit: usize,
    },
    /// Another input has this key.
    #[error(
        "the key {key:?} belongs to an input with another text or mode: take a new key for a new \
         input"
    )]
    KeyReused {
        /// The key.
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
    /// The input has no form that an agent could read.
    #[error("the input cannot be sent: {why}")]
    Unsendable {
        /// Why.
        why: &'static str,
    },
    /// The CLI did not start.
    #[error("the session did not start")]
    Start(#[source] StartError),
    /// The CLI did not do it.
    #[error("the CLI did not do it")]
    Session(#[source] SessionError),
    /// Something that the session was given to work with panicked.
    #[error("a part of the session panicked, so it is over: look for the panic on standard error")]
    Panicked,
    /// It could not be written down, and so it was not done.
    #[error(transparent)]
    Log(#[from] LogError),
}
