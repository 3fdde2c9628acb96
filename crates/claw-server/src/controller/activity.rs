//! Whether a session has something to do.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::close_signal::CloseSignal;
use super::command::Command;
use super::session::SessionLoop;
use super::{Controller, ControllerError, SessionClosed};
use crate::session_id::SessionId;

/// Whether a session has something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// A turn or a background task runs, a prompt is scheduled, or an input is queued.
    Busy,
    /// It waits for answers to interactions.
    Waiting,
    /// It has nothing to do.
    Idle {
        /// When it became idle.
        since: Instant,
    },
}

impl Controller {
    /// Returns the activity of a session and its changes. The channel closes when the session has
    /// ended.
    ///
    /// # Errors
    /// There is no such session.
    pub fn activity(
        &self,
        session_id: SessionId,
    ) -> Result<watch::Receiver<Activity>, ControllerError> {
        let handle = self.shared.handle(session_id);
        let handle = handle.ok_or(ControllerError::NoSession { session_id })?;
        Ok(handle.activity)
    }

    /// Puts a session to sleep like [`Controller::sleep`], if it has been idle for at least this
    /// time. Returns whether it goes to sleep, and does not wait for the end of its CLI.
    ///
    /// # Errors
    /// There is no such session.
    ///
    /// Dropping the future does not cancel this.
    pub async fn sleep_if_idle(
        &self,
        session_id: SessionId,
        idle_for: Duration,
    ) -> Result<bool, ControllerError> {
        let handle = self.shared.handle(session_id);
        let close = handle.map(|handle| handle.close);
        let close = close.ok_or(ControllerError::NoSession { session_id })?;
        let command = |reply| Command::SleepIfIdle {
            idle_for,
            close,
            reply,
        };
        self.send_command(session_id, command).await
    }

    /// Puts a session to sleep like [`Controller::sleep`] and interrupts its work, for a reason that
    /// its log records.
    ///
    /// # Errors
    /// There is no such session, or its end is no longer kept.
    ///
    /// Dropping the future does not cancel this.
    pub async fn sleep_because(
        &self,
        session_id: SessionId,
        reason: &str,
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        let ask = |close: &CloseSignal| {
            close.because(reason);
            close.sleep_within(Duration::ZERO);
        };
        self.end(session_id, ask).await
    }
}

impl SessionLoop {
    /// Publishes the activity, if it has changed.
    pub(super) fn report_activity(&self) {
        let (is_busy, is_waiting) = (self.is_busy(), !self.waiting.is_empty());
        self.activity.send_if_modified(|activity| {
            let new = match (*activity, is_waiting, is_busy) {
                (_, true, _) => Activity::Waiting,
                (_, _, true) => Activity::Busy,
                (Activity::Idle { since }, ..) => Activity::Idle { since },
                _ => Activity::Idle {
                    since: Instant::now(),
                },
            };
            std::mem::replace(activity, new) != new
        });
    }

    fn is_busy(&self) -> bool {
        let state = &self.recorder.state;
        // The SDK has received what it reports before the loop reads the line.
        let cli_is_busy =
            self.session.is_idle() == Some(false) || self.session.background_tasks() > 0;
        cli_is_busy
            || state.builder.turn().is_some()
            || !state.queue.is_empty()
            || self.scheduled.any()
            || self.sending.is_some()
            || self.stopping.is_some()
            || self.closing.is_some()
    }

    pub(super) fn sleep_if_idle(&self, idle_for: Duration, close: &CloseSignal) -> bool {
        self.report_activity();
        let is_due = matches!(*self.activity.borrow(), Activity::Idle { since } if since.elapsed() >= idle_for);
        if is_due {
            close.sleep_within(Duration::ZERO);
        }
        is_due
    }
}
