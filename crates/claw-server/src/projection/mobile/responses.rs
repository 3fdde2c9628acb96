//! Which responses of a turn a phone was told, so that it can be told which does not count.

use std::collections::VecDeque;

use rusty_claw_protocol::Str;
use serde::{Deserialize, Serialize};

use super::super::text::line_hash;

/// How many responses of a turn are remembered. One that lies further back is not taken back.
pub(in super::super) const REMEMBERED: usize = 4096;

/// The responses of the turn that runs, by the lines that they came in, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Responses(VecDeque<Option<u64>>);

impl Responses {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A phone is told a response; one without a line is never taken back.
    pub(super) fn said(&mut self, line: Option<&str>) {
        self.0.push_back(line.map(line_hash));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// These lines do not count any more: of each response that came in them, how many responses
    /// that still count come after it.
    pub(super) fn retract(&mut self, lines: &[Str]) -> Vec<u64> {
        let mut gone = Vec::new();
        for line in lines {
            let line = Some(line_hash(line));
            while let Some(at) = self.0.iter().position(|of| *of == line) {
                self.0.remove(at);
                gone.push((self.0.len() - at) as u64);
            }
        }
        gone
    }

    /// The turn is over, and nothing of it is taken back any more.
    pub(super) fn over(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_named_by_those_that_come_after_it() {
        let mut responses = Responses::default();
        for line in [Some("a"), Some("b"), None, Some("b"), Some("c")] {
            responses.said(line);
        }
        // The two of `b`: three come after the first, one after the second.
        assert_eq!(responses.retract(&["b".into()]), [3, 1]);
        assert!(responses.retract(&["b".into()]).is_empty());
        assert_eq!(responses.retract(&["c".into(), "a".into()]), [0, 1]);
        responses.over();
        assert!(responses.is_empty());
    }

    #[test]
    fn a_turn_without_end_is_remembered_in_bounds() {
        let mut responses = Responses::default();
        for number in 0..REMEMBERED + 10 {
            responses.said(Some(&number.to_string()));
        }
        assert_eq!(responses.0.len(), REMEMBERED);
        assert!(responses.retract(&["9".into()]).is_empty());
        assert_eq!(responses.retract(&["10".into()]), [REMEMBERED as u64 - 1]);
    }
}
