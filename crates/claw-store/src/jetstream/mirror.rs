//! Copies of transcripts.
//!
//! A file is a subject, and its messages are a chain like the log. The fences are a subject of
//! their own in the same stream, so that their order with the lines is known: lines after the fence
//! of a later epoch are void. A writer checks the fences after its lines are stored, and returns
//! `Fenced` if the lines are void.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::chunks::Chunks;
use super::directory::PARALLEL;
use super::engine::Engine;
use super::fold::{Fold, Phase};
use super::frame::{Frame, Kind, decode_parts, encode_parts};
use super::layout::Place;
use super::wire::{Attempts, Cas, Stored, Subject};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{ReadLimit, check_size};
use crate::id::SessionKey;
use crate::store::Result;

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
    /// Adds a fence, unless there is a later one.
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
        let (subject, body) = (place.fences(), body.encode());
        loop {
            let last = self.last_fence(place).await?;
            let is_late = match kind {
                Kind::RELEASED => !last.is_owned_by(epoch),
                _ => last.epoch >= epoch,
            };
            if is_late {
                return Ok(());
            }
            if let Cas::Stored(_) = self.wire.cas(&subject, last.at, body.clone()).await? {
                return Ok(());
            }
        }
    }

    async fn last_fence(&self, place: &Place) -> Result<Fold> {
        let last = self.wire.last(&place.fences()).await?;
        Ok(last.as_ref().and_then(fold_of).unwrap_or_default())
    }

    async fn fences(&self, place: &Place) -> Result<Fences> {
        let found = self.wire.scan(&place.fences(), 0, usize::MAX).await?;
        Ok(Fences(found.iter().filter_map(fold_of).collect()))
    }

    /// Returns an error if the fence of another owner is stored before a message. An earlier fence
    /// proves nothing: the server may not have recovered everything.
    async fn check_fence(&self, place: &Place, claim: &Claim, at: u64) -> Result<()> {
        let fence = self.last_fence(place).await?;
        if fence.at > at || fence.epoch < claim.epoch() || fence.is_owned_by(claim.epoch()) {
            return Ok(());
        }
        if fence.phase == Phase::Deleted {
            return Err(StoreError::Deleted);
        }
        // The log is fenced or released before the transcripts.
        self.guard(claim).await?;
        Err(StoreError::Fenced { by: None })
    }

    /// Returns the last message of a file, its last line and its name. `epoch` is that of a valid
    /// claim.
    async fn file_end(
        &self,
        place: &Place,
        subject: &Subject,
        epoch: Option<u64>,
    ) -> Result<(u64, u64, String)> {
        let Some(stored) = self.wire.last(subject).await? else {
            return Ok((0, 0, String::new()));
        };
        let (frame, [name, _]) = decode_lines(&stored)?;
        let mut last = frame.last();
        if epoch != Some(frame.epoch) {
            let fences = self.fences(place).await?;
            if !fences.allow(&stored, &frame) {
                (_, last) = self.lines(place, subject, &fences, u64::MAX, WHOLE).await?;
            }
        }
        let name = String::from_utf8_lossy(&name).into_owned();
        Ok((stored.sequence, last, name))
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
        let subject = place.file(Some(file));
        let body = encode_parts(lines.iter().map(|line| &line[..]));
        let body = self.seal(&place, body, Chunks::Kept).await?;
        let body = encode_parts([file.as_bytes(), &body[..]]);
        let conflict = || Err(StoreError::conflict("the last line of the file"));
        let frame = Frame {
            kind: Kind::LINES,
            epoch: claim.epoch(),
            first: expected_last + 1,
            count: u32::try_from(lines.len()).unwrap_or(u32::MAX),
            applied: 0,
            body,
        };
        let mut attempts = Attempts::new();
        loop {
            self.check_fence(&place, claim, u64::MAX).await?;
            let epoch = Some(claim.epoch());
            let (at, last, _) = self.file_end(&place, &subject, epoch).await?;
            if expected_last > last {
                // The caller is wrong, unless a server has not recovered everything.
                match self.wire.pause(&mut attempts, "").await {
                    Ok(()) => continue,
                    Err(_) => return conflict(),
                }
            }
            if expected_last < last {
                let fences = self.fences(&place).await?;
                let (tail, last) = self
                    .lines(&place, &subject, &fences, expected_last, WHOLE)
                    .await?;
                return match tail == lines {
                    true => Ok(last),
                    false => conflict(),
                };
            }
            if lines.is_empty() {
                return Ok(last);
            }
            if let Cas::Stored(at) = self.wire.cas(&subject, at, frame.encode()).await? {
                self.check_fence(&place, claim, at).await?;
                return Ok(frame.last());
            }
        }
    }

    /// Returns the lines of a file after one, and the number of the last one that was read.
    async fn lines(
        &self,
        place: &Place,
        subject: &Subject,
        fences: &Fences,
        after: u64,
        limit: ReadLimit,
    ) -> Result<(Vec<Bytes>, u64)> {
        let bound = self.wire.last(subject).await?;
        let bound = bound.map_or(0, |stored| stored.sequence);
        let mut end = self.cache.file_before(&subject.name, after);
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while end.0 < bound {
            for stored in self.wire.page(subject, end.0 + 1).await? {
                let before = end;
                end.0 = stored.sequence;
                let (frame, [_, body]) = decode_lines(&stored)?;
                if !fences.allow(&stored, &frame) || frame.first != end.1 + 1 {
                    continue;
                }
                end.1 = frame.last();
                if frame.last() <= after {
                    continue;
                }
                let found = self.open_parts(place, body).await?;
                let found = found.into_iter().zip(frame.first..);
                for (line, number) in found.filter(|(_, number)| *number > after) {
                    bytes += line.len();
                    let is_full = lines.len() >= limit.events || bytes > limit.bytes;
                    if is_full && !lines.is_empty() {
                        self.cache.put_file(&subject.name, before);
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
        let all = &place.file(None);
        let info = self.wire.info(&all.stream, Some(&all.name)).await?;
        let names = info["state"]["subjects"].as_object().cloned();
        let ends = names
            .unwrap_or_default()
            .into_iter()
            .map(|(name, _)| async {
                let subject = Subject {
                    name,
                    ..all.clone()
                };
                let (_, last, name) = self.file_end(place, &subject, None).await?;
                Ok::<_, StoreError>((name, last))
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
}

const WHOLE: ReadLimit = ReadLimit {
    events: usize::MAX,
    bytes: usize::MAX,
};

/// Returns the state after a fence.
fn fold_of(stored: &Stored) -> Option<Fold> {
    let frame = Frame::decode(&stored.body).ok()?;
    Some(Fold::after(stored.sequence, &frame))
}

/// Returns a frame with the name of its file and its lines.
fn decode_lines(stored: &Stored) -> Result<(Frame, [Bytes; 2])> {
    let damaged = || StoreError::damaged(&stored.subject, "it is not a frame of lines");
    let frame = Frame::decode(&stored.body).map_err(|_| damaged())?;
    let parts = decode_parts(frame.body.clone()).unwrap_or_default();
    Ok((frame, parts.try_into().map_err(|_| damaged())?))
}
