//! Finds rows by their ids.
//!
//! The hashes of the ids are in a column of eight bytes each. A hash table maps them to rows, with
//! four bytes per slot and at least one slot in eight free. A full table is freed before a larger
//! one is built from the column, so that there are never two.

use super::column::Column;

/// An empty slot.
const FREE: u32 = u32::MAX;
const FEWEST: usize = 1 << 10;

/// The ids of all rows, in a hash table with linear probing. The bits of a slot that row numbers do
/// not need hold a part of the hash, so that the column is rarely read for other ids.
#[derive(Debug, Default)]
pub(super) struct IdTable {
    /// The hash of each row's id; zero for rows without an id, which are not in the table.
    numbers: Column<u64>,
    slots: Vec<u32>,
    used: usize,
    /// The number of bits of a slot that hold the row.
    bits: u32,
}

impl IdTable {
    /// Returns the first row that has an id.
    pub(super) fn find(&self, number: u64) -> Option<u32> {
        self.search(number.max(1)).ok()
    }

    /// Adds the id of the next row. Returns the first row that has the same id.
    pub(super) fn add(&mut self, number: Option<u64>) -> Option<u32> {
        let row = u32::try_from(self.numbers.len()).ok()?;
        // Zero marks rows without an id, so the hash 0 becomes 1.
        let number = number.map(|number| number.max(1));
        self.numbers.push(number.unwrap_or(0));
        // The row must fit into its bits and differ from an empty slot.
        if number.is_some() && (self.is_full() || row >= self.row(FREE)) {
            self.build();
        }
        self.insert(number?, row)
    }

    fn is_full(&self) -> bool {
        self.used + 1 > self.slots.len() / 8 * 7
    }

    fn mark(&self, number: u64) -> u32 {
        (number as u32).checked_shl(self.bits).unwrap_or(0)
    }

    fn row(&self, slot: u32) -> u32 {
        slot & (1_u32.checked_shl(self.bits).unwrap_or(0)).wrapping_sub(1)
    }

    /// Returns the row that has an id, or the slot to insert it.
    fn search(&self, number: u64) -> Result<u32, usize> {
        let size = self.slots.len();
        if size == 0 {
            return Err(0);
        }
        let mark = self.mark(number);
        let mut at = ((u128::from(number) * size as u128) >> 64) as usize;
        loop {
            let slot = self.slots[at];
            if slot == FREE {
                return Err(at);
            }
            let row = self.row(slot);
            if slot ^ row == mark && self.numbers.get(row as usize) == number {
                return Ok(row);
            }
            at += 1;
            if at == size {
                at = 0;
            }
        }
    }

    fn insert(&mut self, number: u64, row: u32) -> Option<u32> {
        let found = self.search(number);
        if let Err(at) = found {
            self.slots[at] = self.mark(number) | row;
            self.used += 1;
        }
        found.ok()
    }

    /// Rebuilds the table from all rows but the last.
    fn build(&mut self) {
        let mut size = self.slots.len();
        if self.is_full() {
            size = (size / 2 * 3).max(FEWEST);
        }
        self.slots = Vec::new();
        self.slots = vec![FREE; size];
        self.used = 0;
        // Rows without an id have numbers too, and may outnumber the slots.
        let rows = (self.numbers.len() + size) as u64;
        self.bits = (u64::BITS - rows.leading_zeros()).min(u32::BITS);
        for (at, row) in (0..self.numbers.len() - 1).zip(0_u32..) {
            let number = self.numbers.get(at);
            if number != 0 {
                self.insert(number, row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Adds the same ids to the table and to a map; some occur twice, some rows have none.
    fn compare(rows: u32, number: impl Fn(u32) -> Option<u64>) {
        let mut ids = IdTable::default();
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
    }

    #[test]
    fn it_gives_what_a_map_gives() {
        let mixed = |row: u32| crate::id_hash::hash(&row.to_string());
        compare(50_000, |row| Some(mixed(row)));
        compare(20, |row| Some(mixed(row)));
        compare(30_000, |row| Some(mixed(row / 3)));
        // Most rows have no id, so that row numbers outgrow their bits before the table is full.
        compare(100_000, |row| (row % 200 == 0).then(|| mixed(row)));
        // All in one slot, and at the end of the table.
        compare(2_000, |row| Some(u64::MAX - u64::from(row)));
        compare(2_000, |row| Some(u64::from(row) + (1 << 20)));
    }

    #[test]
    fn it_takes_little_room() {
        let mut ids = IdTable::default();
        let (mut rows, mut worst) = (0_u32, 0.0_f64);
        while rows < 300_000 {
            ids.add(Some(crate::id_hash::hash(&rows.to_string())));
            rows += 1;
            if rows > 100_000 {
                worst = worst.max(ids.slots.len() as f64 * 4.0 / f64::from(rows));
            }
        }
        assert!(worst < 7.0, "{worst} bytes for each row beside its number");
    }
}
