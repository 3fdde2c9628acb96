//! What was found in each line the first time, so that the second need not search for it again.

use super::finder::Found;

/// How many finds are remembered of all files of a session: about twelve megabytes. Lines behind
/// the last one are searched again.
pub(super) const ROOM: usize = 1 << 19;

/// Where a find was, by the text that was searched: the same line is always taken apart into the
/// same texts, in the same order.
#[derive(Debug, Clone, Copy)]
struct Find {
    line: u64,
    text: u32,
    start: u32,
    end: u32,
    kind: u32,
}

/// The finds of a file.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    finds: Vec<Find>,
    room: usize,
    /// The first line of which something was forgotten.
    forgotten: Option<u64>,
    /// How many were told again.
    told: usize,
    /// One bit for each line: whether there is anything in it beyond what is copied as it is.
    special: Vec<u64>,
    lines: u64,
}

impl Remembered {
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.finds.len()
    }

    /// Notes what was found in a text of a line.
    pub(super) fn note(&mut self, line: u64, text: u32, found: &[Found]) {
        if found.is_empty() || self.forgotten.is_some() {
            return;
        }
        let small = |number: usize| u32::try_from(number).ok();
        let finds = found.iter().map(|found| {
            Some(Find {
                line,
                text,
                start: small(found.start)?,
                end: small(found.end)?,
                kind: small(found.kind)?,
            })
        });
        match finds.collect::<Option<Vec<_>>>() {
            Some(finds) if self.finds.len() + finds.len() <= self.room => self.finds.extend(finds),
            _ => self.forgotten = Some(line),
        }
    }

    /// Notes that a line was searched, and whether it was more than copied.
    pub(super) fn passed(&mut self, line: u64, special: bool) {
        self.lines = line;
        let word = usize::try_from(line / 64).unwrap_or(usize::MAX);
        if special {
            let needed = self.special.len().max(word.saturating_add(1));
            self.special.resize(needed, 0);
            self.special[word] |= 1 << (line % 64);
        }
    }

    /// Whether all that was found in a line is remembered. The last one may have been longer since.
    pub(super) fn knows(&self, line: u64) -> bool {
        line < self.lines && self.forgotten.is_none_or(|forgotten| line < forgotten)
    }

    /// Whether there was nothing at all in a line.
    pub(super) fn is_plain(&self, line: u64) -> bool {
        let word = usize::try_from(line / 64).ok();
        let word = word.and_then(|word| self.special.get(word));
        line < self.lines && word.is_none_or(|word| word & (1 << (line % 64)) == 0)
    }

    /// What was found in a text of a line. Lines and texts are asked for in their order.
    pub(super) fn tell(&mut self, line: u64, text: u32) -> Vec<Found> {
        let rest = &self.finds[self.told..];
        let place = |find: &Find| (find.line, find.text);
        let passed = rest.partition_point(|find| place(find) < (line, text));
        let same = rest[passed..].iter();
        let same = same.take_while(|find| place(find) == (line, text));
        let found: Vec<Found> = same
            .map(|find| Found {
                start: find.start as usize,
                end: find.end as usize,
                kind: find.kind as usize,
                known: None,
            })
            .collect();
        self.told += passed + found.len();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(start: usize) -> Found {
        Found {
            start,
            end: start + 1,
            kind: 3,
            known: None,
        }
    }

    #[test]
    fn finds_are_told_again_where_they_were() {
        let mut memory = Remembered::new(3);
        for line in 1..=200 {
            if line == 2 {
                memory.note(line, 0, &[found(1)]);
                memory.note(line, 4, &[found(7), found(8)]);
            }
            if line == 150 {
                memory.note(line, 0, &[found(9)]);
            }
            memory.passed(line, line == 2 || line == 150);
        }
        let plain: Vec<u64> = (1..=201).filter(|line| !memory.is_plain(*line)).collect();
        assert_eq!(plain, [2, 150, 200, 201]);
        // There was no room for the last.
        assert!(memory.knows(149) && !memory.knows(150) && !memory.knows(151));
        assert_eq!(memory.tell(1, 0), []);
        assert_eq!(memory.tell(2, 0), [found(1)]);
        assert_eq!(memory.tell(2, 1), []);
        assert_eq!(memory.tell(2, 4), [found(7), found(8)]);
        assert_eq!(memory.tell(3, 0), []);
    }
}
