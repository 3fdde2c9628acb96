//! A prompt and what came of it.

use super::SessionTree;
use super::node::{Marks, Node, NodeId, NodeKind};

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// The model gave its answer.
    Answered,
    /// Somebody stopped it.
    Interrupted,
    /// It ended in an error.
    Failed,
    /// A command that needed no model.
    Local,
    /// There is no answer: it is still at work, was killed, or the branch was left.
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
    /// The prompt, command or notification. At the start of a branch whose beginning is lost, or
    /// right behind a compaction, whatever is there.
    pub first: NodeId,
    /// Its last message.
    pub last: NodeId,
    /// How many messages it has.
    pub len: usize,
    /// How many tools were called. Parallel calls are calls of one turn.
    pub calls: usize,
    /// How it ended.
    pub outcome: TurnOutcome,
}

impl SessionTree {
    /// The turns of a branch or of a sidechain, up to a message.
    pub fn turns(&self, leaf: NodeId) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        let mut state = State::default();
        for (id, node) in self.nodes_of(self.path_to(leaf)) {
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

/// What a turn has come to.
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
                // The document answers a call that failed with an error of its own.
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
