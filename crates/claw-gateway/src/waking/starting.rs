//! Starts the CLIs of sessions, and ends sessions whose CLI does not start.

use std::collections::BTreeSet;

use claw_server::event::{Lifecycle, LifecycleState};
use claw_server::{ControllerError, LogError, SessionId, SessionSetup};
use claw_store::StoreError;
use rusty_claw::{Options, StartError};

use super::decisions::{End, Failures};
use super::{CLOSED, Claimed};
use crate::cli_host::FoundCli;
use crate::error::GatewayError;
use crate::owner;
use crate::relay::RelayToken;
use crate::session_files::SessionFiles;
use crate::spec::SessionSpec;
use crate::store_log::log_error;
use crate::tenant::Tenant;

impl Tenant {
    /// Starts the CLI of a session. Returns its relay token, which must live as long as the CLI.
    ///
    /// A CLI that still runs is attached to. If that is not possible, it is ended first.
    pub(super) async fn start(
        &self,
        claimed: &Claimed,
        found: Option<FoundCli>,
    ) -> Result<Option<RelayToken>, End> {
        let session_id = claimed.session_id;
        if self.is_leaving() {
            return Err(End::NotStarted);
        }
        let mut exited = found;
        if let Some(found) = exited.take_if(|found| !found.has_exited) {
            if self.attach(claimed, found).await? {
                return Ok(None);
            }
            // It may have exited meanwhile.
            exited = self.find_cli(claimed).await;
            exited.take_if(|found| !found.has_exited);
        }
        if exited.is_none() {
            // Two CLIs of a session would fork its history.
            self.end_cli(claimed).await;
        }
        let spec = self.checked_spec(&claimed.attributes).await;
        let spec = spec.map_err(|error| {
            tracing::warn!(%session_id, %error, "a session did not start");
            let reason = error.to_string();
            End::StartFailed { reason }
        })?;
        if let Some(interaction) = self.keep_parked(claimed, &spec, &mut exited).await? {
            if let Some(host) = &self.settings.host {
                host.end(&self.hosted(claimed)).await;
            }
            let reason = "the gateway that ran the session ended".to_owned();
            return Err(End::Parked {
                interaction,
                reason,
            });
        }
        let options = spec.apply((self.settings.options)());
        let (options, token) = self.settings.isolate(options);
        let setup = self.with_files(claimed, &spec, options);
        let mut setup = self.describe(setup, claimed, &spec);
        if let Some(exited) = exited {
            setup = setup.rest(|offset| exited.rest(offset));
        }
        if let Some(host) = &self.settings.host {
            setup = setup.on_held(host.transport(&self.hosted(claimed)));
        }
        let opened = self.controller.open(setup).await;
        opened
            .map(|_| token)
            .map_err(|error| not_started(session_id, error))
    }

    /// Mirrors the session files to the store, and restores missing ones before the start.
    pub(super) fn with_files(
        &self,
        claimed: &Claimed,
        spec: &SessionSpec,
        options: Options,
    ) -> SessionSetup {
        let Some(files) = self.files(claimed, spec, &options) else {
            tracing::warn!("the CLI has no home folder, and its session files are not mirrored");
            return SessionSetup::new(options);
        };
        let adopted = spec.origin.as_ref().filter(|origin| !origin.is_fork);
        let adopted = adopted.map(|origin| origin.cli_session_id.clone());
        let options = options.session_store(files.mirror()).mirror_only(true);
        SessionSetup::new(options).prepare(move |conversation| async move {
            match conversation.or(adopted) {
                Some(conversation) => Ok(files.reconcile(&conversation).await?),
                None => Ok(()),
            }
        })
    }

    /// Returns the session files of a CLI with these options.
    fn files(
        &self,
        claimed: &Claimed,
        spec: &SessionSpec,
        options: &Options,
    ) -> Option<SessionFiles> {
        let library = options.session_library().ok()?;
        let is_isolated = self.settings.runner.is_some();
        let (store, claim) = (&self.store, &claimed.claim);
        let folder = &spec.folder;
        Some(SessionFiles::new(
            store,
            claim,
            library,
            folder,
            is_isolated,
        ))
    }

    /// Returns the settings of a session. Its folder may have been removed, or replaced by a link,
    /// since the session was created, and an adopted conversation may have been resumed in a
    /// terminal.
    async fn checked_spec(&self, attributes: &[u8]) -> Result<SessionSpec, GatewayError> {
        let mut spec: SessionSpec = serde_json::from_slice(attributes)
            .map_err(|error| GatewayError::invalid(error.to_string()))?;
        spec.confine(&self.settings.roots)?;
        self.settings.check_session(&self.id, &spec.folder)?;
        self.check_writer(&spec).await?;
        Ok(spec)
    }

    /// Ends a session whose CLI does not start, if a close is pending or too many starts failed.
    pub(super) async fn end_unstarted(
        &self,
        claimed: &Claimed,
        failures: &Failures,
    ) -> Option<End> {
        let reason = failures.reason()?.to_owned();
        if self.is_leaving() {
            return None;
        }
        if owner::has_close(self, claimed).await {
            return Some(self.end_closed(claimed).await);
        }
        if !failures.are_too_many() {
            return None;
        }
        Some(
            match self.end(claimed, LifecycleState::Lost, &reason).await {
                Ok(()) => End::GivenUp { reason },
                Err(end) => end,
            },
        )
    }

    /// Ends a session that is closed before its CLI has started.
    pub(super) async fn end_closed(&self, claimed: &Claimed) -> End {
        let ended = self.end(claimed, LifecycleState::Closed, CLOSED).await;
        ended.map_or_else(|end| end, |()| End::Closed)
    }

    async fn end(&self, claimed: &Claimed, state: LifecycleState, reason: &str) -> Result<(), End> {
        let mut options = (self.settings.options)();
        // The folder may be gone.
        if let Ok(spec) = serde_json::from_slice::<SessionSpec>(&claimed.attributes) {
            options = spec.apply(options);
        }
        let (options, _token) = self.settings.isolate(options);
        let setup = SessionSetup::new(options)
            .reopen(claimed.session_id)
            .epoch(claimed.claim.epoch());
        let mut lifecycle = Lifecycle::new(state);
        lifecycle.reason = Some(reason.to_owned());
        let ended = self.controller.end_unstarted(setup, lifecycle).await;
        ended.map_err(|error| not_started(claimed.session_id, error))?;
        // Its interactions can no longer be answered.
        let none = BTreeSet::new();
        while let Err(error) = owner::withdraw_except(&self.store, &claimed.claim, &none).await {
            match error {
                StoreError::Unavailable { .. } if !self.is_leaving() => {
                    tokio::time::sleep(owner::RETRY).await;
                }
                error => return Err(not_started(claimed.session_id, log_error(error).into())),
            }
        }
        Ok(())
    }
}

pub(super) fn not_started(session_id: SessionId, error: ControllerError) -> End {
    let causes = with_causes(&error);
    tracing::warn!(%session_id, error = causes, "a session did not start");
    match error {
        ControllerError::Log(LogError::Fenced | LogError::Deleted) => End::ClaimLost,
        ControllerError::Log(_) | ControllerError::ShuttingDown => End::NotStarted,
        ControllerError::Start(StartError::Store { source }) => End::StartFailed {
            reason: with_causes(&source),
        },
        ControllerError::Start(error) => End::StartFailed {
            reason: with_causes(&error),
        },
        error => End::StartFailed {
            reason: with_causes(&error),
        },
    }
}

/// Returns the messages of an error and of its causes.
fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let messages: Vec<String> = causes.map(ToString::to_string).collect();
    messages.join(": ")
}
