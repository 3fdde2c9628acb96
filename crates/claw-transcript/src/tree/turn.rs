//! Turns: a prompt and everything up to the next one.

use super::node::{Marks, Node, NodeId, NodeKind};
use super::session_tree::SessionTree;

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// The model answered.
    Answered,
    /// A person stopped it.
    Interrupted,
    /// It ended in an error.
    Failed,
    /// A command that ran without the model.
    Local,
    /// There is no answer: it still runs, was killed, or was abandoned.
    Unfinished,
}

impl TurnOutcome {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Local => "local",
            Self::Unfinished => "unfinished",
        }
    }
}

/// A prompt and everything up to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn {
    /// The prompt, command or notification. If the start of a branch is missing, and after a
    /// compaction, any message.
    pub first: NodeId,
    /// Its last message.
    pub last: NodeId,
    /// The number of messages.
    pub len: usize,
    /// The number of tool calls.
    pub calls: usize,
    /// How it ended.
    pub outcome: TurnOutcome,
}

impl SessionTree {
    /// The turns of a branch or of a sidechain, up to a message.
    pub fn turns(&self, leaf: NodeId) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        let mut state = State::default();
        for id in self.path_to(leaf) {
            let node = self.node(id);
            if turns.is_empty() || node.kind.starts_turn() || node.is_cut() {
                state = State::default();
                turns.push(Turn {
                    first: id,
                    last: id,
                    len: 0,
                    calls: 0,
                    outcome: TurnOutcome::Unfinished,
                });
            }
            state.note(node);
            if let Some(turn) = turns.last_mut() {
                turn.last = id;
                turn.len += 1;
                turn.calls += node.calls();
                turn.outcome = state.outcome();
            }
        }
        turns
    }
}

/// The state of a turn so far.
#[derive(Default)]
struct State {
    open_calls: usize,
    replied: bool,
    stopped: bool,
    failed: bool,
    local: bool,
}

impl State {
    fn note(&mut self, node: &Node) {
        match node.kind {
            NodeKind::Reply => {
                self.replied = true;
                self.open_calls += node.calls();
                self.failed = node.is_error();
                self.stopped = node.is_interrupted();
            }
            NodeKind::Results => {
                self.replied = false;
                self.open_calls = self.open_calls.saturating_sub(node.answers());
                self.stopped |= node.is_interrupted();
            }
            NodeKind::Interrupt => self.stopped = true,
            NodeKind::Notice => {
                // In the document's dialect an error answers a call that failed.
                if node.is(Marks::DOCUMENT) && node.is_error() {
                    self.open_calls = self.open_calls.saturating_sub(1);
                    self.replied = false;
                }
                self.failed |= node.is_error();
            }
            NodeKind::Command => self.local = node.is(Marks::LOCAL),
            NodeKind::Compaction | NodeKind::Summary => self.local = true,
            _ => self.replied = false,
        }
    }

    fn outcome(&self) -> TurnOutcome {
        if self.stopped {
            TurnOutcome::Interrupted
        } else if self.replied && self.open_calls == 0 && !self.failed {
            TurnOutcome::Answered
        } else if self.failed {
            TurnOutcome::Failed
        } else if self.local && !self.replied {
            TurnOutcome::Local
        } else {
            TurnOutcome::Unfinished
        }
    }
}
