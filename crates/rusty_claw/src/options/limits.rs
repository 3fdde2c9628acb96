//! How long things may take, and how much may pile up.

use std::sync::Arc;
use std::time::Duration;

use super::Options;
use super::check::bad;
use crate::error::StartError;
use crate::pump::Lane;
use crate::start_limiter::StartLimiter;

/// How long things may take, and how much may pile up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits {
    /// From the start to the reply to `initialize`.
    pub(crate) start: Duration,
    /// Limits concurrent starts; `None` for no limit.
    pub(crate) limiter: Option<StartLimiter>,
    /// From a control request to its reply.
    pub(crate) control: Duration,
    /// Without output of the CLI during a turn, while no tool runs and no answer of this program is
    /// pending.
    pub(crate) idle: Option<Duration>,
    /// From a prompt to its outcome.
    pub(crate) turn: Option<Duration>,
    /// Each step of the way from a friendly goodbye to a kill.
    pub(crate) ladder: CloseLadder,
    /// Unread messages kept in memory, in bytes; what is beyond goes to a file.
    pub(crate) unread_in_memory: usize,
    /// Unread messages kept in the file, in bytes; beyond it the CLI's output is left unread.
    pub(crate) unread_in_file: u64,
    /// The longest line that is kept whole, of those that only the reader wants; none when absent.
    pub(crate) line: Option<usize>,
}

/// How long each step of the way from a friendly goodbye to a kill may take.
///
/// A close asks first, so that the CLI can write its session file to the end, and gets harder
/// with each step: `end_session`, then the end of its input, then SIGTERM, then SIGKILL. A step
/// ends early when the CLI is gone.
///
/// ```
/// use std::time::Duration;
/// use rusty_claw::{CloseLadder, Options};
///
/// let patient = CloseLadder::default().end_session(Duration::from_secs(10));
/// let options = Options::new().close_ladder(patient);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CloseLadder {
    /// How long to wait after `end_session`. 2 s unless set.
    pub end_session: Duration,
    /// How long to wait after its input was closed. 1 s unless set.
    pub end_of_input: Duration,
    /// How long to wait after SIGTERM, before SIGKILL. 1.5 s unless set.
    pub terminate: Duration,
}

impl CloseLadder {
    /// How long to wait after `end_session`. Zero skips the step's wait, not the step.
    pub fn end_session(mut self, wait: Duration) -> Self {
        self.end_session = wait;
        self
    }

    /// How long to wait after its input was closed.
    pub fn end_of_input(mut self, wait: Duration) -> Self {
        self.end_of_input = wait;
        self
    }

    /// How long to wait after SIGTERM, before SIGKILL.
    pub fn terminate(mut self, wait: Duration) -> Self {
        self.terminate = wait;
        self
    }
}

impl Default for CloseLadder {
    fn default() -> Self {
        Self {
            end_session: Duration::from_secs(2),
            end_of_input: Duration::from_secs(1),
            terminate: Duration::from_millis(1500),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            limiter: Some(StartLimiter::shared()),
            control: Duration::from_secs(60),
            idle: Some(Duration::from_secs(15 * 60)),
            turn: None,
            ladder: CloseLadder::default(),
            unread_in_memory: 4 << 20,
            unread_in_file: 1 << 30,
            line: None,
        }
    }
}

impl Options {
    /// How long the CLI has from its start to its reply to `initialize`. 60 s unless set. Beyond
    /// it the start fails and the process is ended.
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.limits.start = limit;
        self
    }

    /// Limits how many sessions start at the same time. [`StartLimiter::shared`] by default, `None`
    /// for no limit. Further starts wait in a queue; [`Options::start_timeout`] does not run while
    /// they wait.
    pub fn start_limiter(mut self, limiter: impl Into<Option<StartLimiter>>) -> Self {
        self.limits.limiter = limiter.into();
        self
    }

    /// How long the CLI has to answer a control request, such as an interrupt or a change of the
    /// model. 60 s unless set. Beyond it the request fails; the session goes on.
    pub fn control_timeout(mut self, limit: Duration) -> Self {
        self.limits.control = limit;
        self
    }

    /// How long the CLI may print nothing during a turn. 15 minutes by default, `None` for no
    /// limit. After that the turn is interrupted and ends as timed out.
    ///
    /// The timeout is paused while an answer of this program is pending, and while a tool runs (a
    /// call without a result). [`Options::turn_timeout`] also limits these.
    ///
    /// The same holds for a program that reads nothing for so long while there is no room for
    /// more messages ([`Options::unread_in_file`]): [`TurnLimit::Unread`](crate::TurnLimit::Unread).
    pub fn idle_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.limits.idle = limit.into();
        self
    }

    /// How long a turn may take from its prompt to its outcome, waiting for people included. No
    /// limit unless set. Beyond it the turn is interrupted and counts as timed out.
    pub fn turn_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.limits.turn = limit.into();
        self
    }

    /// How long a permission question may wait for the program's answer. No limit unless set:
    /// people take their time. Beyond it the answer is a deny.
    pub fn permission_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.host.set_permission_timeout(limit.into());
        self
    }

    /// How long an MCP server's question may wait for the program's answer. No limit unless set.
    /// Beyond it the server is told that the user declined.
    pub fn elicitation_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.host.set_elicitation_timeout(limit.into());
        self
    }

    /// How long a dialog may wait for the program's answer. No limit unless set. Beyond it the
    /// dialog is closed unanswered.
    pub fn dialog_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.host.set_dialog_timeout(limit.into());
        self
    }

    /// How long each step of a close may take, from a friendly goodbye to a kill.
    pub fn close_ladder(mut self, ladder: CloseLadder) -> Self {
        self.limits.ladder = ladder;
        self
    }

    /// Maximum number of bytes of unread messages in memory, per stream. 4 MiB by default. Further
    /// messages are spilled to a file and read back in order.
    pub fn unread_in_memory(mut self, bytes: usize) -> Self {
        self.limits.unread_in_memory = bytes;
        self
    }

    /// Maximum number of bytes of unread messages in the file, per stream. 1 GiB by default. If the
    /// file or the disk is full, the CLI's output is not read until the program reads messages.
    /// Meanwhile the CLI is blocked, and responses to control requests and outcomes of turns are
    /// delayed, for at most [`Options::idle_timeout`].
    pub fn unread_in_file(mut self, bytes: u64) -> Self {
        self.limits.unread_in_file = bytes;
        self
    }

    /// The longest line that is kept whole, in bytes. No limit unless set. Of a longer one the
    /// reader gets the beginning, as a line that is no message, and the log the length; the lines
    /// after it are read as usual.
    ///
    /// Lines that the session itself needs are kept whole however long they are, so that questions
    /// are answered and turns end: control frames, results, receipts, and what goes to a store.
    pub fn max_line(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.limits.line = bytes.into();
        self
    }
}

impl Limits {
    /// A lane for the messages of a session with these limits.
    pub(crate) fn lane(&self) -> Arc<Lane> {
        Arc::new(Lane::new(self.unread_in_memory, self.unread_in_file))
    }

    pub(super) fn check(&self) -> Result<(), StartError> {
        let limits = [
            ("start_timeout", Some(self.start)),
            ("control_timeout", Some(self.control)),
            ("idle_timeout", self.idle),
            ("turn_timeout", self.turn),
        ];
        for (option, limit) in limits {
            if limit == Some(Duration::ZERO) {
                return Err(bad(
                    option,
                    "is zero, so nothing could ever be in time; leave it out for the default",
                ));
            }
        }
        if self.line == Some(0) {
            return Err(bad("max_line", "is zero, so no line could be read"));
        }
        Ok(())
    }
}
