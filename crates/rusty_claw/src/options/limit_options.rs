//! Options for limits.

use std::time::Duration;

use super::fields::Options;
use super::limits::CloseLadder;
use crate::start_limiter::StartLimiter;

impl Options {
    /// How long the CLI may take from its start to its reply to `initialize`. 60 s by default.
    /// After that the start fails and the process is ended.
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

    /// How long the CLI may take to answer a control request, such as an interrupt or a change of
    /// the model. 60 s by default. After that the request fails; the session continues.
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
    /// It also limits how long a program may read nothing while there is no space for more messages
    /// ([`Options::unread_in_file`]): [`TurnLimit::Unread`](crate::TurnLimit::Unread).
    pub fn idle_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.limits.idle = limit.into();
        self
    }

    /// How long a turn may take from its prompt to its outcome, including interactions. No limit by
    /// default. After that the turn is interrupted and ends as timed out.
    pub fn turn_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.limits.turn = limit.into();
        self
    }

    /// How long a permission request may wait for the program's answer. No limit by default. After
    /// that it is denied.
    pub fn permission_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.host.permission_timeout = limit.into();
        self
    }

    /// How long an elicitation may wait for the program's answer. No limit by default. After that
    /// it is declined.
    pub fn elicitation_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.host.elicitation_timeout = limit.into();
        self
    }

    /// How long a dialog may wait for the program's answer. No limit by default. After that it is
    /// closed without an answer.
    pub fn dialog_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.host.dialog_timeout = limit.into();
        self
    }

    /// The wait after each step of a close, from `end_session` to SIGKILL.
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

    /// The maximum length of a line, in bytes. No limit by default. A longer line is truncated: the
    /// reader gets the beginning, as a line that is not a message, and the length is logged. Later
    /// lines are not affected.
    ///
    /// Lines that the session itself needs are never truncated, so that requests are answered and
    /// turns end: control frames, results, receipts, and lines for a store.
    pub fn max_line(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.limits.line = bytes.into();
        self
    }
}
