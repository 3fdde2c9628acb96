//! What a session's loop is told from outside.

use tokio::sync::oneshot;

use super::ControllerError;
use super::forwarder::Listener;
use super::input::{Input, InputReceipt};
use super::watching::Watch;
use crate::event::{AskedPrompt, PromptId};
use crate::prompts::{AnswerRefused, PromptDesk};
use crate::registry::PromptReply;

/// Something that somebody wants of a session. The way there is bounded: when it is full, whoever
/// wants something waits.
pub(super) enum Command {
    Input {
        input: Input,
        reply: oneshot::Sender<Result<InputReceipt, ControllerError>>,
    },
    Answer {
        answers: Vec<(PromptRef, PromptReply, Option<String>)>,
        reply: oneshot::Sender<Vec<Result<(), AnswerRefused>>>,
    },
    Pending {
        reply: oneshot::Sender<Vec<AskedPrompt>>,
    },
    Interrupt {
        reply: oneshot::Sender<Result<(), ControllerError>>,
    },
    Watch {
        listener: Box<dyn Listener>,
        /// What whoever looks has seen.
        after: u64,
        reply: oneshot::Sender<Result<Watch, ControllerError>>,
    },
}

/// How clients name a prompt.
#[derive(Debug, Clone)]
pub(super) enum PromptRef {
    /// By its id, or by its call.
    Named(String),
    /// By its place in a batch.
    InBatch { batch: String, index: u32 },
}

impl PromptRef {
    /// The prompt that is meant: one that waits, or else one that is over.
    pub(super) fn find(&self, desk: &PromptDesk) -> Option<PromptId> {
        match self {
            Self::Named(name) => {
                let id = PromptId::new(name.as_str());
                // An answer to a prompt that is over is none to another one of the same call: the
                // person has not seen it.
                if desk.knows(&id) {
                    return Some(id);
                }
                let by_call = desk
                    .open()
                    .find(|prompt| prompt.tool_use_id.as_deref() == Some(name));
                Some(by_call.map_or(id, |prompt| prompt.id.clone()))
            }
            Self::InBatch { batch, index } => desk.in_group(batch, *index),
        }
    }
}
