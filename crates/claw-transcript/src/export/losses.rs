//! What an export cannot represent.

use std::collections::HashMap;

/// Something that a format cannot represent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// `member`, `block` or `line`.
    pub what: &'static str,
    /// The path of the member, such as `message.usage`, the type of the block, or the kind of the
    /// line.
    pub name: String,
    /// The number of occurrences.
    pub count: u64,
}

/// Counts losses.
#[derive(Debug, Default)]
pub(super) struct Losses(HashMap<(&'static str, String), u64>);

impl Losses {
    pub(super) fn add(&mut self, what: &'static str, name: &str, count: u64) {
        // Names come from the file, so their number must be bounded.
        let full = self.0.len() >= 1000;
        let key = (what, if full { "…" } else { name }.to_owned());
        *self.0.entry(key).or_default() += count;
    }

    /// The most frequent first.
    pub(super) fn list(self) -> Vec<Loss> {
        let losses = self.0.into_iter();
        let losses = losses.map(|((what, name), count)| Loss { what, name, count });
        let mut list: Vec<Loss> = losses.collect();
        list.sort_by(|a, b| (b.count, a.what, &a.name).cmp(&(a.count, b.what, &b.name)));
        list
    }
}
