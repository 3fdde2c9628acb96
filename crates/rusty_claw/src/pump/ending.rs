//! The end of a session, and letting go of one.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::closing::{self, Closing};
use super::{Command, Pump, PumpState, SESSION};
use crate::error::SessionError;
use crate::session::{EndCause, SessionEnd, TurnOutcome};
use crate::transport::Exit;

/// How long ending what a process left behind may take.
const CLEAN_UP: Duration = Duration::from_secs(3);

impl Pump {
    /// Says how it ended to everybody who waits.
    pub(super) async fn finish(mut self) {
        // Nobody waits for answers any more, and what the process left behind is ended first:
        // everything below may take its time.
        drop(self.calls.abandon());
        let _ = tokio::time::timeout(CLEAN_UP, self.custody.clean_up()).await;
        self.writer.end_input();
        self.deliver().await;
        let exit = self.exit.unwrap_or(Exit::Unknown);
        let cause = self.closing.as_ref().map_or(EndCause::Lost, Closing::cause);
        let end = Arc::new(SessionEnd {
            cause,
            exit,
            reason: self.end_reason(cause).to_owned(),
            stderr_tail: self.custody.stderr_tail(),
            mirror: None,
            writes_lost: self.writes_lost.take(),
        });
        let open = self.ledger.open_ids();
        let lost = self
            .ledger
            .end_all(&TurnOutcome::ProcessLost(Arc::clone(&end)));
        self.resolve(lost);
        for (_, reply) in self.pending.drain() {
            let _ = reply.send(Err(over(&end)));
        }
        // Turns need not wait for the store; whoever asks how the session ended hears of it.
        let end = match self.mirror.take() {
            Some(mirror) => Arc::new(SessionEnd {
                mirror: Some(mirror.close().await),
                ..SessionEnd::clone(&end)
            }),
            None => end,
        };
        // Nothing more is taken; what was asked or told while the session ended is answered.
        self.commands.close();
        let mut late = Vec::new();
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Tell { raw } => self.queue_for(SESSION, raw),
                other => late.push(other),
            }
        }
        self.deliver().await;
        self.lane.close();
        self.status
            .send_modify(|status| status.end = Some(Arc::clone(&end)));
        if let Some(closing) = self.closing.take() {
            closing.report(&end, open);
        }
        for command in late {
            match command {
                Command::Request { reply, .. } => {
                    let _ = reply.send(Err(over(&end)));
                }
                Command::Prompt { outcome, .. } => {
                    let _ = outcome.send(TurnOutcome::ProcessLost(Arc::clone(&end)));
                }
                Command::Close { report } => {
                    let _ = report.send(closing::already_over(&end));
                }
                Command::Forget { .. }
                | Command::Notify { .. }
                | Command::Detach { .. }
                | Command::Ready
                | Command::StderrTail { .. }
                | Command::Tell { .. } => {}
            }
        }
    }

    fn end_reason(&self, cause: EndCause) -> &'static str {
        // Who stops talking and does not end is ended by us, and nobody else is to blame.
        if cause == EndCause::Lost && self.closing.as_ref().is_some_and(Closing::was_forced) {
            "the CLI stopped talking and did not end, so it was ended"
        } else {
            closing::reason(cause)
        }
    }

    /// Lets go. Whoever asked for it gets what it takes to go on.
    pub(super) async fn detach(
        mut self,
        state: Option<oneshot::Sender<Result<PumpState, SessionError>>>,
    ) {
        self.deliver().await;
        let open_turns = self.ledger.open_ids();
        let detached = self.ledger.end_all(&TurnOutcome::Detached);
        self.resolve(detached);
        let end = Arc::new(SessionEnd {
            cause: EndCause::Detached,
            exit: Exit::Unknown,
            reason: closing::reason(EndCause::Detached).to_owned(),
            stderr_tail: String::new(),
            mirror: None,
            writes_lost: None,
        });
        for (_, reply) in self.pending.drain() {
            let _ = reply.send(Err(over(&end)));
        }
        let open_calls = self.calls.abandon();
        let config_dir = match self.mirror.take() {
            Some(mirror) => Some(mirror.let_go().await),
            None => None,
        };
        self.lane.close();
        self.status.send_modify(|status| status.end = Some(end));
        let Some(state) = state else {
            return;
        };
        let _ = state.send(Ok(PumpState {
            offset: self.offset,
            open_turns,
            open_calls,
            total_cost: self.ledger.total_cost(),
            config_dir,
        }));
    }
}

/// The error that everybody gets who asks something of a session that is over.
pub(crate) fn over(end: &SessionEnd) -> SessionError {
    SessionError::Over {
        reason: end.reason.clone(),
        exit: end.exit,
        stderr_tail: end.stderr_tail.clone(),
    }
}
