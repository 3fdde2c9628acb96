//! The state that the threads share: queued prompts, open requests, running tasks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

use serde_json::Value;

use super::session_file::ParkedCall;

/// A prompt from the host.
#[derive(Debug)]
pub(super) struct Prompt {
    /// The host's own id; without one there are no life cycle frames.
    pub(super) uuid: Option<String>,
    pub(super) content: Value,
}

/// The next thing to do.
pub(super) enum Next {
    /// A parked call of the resumed session.
    Parked(ParkedCall),
    Prompts(Vec<Prompt>),
    TaskEnded(Task),
    End,
}

/// How the host answered a question.
#[derive(Debug)]
pub(super) enum Answer {
    Success(Value),
    Error(String),
    /// Stdin ended first.
    Closed,
    /// An interrupt cancelled the question.
    Interrupted,
    /// It timed out.
    TakenBack,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Interrupted,
    InputEnded,
}

/// An open question.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) frame: Value,
    pub(super) answer: Option<Answer>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) waiting: VecDeque<Prompt>,
    /// The call to ask for before anything else.
    pub(super) parked: Option<ParkedCall>,
    pub(super) running: bool,
    pub(super) interrupted: bool,
    pub(super) input_ended: bool,
    pub(super) open: BTreeMap<String, Open>,
    pub(super) hooks: Value,
    pub(super) manifests: Value,
    /// Initialized servers in the host's process.
    pub(super) greeted: BTreeSet<String>,
    pub(super) mode: String,
    pub(super) model: String,
    pub(super) tasks: Vec<Task>,
    /// The state that was last reported, if the host enabled reports.
    pub(super) reported: &'static str,
    pub(super) last_was_error: bool,
    pub(super) results: u64,
    /// Whether the turn before ended just now, so that everything that waits is joined.
    pub(super) joined: bool,
}

/// A task that continues after its turn.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) due: Instant,
    pub(super) run_id: String,
    pub(super) text: String,
    pub(super) id: String,
    pub(super) tool_use_id: String,
    pub(super) description: String,
}
