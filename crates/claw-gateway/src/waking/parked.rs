//! Sessions whose call waits for an answer without a process.

use claw_server::InputMode;
use claw_store::{InteractionFilter, InteractionId, InteractionState, StoreError};

use super::Claimed;
use super::decisions::{End, Place};
use super::starting::not_started;
use crate::cli_host::FoundCli;
use crate::clock::now_ms;
use crate::command::Command;
use crate::error::GatewayError;
use crate::owner;
use crate::spec::SessionSpec;
use crate::store_log::log_error;
use crate::tenant::Tenant;

impl Tenant {
    /// Parks the call that an earlier owner of a session has left waiting. Returns its interaction,
    /// if the session must wait longer, and `None` if its CLI must be started.
    pub(super) async fn keep_parked(
        &self,
        claimed: &Claimed,
        spec: &SessionSpec,
        exited: &mut Option<FoundCli>,
    ) -> Result<Option<InteractionId>, End> {
        let session_id = claimed.session_id;
        let failed = |error: StoreError| not_started(session_id, log_error(error).into());
        let key = claimed.claim.key();
        let filter = InteractionFilter {
            session: Some(key.session.clone()),
            ..InteractionFilter::pending(key.tenant.clone())
        };
        let pending = self.store.interactions(&filter).await.map_err(failed)?;
        if pending.is_empty() {
            return Ok(None);
        }
        let options = spec.apply((self.settings.options)());
        let (options, _) = self.settings.isolate(options);
        let setup = self.with_files(claimed, spec, options);
        let mut setup = self.describe(setup, claimed, spec);
        if let Some(exited) = exited.take() {
            setup = setup.rest(|offset| exited.rest(offset));
        }
        let parked = self.controller.park_abandoned(setup).await;
        let parked = parked.map_err(|error| not_started(session_id, error))?;
        let Some(parked) = parked else {
            return Ok(None);
        };
        let Ok(interaction) = InteractionId::new(parked.as_str()) else {
            return Ok(None);
        };
        // The others are withdrawn in the log.
        let open = [parked.as_str().to_owned()].into();
        let withdrawn = owner::withdraw_except(&self.store, &claimed.claim, &open).await;
        withdrawn.map_err(failed)?;
        if owner::has_close(self, claimed).await {
            return Err(self.end_closed(claimed).await);
        }
        let is_due = self.is_due(claimed, &interaction).await;
        Ok((!is_due).then_some(interaction))
    }

    /// Whether an interaction of a session is pending, or may be.
    pub(super) async fn has_pending(&self, claimed: &Claimed) -> bool {
        let key = claimed.claim.key();
        let filter = InteractionFilter {
            session: Some(key.session.clone()),
            ..InteractionFilter::pending(key.tenant.clone())
        };
        let pending = self.store.interactions(&filter).await;
        pending.map_or(true, |pending| !pending.is_empty())
    }

    /// Whether a parked session must be woken: its call was answered or has expired, or the session
    /// is interrupted or closed.
    pub(super) async fn is_due(&self, claimed: &Claimed, interaction: &InteractionId) -> bool {
        let key = claimed.claim.key();
        match self.store.interaction(key, interaction).await {
            Ok(found) if found.state == InteractionState::Pending => {
                let is_expired = found.expires_at_ms.is_some_and(|at| at <= now_ms());
                is_expired
                    || owner::has_command(self, claimed, ends_wait)
                        .await
                        .unwrap_or(true)
            }
            // If the store does not respond, the session is started, which decides.
            _ => true,
        }
    }

    /// Claims a parked session that was released again, if the answer was stored since it was looked
    /// for. Who stored it may have ended before waking the session.
    pub(super) async fn claim_answered(
        &self,
        released: &Claimed,
        interaction: &InteractionId,
    ) -> Result<Option<Claimed>, GatewayError> {
        let (session_id, key) = (released.session_id, released.claim.key());
        let found = self.store.interaction(key, interaction).await?;
        if !matches!(found.state, InteractionState::Answered(_)) || self.is_leaving() {
            return Ok(None);
        }
        let row = self.row(session_id).await?;
        match self.place(session_id, &row) {
            Place::Free(reason) => {
                let claimed = self.claim(session_id, &row, reason, &released.slot).await?;
                Ok(Some(claimed))
            }
            Place::Here | Place::Elsewhere | Place::Ended => Ok(None),
        }
    }
}

/// Whether a command denies the parked call or ends the session.
fn ends_wait(command: &Command) -> bool {
    match command {
        Command::Interrupt { .. } | Command::Close => true,
        Command::Input { mode, .. } => *mode == InputMode::InterruptThenSend,
        _ => false,
    }
}
