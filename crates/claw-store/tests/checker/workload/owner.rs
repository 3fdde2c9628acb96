//! The owner of a session.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use claw_store::{
    Batch, Claim, ClaimReason, Closing, InteractionState, NewInteraction, NodeId, NodeRef, Result,
    SessionState, StoreError,
};
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::{Worker, outcome_of};
use crate::bodies::{APPLY, body, id_of, id_of_name, idempotency_key, interaction_id};
use crate::history::{Call, Id, Item, Outcome, Reply, Session, State};

/// The node of a process.
pub(crate) fn node(process: u64) -> NodeRef {
    let node = NodeId::new(&format!("process-{process}")).unwrap();
    let incarnation = 1;
    NodeRef { node, incarnation }
}

/// A claim and what belongs to it.
pub(crate) struct Owner {
    worker: Worker,
    session: Session,
    claim: Arc<Claim>,
    last: u64,
    /// Commands of the inbox that are not applied yet: positions and ids.
    commands: mpsc::UnboundedReceiver<(u64, Id)>,
    receiver: AbortHandle,
    opened: Vec<Id>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.receiver.abort();
    }
}

/// Ends the ownership, or goes on.
type Step = ControlFlow<()>;

impl Owner {
    pub(crate) async fn claim(
        worker: &Worker,
        session: Session,
        reason: ClaimReason,
    ) -> Result<Self> {
        let key = worker.plan.sessions.key(session);
        let call = Call::Claim {
            session,
            node: worker.node.node.to_string(),
            incarnation: worker.node.incarnation,
            is_takeover: reason == ClaimReason::Takeover,
        };
        let reply = |claim: &Claim| Reply::Claimed {
            epoch: claim.epoch(),
            last: claim.last(),
            applied: claim.applied(),
        };
        let claim = worker.store.claim(&key, &worker.node, reason);
        let claim = Arc::new(worker.call(call, claim, reply).await?);
        worker.raise_head(session, claim.last());
        let (sender, commands) = mpsc::unbounded_channel();
        let receiver = receive(worker.clone(), session, claim.clone(), sender);
        let receiver = tokio::spawn(receiver).abort_handle();
        Ok(Self {
            worker: worker.clone(),
            session,
            last: claim.last(),
            claim,
            commands,
            receiver,
            opened: Vec::new(),
        })
    }

    /// Appends, or opens or closes an interaction.
    pub(crate) async fn step(&mut self) -> Step {
        match self.worker.rng.between(0, 100) {
            0..12 => self.open_interaction().await,
            12..15 => self.close_interaction().await,
            15..20 => {
                let body = body(self.session, 0);
                self.worker.store.publish_delta(&self.claim, body);
                Step::Continue(())
            }
            _ => {
                let mut commands = Vec::new();
                while let Ok(command) = self.commands.try_recv() {
                    commands.push(command);
                }
                let events = self.worker.rng.between(1, 8);
                self.append(&commands, events).await
            }
        }
    }

    /// Applies commands and appends some events.
    async fn append(&mut self, commands: &[(u64, Id)], events: usize) -> Step {
        let applies = commands.iter().map(|(_, command)| command | APPLY);
        let mut ids: Vec<Id> = applies.collect();
        ids.extend((0..events).map(|_| self.worker.recorder.id()));
        let batch = Batch {
            events: ids.iter().map(|id| body(self.session, *id)).collect(),
            applied: commands.last().map(|(position, _)| *position),
        };
        let start = Instant::now();
        loop {
            let call = Call::Append {
                session: self.session,
                epoch: self.claim.epoch(),
                expected: self.last,
                ids: ids.clone(),
                applied: batch.applied,
            };
            let append = self.worker.store.append(&self.claim, self.last, &batch);
            let appended = self.worker.call(call, append, |appended| Reply::Appended {
                last: appended.last,
            });
            match appended.await {
                Ok(appended) => {
                    self.last = appended.last;
                    self.worker.raise_head(self.session, self.last);
                    return Step::Continue(());
                }
                Err(StoreError::Unavailable { .. })
                    if start.elapsed() < self.worker.plan.patience() =>
                {
                    self.worker.back_off().await;
                }
                Err(StoreError::Fenced { .. }) if self.worker.rng.percent(30) => {
                    // A process that does not notice that it was fenced.
                    ids.iter_mut()
                        .for_each(|id| *id = self.worker.recorder.id());
                    return self.append_stale(&ids).await;
                }
                Err(_) => return Step::Break(()),
            }
        }
    }

    async fn append_stale(&mut self, ids: &[Id]) -> Step {
        let events = ids.iter().map(|id| body(self.session, *id));
        let batch = Batch::from(events.collect::<Vec<_>>());
        // The claim does not have the right end of the log; the new owner may be there already.
        let expected = self.last.max(self.worker.head(self.session));
        let call = Call::Append {
            session: self.session,
            epoch: self.claim.epoch(),
            expected,
            ids: ids.to_vec(),
            applied: None,
        };
        let append = self.worker.store.append(&self.claim, expected, &batch);
        let reply = |appended: &claw_store::Appended| Reply::Appended {
            last: appended.last,
        };
        let _ = self.worker.call(call, append, reply).await;
        Step::Break(())
    }

    async fn open_interaction(&mut self) -> Step {
        let interaction = self.worker.recorder.id();
        let session = self.session;
        loop {
            let new = NewInteraction {
                id: interaction_id(interaction),
                request: body(session, interaction),
                expires_at_ms: None,
            };
            let call = Call::OpenInteraction {
                session,
                interaction,
            };
            let open = self.worker.store.open_interaction(&self.claim, new);
            match self.worker.call(call, open, |()| Reply::Done).await {
                Ok(()) => {
                    self.opened.push(interaction);
                    return Step::Continue(());
                }
                Err(StoreError::Unavailable { .. }) if self.worker.is_loading() => {
                    self.worker.back_off().await;
                }
                Err(StoreError::Unavailable { .. }) => return Step::Continue(()),
                Err(_) => return Step::Break(()),
            }
        }
    }

    async fn close_interaction(&mut self) -> Step {
        let Some(interaction) = self.opened.pop() else {
            return Step::Continue(());
        };
        let call = Call::CloseInteraction {
            session: self.session,
            interaction,
        };
        let id = interaction_id(interaction);
        let store = &self.worker.store;
        let close = store.close_interaction(&self.claim, &id, Closing::Withdrawn);
        let closed = self.worker.call(call, close, |interaction| {
            Reply::State(state_of(self.session, &interaction.state))
        });
        match closed.await {
            Ok(_) | Err(StoreError::Unavailable { .. }) => Step::Continue(()),
            Err(_) => Step::Break(()),
        }
    }

    /// Gives up ownership. The outcome shows in the claims that follow.
    pub(crate) async fn release(self) {
        let release = self.worker.store.release(&self.claim, SessionState::Asleep);
        let _ = self.worker.in_time(release).await;
    }

    /// Applies the commands up to a position. Returns whether they all arrived in time.
    pub(crate) async fn apply_until(&mut self, position: u64) -> bool {
        let mut applied = self.claim.applied();
        let limit = tokio::time::Instant::now() + self.worker.plan.patience();
        while applied < position {
            let command = tokio::time::timeout_at(limit, self.commands.recv()).await;
            let Ok(Some(command)) = command else {
                return false;
            };
            if self.append(&[command], 0).await.is_break() {
                return false;
            }
            applied = command.0;
        }
        true
    }
}

/// Receives the commands of a claim until it is fenced.
async fn receive(
    worker: Worker,
    session: Session,
    claim: Arc<Claim>,
    sender: mpsc::UnboundedSender<(u64, Id)>,
) {
    let call = Call::Receive {
        session,
        epoch: claim.epoch(),
        applied: claim.applied(),
    };
    let op = worker.recorder.begin(&worker.name, call);
    let outcome = match worker.in_time(worker.store.inbox(&claim)).await {
        Err(error) => outcome_of(&error),
        Ok(mut inbox) => loop {
            match inbox.next().await {
                Some(Ok(command)) => {
                    let id = id_of(session, &command.body);
                    let is_own = command.key == idempotency_key(id);
                    let id = if is_own { id } else { 0 };
                    let position = command.position;
                    let item = Item::Command {
                        position,
                        command: id,
                    };
                    worker.recorder.item(op, item);
                    // The owner may be gone.
                    let _ = sender.send((position, id));
                }
                Some(Err(error)) => break outcome_of(&error),
                None => break Outcome::Failed("the inbox ended".to_owned()),
            }
        },
    };
    worker.recorder.end(op, outcome);
}

pub(crate) fn state_of(session: Session, state: &InteractionState) -> State {
    match state {
        InteractionState::Answered(answer) => {
            let id = id_of_name(answer.key.as_str());
            let is_whole = id_of(session, &answer.body) == id;
            State::Answered(if is_whole { id } else { 0 })
        }
        InteractionState::Closed(_) => State::Closed,
        _ => State::Pending,
    }
}
