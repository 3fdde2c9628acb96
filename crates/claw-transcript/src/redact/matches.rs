//! The finds of the first pass over a file, which the second pass does not search for again.

use super::found::Found;

/// The maximum number of kept finds for all files of a session, about 16 MB. Lines without room are
/// searched again.
pub(super) const ROOM: usize = 1 << 18;

/// The finds of a file. Both passes split a line into the same texts in the same order.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Each with the number of its line, and of its text in the line; sorted.
    finds: Vec<(u64, u32, Found)>,
    room: usize,
    /// Whether a find of the current line was not kept.
    dropped: bool,
    /// Whether all finds of a line are kept.
    complete: Vec<bool>,
}

impl Matches {
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.finds.len()
    }

    /// Keeps the finds in a text of a line.
    pub(super) fn add(&mut self, line: u64, text: u32, found: &[Found]) {
        if self.finds.len() + found.len() <= self.room {
            let finds = found.iter().map(|found| (line, text, *found));
            self.finds.extend(finds);
        } else {
            self.dropped = true;
        }
    }

    /// Ends a line of the first pass.
    pub(super) fn end_line(&mut self) {
        if self.room > 0 {
            self.complete.push(!std::mem::take(&mut self.dropped));
        }
    }

    /// Ends the first pass: nothing more is kept. The last line may grow until the second pass.
    pub(super) fn finish(mut self) -> Self {
        self.room = 0;
        self.complete.pop();
        self
    }

    /// The finds in a text of a line, counted from one; `None` if it must be searched.
    pub(super) fn get(&self, line: u64, text: u32) -> Option<Vec<Found>> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        self.complete.get(index).filter(|complete| **complete)?;
        let start = self
            .finds
            .partition_point(|find| (find.0, find.1) < (line, text));
        let same = self.finds[start..].iter();
        let same = same.take_while(|find| (find.0, find.1) == (line, text));
        Some(same.map(|find| find.2).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_finds_are_returned_for_their_text() {
        let found = |start| Found::plain(start, start + 1, 3);
        let mut matches = Matches::new(3);
        for line in 1..=5 {
            match line {
                2 => {
                    matches.add(line, 0, &[found(1)]);
                    matches.add(line, 4, &[found(7), found(8)]);
                }
                // There is no room.
                4 => matches.add(line, 0, &[found(9)]),
                _ => matches.add(line, 0, &[]),
            }
            matches.end_line();
        }
        let matches = matches.finish();
        assert_eq!(matches.len(), 3);
        let none = || Some(Vec::new());
        for (line, text, expected) in [
            (1, 0, none()),
            (2, 0, Some(vec![found(1)])),
            (2, 1, none()),
            (2, 4, Some(vec![found(7), found(8)])),
            (3, 0, none()),
            (4, 0, None),
            (5, 0, None),
            (6, 0, None),
        ] {
            assert_eq!(matches.get(line, text), expected, "{line}, {text}");
        }
    }
}
