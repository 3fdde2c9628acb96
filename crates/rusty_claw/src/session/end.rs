//! How sessions end.

use std::fmt;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::SessionWritesLostMessage;

use crate::error::ending;
use crate::store::MirrorReport;
use crate::transport::Exit;

/// How a session ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionEnd {
    /// Who ended it.
    pub cause: EndCause,
    /// How the process ended.
    pub exit: Exit,
    /// What happened, in words.
    pub reason: String,
    /// The last of what it printed on standard error.
    pub stderr_tail: String,
    /// What became of the session's lines in its store, when it has one. Absent in the end that a
    /// turn's outcome carries: nobody waits with that for the store.
    pub mirror: Option<MirrorReport>,
    /// What the CLI could not write to its own disk, when it says so.
    pub writes_lost: Option<Box<SessionWritesLostMessage>>,
}

/// Who ended a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndCause {
    /// The program closed it, or dropped its last handle.
    Closed,
    /// The CLI ended by itself, or something else ended it.
    Lost,
    /// It did not stop a turn that ran out of time, so it was ended.
    Unresponsive,
    /// The program let go of it; it runs on.
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
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ending(&self.reason, &self.exit, &self.stderr_tail))
    }
}

/// What closing a session came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CloseReport {
    /// What it took.
    pub by: ClosedBy,
    /// How the process ended.
    pub exit: Exit,
    /// How long it took.
    pub took: Duration,
    /// Turns that were open, by their ids; their outcome is that the process was lost.
    pub open_turns: Vec<Str>,
    /// The last of what it printed on standard error.
    pub stderr_tail: String,
    /// What became of the session's lines in its store, when it has one. Also when the CLI ended
    /// by itself.
    pub mirror: Option<MirrorReport>,
    /// What the CLI could not write to its own disk, when it says so: its session file ends there.
    pub writes_lost: Option<Box<SessionWritesLostMessage>>,
}

/// What it took to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ClosedBy {
    /// It was over already.
    AlreadyOver,
    /// It was asked to end the session, and did.
    EndSession,
    /// Its input was closed.
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
