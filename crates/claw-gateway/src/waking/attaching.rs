//! Finds CLIs that have outlived an earlier process of the gateway, and attaches to them.

use claw_server::{ControllerError, SessionId, SessionSetup};

use rusty_claw::permission::PermissionMode;

use super::Claimed;
use super::decisions::End;
use super::starting::not_started;
use crate::cli_host::{FoundCli, HostedSession};
use crate::spec::SessionSpec;
use crate::tenant::Tenant;

impl Tenant {
    pub(crate) fn hosted(&self, claimed: &Claimed) -> HostedSession {
        HostedSession {
            tenant: self.id.clone(),
            session_id: claimed.session_id,
            epoch: claimed.claim.epoch(),
        }
    }

    /// Ends the holder of a session, whose output is stored, and a CLI that still runs.
    pub(super) async fn end_cli(&self, claimed: &Claimed) {
        if let Some(host) = &self.settings.host {
            host.end(&self.hosted(claimed)).await;
        }
    }

    /// Finds the CLI that an earlier process has left running, or whose last output it has left.
    pub(super) async fn find_cli(&self, claimed: &Claimed) -> Option<FoundCli> {
        let host = self.settings.host.as_ref()?;
        host.find(&self.hosted(claimed)).await
    }

    /// Attaches to a running CLI. Returns `false` if that is not possible. Then the session is
    /// started as usual.
    pub(super) async fn attach(&self, claimed: &Claimed, found: FoundCli) -> Result<bool, End> {
        let session_id = claimed.session_id;
        // The CLI runs already, so its folder is not checked again.
        let Ok(spec) = serde_json::from_slice::<SessionSpec>(&claimed.attributes) else {
            return Ok(false);
        };
        let options = spec.apply((self.settings.options)());
        let (options, _) = self.settings.isolate(options);
        let setup = self.with_files(claimed, &spec, options);
        let setup = self.describe(setup, claimed, &spec);
        match self
            .controller
            .open(setup.attach(session_id, found.transport))
            .await
        {
            Ok(_) => Ok(true),
            Err(error @ (ControllerError::Attach(_) | ControllerError::NotRunning { .. })) => {
                report(session_id, &error);
                Ok(false)
            }
            Err(error) => Err(not_started(session_id, error)),
        }
    }

    /// Sets what every opening of a session has.
    pub(super) fn describe(
        &self,
        setup: SessionSetup,
        claimed: &Claimed,
        spec: &SessionSpec,
    ) -> SessionSetup {
        let mode = spec.permission_mode.clone();
        setup
            .parks(mode.unwrap_or(PermissionMode::Default))
            .repeats_calls(self.settings.repeats_calls)
            .reopen(claimed.session_id)
            .epoch(claimed.claim.epoch())
            .number(claimed.number)
            .tenant(self.id.as_str())
            .folder(&spec.folder)
    }
}

fn report(session_id: SessionId, error: &ControllerError) {
    tracing::info!(%session_id, %error, "the CLI of a session is not attached to");
}
