//! The commands that an owner has received. This module does no I/O.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::command::Command;

/// A command that is not applied yet.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) position: u64,
    /// The key of the client.
    pub(super) key: String,
    pub(super) command: Command,
}

impl Kept {
    pub(super) fn is_input(&self) -> bool {
        matches!(self.command, Command::Input { .. })
    }
}

/// The commands of a session, in the order of their positions.
#[derive(Debug)]
pub(super) struct Commands {
    /// The position of the last command that was received.
    seen: u64,
    kept: VecDeque<Arc<Kept>>,
}

impl Commands {
    pub(super) fn new(applied: u64) -> Self {
        let kept = VecDeque::new();
        Self {
            seen: applied,
            kept,
        }
    }

    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// Records a position. Returns whether it is new: a reopened stream repeats commands.
    pub(super) fn see(&mut self, position: u64) -> bool {
        let is_new = position > self.seen;
        self.seen = self.seen.max(position);
        is_new
    }

    pub(super) fn are_applied(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether a command must wait behind a kept one: inputs keep their order, and the changes of
    /// settings apply to the inputs after them.
    pub(super) fn must_wait(&self, command: &Kept) -> bool {
        let mut earlier = self
            .kept
            .iter()
            .take_while(|kept| kept.position < command.position);
        earlier.any(|kept| match &kept.command {
            Command::Input { .. } => command.is_input(),
            Command::Change(_) => {
                command.is_input() || matches!(command.command, Command::Change(_))
            }
            _ => false,
        })
    }

    pub(super) fn keep(&mut self, command: Arc<Kept>) {
        self.kept.push_back(command);
    }

    pub(super) fn kept(&self) -> Vec<Arc<Kept>> {
        self.kept.iter().cloned().collect()
    }

    pub(super) fn remove(&mut self, position: u64) {
        self.kept.retain(|kept| kept.position != position);
    }

    /// Returns the position up to which all commands are applied once the one at `position` is.
    pub(super) fn applied_with(&self, position: u64) -> u64 {
        let first = self.kept.iter().find(|kept| kept.position != position);
        first.map_or(self.seen, |kept| kept.position - 1)
    }

    pub(super) fn applied(&self) -> u64 {
        self.applied_with(0)
    }
}

#[cfg(test)]
mod tests {
    use claw_server::{InputMode, Json};

    use super::*;
    use crate::changes::SettingChange;

    fn kept(position: u64, is_input: bool) -> Arc<Kept> {
        let input = Command::Input {
            content: Json::from_text_value("x"),
            mode: InputMode::Queue,
            by: String::new(),
        };
        Arc::new(Kept {
            position,
            key: String::new(),
            command: match is_input {
                true => input,
                false => Command::Interrupt { turn: 1 },
            },
        })
    }

    #[test]
    fn only_commands_before_the_first_kept_one_are_applied() {
        let mut commands = Commands::new(3);
        assert_eq!((commands.applied(), commands.see(3)), (3, false));
        for position in 4..=7 {
            assert!(commands.see(position));
        }
        assert_eq!(commands.applied(), 7);
        commands.keep(kept(5, true));
        commands.keep(kept(7, true));
        assert_eq!(commands.applied(), 4);
        assert_eq!(commands.applied_with(5), 6);
        assert_eq!(commands.applied_with(7), 4);
        commands.remove(5);
        assert_eq!((commands.applied(), commands.applied_with(7)), (6, 7));
    }

    #[test]
    fn inputs_and_changes_wait_behind_a_change() {
        let mut commands = Commands::new(0);
        let change = |position| {
            Arc::new(Kept {
                position,
                key: String::new(),
                command: Command::Change(SettingChange::Model(None)),
            })
        };
        commands.keep(kept(1, true));
        assert!(!commands.must_wait(&change(2)));
        commands.keep(change(2));
        assert!(!commands.must_wait(&change(2)));
        assert!(commands.must_wait(&change(3)));
        commands.remove(1);
        assert!(commands.must_wait(&kept(3, true)));
        assert!(!commands.must_wait(&kept(3, false)));
    }

    #[test]
    fn only_inputs_wait_behind_an_input() {
        let mut commands = Commands::new(0);
        commands.keep(kept(1, false));
        assert!(!commands.must_wait(&kept(2, true)));
        commands.keep(kept(2, true));
        assert!(!commands.must_wait(&kept(2, true)));
        assert!(commands.must_wait(&kept(3, true)));
        assert!(!commands.must_wait(&kept(3, false)));
    }
}
