//! Names as numbers of a fixed size.

use std::hash::{DefaultHasher, Hasher as _};

/// A uuid or another name of a line in 16 bytes. Two names share one only if somebody searches for
/// them longer than anybody will.
pub(super) type Key = u128;

/// The key of lines that have no name.
pub(super) const NAMELESS: Key = 0;

pub(super) fn key(name: &str) -> Key {
    // Only the usual spelling: two spellings of one uuid are two names to the CLI.
    let usual = name.len() == 36 && !name.bytes().any(|byte| byte.is_ascii_uppercase());
    match uuid::Uuid::try_parse(name) {
        Ok(uuid) if usual => uuid.as_u128().max(1),
        _ => ((u128::from(hash(&(1u8, name))) << 64) | u128::from(hash(&(2u8, name)))).max(1),
    }
}

/// A message id, tool id or text in eight bytes, where a rare clash does no harm.
pub(super) fn short(name: impl std::hash::Hash) -> u64 {
    hash(&name).max(1)
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Where the lines with a name are, in 20 bytes for each.
#[derive(Debug, Default)]
pub(super) struct Index {
    keys: Vec<Key>,
    values: Vec<u32>,
}

impl Index {
    /// Takes pairs in any order; those with one key keep theirs.
    pub(super) fn new(mut pairs: Vec<(Key, u32)>) -> Self {
        pairs.sort_by_key(|pair| *pair);
        let keys = pairs.iter().map(|(key, _)| *key).collect();
        let values = pairs.into_iter().map(|(_, value)| value).collect();
        Self { keys, values }
    }

    /// All values of a key, smallest first.
    pub(super) fn all(&self, key: Key) -> &[u32] {
        let from = self.keys.partition_point(|other| *other < key);
        let to = from + self.keys[from..].partition_point(|other| *other == key);
        &self.values[from..to]
    }

    /// Replaces all values.
    pub(super) fn map(&mut self, mut to: impl FnMut(u32) -> u32) {
        for value in &mut self.values {
            *value = to(*value);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<Key>() + self.values.capacity() * size_of::<u32>()
    }
}

/// Lists of lists without an allocation for each.
#[derive(Debug)]
pub(super) struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// Takes items with the row that each belongs in. Items of one row keep their order. Those of
    /// rows that are not there come last, in [`Rows::rest`].
    pub(super) fn new(rows: usize, mut pairs: Vec<(u32, T)>) -> Self {
        pairs.sort_by_key(|(row, _)| *row);
        let mut starts = Vec::with_capacity(rows + 1);
        let mut at = 0;
        for row in 0..=rows {
            while pairs.get(at).is_some_and(|(of, _)| (*of as usize) < row) {
                at += 1;
            }
            starts.push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        let items = pairs.into_iter().map(|(_, item)| item).collect();
        Self { starts, items }
    }

    pub(super) fn row(&self, row: usize) -> &[T] {
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(from), Some(to)) => &self.items[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// What is in no row.
    pub(super) fn rest(&self) -> &[T] {
        let from = self.starts.last().copied().unwrap_or_default();
        &self.items[from as usize..]
    }

    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<T>()
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            items: Vec::new(),
        }
    }
}
