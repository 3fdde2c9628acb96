//! Which row has an id.
//!
//! The numbers of the ids stand in a column, eight bytes each; beside it is a table of their rows
//! by hash, four bytes each and one in eight of them free at the least. When the table is full it is
//! thrown away before a larger one is made of the column, so that there are never two of them.

use super::column::Column;

/// No row.
const FREE: u32 = u32::MAX;
const FEWEST: usize = 1 << 10;
/// How many places are kept for the next file, which is to be emptied faster than it is read.
const MOST_KEPT: usize = 1 << 12;

/// The ids of all rows.
#[derive(Debug, Default)]
pub(super) struct KnownIds {
    /// The number of each row's id; `None` is written as zero, and not in the table.
    numbers: Column<u64>,
    table: Table,
}

impl KnownIds {
    /// The row that has an id, the first of several.
    pub(super) fn find(&self, number: u64) -> Option<u32> {
        self.table.find(number, &self.numbers).ok()
    }

    /// Takes the id of the next row; gives the row that had it before.
    pub(super) fn add(&mut self, number: Option<u64>) -> Option<u32> {
        let row = u32::try_from(self.numbers.len()).ok()?;
        self.numbers.push(number.unwrap_or(0));
        // A zero in the column is no id. One id in 2⁶⁴ has that number, and is taken for another.
        let number = number?.max(1);
        self.numbers.change(row as usize, |own| *own = number);
        if self.table.is_full() || !self.table.fits(row) {
            self.table.build(&self.numbers);
        }
        self.table.insert(number, row, &self.numbers)
    }

    /// Keeps little memory, for the next file.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.table.clear();
    }
}

/// Rows by the hash of their ids, each in the first free place from there on. The bits of a place
/// that no row needs hold some of the hash, so that the column is looked at for few others.
#[derive(Debug, Default)]
struct Table {
    places: Vec<u32>,
    used: usize,
    /// How many bits a row takes.
    bits: u32,
}

impl Table {
    fn is_full(&self) -> bool {
        self.used + 1 > self.places.len() / 8 * 7
    }

    /// Whether a row fits into its bits, and is not taken for a free place.
    fn fits(&self, row: u32) -> bool {
        row < self.row(FREE)
    }

    fn mark(&self, number: u64) -> u32 {
        (number as u32).checked_shl(self.bits).unwrap_or(0)
    }

    fn row(&self, place: u32) -> u32 {
        place & (1_u32.checked_shl(self.bits).unwrap_or(0)).wrapping_sub(1)
    }

    /// The row that has an id, or the place where it belongs.
    fn find(&self, number: u64, numbers: &Column<u64>) -> Result<u32, usize> {
        let number = number.max(1);
        let size = self.places.len();
        if size == 0 {
            return Err(0);
        }
        let mark = self.mark(number);
        let mut at = ((u128::from(number) * size as u128) >> 64) as usize;
        loop {
            let place = self.places[at];
            if place == FREE {
                return Err(at);
            }
            let row = self.row(place);
            if place ^ row == mark && numbers.get(row as usize) == number {
                return Ok(row);
            }
            at += 1;
            if at == size {
                at = 0;
            }
        }
    }

    fn insert(&mut self, number: u64, row: u32, numbers: &Column<u64>) -> Option<u32> {
        match self.find(number, numbers) {
            Ok(before) => Some(before),
            Err(at) => {
                self.places[at] = self.mark(number) | row;
                self.used += 1;
                None
            }
        }
    }

    /// Makes it anew of the column, of all rows but the last one.
    fn build(&mut self, numbers: &Column<u64>) {
        let mut size = self.places.len();
        if self.is_full() {
            size = (size / 2 * 3).max(FEWEST);
        }
        self.places = Vec::new();
        self.places = vec![FREE; size];
        self.used = 0;
        // Rows without ids come too, and may be more than there are places.
        let rows = (numbers.len() + size) as u64;
        self.bits = (u64::BITS - rows.leading_zeros()).min(u32::BITS);
        for row in 0..numbers.len().saturating_sub(1) {
            let number = numbers.get(row);
            if number != 0 {
                let row = u32::try_from(row).unwrap_or(FREE - 1);
                self.insert(number, row, numbers);
            }
        }
    }

    fn clear(&mut self) {
        if self.places.len() > MOST_KEPT {
            *self = Self::default();
        } else {
            self.places.fill(FREE);
            self.used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The same ids into the table and into a map: some twice, some rows without one.
    fn compare(ids: &mut KnownIds, rows: u32, number: impl Fn(u32) -> Option<u64>) {
        let mut map: HashMap<u64, u32> = HashMap::new();
        for row in 0..rows {
            let number = number(row);
            let first = number.map(|number| *map.entry(number).or_insert(row));
            assert_eq!(ids.add(number), first.filter(|first| *first != row));
        }
        for (number, row) in &map {
            assert_eq!(ids.find(*number), Some(*row));
            assert_eq!(ids.find(number ^ 0x55), map.get(&(number ^ 0x55)).copied());
        }
        ids.clear();
        assert!(map.keys().all(|number| ids.find(*number).is_none()));
    }

    #[test]
    fn it_gives_what_a_map_gives() {
        let mixed = |row: u32| crate::check::ids::number(&row.to_string());
        let mut ids = KnownIds::default();
        compare(&mut ids, 50_000, |row| Some(mixed(row)));
        compare(&mut ids, 20, |row| Some(mixed(row)));
        compare(&mut ids, 30_000, |row| Some(mixed(row / 3)));
        // Most rows have no id, so that rows outgrow their bits before the table is full.
        compare(&mut ids, 100_000, |row| {
            (row % 200 == 0).then(|| mixed(row))
        });
        // All in one place, and at the end of the table.
        compare(&mut ids, 2_000, |row| Some(u64::MAX - u64::from(row)));
        compare(&mut ids, 2_000, |row| Some(u64::from(row) + (1 << 20)));
    }

    #[test]
    fn it_takes_little_room() {
        let mut ids = KnownIds::default();
        let (mut rows, mut worst) = (0_u32, 0.0_f64);
        while rows < 300_000 {
            ids.add(Some(crate::check::ids::number(&rows.to_string())));
            rows += 1;
            if rows > 100_000 {
                worst = worst.max(ids.table.places.len() as f64 * 4.0 / f64::from(rows));
            }
        }
        assert!(worst < 7.0, "{worst} bytes for each row beside its number");
    }
}
