//! Starts the CLIs of sessions, and ends sessions whose CLI does not start.

use claw_server::event::{Lifecycle, LifecycleState};
use claw_server::{ControllerError, LogError, SessionId, SessionSetup};
use rusty_claw::{Options, StartError};

use super::decisions::{End, Failures};
use super::{CLOSED, Claimed};
use crate::error::GatewayError;
use crate::owner;
use crate::relay::RelayToken;
use crate::session_files::SessionFiles;
use crate::spec::SessionSpec;
use crate::store_log::log_error;
use crate::tenant::Tenant;

impl Tenant {
    /// Starts the CLI of a session. Returns its relay token, which must live as long as the CLI.
    pub(super) async fn start(&self, claimed: &Claimed) -> Result<Option<RelayToken>, End> {
        let session_id = claimed.session_id;
        // The controller withdraws the interactions of earlier owners in the log.
        let withdrawn = owner::withdraw_pending(&self.store, &claimed.claim).await;
        withdrawn.map_err(|error| not_started(session_id, log_error(error).into()))?;
        if self.is_leaving() {
            return Err(End::NotStarted);
        }
        let spec = self.checked_spec(&claimed.attributes).await;
        let spec = spec.map_err(|error| {
            tracing::warn!(%session_id, %error, "a session did not start");
            let reason = error.to_string();
            End::StartFailed { reason }
        })?;
        let options = spec.apply((self.settings.options)());
        let (options, token) = self.settings.isolate(options);
        let setup = self
            .with_files(claimed, &spec, options)
            .reopen(session_id)
            .epoch(claimed.claim.epoch())
            .number(claimed.number)
            .tenant(self.id.as_str())
            .folder(&spec.folder);
        let opened = self.controller.open(setup).await;
        opened
            .map(|_| token)
            .map_err(|error| not_started(session_id, error))
    }

    /// Mirrors the session files to the store, and restores missing ones before the start.
    fn with_files(&self, claimed: &Claimed, spec: &SessionSpec, options: Options) -> SessionSetup {
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
        let session_id = claimed.session_id;
        let mut reason = failures.reason()?.to_owned();
        if self.is_leaving() {
            return None;
        }
        let is_closed = owner::has_close(self, claimed).await;
        let state = match is_closed {
            true => LifecycleState::Closed,
            false if failures.are_too_many() => LifecycleState::Lost,
            false => return None,
        };
        if is_closed {
            reason = CLOSED.to_owned();
        }
        let mut lifecycle = Lifecycle::new(state);
        lifecycle.reason = Some(reason.clone());
        let epoch = claimed.claim.epoch();
        let ended = self
            .controller
            .end_unstarted(session_id, epoch, lifecycle)
            .await;
        Some(match ended {
            Ok(()) if is_closed => End::Closed,
            Ok(()) => End::GivenUp { reason },
            Err(error) => not_started(session_id, error),
        })
    }
}

fn not_started(session_id: SessionId, error: ControllerError) -> End {
    tracing::warn!(%session_id, %error, "a session did not start");
    match error {
        ControllerError::Log(LogError::Fenced | LogError::Deleted) => End::ClaimLost,
        ControllerError::Log(_) | ControllerError::ShuttingDown => End::NotStarted,
        ControllerError::Start(StartError::Store { source }) => End::StartFailed {
            reason: source.to_string(),
        },
        ControllerError::Start(error) => End::StartFailed {
            reason: error.to_string(),
        },
        error => End::StartFailed {
            reason: error.to_string(),
        },
    }
}
