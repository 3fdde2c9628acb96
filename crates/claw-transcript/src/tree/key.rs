//! Fixed-size keys of ids.

use std::hash::{DefaultHasher, Hasher as _};

use crate::id_hash::usual_uuid;

/// The id of a line in 16 bytes: a uuid, or a hash of another id.
pub(super) type Key = u128;

/// The key of lines without an id.
pub(super) const NAMELESS: Key = 0;

pub(super) fn key(name: &str) -> Key {
    let half = |salt: u8| u128::from(hash(&(salt, name)));
    let key = usual_uuid(name).unwrap_or_else(|| half(1) << 64 | half(2));
    key.max(1)
}

/// The hash of a message id, tool id or text, where a rare collision does no harm.
pub(super) fn short(name: impl std::hash::Hash) -> u64 {
    hash(&name).max(1)
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The lines of each key, in 20 bytes per line.
#[derive(Debug, Default)]
pub(super) struct Index {
    keys: Vec<Key>,
    values: Vec<u32>,
}

impl Index {
    /// Creates an index from pairs in any order.
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
