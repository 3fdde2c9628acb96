//! Ends sessions whose CLI does not run.

use std::sync::Arc;

use rusty_claw::Options;

use super::close_signal::close_signal;
use super::open::{close_orphans, rebuild};
use super::recorder::Recorder;
use super::watchers::Watchers;
use super::{Controller, ControllerError, SessionSetup};
use crate::event::{Fact, InputFailure, InputId, Lifecycle};
use crate::session_id::SessionId;

impl Controller {
    /// Records the end of a session without starting its CLI, for an owner whose starts fail. Turns
    /// and interactions that the previous owner left open end. Inputs that were not sent fail with
    /// the reason of `end`.
    ///
    /// # Errors
    /// The session is open, or the log fails.
    pub async fn end_unstarted(
        &self,
        session_id: SessionId,
        epoch: u64,
        end: Lifecycle,
    ) -> Result<(), ControllerError> {
        let (close, asked) = close_signal();
        let setup = SessionSetup::new(Options::new()).reopen(session_id);
        let _reserved = self.shared.reserve(&setup, close)?;
        let log = Arc::clone(&self.shared.log);
        let state = rebuild(&log, session_id, true, Some(epoch)).await?;
        let watchers = Watchers::new(self.shared.unsent, self.shared.limits.sink_timeout);
        let mut recorder = Recorder::new(session_id, state, log, watchers, asked);
        close_orphans(&mut recorder);
        let reason = end.reason.clone().unwrap_or_default();
        let unsent: Vec<InputId> = recorder.state.queue.unsent().cloned().collect();
        for id in unsent {
            let failure = InputFailure::new(id, reason.as_str());
            recorder.fact(Fact::InputFailed(failure));
        }
        recorder.ended(end);
        Ok(recorder.commit().await?)
    }
}
