//! Bodies that exceed a message.
//!
//! The body is stored in parts first, and then the message that refers to it, so that a message is
//! complete as soon as it is stored. The parts are named after the content: writing them again
//! changes nothing.

use std::ops::Range;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sha2::{Digest as _, Sha256};

use super::Engine;
use super::frame::{PARTS, decode_parts};
use super::layout::{Place, hex};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{BlobRef, check_size};
use crate::id::SessionKey;
use crate::store::Result;

/// The largest body of a message. The server accepts 1 MiB by default.
pub(super) const INLINE: usize = 256 * 1024;
/// How many parts are written or read at the same time.
const PARALLEL: usize = 8;

/// Marks a reference to parts. Those of a checkpoint are deleted when it is replaced, and are stored
/// apart from the same content of an event.
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
        let mut reference = BytesMut::new();
        reference.put_u8(chunks as u8);
        reference.put_u64_le(body.len() as u64);
        reference.put_u32_le(crc32c::crc32c(&body));
        reference.put_slice(&Sha256::digest(&body)[..16]);
        let reference = reference.freeze();
        self.write_chunks(place, &id_of(&reference), &body).await?;
        Ok(reference)
    }

    /// Returns the parts of a body that was sealed.
    pub(super) async fn open_parts(&self, place: &Place, body: Bytes) -> Result<Vec<Bytes>> {
        let damaged = |reason: &str| StoreError::Damaged {
            at: format!("a body of session {}", place.key),
            reason: reason.to_owned(),
        };
        let mut content = body.clone();
        if is_reference(&body) {
            let mut reference = body.slice(1..);
            let len = reference.try_get_u64_le();
            let (Ok(len), Ok(sum)) = (len, reference.try_get_u32_le()) else {
                return Err(damaged("its reference is too short"));
            };
            content = self.read_chunks(place, &id_of(&body), len, 0..len).await?;
            if crc32c::crc32c(&content) != sum {
                return Err(damaged("its checksum differs"));
            }
        }
        decode_parts(content).ok_or_else(|| damaged("it has no parts"))
    }

    /// Deletes the parts of a body that nothing refers to any more.
    pub(super) async fn drop_chunks(&self, place: &Place, sealed: &Bytes) -> Result<()> {
        if sealed.first() != Some(&(Chunks::Checkpoint as u8)) {
            return Ok(());
        }
        let subject = place.blob(&format!("{}.*", id_of(sealed)));
        self.purge(&place.blobs(), &subject, None).await
    }

    async fn write_chunks(&self, place: &Place, id: &str, body: &Bytes) -> Result<()> {
        let parts = (0..body.len()).step_by(INLINE).map(|start| {
            let part = body.slice(start..body.len().min(start + INLINE));
            let subject = place.blob(&format!("{id}.{}", start / INLINE));
            // A part that is stored already has the same content.
            async move {
                self.wire
                    .cas(&place.blobs(), &subject, 0, part)
                    .await
                    .map(|_| ())
            }
        });
        let mut parts = stream::iter(parts).buffer_unordered(PARALLEL);
        while let Some(()) = parts.try_next().await? {}
        Ok(())
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
        let parts = (range.start / size..end.div_ceil(size)).map(|part| async move {
            let subject = place.blob(&format!("{id}.{part}"));
            let stored = self.wire.direct(&place.blobs(), &subject).await?;
            let body = stored.ok_or_else(|| StoreError::Damaged {
                at: format!("a body of session {}", place.key),
                reason: format!("part {part} is missing"),
            })?;
            let start = part * size;
            let clamp = |at: u64| usize::try_from(at.clamp(start, start + size) - start);
            let (from, to) = (clamp(range.start).unwrap_or(0), clamp(end).unwrap_or(0));
            let to = to.min(body.len());
            Ok::<_, StoreError>(body.slice(from.min(to)..to))
        });
        let mut parts = stream::iter(parts).buffered(PARALLEL);
        let mut body = BytesMut::new();
        while let Some(part) = parts.try_next().await? {
            body.extend_from_slice(&part);
        }
        Ok(body.freeze())
    }

    pub(super) async fn put_blob(&self, claim: &Claim, body: Bytes) -> Result<BlobRef> {
        check_size([&body])?;
        let (place, _) = self.guard(claim).await?;
        let (hash, len) = (hex(&Sha256::digest(&body)), body.len() as u64);
        self.write_chunks(&place, &hash, &body).await?;
        let subject = place.blob(&format!("{hash}.len"));
        let info = Bytes::copy_from_slice(&len.to_le_bytes());
        self.wire.cas(&place.blobs(), &subject, 0, info).await?;
        Ok(BlobRef { hash, len })
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
        let subject = place.blob(&format!("{hash}.len"));
        let info = self.wire.last(&place.blobs(), &subject).await?;
        let mut info = info.ok_or_else(not_found)?.body;
        let len = info.try_get_u64_le().map_err(|_| not_found())?;
        self.read_chunks(&place, hash, len, range).await
    }
}

/// Returns whether a sealed body is a reference.
pub(super) fn is_reference(body: &Bytes) -> bool {
    body.first().is_some_and(|marker| *marker != PARTS)
}

/// Returns the name of the parts to which a reference refers.
fn id_of(reference: &Bytes) -> String {
    let hash = &reference[reference.len().min(13)..];
    format!("{}{}", reference[0], hex(hash))
}
