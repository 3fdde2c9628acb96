//! Files that lost their name, but may still be written to.

use std::io;

use super::debounce::{Debounce, Wait};
use super::event::Followed;
use super::reading::Reading;

/// Such files are watched this many times longer, since their writer may be busy.
const LONGER: u32 = 20;

/// Maximum number of files that are watched; each stays open.
const MOST: usize = 8;

/// The watched files, oldest first.
#[derive(Debug, Default)]
pub(super) struct Renamed(Vec<One>);

#[derive(Debug)]
struct One {
    reading: Reading,
    debounce: Debounce,
    /// Whether its unfinished last line is in no other file.
    rotated: bool,
}

impl Renamed {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, reading: Reading, rotated: bool, debounce: &Debounce) {
        self.0.push(One {
            reading,
            debounce: Debounce::new(debounce.limit * LONGER),
            rotated,
        });
    }

    /// Delivers new lines, and an unfinished last line once nothing more seems to be written; at
    /// once if `is_final`.
    pub(super) fn read(
        &mut self,
        is_final: bool,
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
            let over = one.debounce.look(Some(look)) == Wait::Over;
            if there && !over && !is_final && !crowded {
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
