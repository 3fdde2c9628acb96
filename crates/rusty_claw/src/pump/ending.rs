//! Ends a session, or detaches from it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::Pump;
use super::closing::{self, Closing};
use super::command::{Command, PumpState};
use super::unread::SESSION;
use crate::error::SessionError;
use crate::session::end::{CloseReport, EndCause, SessionEnd};
use crate::session::outcome::TurnOutcome;
use crate::transport::exit::Exit;

/// How long it may take to end the processes that the CLI left behind.
const CLEAN_UP: Duration = Duration::from_secs(3);

impl Pump {
    /// Ends the session, and notifies everything that waits for it.
    pub(super) async fn finish(mut self) {
        // First drop the callbacks and end the processes that the CLI left behind: everything below
        // may take a while.
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
            let _ = reply.send(Err(end.error()));
        }
        // Turns do not wait for the store; its report is only in the end of the session.
        let end = match self.mirror.take() {
            Some(mirror) => Arc::new(SessionEnd {
                mirror: Some(mirror.close().await),
                ..SessionEnd::clone(&end)
            }),
            None => end,
        };
        // Accept no more commands, and handle those that arrived while the session ended.
        self.commands.close();
        let mut late = Vec::new();
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Inject { raw } => self.queue_for(SESSION, raw),
                other => late.push(other),
            }
        }
        self.deliver().await;
        self.queues.close();
        self.status
            .send_modify(|status| status.end = Some(Arc::clone(&end)));
        if let Some(closing) = self.closing.take() {
            closing.report(&end, open);
        }
        for command in late {
            match command {
                Command::Request { reply, .. } => {
                    let _ = reply.send(Err(end.error()));
                }
                Command::Prompt { outcome, .. } => {
                    let _ = outcome.send(TurnOutcome::ProcessLost(Arc::clone(&end)));
                }
                Command::Close { report } | Command::Kill { report } => {
                    let _ = report.send(CloseReport::already_over(&end));
                }
                Command::Forget { .. }
                | Command::Notify { .. }
                | Command::Detach { .. }
                | Command::Ready
                | Command::StderrTail { .. }
                | Command::Inject { .. } => {}
            }
        }
    }

    fn end_reason(&self, cause: EndCause) -> &'static str {
        // The CLI stopped talking and did not exit, so this library ended it.
        if cause == EndCause::Lost && self.closing.as_ref().is_some_and(Closing::was_forced) {
            "the CLI stopped talking and did not end, so it was ended"
        } else {
            closing::reason(cause)
        }
    }

    /// Detaches, and sends the state with which another pump can continue.
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
            let _ = reply.send(Err(end.error()));
        }
        let open_calls = self.calls.abandon();
        let config_dir = match self.mirror.take() {
            Some(mirror) => Some(mirror.let_go().await),
            None => None,
        };
        self.queues.close();
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
