//! How sessions end.

use std::fmt;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::SessionWritesLostMessage;

use crate::error::{SessionError, ending};
use crate::store::mirror::MirrorReport;
use crate::transport::exit::Exit;

/// How a session ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionEnd {
    /// What caused the end.
    pub cause: EndCause,
    /// How the process ended.
    pub exit: Exit,
    /// The reason, as text.
    pub reason: String,
    /// The end of its standard error.
    pub stderr_tail: String,
    /// What was stored of the session's lines, if it has a store. Absent in the outcome of a turn,
    /// which does not wait for the store.
    pub mirror: Option<MirrorReport>,
    /// The CLI's report of session data that it could not write.
    pub writes_lost: Option<Box<SessionWritesLostMessage>>,
}

/// The cause of a session's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndCause {
    /// The program closed it, or dropped its last handle.
    Closed,
    /// The CLI exited by itself, or something else ended it.
    Lost,
    /// The CLI did not stop a turn that timed out, so it was ended.
    Unresponsive,
    /// The program detached from it; the CLI continues.
    Detached,
}

impl SessionEnd {
    pub(crate) fn unknown(reason: &str) -> Self {
        Self {
            cause: EndCause::Lost,
            exit: Exit::Unknown,
            reason: reason.to_owned(),
            stderr_tail: String::new(),
            mirror: None,
            writes_lost: None,
        }
    }

    /// The error for requests to a session that ended like this.
    pub(crate) fn error(&self) -> SessionError {
        SessionError::Over {
            reason: self.reason.clone(),
            exit: self.exit,
            stderr_tail: self.stderr_tail.clone(),
        }
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ending(&self.reason, &self.exit, &self.stderr_tail))
    }
}

/// The result of closing a session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CloseReport {
    /// The step that ended it.
    pub by: ClosedBy,
    /// How the process ended.
    pub exit: Exit,
    /// How long it took.
    pub took: Duration,
    /// The ids of turns that were open; their outcome is that the process was lost.
    pub open_turns: Vec<Str>,
    /// The end of its standard error.
    pub stderr_tail: String,
    /// What was stored of the session's lines, if it has a store. Also present if the CLI exited by
    /// itself.
    pub mirror: Option<MirrorReport>,
    /// The CLI's report of session data that it could not write: its session file ends there.
    pub writes_lost: Option<Box<SessionWritesLostMessage>>,
}

impl CloseReport {
    /// The report for a session that had already ended.
    pub(crate) fn already_over(end: &SessionEnd) -> Self {
        Self::new(end, ClosedBy::AlreadyOver, Duration::ZERO, Vec::new())
    }

    pub(crate) fn new(
        end: &SessionEnd,
        by: ClosedBy,
        took: Duration,
        open_turns: Vec<Str>,
    ) -> Self {
        Self {
            by,
            exit: end.exit,
            took,
            open_turns,
            stderr_tail: end.stderr_tail.clone(),
            mirror: end.mirror.clone(),
            writes_lost: end.writes_lost.clone(),
        }
    }
}

/// The step that ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ClosedBy {
    /// None: it had already ended.
    AlreadyOver,
    /// The `end_session` request.
    EndSession,
    /// The end of its input.
    EndOfInput,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}

impl fmt::Display for ClosedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlreadyOver => "it was over already",
            Self::EndSession => "end_session",
            Self::EndOfInput => "end of input",
            Self::Terminate => "SIGTERM",
            Self::Kill => "SIGKILL",
        })
    }
}
