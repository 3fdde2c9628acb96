//! A list that grows without being copied.

/// How many values a piece has.
const PIECE: usize = 1 << 12;

/// A list in pieces. One in a row doubles when it is full: it holds up to twice what is in it, and
/// both the old and the new one while it is copied, which is what a huge file would be felt by.
#[derive(Debug)]
pub(super) struct Column<T> {
    pieces: Vec<Vec<T>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    pub(super) fn len(&self) -> usize {
        match self.pieces.last() {
            Some(last) => (self.pieces.len() - 1) * PIECE + last.len(),
            None => 0,
        }
    }

    pub(super) fn push(&mut self, value: T) {
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => last.push(value),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(value);
                self.pieces.push(piece);
            }
        }
    }

    pub(super) fn get(&self, at: usize) -> T {
        self.pieces[at / PIECE][at % PIECE]
    }

    pub(super) fn change(&mut self, at: usize, change: impl FnOnce(&mut T)) {
        change(&mut self.pieces[at / PIECE][at % PIECE]);
    }

    /// Keeps the memory of one piece, for the next file.
    pub(super) fn clear(&mut self) {
        self.pieces.truncate(1);
        if let Some(first) = self.pieces.first_mut() {
            first.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list() {
        let mut column = Column::default();
        for _ in 0..2 {
            assert_eq!(column.len(), 0);
            for value in 0..2 * PIECE + 3 {
                column.push(value);
                assert_eq!(column.len(), value + 1);
            }
            column.change(PIECE, |value| *value += 7);
            assert_eq!(column.get(PIECE - 1), PIECE - 1);
            assert_eq!(column.get(PIECE), PIECE + 7);
            assert_eq!(column.get(2 * PIECE + 2), 2 * PIECE + 2);
            column.clear();
        }
    }
}
