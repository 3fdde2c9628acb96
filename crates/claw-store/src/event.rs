//! Events, deltas, checkpoints and blobs.

use std::ops::Range;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::error::StoreError;
use crate::owner::Owner;

/// The largest body of an event, in bytes: a line of the CLI can have 50 MB.
pub const MAX_EVENT: usize = 64 * 1024 * 1024;

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its number in the session: 1, 2, 3 and so on, without gaps.
    pub sequence: u64,
    /// The ownership under which it was appended.
    pub epoch: u64,
    /// Its content.
    pub body: Bytes,
}

/// Events to append together, all or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// The contents of the events, in order.
    pub events: Vec<Bytes>,
    /// Marks the commands of the inbox up to this position as applied, in the same step.
    pub applied: Option<u64>,
}

impl From<Vec<Bytes>> for Batch {
    fn from(events: Vec<Bytes>) -> Self {
        Self {
            events,
            applied: None,
        }
    }
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The sequence of the last event of the session, which is now the last of the batch.
    pub last: u64,
}

/// How much is read at once. A page has at least one event, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimit {
    /// The maximum number of events.
    pub events: usize,
    /// The approximate maximum of their bytes.
    pub bytes: usize,
}

impl Default for ReadLimit {
    /// 1,024 events or 1 MiB.
    fn default() -> Self {
        Self {
            events: 1024,
            bytes: 1024 * 1024,
        }
    }
}

impl ReadLimit {
    /// Takes items while they fit, and at least one. `size` returns the bytes of an item.
    pub(crate) fn page<T, E>(
        self,
        items: impl IntoIterator<Item = Result<T, E>>,
        size: impl Fn(&T) -> usize,
    ) -> Result<Vec<T>, E> {
        let (mut page, mut bytes) = (Vec::new(), 0);
        for item in items {
            let item = item?;
            bytes += size(&item);
            if !page.is_empty() && (bytes > self.bytes || page.len() >= self.events) {
                break;
            }
            page.push(item);
        }
        Ok(page)
    }
}

/// A part of a message that is still being written. Not stored; may be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The ownership under which it was published.
    pub epoch: u64,
    /// 1, 2, 3 and so on in that ownership: a gap means that deltas were lost.
    pub number: u64,
    /// Its content.
    pub body: Bytes,
}

/// What a follower receives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Live {
    /// The next event: each one once, in order.
    Event(Event),
    /// A delta. Some may be missing.
    Delta(Delta),
    /// Everything up to this sequence was delivered. Sent once when the history is complete.
    Head {
        /// The sequence of the last event.
        last: u64,
    },
    /// The follower was too slow for live delivery. The events follow from the log; deltas in
    /// between are lost.
    Behind,
    /// The session has a new owner.
    Moved(Owner),
}

/// The state of a session at an event, so that a reader needs only the events after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The last event that it includes.
    pub sequence: u64,
    /// Its content, which includes a version.
    pub body: Bytes,
}

/// A stored blob.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobRef {
    /// The SHA-256 of its content, in hexadecimal digits.
    pub hash: String,
    /// The size of its content in bytes.
    pub len: u64,
}

impl BlobRef {
    /// Hashes a body on a blocking thread, because a large body takes long.
    pub(crate) async fn of(body: &Bytes) -> Result<Self, StoreError> {
        check_size([body])?;
        let (content, len) = (body.clone(), body.len() as u64);
        let hash = move || format!("{:x}", Sha256::digest(&content));
        let hash = tokio::task::spawn_blocking(hash).await;
        let hash = hash.map_err(StoreError::unavailable)?;
        Ok(Self { hash, len })
    }
}

/// Limits a range to the length of a body.
pub(crate) fn clamp(range: &Range<u64>, len: usize) -> Range<usize> {
    let clamp = |at: u64| usize::try_from(at).map_or(len, |at| at.min(len));
    let start = clamp(range.start);
    start..clamp(range.end).max(start)
}

/// Checks the size of bodies.
///
/// # Errors
/// `TooLarge` if one of them is larger than [`MAX_EVENT`].
pub(crate) fn check_size<'a>(
    bodies: impl IntoIterator<Item = &'a Bytes>,
) -> Result<(), StoreError> {
    let size = bodies.into_iter().map(Bytes::len).max().unwrap_or(0) as u64;
    let limit = MAX_EVENT as u64;
    if size > limit {
        return Err(StoreError::TooLarge { size, limit });
    }
    Ok(())
}
