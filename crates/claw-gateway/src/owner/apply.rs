//! Applies commands.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{AcceptedInput, Fact, InputFailure, InputId};
use claw_server::interactions::AnswerRefused;
use claw_server::{
    ControllerError, EventLog as _, Fence, Input, LogError, PageLimit, SessionEvent, SessionId,
};
use claw_store::{InteractionId, InteractionState, StoreError};
use futures_util::{FutureExt as _, StreamExt as _};

use super::commands::Kept;
use super::{ClaimLost, Owner, RETRY, UNSTORED, repeat};
use crate::answer::StoredAnswer;
use crate::clock::now_ms;
use crate::command::{Command, key_of_client};
use crate::tenant::Tenant;
use crate::waking::Claimed;

/// How long a session may take to close.
const GRACE: Duration = Duration::from_secs(10);
/// How long reading the rest of the inbox may take.
const REST: Duration = Duration::from_secs(5);

impl Owner<'_> {
    pub(super) async fn received(
        &mut self,
        next: Option<Result<claw_store::Command, StoreError>>,
    ) -> Result<(), ClaimLost> {
        let command = match next {
            Some(received) => ClaimLost::check(received)?,
            None => None,
        };
        let Some(command) = command else {
            self.inbox = None;
            return Ok(());
        };
        if !self.commands.see(command.position) {
            return Ok(());
        }
        match decode(&command) {
            Ok(command) => {
                let command = Arc::new(command);
                let must_wait = self.commands.must_wait(&command);
                if must_wait || !self.apply(&command).await? {
                    self.commands.keep(command);
                }
            }
            // A newer gateway wrote it, and this version cannot apply it.
            Err(error) => tracing::warn!(%error, "a command is unknown and is skipped"),
        }
        self.store_applied().await;
        Ok(())
    }

    /// Retries the kept commands.
    pub(super) async fn retry_commands(&mut self) -> Result<(), ClaimLost> {
        for command in self.commands.kept() {
            let must_wait = self.commands.must_wait(&command);
            if !must_wait && self.apply(&command).await? {
                self.commands.remove(command.position);
            }
        }
        self.store_applied().await;
        Ok(())
    }

    async fn store_applied(&mut self) {
        let (log, session_id) = (&self.tenant.log, self.claimed.session_id);
        log.set_applied(session_id, self.commands.applied());
        if log.unstored(session_id) >= UNSTORED {
            let stored = log.store_applied(session_id, self.claimed.claim.epoch());
            if let Err(error) = stored.await {
                tracing::debug!(%session_id, %error, "the applied commands are stored later");
            }
        }
    }

    /// Applies a command. Returns `false` if it must be retried. A command may be applied again
    /// after a crash: inputs and answers have a key, and the others are idempotent.
    async fn apply(&mut self, kept: &Kept) -> Result<bool, ClaimLost> {
        let (controller, session_id) = (&self.tenant.controller, self.claimed.session_id);
        match &kept.command {
            Command::Input { content, mode, by } => {
                let position = self.commands.applied_with(kept.position);
                self.tenant
                    .log
                    .set_accepting(session_id, &kept.key, position);
                let input = Input::content(session_id, content.clone());
                let input = input.mode(mode.clone()).key(&*kept.key).by(by.as_str());
                match controller.input(input).await {
                    Ok(_) => Ok(true),
                    // If the session ends, the next owner applies the input.
                    Err(
                        ControllerError::QueueFull { .. }
                        | ControllerError::Log(_)
                        | ControllerError::NoSession { .. }
                        | ControllerError::ShuttingDown,
                    ) => Ok(false),
                    Err(error) => {
                        tracing::warn!(%session_id, key = kept.key, %error, "an input was refused");
                        Ok(true)
                    }
                }
            }
            Command::Interrupt { turn } => {
                let (controller, turn) = (controller.clone(), *turn);
                // The owner must not wait for the CLI.
                tokio::spawn(async move {
                    if let Err(error) = controller.interrupt_turn(session_id, turn).await {
                        tracing::warn!(%session_id, turn, %error, "an interrupt failed");
                    }
                });
                Ok(true)
            }
            Command::Answered { interaction } => self.give_answer(interaction).await,
            Command::Change(change) => self.change(change).await,
            Command::Close => {
                // Dropping the future does not cancel the close. The command is kept until the
                // session has ended, so that a crash before that does not lose it.
                let _ = controller.close(session_id, GRACE).now_or_never();
                Ok(false)
            }
        }
    }

    /// Passes the stored answers of all open interactions to the controller.
    pub(super) async fn give_answers(&mut self) -> Result<(), ClaimLost> {
        for interaction in self.open.clone() {
            self.give_answer(&interaction).await?;
        }
        Ok(())
    }

    /// Passes the stored answer of an interaction to the controller. Returns `false` if this must
    /// be retried.
    async fn give_answer(&mut self, interaction: &str) -> Result<bool, ClaimLost> {
        if !self.giving.contains_key(interaction) && !self.begin_giving(interaction).await? {
            return Ok(false);
        }
        let Some(giving) = self.giving.get_mut(interaction) else {
            return Ok(true);
        };
        // A CLI that wakes gets the answer when it has asked, and the owner must not wait for this.
        let Some(given) = giving.now_or_never() else {
            return Ok(false);
        };
        self.giving.remove(interaction);
        match given {
            Ok(Ok(())) => Ok(true),
            Ok(Err(AnswerRefused::NotStored { .. } | AnswerRefused::NoSession)) | Err(_) => {
                Ok(false)
            }
            Ok(Err(error)) => {
                let session_id = self.claimed.session_id;
                tracing::info!(%session_id, interaction, %error, "an answer came too late");
                Ok(true)
            }
        }
    }

    /// Begins to pass the stored answer of an interaction to the controller, if there is one.
    /// Returns `false` if this must be retried.
    async fn begin_giving(&mut self, interaction: &str) -> Result<bool, ClaimLost> {
        let key = self.claimed.claim.key();
        let Ok(id) = InteractionId::new(interaction) else {
            return Ok(true);
        };
        let found = match self.tenant.store.interaction(key, &id).await {
            Err(StoreError::NotFound { .. }) => return Ok(true),
            found => ClaimLost::check(found)?,
        };
        let answer = match found.map(|found| found.state) {
            Some(InteractionState::Answered(answer)) => answer,
            Some(_) => return Ok(true),
            None => return Ok(false),
        };
        let (controller, session_id) = (&self.tenant.controller, self.claimed.session_id);
        let stored: StoredAnswer = match serde_json::from_slice(&answer.body) {
            Ok(stored) => stored,
            Err(error) => {
                tracing::warn!(%session_id, interaction, %error, "an answer is unknown");
                return Ok(true);
            }
        };
        let (controller, name) = (controller.clone(), interaction.to_owned());
        let giving = tokio::spawn(async move {
            let key = answer.key.as_str();
            stored.give(&controller, session_id, &name, key).await
        });
        self.giving.insert(interaction.to_owned(), giving);
        Ok(true)
    }
}

fn decode(command: &claw_store::Command) -> Result<Kept, serde_json::Error> {
    Ok(Kept {
        position: command.position,
        key: key_of_client(&command.key).to_owned(),
        command: serde_json::from_slice(&command.body)?,
    })
}

/// Whether a command that is not applied satisfies `is_meant`. `None` if the inbox cannot be read.
pub(crate) async fn has_command(
    tenant: &Tenant,
    claimed: &Claimed,
    is_meant: impl Fn(&Command) -> bool,
) -> Option<bool> {
    let (session_id, epoch) = (claimed.session_id, claimed.claim.epoch());
    let applied = tenant.log.applied(session_id, epoch)?;
    let rest = tokio::time::timeout(REST, rest_of_inbox(tenant, claimed, applied)).await;
    let rest = rest.ok()??;
    Some(rest.iter().any(|kept| is_meant(&kept.command)))
}

/// Whether a command that is not applied ends the session.
pub(crate) async fn has_close(tenant: &Tenant, claimed: &Claimed) -> bool {
    let closes = has_command(tenant, claimed, |command| *command == Command::Close);
    closes.await.unwrap_or(false)
}

/// Records the remaining inputs in the inbox of a session as failed, and stores the remaining changes
/// of settings for later starts. Returns `false` if the store does not respond. The slot of the
/// session must be locked, so that no more inputs are submitted.
pub(crate) async fn fail_unapplied(tenant: &Tenant, claimed: &Claimed, reason: &str) -> bool {
    let (session_id, epoch) = (claimed.session_id, claimed.claim.epoch());
    let applied = tenant.log.applied(session_id, epoch);
    let Some(applied) = applied.filter(|applied| *applied < claimed.submitted()) else {
        return true;
    };
    let rest = rest_of_inbox(tenant, claimed, applied);
    let Ok(Some(rest)) = tokio::time::timeout(REST, rest).await else {
        tracing::warn!(%session_id, "the inbox of a session was not read");
        return false;
    };
    for kept in &rest {
        if let Command::Change(change) = &kept.command
            && let Err(error) = tenant.store_change(session_id, change).await
        {
            tracing::warn!(%session_id, %error, "a setting is lost");
        }
    }
    // An input after a kept command may be applied already, and is then in the log.
    let in_log = accepted(tenant, session_id, &rest);
    let read = tokio::try_join!(tenant.log.latest(session_id), in_log);
    let (latest, accepted) = match read {
        Ok(read) => read,
        Err(error) => return !matches!(error, LogError::Unavailable { .. }),
    };
    let at_ms = now_ms();
    let lost = rest.iter().filter(|kept| !accepted.contains(&kept.key));
    let facts = lost.filter_map(|kept| failure(kept, reason)).flatten();
    let events = facts
        .zip(latest.sequence + 1..)
        .map(|(fact, sequence)| Arc::new(SessionEvent::new(sequence, epoch, at_ms, fact)));
    let events: Vec<Arc<SessionEvent>> = events.collect();
    tenant.log.set_applied(session_id, claimed.submitted());
    let fence = Fence {
        epoch,
        expected_last: latest.sequence,
    };
    while !events.is_empty() {
        match tenant.log.append(session_id, fence, &events).await {
            Err(LogError::Unavailable { .. } | LogError::Full { .. }) => {
                tokio::time::sleep(RETRY).await;
            }
            _ => break,
        }
    }
    true
}

/// Returns the keys of these commands that are inputs in the log.
async fn accepted(
    tenant: &Tenant,
    session_id: SessionId,
    commands: &[Kept],
) -> Result<BTreeSet<String>, LogError> {
    let mut accepted = BTreeSet::new();
    let mut after = 0;
    let is_input = |kept: &Kept| matches!(kept.command, Command::Input { .. });
    while commands.iter().any(is_input) {
        let page = tenant.log.read(session_id, after, PageLimit::events(512));
        let page = page.await?;
        let Some(last) = page.last() else { break };
        after = last.sequence;
        for event in &page {
            if let Fact::InputAccepted(input) = &event.fact
                && let Some(key) = &input.key
                && commands.iter().any(|kept| kept.key == *key)
            {
                accepted.insert(key.clone());
            }
        }
    }
    Ok(accepted)
}

async fn rest_of_inbox(tenant: &Tenant, claimed: &Claimed, applied: u64) -> Option<Vec<Kept>> {
    let mut inbox = repeat(|| tenant.store.inbox(&claimed.claim)).await.ok()?;
    // The inbox is silent after the last command.
    let (mut rest, mut seen) = (Vec::new(), applied);
    while seen < claimed.submitted() {
        let command = inbox.next().await?.ok()?;
        seen = command.position;
        if let Ok(kept) = decode(&command)
            && kept.position > applied
        {
            rest.push(kept);
        }
    }
    Some(rest)
}

/// Returns the events of an input that was not sent.
fn failure(kept: &Kept, reason: &str) -> Option<[Fact; 2]> {
    let Command::Input { content, mode, by } = &kept.command else {
        return None;
    };
    let id = InputId::new(format!("unsent-{}", kept.position));
    let mut input = AcceptedInput::new(id.clone(), content.clone());
    input.key = Some(kept.key.clone());
    input.mode = mode.clone();
    input.from = Some(by.clone());
    let failure = InputFailure::new(id, reason);
    Some([Fact::InputAccepted(input), Fact::InputFailed(failure)])
}
