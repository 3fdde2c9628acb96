//! How sessions end, and what is reported about it.

use std::sync::atomic::Ordering;

use rusty_claw::transport::Exit;
use rusty_claw::{ClosedBy, EndCause, SessionEnd};
use serde::{Serialize, Serializer};

use super::closing::{Closing, FLUSH};
use super::parking::Settled;
use super::recovery;
use super::session::SessionLoop;
use crate::event::{
    Fact, InputFailure, InputId, InteractionAnswer, InteractionId, Lifecycle, LifecycleState,
};
use crate::interactions::InteractionEnd;
use crate::log::LogError;
use crate::session_id::SessionId;

/// How a session ended. Every session has exactly one such report.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SessionClosed {
    /// The id of the session.
    pub session_id: SessionId,
    /// Whether it was closed or lost.
    pub state: LifecycleState,
    /// The exit code of the process, if it is known.
    pub exit_code: Option<i32>,
    /// A description of what happened, with the end of the CLI's standard error.
    pub reason: String,
    /// How the CLI was stopped, if the session was closed.
    #[serde(serialize_with = "as_text")]
    pub closed_by: Option<ClosedBy>,
    /// The CLI's own id of the conversation, to resume it.
    pub cli_session_id: Option<String>,
    /// How many turns it had.
    pub turns: u64,
    /// The turn that the end interrupted. The CLI may still have completed it.
    pub cut_off_turn: Option<u64>,
    /// The interactions that were pending at the end. They were denied and are withdrawn; after a
    /// [`log_error`](Self::log_error) the log does not have this, and the next owner withdraws
    /// those that it finds open.
    pub withdrawn: Vec<InteractionId>,
    /// Inputs that were stored but not sent. They have failed; after a
    /// [`log_error`](Self::log_error) the log does not have this, and the next owner sends them.
    pub unsent: Vec<InputId>,
    /// Inputs that were stored but not sent, and wait in the log: the session sleeps, or its CLI was
    /// lost together with a holder, whose gateway starts the session again.
    pub queued: Vec<InputId>,
    /// The interaction that waits for an answer without a process, if the session is parked.
    pub parked: Option<InteractionId>,
    /// The sequence of its last event in the log.
    pub sequence: u64,
    /// Number of sinks that did not accept everything in time, or for which the log could not be
    /// read. The events that they missed are in the log.
    pub sinks_behind: usize,
    /// Number of sinks that panicked and were dropped.
    pub sinks_panicked: usize,
    /// Set if the log failed, so that the last events are not in it. Watchers were not notified of
    /// the end then, because only stored events are sent: their sinks were dropped.
    pub log_error: Option<LogError>,
}

fn as_text<S: Serializer>(by: &Option<ClosedBy>, serializer: S) -> Result<S::Ok, S::Error> {
    by.map(|by| by.to_string()).serialize(serializer)
}

impl SessionClosed {
    /// A report without details.
    pub(super) fn lost(session_id: SessionId, reason: String, sequence: u64) -> Self {
        Self {
            session_id,
            state: LifecycleState::Lost,
            exit_code: None,
            reason,
            closed_by: None,
            cli_session_id: None,
            turns: 0,
            cut_off_turn: None,
            withdrawn: Vec::new(),
            unsent: Vec::new(),
            queued: Vec::new(),
            parked: None,
            sequence,
            sinks_behind: 0,
            sinks_panicked: 0,
            log_error: None,
        }
    }
}

impl SessionLoop {
    /// Records how the session ended, and flushes the sinks.
    pub(super) async fn finish(&mut self, ran: Result<(), LogError>) -> SessionClosed {
        if ran.is_err() {
            // Nothing may happen that is not recorded: deny all pending requests, also those that a
            // policy allowed without this being stored, and stop the CLI.
            self.waiting.clear();
            self.asks.close();
            while self.asks.try_recv().is_ok() {}
            if self.recorder.is_held && matches!(ran, Err(LogError::Fenced)) {
                // The CLI now belongs to another owner.
                let _ = self.session.clone().detach().await;
            } else {
                self.session.close().await;
            }
        }
        let end = self.session.ended().await;
        if let Some(closing) = &mut self.closing
            && let Some(report) = closing.future()
        {
            // The output ended first; the report follows shortly.
            let report = report.await;
            closing.closed(report);
        }
        let mut lifecycle = self.lifecycle(&end, ran.as_ref().err());
        // The holder reports how the CLI exited, so it is lost, perhaps with output of the CLI.
        if self.recorder.is_held
            && lifecycle.state == LifecycleState::Lost
            && ran.is_ok()
            && matches!(end.exit, Exit::Unknown)
            && let Err(error) = recovery::complete(&mut self.recorder, self.library.clone()).await
        {
            tracing::warn!(%error, "the log cannot be read, and is not completed");
        }
        let settled = match &ran {
            Ok(()) => self.settle(&lifecycle).await,
            Err(_) => Settled::Nothing,
        };
        let is_parked = matches!(settled, Settled::Waits(_));
        if let Settled::Interrupted(unknown_calls) = settled {
            // A session that was put to sleep keeps its queue.
            if lifecycle.state != LifecycleState::Asleep {
                lifecycle.state = LifecycleState::Lost;
            }
            lifecycle.unknown_calls = unknown_calls;
        } else if is_parked {
            lifecycle.state = LifecycleState::Parked;
        }
        let cut_off = self.closing.as_mut().map(Closing::take_cut_off);
        let cut_off = cut_off.unwrap_or_default();
        let session_id = self.recorder.session_id;
        let mut closed = SessionClosed {
            state: lifecycle.state.clone(),
            exit_code: lifecycle.exit_code,
            closed_by: self.closing.as_ref().and_then(Closing::how),
            cli_session_id: lifecycle.cli_session_id.clone(),
            turns: self.recorder.state.builder.turns(),
            cut_off_turn: self.recorder.state.builder.turn().or(cut_off.turn),
            withdrawn: self.withdrawn(cut_off.interactions),
            unsent: self.recorder.state.queue.unsent().cloned().collect(),
            log_error: ran.err(),
            ..SessionClosed::lost(session_id, end.to_string(), 0)
        };
        for event in &self.recorder.lost {
            match &event.fact {
                Fact::InputAccepted(input) => closed.unsent.retain(|id| *id != input.id),
                Fact::InteractionAnswered(InteractionAnswer { id, .. })
                | Fact::InteractionExpired(id) => closed.withdrawn.push(id.clone()),
                _ => {}
            }
        }
        let abandoned = match is_parked {
            true => Vec::new(),
            false => self.recorder.state.interactions.abandoned(),
        };
        for fact in abandoned {
            if let Fact::InteractionWithdrawn(id) = &fact {
                closed.withdrawn.push(id.clone());
            }
            self.recorder.fact(fact);
        }
        let is_asleep = is_parked || lifecycle.state == LifecycleState::Asleep;
        if is_parked {
            let mut open = self.recorder.state.interactions.open();
            closed.parked = open.next().map(|one| one.id.clone());
        }
        let is_lost = lifecycle.state == LifecycleState::Lost;
        if is_asleep || (self.recorder.is_held && is_lost) {
            // They are delivered when the session is opened again.
            closed.queued = std::mem::take(&mut closed.unsent);
        }
        for id in &closed.unsent {
            let failure = InputFailure::new(id.clone(), "the session ended before its turn came");
            self.recorder.fact(Fact::InputFailed(failure));
        }
        if !is_parked {
            self.recorder.ended(lifecycle);
        }
        if closed.log_error.is_none()
            && let Err(error) = self.recorder.commit().await
        {
            closed.log_error = Some(error);
        }
        if let Some(error) = &closed.log_error {
            closed.state = LifecycleState::Lost;
            closed.reason = format!("{error}; {}", closed.reason);
        }
        self.recorder.last_checkpoint().await;
        closed.sequence = self.recorder.stored().load(Ordering::Acquire);
        let watchers = &mut self.recorder.watchers;
        watchers.finish(FLUSH).await;
        closed.sinks_behind = watchers.behind();
        closed.sinks_panicked = watchers.panicked();
        closed
    }

    /// Returns the interactions that the CLI withdrew before they were answered.
    fn withdrawn(&self, mut ids: Vec<InteractionId>) -> Vec<InteractionId> {
        let ended = |id: &InteractionId| self.recorder.state.interactions.ended(id);
        ids.retain(|id| ended(id) == Some(&InteractionEnd::Withdrawn));
        ids
    }

    fn lifecycle(&self, end: &SessionEnd, log_error: Option<&LogError>) -> Lifecycle {
        let state = match end.cause {
            EndCause::Closed if log_error.is_none() => match self.recorder.close.is_sleep() {
                true => LifecycleState::Asleep,
                false => LifecycleState::Closed,
            },
            _ => LifecycleState::Lost,
        };
        let state = self.lost.map_or(state, |_| LifecycleState::Lost);
        let mut lifecycle = Lifecycle::new(state);
        lifecycle.exit_code = match end.exit {
            Exit::Code(code) => Some(code),
            _ => None,
        };
        lifecycle.cli_session_id = self.session.session_id().map(|id| id.as_str().to_owned());
        lifecycle.reason = Some(match log_error {
            Some(error) => error.to_string(),
            None => match self.lost {
                Some(lost) => lost.to_owned(),
                None => {
                    let asked = self.recorder.close.reason();
                    asked.unwrap_or_else(|| end.reason.clone())
                }
            },
        });
        let tasks = self.session.background_tasks();
        if tasks > 0 {
            lifecycle
                .lost
                .push(format!("{tasks} tasks in the background"));
        }
        let prompts = self.scheduled.count();
        if prompts > 0 {
            lifecycle.lost.push(format!("{prompts} scheduled prompts"));
        }
        lifecycle
    }
}
