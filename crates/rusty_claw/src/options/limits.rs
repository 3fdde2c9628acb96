//! Limits for time and for unread messages.

use std::sync::Arc;
use std::time::Duration;

use super::check::bad;
use crate::error::StartError;
use crate::pump::message_queues::MessageQueues;
use crate::start_limiter::StartLimiter;

/// Limits for time and for unread messages.
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
    /// The wait after each step of a close.
    pub(crate) ladder: CloseLadder,
    /// Maximum number of bytes of unread messages in memory; the rest is spilled to a file.
    pub(crate) unread_in_memory: usize,
    /// Maximum number of bytes of unread messages in the file; then the CLI's output is not read.
    pub(crate) unread_in_file: u64,
    /// The maximum length of lines that the session itself does not need; `None` for no limit.
    pub(crate) line: Option<usize>,
}

/// The wait after each step of a close.
///
/// A close starts gracefully, so that the CLI can complete its session file, and escalates:
/// `end_session`, then the end of its input, then SIGTERM, then SIGKILL. A step ends early when the
/// CLI exits.
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
    /// The wait after `end_session`. 2 s by default.
    pub end_session: Duration,
    /// The wait after the end of input. 1 s by default.
    pub end_of_input: Duration,
    /// The wait after SIGTERM, before SIGKILL. 1.5 s by default.
    pub terminate: Duration,
}

impl CloseLadder {
    /// Sets the wait after `end_session`. Zero skips the wait, not the step.
    pub fn end_session(mut self, wait: Duration) -> Self {
        self.end_session = wait;
        self
    }

    /// Sets the wait after the end of input.
    pub fn end_of_input(mut self, wait: Duration) -> Self {
        self.end_of_input = wait;
        self
    }

    /// Sets the wait after SIGTERM, before SIGKILL.
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

impl Limits {
    /// Creates the queues for the messages of a session with these limits.
    pub(crate) fn queues(&self) -> Arc<MessageQueues> {
        Arc::new(MessageQueues::new(
            self.unread_in_memory,
            self.unread_in_file,
        ))
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
