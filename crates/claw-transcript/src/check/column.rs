//! A list that grows without being copied.

/// The number of values in a piece.
const PIECE: usize = 1 << 12;

/// A list in pieces. A `Vec` doubles when it is full: up to half of it is unused, and both copies
/// are in memory while it grows.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list() {
        let mut column = Column::default();
        assert_eq!(column.len(), 0);
        for value in 0..2 * PIECE + 3 {
            column.push(value);
            assert_eq!(column.len(), value + 1);
        }
        column.change(PIECE, |value| *value += 7);
        assert_eq!(column.get(PIECE - 1), PIECE - 1);
        assert_eq!(column.get(PIECE), PIECE + 7);
        assert_eq!(column.get(2 * PIECE + 2), 2 * PIECE + 2);
    }
}
