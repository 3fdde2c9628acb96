//! What an export could not keep.

use std::collections::HashMap;

/// Something that a format has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What it is: `member`, `block` or `line`.
    pub what: &'static str,
    /// Its name: of the member as `message.usage`, the type of the block, the kind of the line.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// Counts them.
#[derive(Debug, Default)]
pub(super) struct Losses(HashMap<(&'static str, String), u64>);

impl Losses {
    pub(super) fn member(&mut self, name: &str) {
        self.add("member", name, 1);
    }

    pub(super) fn block(&mut self, kind: &str) {
        self.add("block", kind, 1);
    }

    pub(super) fn line(&mut self, kind: &str) {
        self.add("line", kind, 1);
    }

    /// Those of another session too.
    pub(super) fn add_all(&mut self, losses: &[Loss]) {
        for loss in losses {
            self.add(loss.what, &loss.name, loss.count);
        }
    }

    fn add(&mut self, what: &'static str, name: &str, count: u64) {
        // Names come from the file, so one that nobody has seen is not worth an unbounded list.
        let full = self.0.len() >= 1000;
        let key = (what, if full { "…" } else { name }.to_owned());
        *self.0.entry(key).or_default() += count;
    }

    /// The most frequent first.
    pub(super) fn list(self) -> Vec<Loss> {
        let all = self.0.into_iter();
        let mut list: Vec<Loss> = all
            .map(|((what, name), count)| Loss { what, name, count })
            .collect();
        list.sort_by(|a, b| (b.count, a.what, &a.name).cmp(&(a.count, b.what, &b.name)));
        list
    }
}
