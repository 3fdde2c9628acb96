//! Batches of lines for a store.

use std::fmt;

use uuid::Uuid;

use crate::Json;

/// Lines that are appended together.
///
/// ```
/// use rusty_claw::store::{Batch, BatchId};
/// use rusty_claw::Json;
///
/// let line = Json::from_text(r#"{"type":"mode","mode":"normal"}"#)?;
/// let batch = Batch::new(BatchId::first(), vec![line]);
/// assert_eq!(batch.entries.len(), 1);
/// # Ok::<(), rusty_claw::DecodeError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Batch {
    /// The writer and the number of the batch. A retry has the id of the first attempt.
    pub id: BatchId,
    /// The lines, each a JSON object, as text.
    pub entries: Vec<Json>,
}

impl Batch {
    /// Creates a batch.
    pub fn new(id: BatchId, entries: Vec<Json>) -> Self {
        Self { id, entries }
    }
}

// The lines are a conversation, so they are not printed.
impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("id", &self.id)
            .field("entries", &self.entries.len())
            .finish()
    }
}

/// Identifies a batch, so that a store recognizes a retry.
///
/// Most lines carry a `uuid`, some do not (titles, modes, costs), and two equal ones without may
/// both be intended. So a batch has an id: the writer, which is one [`Mirror`](super::Mirror) in
/// its lifetime, and a number that grows with each of its batches. A writer sends its batches in
/// order, so a store keeps one number for each writer and key: a batch that is not above it is a
/// retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BatchId {
    /// The writer.
    pub writer: Uuid,
    /// The number, from 1. There may be gaps: the others went to another key or were lost.
    pub sequence: u64,
}

impl BatchId {
    /// Returns the id of the first batch of a new writer.
    pub fn first() -> Self {
        Self {
            writer: Uuid::new_v4(),
            sequence: 1,
        }
    }

    /// Returns the id of the next batch.
    pub fn next(self) -> Self {
        Self {
            sequence: self.sequence.saturating_add(1),
            ..self
        }
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.writer, self.sequence)
    }
}
