//! Copies of transcripts.
//!
//! A file is a subject, and its messages are a chain like the log. The fences are a subject of
//! their own in the same stream, so that their order with the lines is known: lines after the fence
//! of a later epoch are void. A writer looks at the fences after its lines are stored, and reports
//! `Fenced` if they are void.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::Engine;
use super::chunks::Chunks;
use super::fold::{Fold, Phase};
use super::frame::{Frame, Kind, decode_parts, encode_parts};
use super::layout::Place;
use super::wire::{Cas, Stored};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{ReadLimit, check_size};
use crate::id::SessionKey;
use crate::store::Result;

const PARALLEL: usize = 16;

/// The end of a file.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    /// The last message, whether or not it counts.
    at: u64,
    /// The last line.
    last: u64,
}

/// The states of a session after each fence, in order.
struct Fences(Vec<Fold>);

impl Fences {
    /// Returns whether lines count.
    fn allow(&self, stored: &Stored, frame: &Frame) -> bool {
        let before = self.0.partition_point(|fold| fold.at < stored.sequence);
        let fence = before.checked_sub(1).map(|index| self.0[index]);
        frame.kind == Kind::LINES && fence.is_some_and(|fence| fence.is_owned_by(frame.epoch))
    }
}

impl Engine {
    /// Adds a fence, unless a later one is there.
    pub(super) async fn fence_transcripts(
        &self,
        place: &Place,
        kind: Kind,
        epoch: u64,
    ) -> Result<()> {
        let body = Frame {
            kind,
            epoch,
            first: 1,
            count: 0,
            applied: 0,
            body: Bytes::new(),
        };
        let body = body.encode();
        let (stream, subject) = (place.transcripts(), place.fences());
        loop {
            let last = self.last_fence(place).await?;
            let is_late = match kind {
                Kind::RELEASED => !last.is_owned_by(epoch),
                _ => last.epoch >= epoch,
            };
            if is_late {
                return Ok(());
            }
            let write = self.wire.cas(&stream, &subject, last.at, body.clone());
            if let Cas::Stored(_) = write.await? {
                return Ok(());
            }
        }
    }

    async fn last_fence(&self, place: &Place) -> Result<Fold> {
        let last = self
            .wire
            .last(&place.transcripts(), &place.fences())
            .await?;
        let fence = last.and_then(|last| Some((last.sequence, Frame::decode(&last.body).ok()?)));
        Ok(fence.map_or_else(Fold::default, |(at, frame)| Fold::after(at, &frame)))
    }

    async fn fences(&self, place: &Place) -> Result<Fences> {
        let found = self
            .wire
            .scan(&place.transcripts(), &place.fences(), 0, usize::MAX)
            .await?;
        let fold = |stored: &Stored| {
            Some(Fold::after(
                stored.sequence,
                &Frame::decode(&stored.body).ok()?,
            ))
        };
        Ok(Fences(found.iter().filter_map(fold).collect()))
    }

    /// Returns the end of a file and the name that its last message has. `epoch` is that of a valid
    /// claim.
    async fn file_end(
        &self,
        place: &Place,
        subject: &str,
        epoch: Option<u64>,
    ) -> Result<(End, String)> {
        let Some(stored) = self.wire.last(&place.transcripts(), subject).await? else {
            return Ok((End::default(), String::new()));
        };
        let at = stored.sequence;
        let Ok(frame) = Frame::decode(&stored.body) else {
            return Err(damaged(place, at));
        };
        let parts = decode_parts(frame.body.clone()).unwrap_or_default();
        let name = parts
            .first()
            .map_or("".into(), |name| String::from_utf8_lossy(name));
        let mut last = frame.last();
        if epoch != Some(frame.epoch) {
            let fences = self.fences(place).await?;
            if !fences.allow(&stored, &frame) {
                (_, last) = self.lines(place, subject, &fences, u64::MAX, WHOLE).await?;
            }
        }
        Ok((End { at, last }, name.into_owned()))
    }

    pub(super) async fn mirror(
        &self,
        claim: &Claim,
        file: &str,
        expected_last: u64,
        lines: &[Bytes],
    ) -> Result<u64> {
        check_size(lines)?;
        let place = self.place(claim.key()).await?;
        let (stream, subject) = (place.transcripts(), place.file(Some(file)));
        let body = encode_parts(lines.iter().map(|line| &line[..]));
        let body = self.seal(&place, body, Chunks::Kept).await?;
        let body = encode_parts([file.as_bytes(), &body[..]]);
        loop {
            let fence = self.last_fence(&place).await?;
            if !fence.is_owned_by(claim.epoch()) {
                return Err(self.fenced(claim, &fence).await);
            }
            let (end, _) = self.file_end(&place, &subject, Some(claim.epoch())).await?;
            if expected_last > end.last {
                return Err(StoreError::conflict("the last line of the file"));
            }
            if expected_last < end.last {
                let fences = self.fences(&place).await?;
                let (tail, last) = self
                    .lines(&place, &subject, &fences, expected_last, WHOLE)
                    .await?;
                return match tail == lines {
                    true => Ok(last),
                    false => Err(StoreError::conflict("the last line of the file")),
                };
            }
            let frame = Frame {
                kind: Kind::LINES,
                epoch: claim.epoch(),
                first: end.last + 1,
                count: u32::try_from(lines.len()).unwrap_or(u32::MAX),
                applied: 0,
                body: body.clone(),
            };
            if lines.is_empty() {
                return Ok(end.last);
            }
            let Cas::Stored(at) = self
                .wire
                .cas(&stream, &subject, end.at, frame.encode())
                .await?
            else {
                continue;
            };
            let fence = self.last_fence(&place).await?;
            return match fence.is_owned_by(claim.epoch()) || fence.at > at {
                true => Ok(frame.last()),
                false => Err(self.fenced(claim, &fence).await),
            };
        }
    }

    /// Returns the lines of a file after one, and the number of the last one that was read.
    async fn lines(
        &self,
        place: &Place,
        subject: &str,
        fences: &Fences,
        after: u64,
        limit: ReadLimit,
    ) -> Result<(Vec<Bytes>, u64)> {
        let stream = place.transcripts();
        let bound = self.wire.last(&stream, subject).await?;
        let bound = bound.map_or(0, |stored| stored.sequence);
        let mut end = self.cache.file_before(subject, after);
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while end.0 < bound {
            for stored in self.wire.page(&stream, subject, end.0 + 1).await? {
                let before = end;
                end.0 = stored.sequence;
                let Ok(frame) = Frame::decode(&stored.body) else {
                    return Err(damaged(place, stored.sequence));
                };
                if !fences.allow(&stored, &frame) || frame.first != end.1 + 1 {
                    continue;
                }
                end.1 = frame.last();
                if frame.last() <= after {
                    continue;
                }
                let parts = decode_parts(frame.body.clone()).unwrap_or_default();
                let body = parts
                    .get(1)
                    .cloned()
                    .ok_or_else(|| damaged(place, stored.sequence))?;
                let found = self
                    .open_parts(place, body)
                    .await?
                    .into_iter()
                    .zip(frame.first..);
                for (line, number) in found.filter(|(_, number)| *number > after) {
                    bytes += line.len();
                    let is_full = lines.len() >= limit.events || bytes > limit.bytes;
                    if is_full && !lines.is_empty() {
                        self.cache.put_file(subject, before);
                        return Ok((lines, number - 1));
                    }
                    lines.push(line);
                }
            }
        }
        Ok((lines, end.1))
    }

    pub(super) async fn mirrored_files(&self, key: &SessionKey) -> Result<Vec<(String, u64)>> {
        let place = &self.alive(key).await?;
        let subjects = self
            .wire
            .subjects(&place.transcripts(), &place.file(None))
            .await?;
        let ends = subjects.into_iter().map(|subject| async move {
            let (end, name) = self.file_end(place, &subject, None).await?;
            Ok::<_, StoreError>((name, end.last))
        });
        let ends = stream::iter(ends).buffered(PARALLEL);
        let mut files: Vec<_> = ends.try_collect().await?;
        files.retain(|(_, last)| *last > 0);
        files.sort();
        Ok(files)
    }

    pub(super) async fn mirrored(
        &self,
        key: &SessionKey,
        file: &str,
        after: u64,
        limit: ReadLimit,
    ) -> Result<Vec<Bytes>> {
        let place = self.alive(key).await?;
        let subject = place.file(Some(file));
        let fences = self.fences(&place).await?;
        let (lines, last) = self.lines(&place, &subject, &fences, after, limit).await?;
        match last {
            0 => Err(StoreError::not_found("the file")),
            _ => Ok(lines),
        }
    }

    async fn fenced(&self, claim: &Claim, fence: &Fold) -> StoreError {
        if fence.phase == Phase::Deleted {
            return StoreError::Deleted;
        }
        // The log is fenced or released before the transcripts.
        let error = self.guard(claim).await.err();
        error.unwrap_or(StoreError::Fenced { by: None })
    }
}

const WHOLE: ReadLimit = ReadLimit {
    events: usize::MAX,
    bytes: usize::MAX,
};

fn damaged(place: &Place, at: u64) -> StoreError {
    StoreError::Damaged {
        at: format!("message {at} of {}", place.transcripts()),
        reason: format!("lines of session {} are not a frame", place.key),
    }
}
