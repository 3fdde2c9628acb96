//! Bodies that exceed a message.
//!
//! The body is stored in parts first, and then the message that refers to it, so that a message is
//! complete as soon as it is stored. The parts are named after the content: writing them again
//! changes nothing.

use std::ops::Range;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sha2::{Digest as _, Sha256};

use super::engine::Engine;
use super::frame::{PARTS, decode_parts};
use super::layout::{Place, hex};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::BlobRef;
use crate::id::SessionKey;
use crate::store::Result;

/// The largest body of a message. The server accepts 1 MiB by default.
pub(super) const INLINE: usize = 256 * 1024;
/// How many parts are written or read at the same time.
const PARALLEL: usize = 8;

/// Marks a reference to parts. Parts of a checkpoint are deleted when it is replaced, so they are
/// not shared with an event of the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunks {
    Kept = 1,
    Checkpoint = 2,
}

impl Engine {
    /// Returns the body, or a reference to it if it is large.
    pub(super) async fn seal(&self, place: &Place, body: Bytes, chunks: Chunks) -> Result<Bytes> {
        if body.len() <= INLINE {
            return Ok(body);
        }
        let content = body.clone();
        // Hashing a large body takes long.
        let reference = tokio::task::spawn_blocking(move || {
            let mut reference = BytesMut::new();
            reference.put_u8(chunks as u8);
            reference.put_u64_le(content.len() as u64);
            reference.put_u32_le(crc32c::crc32c(&content));
            reference.put_slice(&Sha256::digest(&content)[..16]);
            reference.freeze()
        });
        let reference = reference.await.map_err(StoreError::unavailable)?;
        self.write_chunks(place, &id_of(&reference), &body).await?;
        Ok(reference)
    }

    /// Returns a body that was sealed.
    pub(super) async fn unseal(&self, place: &Place, body: Bytes) -> Result<Bytes> {
        if !is_reference(&body) {
            return Ok(body);
        }
        let damaged =
            |reason: &str| StoreError::damaged(format!("a body of session {}", place.key), reason);
        let mut reference = body.slice(1..);
        let len = reference.try_get_u64_le();
        let (Ok(len), Ok(sum)) = (len, reference.try_get_u32_le()) else {
            return Err(damaged("its reference is too short"));
        };
        let content = self.read_chunks(place, &id_of(&body), len, 0..len).await?;
        match crc32c::crc32c(&content) == sum {
            true => Ok(content),
            false => Err(damaged("its checksum differs")),
        }
    }

    /// Returns the parts of a body that was sealed.
    pub(super) async fn open_parts(&self, place: &Place, body: Bytes) -> Result<Vec<Bytes>> {
        let parts = decode_parts(self.unseal(place, body).await?);
        parts.ok_or_else(|| {
            StoreError::damaged(format!("a body of session {}", place.key), "no parts")
        })
    }

    /// Deletes the parts of a checkpoint that nothing refers to any more.
    pub(super) async fn drop_chunks(&self, place: &Place, sealed: &Bytes) {
        if is_reference(sealed) {
            let subject = place.blob(&format!("{}.*", id_of(sealed)));
            self.wire.purge(&subject, None).await;
        }
    }

    async fn write_chunks(&self, place: &Place, id: &str, body: &Bytes) -> Result<()> {
        let starts = (0..body.len()).step_by(INLINE).enumerate();
        let parts = starts.map(|(index, start)| {
            let part = body.slice(start..body.len().min(start + INLINE));
            let subject = place.blob(&format!("{id}.{index}"));
            async move { self.wire.cas(&subject, 0, part).await }
        });
        let parts = stream::iter(parts).buffer_unordered(PARALLEL);
        parts.try_for_each(|_| async { Ok(()) }).await
    }

    async fn read_chunks(
        &self,
        place: &Place,
        id: &str,
        len: u64,
        range: Range<u64>,
    ) -> Result<Bytes> {
        let (size, end) = (INLINE as u64, range.end.min(len));
        if range.start >= end {
            return Ok(Bytes::new());
        }
        let first = range.start / size;
        let parts = (first..end.div_ceil(size)).map(|part| async move {
            let subject = place.blob(&format!("{id}.{part}"));
            let mut stored = self.wire.batch(&subject, 1, 1).await?.pop();
            if stored.is_none() {
                // The replica lags.
                stored = self.wire.last(&subject).await?;
            }
            stored.ok_or_else(|| StoreError::damaged(&subject.name, "it is missing"))
        });
        let mut parts = stream::iter(parts).buffered(PARALLEL);
        let mut body = BytesMut::new();
        while let Some(part) = parts.try_next().await? {
            body.extend_from_slice(&part.body);
        }
        let at = |offset: u64| usize::try_from(offset - first * size).unwrap_or(usize::MAX);
        let (start, end) = (at(range.start), at(end).min(body.len()));
        Ok(body.freeze().slice(start.min(end)..end))
    }

    pub(super) async fn put_blob(&self, claim: &Claim, body: Bytes) -> Result<BlobRef> {
        let blob = BlobRef::of(&body).await?;
        let (place, _) = self.guard(claim).await?;
        self.write_chunks(&place, &blob.hash, &body).await?;
        let subject = place.blob(&format!("{}.len", blob.hash));
        let info = Bytes::copy_from_slice(&blob.len.to_le_bytes());
        self.wire.cas(&subject, 0, info).await?;
        Ok(blob)
    }

    pub(super) async fn get_blob(
        &self,
        key: &SessionKey,
        hash: &str,
        range: Range<u64>,
    ) -> Result<Bytes> {
        let place = self.alive(key).await?;
        let not_found = || StoreError::not_found("the blob");
        // Other characters could name another subject.
        if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(not_found());
        }
        let info = self.wire.last(&place.blob(&format!("{hash}.len"))).await?;
        let mut info = info.ok_or_else(not_found)?.body;
        let len = info.try_get_u64_le().map_err(|_| not_found())?;
        self.read_chunks(&place, hash, len, range).await
    }
}

/// Returns whether a sealed body is a reference.
fn is_reference(body: &Bytes) -> bool {
    body.first().is_some_and(|marker| *marker != PARTS)
}

/// Returns the name of the parts to which a reference refers.
fn id_of(reference: &Bytes) -> String {
    let hash = &reference[reference.len().min(13)..];
    format!("{}{}", reference[0], hex(hash))
}
