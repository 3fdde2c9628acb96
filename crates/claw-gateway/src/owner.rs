//! The owner of a session: applies the commands of its inbox, and copies its interactions to the
//! store, where any process can answer them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_server::event::{Fact, LifecycleState};
use claw_server::{ControllerError, EventLog as _, Input, LogUpdate, SessionId};
use claw_store::{
    BoxFuture, Claim, Closing, InteractionFilter, InteractionId, InteractionState, NewInteraction,
    SessionState, StoreError,
};
use futures_util::StreamExt as _;

use crate::answer::StoredAnswer;
use crate::command::Command;
use crate::tenant::{Slot, Tenant};

/// The pause before a call to a store that is unavailable is repeated.
const RETRY: Duration = Duration::from_millis(200);
/// How long a session may take to close.
const GRACE: Duration = Duration::from_secs(10);

/// Owns a session that the controller has opened, until it ends. The future is boxed because a
/// session that gets a command at its end is opened again.
pub(crate) fn own(
    tenant: Arc<Tenant>,
    session_id: SessionId,
    epoch: u64,
    slot: Arc<Slot>,
) -> BoxFuture<'static, ()> {
    Box::pin(own_until_end(tenant, session_id, epoch, slot))
}

async fn own_until_end(tenant: Arc<Tenant>, session_id: SessionId, epoch: u64, slot: Arc<Slot>) {
    let Some(claim) = tenant.log.claimed(session_id) else {
        return;
    };
    let mut applied = claim.applied();
    let owner = Owner {
        tenant: &tenant,
        session_id,
        claim: &claim,
    };
    let ended = tenant.controller.ended(session_id);
    let closed = tokio::select! {
        closed = ended => closed,
        () = owner.apply_commands(&mut applied) => tenant.controller.ended(session_id).await,
        () = owner.copy_interactions() => tenant.controller.ended(session_id).await,
    };
    let is_over = closed.is_ok_and(|closed| closed.state == LifecycleState::Closed);
    let state = match is_over {
        true => SessionState::Ended,
        false => SessionState::Asleep,
    };
    let released = slot.lock.lock().await;
    let log = &tenant.log;
    repeat(|| Box::pin(log.release(session_id, epoch, state))).await;
    drop(released);
    if slot.submitted.load(Ordering::SeqCst) > applied && state == SessionState::Asleep {
        // A command arrived after the last one that was applied.
        let woken = tenant.wake(session_id, 0).await;
        if let Err(error) = woken {
            tracing::warn!(%session_id, %error, "a session that has commands was not woken");
        }
    }
}

struct Owner<'a> {
    tenant: &'a Arc<Tenant>,
    session_id: SessionId,
    claim: &'a Arc<Claim>,
}

impl Owner<'_> {
    /// Applies the commands of the inbox, until the claim is lost.
    async fn apply_commands(&self, applied: &mut u64) {
        let store = &self.tenant.store;
        let Some(mut inbox) = repeat(|| store.inbox(self.claim)).await else {
            return;
        };
        while let Some(next) = inbox.next().await {
            let command = match next {
                Ok(command) => command,
                Err(StoreError::Unavailable { .. }) => {
                    let Some(again) = repeat(|| store.inbox(self.claim)).await else {
                        return;
                    };
                    inbox = again;
                    continue;
                }
                Err(_) => return,
            };
            if command.position <= *applied {
                continue;
            }
            let key = command.key.as_str();
            match serde_json::from_slice(&command.body) {
                Ok(body) => {
                    if self.apply(body, key).await.is_break() {
                        return;
                    }
                }
                // A newer gateway wrote it. Skipping it loses only what this one cannot do.
                Err(error) => tracing::warn!(key, %error, "a command is unknown and is skipped"),
            }
            *applied = command.position;
            self.tenant
                .log
                .set_applied(self.session_id, command.position);
        }
    }

    /// Applies a command. Commands may be applied again after a crash: each has its own key, or
    /// does nothing the second time.
    async fn apply(&self, command: Command, key: &str) -> ControlFlow<()> {
        let (controller, session_id) = (&self.tenant.controller, self.session_id);
        match command {
            Command::Input { content, mode, by } => loop {
                let input = Input::content(session_id, content.clone());
                let input = input.mode(mode.clone()).key(key).by(by.as_str());
                match controller.input(input).await {
                    Ok(_) => break,
                    Err(ControllerError::QueueFull { .. } | ControllerError::Log(_)) => {
                        tokio::time::sleep(RETRY).await;
                    }
                    // The session ends. The command stays in the inbox for the next owner.
                    Err(ControllerError::NoSession { .. } | ControllerError::ShuttingDown) => {
                        return ControlFlow::Break(());
                    }
                    Err(error) => {
                        tracing::warn!(%session_id, key, %error, "an input was refused");
                        break;
                    }
                }
            },
            Command::Interrupt { turn } => {
                if let Err(error) = controller.interrupt_turn(session_id, turn).await {
                    tracing::warn!(%session_id, turn, %error, "an interrupt failed");
                }
            }
            Command::Answered { interaction } => self.give_answer(&interaction).await,
            Command::Close => {
                let _ = controller.close(session_id, GRACE).await;
            }
        }
        ControlFlow::Continue(())
    }

    /// Gives the answer that the store has for an interaction.
    async fn give_answer(&self, interaction: &str) {
        let key = self.claim.key();
        let filter = InteractionFilter {
            session: Some(key.session.clone()),
            pending: false,
            ..InteractionFilter::pending(key.tenant.clone())
        };
        let found = repeat(|| self.tenant.store.interactions(&filter)).await;
        let found = found.into_iter().flatten();
        let Some(one) = found.into_iter().find(|one| one.id.as_str() == interaction) else {
            return;
        };
        let InteractionState::Answered(answer) = one.state else {
            return;
        };
        let stored: Result<StoredAnswer, _> = serde_json::from_slice(&answer.body);
        let given = match stored {
            Ok(stored) => {
                let controller = &self.tenant.controller;
                let given = stored.give(
                    controller,
                    self.session_id,
                    interaction,
                    answer.key.as_str(),
                );
                given.await.map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = given {
            tracing::info!(session_id = %self.session_id, interaction, error, "an answer came too late");
        }
    }

    /// Copies the interactions of the log to the store, until the log ends.
    async fn copy_interactions(&self) {
        let (log, session_id) = (&self.tenant.log, self.session_id);
        let mut after = self.claim.last();
        loop {
            let Ok(mut updates) = log.subscribe(session_id, after).await else {
                tokio::time::sleep(RETRY).await;
                continue;
            };
            while let Some(Ok(update)) = updates.next().await {
                let LogUpdate::Event(event) = update else {
                    continue;
                };
                if self.copy(&event.fact).await.is_none() {
                    return;
                }
                after = event.sequence;
            }
        }
    }

    /// Copies a change of an interaction. Returns `None` if the claim is lost.
    async fn copy(&self, fact: &Fact) -> Option<()> {
        let (store, claim) = (&self.tenant.store, self.claim);
        let closed = match fact {
            Fact::InteractionOpened(opened) => {
                let new = NewInteraction {
                    id: InteractionId::new(opened.id.as_str()).ok()?,
                    request: serde_json::to_vec(opened).ok()?.into(),
                    expires_at_ms: opened.expires_at_ms,
                };
                return repeat(|| store.open_interaction(claim, new.clone())).await;
            }
            Fact::InteractionExpired(id) => (id, Closing::Expired),
            Fact::InteractionWithdrawn(id) => (id, Closing::Withdrawn),
            // The store has the answer already, unless a rule has given it.
            Fact::InteractionAnswered(answer) => (&answer.id, Closing::Withdrawn),
            _ => return Some(()),
        };
        let id = InteractionId::new(closed.0.as_str()).ok()?;
        let result = repeat_known(|| store.close_interaction(claim, &id, closed.1)).await;
        match result {
            // One that an earlier owner could not copy is not there.
            Ok(_) | Err(StoreError::NotFound { .. }) => Some(()),
            Err(_) => None,
        }
    }
}

/// Repeats a call while the store is unavailable. Returns `None` if it refuses the call.
async fn repeat<'a, T>(call: impl Fn() -> BoxFuture<'a, Result<T, StoreError>>) -> Option<T> {
    repeat_known(call).await.ok()
}

async fn repeat_known<'a, T>(
    call: impl Fn() -> BoxFuture<'a, Result<T, StoreError>>,
) -> Result<T, StoreError> {
    loop {
        match call().await {
            Err(StoreError::Unavailable { .. } | StoreError::Full { .. }) => {
                tokio::time::sleep(RETRY).await;
            }
            result => return result,
        }
    }
}
