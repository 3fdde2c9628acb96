//! Groups lines into batches. Does no I/O.

use super::super::key::SessionKey;
use super::options::FlushMode;
use crate::Json;

/// The maximum number of pending lines, and of lines in a batch.
const ENTRIES: usize = 500;
/// The maximum number of pending bytes, and of bytes in a batch unless a single line is longer.
const BYTES: usize = 1 << 20;

/// Pending lines, grouped by key, keys in the order of their first line.
#[derive(Debug)]
pub(super) struct Batcher {
    mode: FlushMode,
    waiting: Vec<(SessionKey, Vec<Json>)>,
    entries: usize,
    bytes: usize,
}

impl Batcher {
    pub(super) fn new(mode: FlushMode) -> Self {
        Self {
            mode,
            waiting: Vec::new(),
            entries: 0,
            bytes: 0,
        }
    }

    /// Adds the lines of a frame. Returns whether the pending lines are to be sent now.
    pub(super) fn add(&mut self, key: SessionKey, mut entries: Vec<Json>) -> bool {
        self.entries += entries.len();
        self.bytes += entries
            .iter()
            .map(|entry| entry.text().len())
            .sum::<usize>();
        match self.waiting.iter_mut().find(|(waiting, _)| *waiting == key) {
            Some((_, waiting)) => waiting.append(&mut entries),
            None => self.waiting.push((key, entries)),
        }
        match self.mode {
            FlushMode::Eager => true,
            FlushMode::Batched => self.entries > ENTRIES || self.bytes > BYTES,
        }
    }

    /// Whether nothing is pending.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes all pending lines, split into batches that a store's backend can be expected to
    /// accept.
    pub(super) fn take(&mut self) -> Vec<(SessionKey, Vec<Json>)> {
        self.entries = 0;
        self.bytes = 0;
        let mut batches = Vec::new();
        for (key, entries) in std::mem::take(&mut self.waiting) {
            let mut batch = Vec::new();
            let mut bytes = 0;
            for entry in entries {
                let length = entry.text().len();
                if !batch.is_empty() && (batch.len() == ENTRIES || bytes + length > BYTES) {
                    batches.push((key.clone(), std::mem::take(&mut batch)));
                    bytes = 0;
                }
                bytes += length;
                batch.push(entry);
            }
            if !batch.is_empty() {
                batches.push((key, batch));
            }
        }
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(bytes: usize) -> Json {
        Json::from_text(&format!(
            r#"{{"a":"{}"}}"#,
            "x".repeat(bytes.saturating_sub(8))
        ))
        .unwrap()
    }

    fn frame(count: usize, bytes: usize) -> Vec<Json> {
        vec![entry(bytes); count]
    }

    fn key(name: &str) -> SessionKey {
        SessionKey::new("-p", name)
    }

    #[test]
    fn when_lines_go() {
        const MIB: usize = 1 << 20;
        // Frames as (lines, bytes of each), and whether lines are to be sent after each.
        type Row = (FlushMode, &'static [(usize, usize)], &'static [bool]);
        let table: &[Row] = &[
            (FlushMode::Batched, &[(1, 10), (499, 10)], &[false, false]),
            (FlushMode::Batched, &[(500, 10), (1, 10)], &[false, true]),
            (FlushMode::Batched, &[(1, MIB)], &[false]),
            (FlushMode::Batched, &[(1, MIB), (1, 8)], &[false, true]),
            (FlushMode::Batched, &[(1, 5 * MIB)], &[true]),
            (FlushMode::Eager, &[(1, 10), (1, 10)], &[true, true]),
        ];
        for (mode, frames, expected) in table {
            let mut batcher = Batcher::new(*mode);
            let due: Vec<bool> = frames
                .iter()
                .map(|(count, bytes)| batcher.add(key("a"), frame(*count, *bytes)))
                .collect();
            assert_eq!(due, *expected, "{mode:?} {frames:?}");
        }
    }

    #[test]
    fn counting_starts_again_after_a_take() {
        let mut batcher = Batcher::new(FlushMode::Batched);
        assert!(batcher.add(key("a"), frame(501, 10)));
        batcher.take();
        assert!(!batcher.add(key("a"), frame(500, 10)));
        assert_eq!(batcher.take().len(), 1);
        assert!(batcher.take().is_empty());
    }

    #[test]
    fn lines_of_a_key_stay_in_order_and_batches_stay_small() {
        let mut batcher = Batcher::new(FlushMode::Batched);
        let numbered = |from: usize, to: usize| -> Vec<Json> {
            (from..to)
                .map(|n| Json::from_text(&format!(r#"{{"n":{n}}}"#)).unwrap())
                .collect()
        };
        batcher.add(key("a"), numbered(0, 700));
        batcher.add(key("b"), frame(3, 600_000));
        batcher.add(key("a"), numbered(700, 1001));
        let batches = batcher.take();
        let shape: Vec<(&str, usize)> = batches
            .iter()
            .map(|(key, entries)| (key.session_id.as_str(), entries.len()))
            .collect();
        assert_eq!(
            shape,
            [
                ("a", 500),
                ("a", 500),
                ("a", 1),
                ("b", 1),
                ("b", 1),
                ("b", 1)
            ]
        );
        let order: Vec<Json> = batches
            .into_iter()
            .filter(|(batch_key, _)| *batch_key == key("a"))
            .flat_map(|(_, entries)| entries)
            .collect();
        assert_eq!(order, numbered(0, 1001));
    }
}
