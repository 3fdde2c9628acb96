//! The numbers of the sessions that were used last, for the dialect `ui`.

use std::collections::HashMap;

use claw_server::SessionId;

/// The least number of sessions that are kept.
const KEPT: usize = 1024;

/// Keeps the numbers of the latest sessions, at most twice [`KEPT`].
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    new: HashMap<SessionId, i64>,
    old: HashMap<SessionId, i64>,
}

impl Numbers {
    pub(crate) fn insert(&mut self, session_id: SessionId, number: i64) {
        if self.new.len() >= KEPT && !self.new.contains_key(&session_id) {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(session_id, number);
    }

    pub(crate) fn get(&self, session_id: SessionId) -> Option<i64> {
        let found = self.new.get(&session_id);
        found.or_else(|| self.old.get(&session_id)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_sessions_are_kept_and_no_others() {
        let mut numbers = Numbers::default();
        let count = 10 * KEPT as i64;
        for number in 1..=count {
            numbers.insert(SessionId::from(number as u128), number);
        }
        assert!(numbers.new.len() + numbers.old.len() <= 2 * KEPT);
        for number in count - KEPT as i64 + 1..=count {
            let found = numbers.get(SessionId::from(number as u128));
            assert_eq!(found, Some(number));
        }
        assert_eq!(numbers.get(SessionId::from(1)), None);
    }
}
