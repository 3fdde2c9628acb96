//! The log in memory.

use bytes::Bytes;

use super::data::{Data, page};
use crate::error::StoreError;
use crate::event::check_size;
use crate::{Appended, Batch, Checkpoint, Claim, Event, ReadLimit, Result, SessionKey};

impl Data {
    pub(super) fn append(&mut self, claim: &Claim, last: u64, batch: &Batch) -> Result<Appended> {
        check_size(&batch.events)?;
        let session = self.owned(claim)?;
        let is_new = session.row.last == last;
        if !is_new && !session.ends_with(claim.epoch(), last, &batch.events) {
            return Err(StoreError::conflict("the last event"));
        }
        if is_new && !batch.events.is_empty() {
            session.add_frame(claim.epoch(), last + 1, &batch.events);
        }
        if let Some(applied) = batch.applied {
            session.applied = session.applied.max(applied);
            let commands = &mut session.commands;
            commands.retain(|command| command.position > applied);
        }
        let events: Vec<_> = session.after(last).cloned().collect();
        let last = session.row.last;
        self.publish(|hub| hub.events(claim.key(), &events));
        Ok(Appended { last })
    }

    pub(super) fn read(
        &mut self,
        key: &SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> Result<Vec<Event>> {
        let session = self.session(key)?;
        if after < session.cut {
            let first = session.cut + 1;
            return Err(StoreError::Truncated { first });
        }
        let size = |event: &Event| event.body.len();
        Ok(page(session.after(after), limit, size))
    }

    pub(super) fn publish_delta(&mut self, claim: &Claim, body: Bytes) {
        if self.owned(claim).is_ok() {
            let delta = claim.delta(body);
            self.publish(|hub| hub.delta(claim.key(), delta.clone()));
        }
    }

    pub(super) fn save_checkpoint(&mut self, claim: &Claim, new: &Checkpoint) -> Result<()> {
        check_size([&new.body])?;
        self.owned(claim)?.checkpoint = Some(new.clone());
        Ok(())
    }

    pub(super) fn checkpoint(&mut self, key: &SessionKey) -> Result<Option<Checkpoint>> {
        Ok(self.session(key)?.checkpoint.clone())
    }
}
