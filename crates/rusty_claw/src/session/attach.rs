//! Letting go of a session and taking it up again, here or in another process.
//!
//! For hosts that must be able to restart while the CLI runs on: somebody else holds the pipes and
//! the output so far, and a [`Transport`] reaches them.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::ControlRequest;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::mirroring::{ConfigDir, MirrorPlan};
use super::start::{Beginning, begin, timed_out};
use super::{Ledger, Session, Turn, TurnSlot};
use crate::error::{SessionError, StartError};
use crate::options::Options;
use crate::pump::Command;
use crate::stream::MessageStream;
use crate::transport::Transport;

/// Where a session was let go of: what it takes to attach to it again.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Detached {
    /// How many bytes of the CLI's output have been taken care of. The transport must give the
    /// output from here on.
    pub offset: u64,
    /// Turns that have no outcome yet, by their ids, oldest first.
    pub open_turns: Vec<Str>,
    /// Questions of the CLI that were being answered. Those that are prompts the CLI repeats by
    /// itself; hooks and tool calls it does not.
    pub open_calls: Vec<(Str, ControlRequest)>,
    /// The CLI's running total of costs.
    pub total_cost_usd: Option<f64>,
    /// The config folder in which the CLI keeps its session files: a session with a store needs it
    /// to know them when it is attached to. Where it is absent, the folder is that of the
    /// options' environment.
    pub config_dir: Option<PathBuf>,
    /// Whether that folder was made when the session was resumed from a store. It is then removed,
    /// credentials and all, when the session has ended that attaches with this and with the store.
    /// Whoever ends the CLI otherwise removes it.
    pub config_dir_is_made: bool,
}

impl Detached {
    /// A session whose host died: all that is known is how much of its output was taken care of.
    ///
    /// Set [`Detached::config_dir`] when the session was resumed from a store: whoever holds the
    /// CLI has seen it as `CLAUDE_CONFIG_DIR` in the [`Launch`](crate::transport::Launch).
    pub fn at(offset: u64) -> Self {
        Self {
            offset,
            ..Self::default()
        }
    }
}

// What the CLI asks about is the conversation's.
impl fmt::Debug for Detached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.open_calls.iter();
        let calls = calls.map(|(id, request)| (id, request.tag()));
        f.debug_struct("Detached")
            .field("offset", &self.offset)
            .field("open_turns", &self.open_turns)
            .field("open_calls", &calls.collect::<Vec<_>>())
            .field("total_cost_usd", &self.total_cost_usd)
            .finish_non_exhaustive()
    }
}

/// A session that was attached to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attached {
    /// The session.
    pub session: Session,
    /// Its messages, from the offset on.
    pub messages: MessageStream,
    /// The turns that were open, with handles anew.
    pub turns: Vec<Turn>,
}

impl Session {
    /// Lets go: the CLI runs on, and [`Session::attach`] takes it up where this left off.
    ///
    /// Callbacks that run are dropped without an answer. Messages that were not read can still be
    /// read from the old stream; the offset is behind them.
    ///
    /// Only a transport that reaches a CLI which somebody else holds survives this: the pipes of a
    /// child process close.
    ///
    /// # Errors
    /// - [`SessionError::Over`]: the session is over.
    /// - [`SessionError::NotReleased`]: the CLI is a child process that ends with this one. The
    ///   session is closed, as if it were dropped.
    ///
    /// Dropping the future does not take it back.
    pub async fn detach(self) -> Result<Detached, SessionError> {
        let (state, told) = oneshot::channel();
        let _ = self.shared.commands.send(Command::Detach { state });
        let state = told.await.map_err(|_| self.over())??;
        Ok(Detached {
            offset: state.offset,
            open_turns: state.open_turns,
            open_calls: state.open_calls,
            total_cost_usd: state.total_cost,
            config_dir_is_made: state.config_dir.as_ref().is_some_and(|it| it.is_made),
            config_dir: state.config_dir.map(|it| it.path),
        })
    }

    /// Takes up a session that runs already.
    ///
    /// The transport must give the CLI's output from `from.offset` on. `initialize` is said again,
    /// which gives the CLI this host's hooks and tools and brings back the prompts that still wait
    /// for an answer. Messages that the CLI printed meanwhile are read like any other. With a store,
    /// lines are mirrored from the offset on, from the folder that `from` names.
    ///
    /// # Errors
    /// The transport fails, or the CLI does not answer.
    ///
    /// Dropping the future lets go of the CLI as the transport does.
    pub async fn attach(
        transport: impl Transport,
        options: Options,
        from: Detached,
    ) -> Result<Attached, StartError> {
        let started = Instant::now();
        // The CLI has read its files long ago, so nobody need keep those of this launch.
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
        let lane = options.limits.lane();
        let mut outcomes = HashMap::new();
        let mut turns = Vec::new();
        for id in &from.open_turns {
            let (outcome, resolved) = oneshot::channel();
            let slot = TurnSlot::new(&lane);
            outcomes.insert(id.clone(), (slot.number, outcome));
            turns.push(Turn {
                id: id.clone(),
                outcome: resolved,
                resolved: None,
                slot,
            });
        }
        let initialize = options.initialize();
        let (session, messages) = begin(
            Beginning {
                connection,
                lane,
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
        })
    }
}
