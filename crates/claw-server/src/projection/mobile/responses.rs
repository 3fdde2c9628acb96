//! The responses of a turn that were sent to a phone, to identify retracted ones.

use std::collections::VecDeque;

use rusty_claw_protocol::Str;
use serde::{Deserialize, Serialize};

use super::super::text::line_hash;

/// Maximum number of responses remembered per turn. Older ones cannot be retracted.
pub(in super::super) const REMEMBERED: usize = 4096;

/// The responses of the running turn, as hashes of their lines, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Responses(VecDeque<Option<u64>>);

impl Responses {
    /// Records a response. One without a line is never retracted.
    pub(super) fn said(&mut self, line: Option<&str>) {
        self.0.push_back(line.map(line_hash));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// Retracts lines. Returns for each of their responses how many valid responses come after it.
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

    /// The turn ended; its responses can no longer be retracted.
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
        assert!(responses.0.is_empty());
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
