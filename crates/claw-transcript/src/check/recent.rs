//! A cache of recent ids.

/// Ids per set; the least recently seen one is evicted.
const WAYS: usize = 4;
const SETS: usize = 1 << 8;

/// A cache of about a thousand recent ids, with a note for each. Most ids that occur again are
/// near, and a table of all ids would be too large.
#[derive(Debug)]
pub(super) struct Recent {
    sets: Vec<[(u64, u32); WAYS]>,
}

impl Default for Recent {
    fn default() -> Self {
        let sets = vec![[(0, 0); WAYS]; SETS];
        Self { sets }
    }
}

impl Recent {
    /// Sets the note of an id, and returns the previous one.
    pub(super) fn see(&mut self, number: u64, note: u32) -> Option<u32> {
        let number = number.max(1);
        let set = &mut self.sets[(number >> 32) as usize % SETS];
        let found = set.iter().position(|(own, _)| *own == number);
        let before = found.map(|at| set[at].1);
        // Moves the others back, and evicts the last one if the id is new.
        set[..=found.unwrap_or(WAYS - 1)].rotate_right(1);
        set[0] = (number, note);
        before
    }

    pub(super) fn has(&self, number: u64) -> bool {
        let number = number.max(1);
        let set = &self.sets[(number >> 32) as usize % SETS];
        set.iter().any(|(own, _)| *own == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_known_and_old_ones_forgotten() {
        let number = |n: u32| crate::id_hash::hash(&n.to_string());
        let mut recent = Recent::default();
        assert_eq!(recent.see(number(1), 10), None);
        assert_eq!(recent.see(number(1), 11), Some(10));
        assert!(recent.has(number(1)));
        for n in 2..50 {
            assert_eq!(recent.see(number(n), n), None);
            assert!(recent.has(number(1)), "after {n}");
        }
        for n in 50..50_000 {
            recent.see(number(n), n);
        }
        assert!(!recent.has(number(1)));
        assert!(recent.has(number(49_999)));
    }
}
