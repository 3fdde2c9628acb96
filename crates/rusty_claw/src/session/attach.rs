//! Detaches from a session and attaches to it again, in this or another process.
//!
//! For hosts that must be able to restart while the CLI continues: another process holds the pipes
//! and the output so far, and a [`Transport`] connects to it.

use std::path::PathBuf;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::ControlRequest;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Session;
use super::ledger::Ledger;
use super::mirroring::MirrorPlan;
use super::start::{Beginning, begin, timed_out};
use super::turn::{Turn, TurnSlot};
use crate::error::{SessionError, StartError};
use crate::options::Options;
use crate::pump::command::{Command, ConfigDir};
use crate::stream::MessageStream;
use crate::transport::connection::Transport;

/// The state of a detached session, with which another host can attach to it.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Detached {
    /// The number of handled bytes of the CLI's output. The transport must provide the output from
    /// here on.
    pub offset: u64,
    /// The ids of turns without an outcome, oldest first.
    pub open_turns: Vec<Str>,
    /// Requests of the CLI without a response. The CLI repeats interactions by itself, but not
    /// hooks and MCP messages.
    pub open_calls: Vec<(Str, ControlRequest)>,
    /// The CLI's total cost of the session so far.
    pub total_cost_usd: Option<f64>,
    /// The config folder with the CLI's session files, by which an attached session with a store
    /// recognizes them. If it is absent, the folder is that of the options' environment.
    pub config_dir: Option<PathBuf>,
    /// Whether that folder was created to resume the session from a store. It is then removed,
    /// including credentials, at the end of a session that attaches with this value and with the
    /// store. If the CLI is ended in another way, the caller must remove it.
    pub config_dir_is_made: bool,
}

impl Detached {
    /// The state of a session whose host died: only the number of handled bytes is known.
    ///
    /// Set [`Detached::config_dir`] if the session was resumed from a store: the holder of the CLI
    /// has seen it as `CLAUDE_CONFIG_DIR` in the [`Launch`](crate::transport::Launch).
    pub fn at(offset: u64) -> Self {
        Self {
            offset,
            ..Self::default()
        }
    }
}

// Requests contain parts of the conversation, so they are not printed.
debug_fields!(Detached, |detached|
    offset: detached.offset,
    open_turns: detached.open_turns,
    open_calls: Vec::from_iter(detached.open_calls.iter().map(|(id, request)| (id, request.tag()))),
    total_cost_usd: detached.total_cost_usd
);

/// An attached session.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attached {
    /// The session.
    pub session: Session,
    /// Its messages, from the offset on.
    pub messages: MessageStream,
    /// New handles for the turns that were open.
    pub turns: Vec<Turn>,
    /// The interactions that the CLI listed as pending. Their handlers are called.
    pub pending: Vec<ControlRequest>,
}

impl Session {
    /// Detaches: the CLI continues, and [`Session::attach`] resumes where this left off.
    ///
    /// Running callbacks are dropped without an answer. Unread messages can still be read from the
    /// old stream; the offset is after them.
    ///
    /// This works only with a transport to a CLI that another process holds: the pipes of a child
    /// process close.
    ///
    /// # Errors
    /// - [`SessionError::Over`]: the session is over.
    /// - [`SessionError::NotReleased`]: the CLI is a child process that ends with this one. The
    ///   session is closed, as if it were dropped.
    ///
    /// Dropping the future does not cancel the detach.
    pub async fn detach(self) -> Result<Detached, SessionError> {
        let (state, detached) = oneshot::channel();
        let _ = self.shared.commands.send(Command::Detach { state });
        let state = detached.await.map_err(|_| self.over())??;
        Ok(Detached {
            offset: state.offset,
            open_turns: state.open_turns,
            open_calls: state.open_calls,
            total_cost_usd: state.total_cost,
            config_dir_is_made: state.config_dir.as_ref().is_some_and(|it| it.is_made),
            config_dir: state.config_dir.map(|it| it.path),
        })
    }

    /// Attaches to a running session.
    ///
    /// The transport must provide the CLI's output from `from.offset` on. `initialize` is sent
    /// again, which declares this host's hooks and tools to the CLI and returns the interactions
    /// that still wait for an answer. Messages that the CLI printed meanwhile are read as usual.
    /// With a store, lines are mirrored from the offset on, from the folder in `from`.
    ///
    /// # Errors
    /// The transport fails, or the CLI does not answer.
    ///
    /// If the future is dropped, the CLI continues if the transport can release it.
    pub async fn attach(
        transport: impl Transport,
        options: Options,
        from: Detached,
    ) -> Result<Attached, StartError> {
        let started = Instant::now();
        // The CLI read its files long ago, so those of this launch are not kept.
        let (launch, _files) = options.launch()?;
        let config_dir = from.config_dir.map(|path| ConfigDir {
            path,
            is_made: from.config_dir_is_made,
        });
        let mirror = MirrorPlan::attached(&options, &launch, config_dir)?;
        let limit = options.limits.start;
        let opening = Box::new(transport).open(launch);
        let connection = tokio::time::timeout(limit, opening)
            .await
            .map_err(|_| timed_out(limit, String::new()))??;
        let queues = options.limits.queues();
        let mut outcomes = Vec::new();
        let mut turns = Vec::new();
        for id in &from.open_turns {
            let (outcome, resolved) = oneshot::channel();
            let slot = TurnSlot::new(&queues);
            outcomes.push((id.clone(), slot.number, outcome));
            turns.push(Turn {
                id: id.clone(),
                outcome: resolved,
                resolved: None,
                slot,
            });
        }
        let initialize = options.initialize();
        let (session, messages, pending) = begin(
            Beginning {
                connection,
                queues,
                limits: options.limits.clone(),
                host: options.host,
                initialize,
                mirror,
                verbatim: options.prompt.verbatim,
                ledger: Ledger::with_open(from.open_turns, from.total_cost_usd),
                turns: outcomes,
                attach: Some((from.offset, from.open_calls)),
            },
            started,
        )
        .await?;
        Ok(Attached {
            session,
            messages,
            turns,
            pending,
        })
    }
}
