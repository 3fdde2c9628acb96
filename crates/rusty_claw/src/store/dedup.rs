//! Deduplication of batches and lines.

use std::collections::{HashSet, VecDeque};

use uuid::Uuid;

use super::batch::Batch;
use crate::{Json, Peek};

/// The number of writers remembered for each key. A session has one at a time, and moves rarely.
const WRITERS: usize = 16;

/// Recognizes what a key already has. It does no I/O: a store of your own keeps one for each key,
/// or keeps the same facts in its database.
///
/// Two rules:
/// 1. A batch is a retry if its writer has sent this or a higher number to this key; none of it is
///    taken.
/// 2. In any other batch, lines with a known `uuid` are left out. Lines without a `uuid` are taken:
///    two equal ones may both be intended.
///
/// If a store has lost the writers (it was restarted between an attempt and its retry), only rule 2
/// applies: lines without a `uuid` are then stored at least once, all others exactly once.
///
/// ```
/// use rusty_claw::store::{Batch, BatchId, Dedup};
/// use rusty_claw::Json;
///
/// let mode = Json::from_text(r#"{"type":"mode"}"#)?;
/// let mut dedup = Dedup::default();
/// let batch = Batch::new(BatchId::first(), vec![mode.clone()]);
/// assert_eq!(dedup.fresh(&batch).len(), 1);
/// dedup.commit(&batch);
/// assert_eq!(dedup.fresh(&batch).len(), 0);
/// assert_eq!(dedup.fresh(&Batch::new(batch.id.next(), vec![mode])).len(), 1);
/// # Ok::<(), rusty_claw::DecodeError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Dedup {
    ids: EntryIds,
    /// The highest number of each writer, the most recent writer last.
    writers: VecDeque<(Uuid, u64)>,
}

impl Dedup {
    /// Returns the lines of a batch that are to be appended; none if it is a retry.
    pub fn fresh<'b>(&self, batch: &'b Batch) -> Vec<&'b Json> {
        if self.is_retry(batch) {
            return Vec::new();
        }
        let mut here = EntryIds::default();
        batch
            .entries
            .iter()
            .filter(|entry| match EntryId::of(entry) {
                Some(id) => !self.ids.has(&id) && here.add(id),
                None => true,
            })
            .collect()
    }

    /// Records a batch whose lines are stored. Call it only after that: a failed batch must be
    /// accepted when it is retried.
    pub fn commit(&mut self, batch: &Batch) {
        for entry in &batch.entries {
            self.learn(entry);
        }
        let known = self
            .writers
            .iter()
            .position(|(writer, _)| *writer == batch.id.writer);
        let highest = known
            .and_then(|at| self.writers.remove(at))
            .map_or(0, |(_, highest)| highest);
        self.writers
            .push_back((batch.id.writer, highest.max(batch.id.sequence)));
        if self.writers.len() > WRITERS {
            self.writers.pop_front();
        }
    }

    /// Records a line that is already stored, for a store that reads its own data.
    pub fn learn(&mut self, entry: &Json) {
        if let Some(id) = EntryId::of(entry) {
            self.ids.add(id);
        }
    }

    /// Returns whether a batch was committed before, by its id alone.
    pub fn is_retry(&self, batch: &Batch) -> bool {
        self.writers
            .iter()
            .any(|(writer, highest)| *writer == batch.id.writer && batch.id.sequence <= *highest)
    }

    /// Drops the lines and keeps the writers, for a file that will be read again when needed.
    pub(super) fn forget_lines(&mut self) {
        self.ids = EntryIds::default();
    }
}

/// The `uuid` of a line. Nearly all are UUIDs, which take a quarter of the space as numbers.
enum EntryId {
    Uuid(u128),
    Other(Box<str>),
}

impl EntryId {
    fn of(entry: &Json) -> Option<Self> {
        let peek = Peek::new(entry.text().as_bytes())?;
        let text = peek.uuid?;
        if text.is_empty() {
            return None;
        }
        // Only the usual spelling: another spelling of the same UUID is another text.
        match Uuid::try_parse(&text) {
            Ok(uuid) if uuid.hyphenated().to_string() == *text => Some(Self::Uuid(uuid.as_u128())),
            _ => Some(Self::Other(text.into())),
        }
    }
}

#[derive(Debug, Clone, Default)]
struct EntryIds {
    uuids: HashSet<u128>,
    others: HashSet<Box<str>>,
}

impl EntryIds {
    fn has(&self, id: &EntryId) -> bool {
        match id {
            EntryId::Uuid(uuid) => self.uuids.contains(uuid),
            EntryId::Other(text) => self.others.contains(text),
        }
    }

    /// Returns whether it is new.
    fn add(&mut self, id: EntryId) -> bool {
        match id {
            EntryId::Uuid(uuid) => self.uuids.insert(uuid),
            EntryId::Other(text) => self.others.insert(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::BatchId;
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Json> {
        texts
            .iter()
            .map(|text| Json::from_text(text).unwrap())
            .collect()
    }

    fn texts<'a>(fresh: &[&'a Json]) -> Vec<&'a str> {
        fresh.iter().map(|entry| entry.text()).collect()
    }

    #[test]
    fn what_is_taken() {
        const A: &str = r#"{"uuid":"0a0a0a0a-0000-4000-8000-000000000003","n":1}"#;
        const A_AGAIN: &str = r#"{"n":2,"uuid":"0a0a0a0a-0000-4000-8000-000000000003"}"#;
        const A_LOUD: &str = r#"{"uuid":"0A0A0A0A-0000-4000-8000-000000000003"}"#;
        const ODD: &str = r#"{"uuid":"not a uuid"}"#;
        const MODE: &str = r#"{"type":"mode"}"#;
        const INNER: &str =
            r#"{"message":{"uuid":"0a0a0a0a-0000-4000-8000-000000000003"},"type":"x"}"#;
        const NULL: &str = r#"{"uuid":null}"#;
        const EMPTY: &str = r#"{"uuid":""}"#;
        // The stored lines, the lines of a batch, and those that are taken.
        type Row = (
            &'static [&'static str],
            &'static [&'static str],
            &'static [&'static str],
        );
        let table: &[Row] = &[
            (&[], &[A, MODE], &[A, MODE]),
            (&[A], &[A_AGAIN, MODE], &[MODE]),
            (&[], &[A, A_AGAIN], &[A]),
            (&[A], &[A_LOUD, INNER], &[A_LOUD, INNER]),
            (&[ODD], &[ODD, A], &[A]),
            (&[MODE], &[MODE, MODE], &[MODE, MODE]),
            (&[NULL, EMPTY], &[NULL, EMPTY, EMPTY], &[NULL, EMPTY, EMPTY]),
        ];
        for (there, comes, taken) in table {
            let mut dedup = Dedup::default();
            for entry in lines(there) {
                dedup.learn(&entry);
            }
            let batch = Batch::new(BatchId::first(), lines(comes));
            assert_eq!(
                texts(&dedup.fresh(&batch)),
                *taken,
                "{there:?} then {comes:?}"
            );
        }
    }

    #[test]
    fn a_batch_comes_again_and_late_ones_too() {
        let entries = lines(&[r#"{"type":"mode"}"#]);
        let first = Batch::new(BatchId::first(), entries.clone());
        let second = Batch::new(first.id.next(), entries.clone());
        let other = Batch::new(BatchId::first(), entries);
        let mut dedup = Dedup::default();
        // The first is overdue and abandoned; the second is stored; then the first arrives.
        dedup.commit(&second);
        assert!(dedup.fresh(&first).is_empty());
        assert!(dedup.fresh(&second).is_empty());
        assert_eq!(dedup.fresh(&other).len(), 1);
        dedup.commit(&other);
        dedup.commit(&first);
        assert!(
            dedup.is_retry(&second),
            "a lower number does not lower the mark"
        );
        dedup.forget_lines();
        assert!(dedup.is_retry(&second));
    }

    #[test]
    fn writers_are_forgotten_oldest_first() {
        let mut dedup = Dedup::default();
        let batches: Vec<Batch> = (0..=WRITERS)
            .map(|_| Batch::new(BatchId::first(), Vec::new()))
            .collect();
        for batch in &batches {
            dedup.commit(batch);
        }
        assert!(!dedup.is_retry(&batches[0]));
        assert!(dedup.is_retry(&batches[1]));
        assert!(dedup.is_retry(&batches[WRITERS]));
    }
}
