//! The inbox in memory.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;

use super::data::Data;
use super::shared::Shared;
use crate::error::StoreError;
use crate::event::check_size;
use crate::inbox::MAX_WAITING;
use crate::{BoxStream, Claim, Command, NewCommand, Owner, Result, SessionKey, Submitted};

impl Data {
    pub(super) fn submit(&mut self, key: &SessionKey, command: NewCommand) -> Result<Submitted> {
        let NewCommand { key: name, body } = command;
        check_size([&body])?;
        let session = self.session(key)?;
        let earlier = session.keys.get(&name);
        if earlier.is_some_and(|(_, earlier)| *earlier != body) {
            return Err(StoreError::conflict("the command of this key"));
        }
        let is_repeat = earlier.is_some();
        let new = session.keys.len() as u64 + 1;
        let position = earlier.map_or(new, |(position, _)| *position);
        if !is_repeat {
            let waiting = session.commands.iter().map(|command| command.body.len());
            let bytes = waiting.sum::<usize>() + body.len();
            if session.commands.len() >= MAX_WAITING.events || bytes > MAX_WAITING.bytes {
                let advice = "wait until the owner has applied some commands";
                return Err(StoreError::full("the inbox", advice));
            }
            let known = (position, body.clone());
            session.keys.insert(name.clone(), known);
            let key = name;
            session.commands.push_back(Command {
                position,
                key,
                body,
            });
            session.changed.notify_waiters();
        }
        Ok(Submitted {
            position,
            is_repeat,
        })
    }
}

/// Receives the commands of a session while a claim is valid.
pub(super) async fn receive(
    shared: Arc<Shared>,
    claim: &Claim,
) -> Result<BoxStream<'static, Result<Command>>> {
    shared.read(|data| data.owned(claim).map(|_| ())).await?;
    let start = Some(Receiver {
        shared,
        key: claim.key().clone(),
        owner: claim.owner().clone(),
        after: 0,
    });
    Ok(Box::pin(stream::unfold(start, |receiver| async {
        let mut receiver = receiver?;
        let command = receiver.next().await;
        let rest = command.is_ok().then_some(receiver);
        Some((command, rest))
    })))
}

struct Receiver {
    shared: Arc<Shared>,
    key: SessionKey,
    owner: Owner,
    after: u64,
}

impl Receiver {
    async fn next(&mut self) -> Result<Command> {
        loop {
            let next = self.shared.read(|data| {
                let session = data.owned_by(&self.key, &self.owner)?;
                let mut commands = session.commands.iter();
                let command = commands.find(|command| command.position > self.after);
                // Created under the lock: a later change notifies it.
                Ok((command.cloned(), session.changed.clone().notified_owned()))
            });
            match next.await {
                Ok((Some(command), _)) => {
                    self.after = command.position;
                    return Ok(command);
                }
                Ok((None, changed)) => changed.await,
                Err(StoreError::Unavailable { .. }) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
