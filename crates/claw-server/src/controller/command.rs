//! Commands to the loop of a session.

use std::time::Duration;

use rusty_claw::Session;
use tokio::sync::oneshot;

use super::ControllerError;
use super::close_signal::CloseSignal;
use super::forwarder::Listener;
use super::input::{Input, InputReceipt};
use super::parking::ParkableReply;
use super::watching::Watch;
use crate::event::{Interaction, InteractionId};
use crate::grants::Grant;
use crate::interactions::{AnswerRefused, InteractionRegistry};
use crate::registry::{Answer, Answerer};

/// A command to a session. The channel is bounded: senders wait while it is full.
pub(super) enum Command {
    Input {
        input: Input,
        reply: oneshot::Sender<Result<InputReceipt, ControllerError>>,
    },
    Answer {
        answers: Vec<(InteractionRef, Answer, Answerer)>,
        reply: oneshot::Sender<Vec<Result<(), AnswerRefused>>>,
    },
    Grant {
        change: GrantChange,
        reply: oneshot::Sender<bool>,
    },
    Pending {
        reply: oneshot::Sender<Vec<Interaction>>,
    },
    Interrupt {
        /// Only this turn, if there is one.
        turn: Option<u64>,
        reply: oneshot::Sender<Result<(), ControllerError>>,
    },
    /// Puts the session to sleep, if it has been idle for this long. Returns whether it has.
    SleepIfIdle {
        idle_for: Duration,
        close: CloseSignal,
        reply: oneshot::Sender<bool>,
    },
    /// Ends the session in this process, and leaves its CLI to the next owner.
    Release { reply: oneshot::Sender<bool> },
    /// Returns what is needed to decide whether the session can be parked.
    Parkable { reply: ParkableReply },
    /// Parks the session if this is its last event.
    Park {
        sequence: u64,
        reply: oneshot::Sender<bool>,
    },
    /// Returns a handle of the CLI.
    Session {
        /// Whether the caller changes a setting.
        is_change: bool,
        reply: oneshot::Sender<Session>,
    },
    Watch {
        listener: Box<dyn Listener>,
        /// The last sequence that the client has seen.
        after: u64,
        reply: oneshot::Sender<Result<Watch, ControllerError>>,
    },
}

/// A grant to add or to remove.
#[derive(Debug)]
pub(super) enum GrantChange {
    Add(Grant),
    Remove(Grant),
}

/// How clients refer to an interaction.
#[derive(Debug, Clone)]
pub(super) enum InteractionRef {
    /// By its id, or that of its call.
    Named(String),
    /// By its index in a batch.
    InBatch { batch: String, index: u32 },
}

impl InteractionRef {
    /// Returns the id of the interaction. An exact id takes precedence over a call.
    pub(super) fn find(&self, interactions: &InteractionRegistry) -> Option<InteractionId> {
        match self {
            Self::Named(name) => {
                let id = InteractionId::new(name.as_str());
                // An answer to an ended interaction must not count for another one of the same
                // call, which the person has not seen.
                if interactions.knows(&id) {
                    return Some(id);
                }
                let by_call = interactions
                    .open()
                    .find(|interaction| interaction.tool_use_id.as_deref() == Some(name));
                Some(by_call.map_or(id, |interaction| interaction.id.clone()))
            }
            Self::InBatch { batch, index } => interactions.in_group(batch, *index),
        }
    }
}
