//! The log and the inbox in memory.

use bytes::Bytes;

use super::data::Data;
use crate::event::check_size;
use crate::{
    Appended, Batch, Checkpoint, Claim, Command, Event, NewCommand, ReadLimit, Result, SessionKey,
    StoreError, Submitted,
};

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
        let events = session.after(after).cloned().map(Ok);
        limit.page(events, |event| event.body.len())
    }

    pub(super) fn save_checkpoint(&mut self, claim: &Claim, new: &Checkpoint) -> Result<()> {
        check_size([&new.body])?;
        self.owned(claim)?.checkpoint = Some(new.clone());
        Ok(())
    }

    pub(super) fn checkpoint(&mut self, key: &SessionKey) -> Result<Option<Checkpoint>> {
        Ok(self.session(key)?.checkpoint.clone())
    }

    pub(super) fn submit(&mut self, key: &SessionKey, new: &NewCommand) -> Result<Submitted> {
        check_size([&new.body])?;
        if let Some(repeat) = self.find_command(key, new)? {
            return Ok(repeat);
        }
        let session = self.session(key)?;
        let waiting = session.commands.iter().map(|command| command.body.len());
        new.check_space(session.commands.len(), waiting.sum())?;
        let position = session.keys.len() as u64 + 1;
        let NewCommand { key, body, .. } = new.clone();
        session.keys.insert(key.clone(), (position, body.clone()));
        session.commands.push_back(Command {
            position,
            key,
            body,
        });
        session.changed.notify_waiters();
        Ok(Submitted {
            position,
            is_repeat: false,
        })
    }

    pub(super) fn find_command(
        &mut self,
        key: &SessionKey,
        new: &NewCommand,
    ) -> Result<Option<Submitted>> {
        let earlier = self.session(key)?.keys.get(&new.key);
        let repeat =
            |(position, body): &(u64, Bytes)| Submitted::repeat(*position, *body == new.body);
        earlier.map(repeat).transpose()
    }

    /// Returns the first command after a position.
    pub(super) fn next_command(&mut self, claim: &Claim, after: u64) -> Result<Option<Command>> {
        let mut commands = self.owned(claim)?.commands.iter();
        Ok(commands.find(|command| command.position > after).cloned())
    }
}
