//! Interactions, blobs and transcripts in memory.

use std::ops::Range;

use bytes::Bytes;

use super::data::{Data, Session};
use crate::event::{check_size, clamp};
use crate::{
    BlobRef, Claim, Closing, Interaction, InteractionAnswer, InteractionFilter, InteractionId,
    InteractionState, NewInteraction, ReadLimit, Result, SessionKey, StoreError, Verdict,
};

impl Session {
    fn interaction(&mut self, id: &InteractionId) -> Result<&mut Interaction> {
        let mut all = self.interactions.iter_mut();
        let interaction = all.find(|interaction| interaction.id == *id);
        interaction.ok_or_else(|| StoreError::not_found("the interaction"))
    }
}

impl Data {
    pub(super) fn open_interaction(&mut self, claim: &Claim, new: &NewInteraction) -> Result<()> {
        check_size([&new.request])?;
        let session = self.owned(claim)?;
        if let Ok(earlier) = session.interaction(&new.id) {
            return earlier.check_repeat(new);
        }
        let opened = Interaction::open(claim.key().clone(), new.clone());
        session.interactions.push(opened);
        Ok(())
    }

    pub(super) fn answer(
        &mut self,
        key: &SessionKey,
        id: &InteractionId,
        answer: &InteractionAnswer,
    ) -> Result<Verdict> {
        check_size([&answer.body])?;
        let interaction = self.session(key)?.interaction(id)?;
        if interaction.state == InteractionState::Pending {
            interaction.state = InteractionState::Answered(answer.clone());
        }
        Ok(interaction.clone().verdict(answer))
    }

    pub(super) fn close_interaction(
        &mut self,
        claim: &Claim,
        id: &InteractionId,
        closing: Closing,
    ) -> Result<Interaction> {
        let interaction = self.owned(claim)?.interaction(id)?;
        if interaction.state == InteractionState::Pending {
            interaction.state = InteractionState::Closed(closing);
        }
        Ok(interaction.clone())
    }

    pub(super) fn interaction(
        &mut self,
        key: &SessionKey,
        id: &InteractionId,
    ) -> Result<Interaction> {
        Ok(self.session(key)?.interaction(id)?.clone())
    }

    pub(super) fn interactions(&mut self, filter: &InteractionFilter) -> Result<Vec<Interaction>> {
        if let Some(key) = filter.key() {
            self.session(&key)?;
        }
        let all = self.sessions.values().flatten();
        let all = all.flat_map(|session| &session.interactions);
        Ok(all.filter(|one| filter.lists(one)).cloned().collect())
    }

    pub(super) fn put_blob(&mut self, claim: &Claim, blob: &BlobRef, body: &Bytes) -> Result<()> {
        let blobs = &mut self.owned(claim)?.blobs;
        blobs.insert(blob.hash.clone(), body.clone());
        Ok(())
    }

    pub(super) fn get_blob(
        &mut self,
        key: &SessionKey,
        hash: &str,
        range: &Range<u64>,
    ) -> Result<Bytes> {
        let body = self.session(key)?.blobs.get(hash);
        let body = body.ok_or_else(|| StoreError::not_found("the blob"))?;
        Ok(body.slice(clamp(range, body.len())))
    }

    pub(super) fn mirror(
        &mut self,
        claim: &Claim,
        file: &str,
        last: u64,
        lines: &[Bytes],
    ) -> Result<u64> {
        check_size(lines)?;
        let files = &mut self.owned(claim)?.files;
        let stored = files.entry(file.to_owned()).or_default();
        let tail = usize::try_from(last).ok();
        match tail.and_then(|last| stored.get(last..)) {
            Some([]) => stored.extend_from_slice(lines),
            Some(tail) if tail == lines => {}
            _ => return Err(StoreError::conflict("the last line of the file")),
        }
        Ok(stored.len() as u64)
    }

    pub(super) fn mirrored_files(&mut self, key: &SessionKey) -> Result<Vec<(String, u64)>> {
        let files = self.session(key)?.files.iter();
        let files = files.map(|(name, lines)| (name.clone(), lines.len() as u64));
        Ok(files.collect())
    }

    pub(super) fn mirrored(
        &mut self,
        key: &SessionKey,
        file: &str,
        after: u64,
        limit: ReadLimit,
    ) -> Result<Vec<Bytes>> {
        let lines = self.session(key)?.files.get(file);
        let lines = lines.ok_or_else(|| StoreError::not_found("the file"))?;
        let after = usize::try_from(after).unwrap_or(usize::MAX);
        limit.page(lines.iter().skip(after).cloned().map(Ok), Bytes::len)
    }
}
