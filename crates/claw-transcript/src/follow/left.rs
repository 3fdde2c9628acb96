//! Files that lost their name, and that somebody may still write to.

use std::io;

use super::Followed;
use super::patience::{Patience, Wait};
use super::reading::Reading;

/// How much longer than anything else such a file is looked at: whoever has it open may be busy
/// with something else.
const LONGER: u32 = 20;

/// How many are looked at; each is an open file.
const MOST: usize = 8;

/// The files that were left, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Left(Vec<One>);

#[derive(Debug)]
struct One {
    reading: Reading,
    patience: Patience,
    /// Whether nobody has what it ends with but itself.
    rotated: bool,
}

impl Left {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, reading: Reading, rotated: bool, patience: &Patience) {
        self.0.push(One {
            reading,
            patience: Patience::new(patience.limit() * LONGER),
            rotated,
        });
    }

    /// Gives what was written to them, and what they end with once nobody seems to write; at once
    /// when it is `hurried`.
    pub(super) fn read(
        &mut self,
        hurried: bool,
        found: &mut impl FnMut(Followed<'_>),
    ) -> io::Result<u64> {
        let mut count = 0;
        let mut at = 0;
        while at < self.0.len() {
            let crowded = self.0.len() - at > MOST;
            let one = &mut self.0[at];
            let look = one.reading.look()?;
            let there = one.reading.is_as_it_was(look.len)?;
            if there {
                count += one
                    .reading
                    .lines(look.len, |line| found(Followed::Line(line)))?;
            }
            let over = one.patience.look(Some(look)) == Wait::Over;
            if there && !over && !hurried && !crowded {
                at += 1;
                continue;
            }
            let mut one = self.0.remove(at);
            if there && one.rotated {
                count += one.reading.unfinished(|line| found(Followed::Line(line)))?;
            }
        }
        Ok(count)
    }
}
