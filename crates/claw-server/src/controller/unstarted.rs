//! Ends sessions whose CLI does not run.

use std::sync::Arc;

use super::close_signal::close_signal;
use super::open::{close_orphans, rebuild};
use super::recorder::Recorder;
use super::redelivery::end_delivered;
use super::watchers::Watchers;
use super::{Controller, ControllerError, SessionSetup};
use crate::event::{Fact, InputFailure, InputId, Lifecycle};

impl Controller {
    /// Records the end of a session without starting its CLI, for an owner whose starts fail. Turns
    /// and interactions that the previous owner left open end. Inputs that were not sent fail with
    /// the reason of `end`. If the previous owner may have sent them and the conversation cannot be
    /// read, their failure is [indeterminate](InputFailure::indeterminate).
    ///
    /// # Errors
    /// The setup has no id, the session is open, or the log fails.
    pub async fn end_unstarted(
        &self,
        setup: SessionSetup,
        end: Lifecycle,
    ) -> Result<(), ControllerError> {
        let (close, asked) = close_signal();
        let (slot, _commands) = self.shared.reserve(&setup, close)?;
        let session_id = slot.session_id;
        let log = Arc::clone(&self.shared.log);
        let state = rebuild(&log, session_id, true, setup.epoch).await?;
        let watchers = Watchers::new(self.shared.unsent, self.shared.limits.sink_timeout);
        let mut recorder = Recorder::new(session_id, state, log, watchers, asked);
        let library = setup.library(&recorder.state.record);
        let are_known = !recorder.state.record.was_abandoned()
            || end_delivered(&mut recorder, library.as_ref()).await;
        close_orphans(&mut recorder);
        let reason = end.reason.clone().unwrap_or_default();
        let unsent: Vec<InputId> = recorder.state.queue.unsent().cloned().collect();
        for id in unsent {
            let mut failure = InputFailure::new(id, reason.as_str());
            if !are_known {
                failure = failure.indeterminate();
            }
            recorder.fact(Fact::InputFailed(failure));
        }
        recorder.ended(end);
        Ok(recorder.commit().await?)
    }
}
