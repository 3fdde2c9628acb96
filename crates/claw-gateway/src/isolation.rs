//! Applies the settings that isolate the sessions of a gateway.

use std::path::Path;

use claw_store::TenantId;
use rusty_claw::Options;

use crate::error::GatewayError;
use crate::gateway::Settings;
use crate::relay::RelayToken;

impl Settings {
    /// Checks that the runner works, or that there is only one tenant. Blocks the thread.
    pub(crate) fn check_isolation(&self) -> Result<(), GatewayError> {
        match &self.runner {
            Some(runner) => {
                let checked = runner.check();
                let checked = checked.map_err(|error| GatewayError::invalid(error.to_string()))?;
                for remark in checked.remarks {
                    tracing::warn!("{remark}");
                }
                Ok(())
            }
            None if self.tenant.is_none() => Err(GatewayError::invalid(
                "without a runner, agents of one tenant can read the sessions of another: set \
                 Settings::runner, or name the only tenant in Settings::tenant",
            )),
            None => Ok(()),
        }
    }

    /// Checks that a session of a tenant may run in a folder.
    pub(crate) fn check_session(
        &self,
        tenant: &TenantId,
        folder: &Path,
    ) -> Result<(), GatewayError> {
        if self.tenant.as_ref().is_some_and(|only| only != tenant) {
            let why = "this gateway runs the sessions of another tenant only";
            return Err(GatewayError::invalid(why));
        }
        let runner = self.runner.as_ref();
        runner.map_or(Ok(()), |runner| runner.check_folder(folder))
    }

    /// Returns the options of an isolated session, and the token that its CLI needs while it runs.
    pub(crate) fn isolate(&self, options: Options) -> (Options, Option<RelayToken>) {
        let options = match &self.runner {
            Some(runner) => runner.isolate(options),
            None => options,
        };
        match &self.relay {
            // The host has a relay of its own, which outlives this process.
            Some(relay) if self.host.is_none() => {
                let (options, token) = relay.apply(options);
                (options, Some(token))
            }
            _ => (options, None),
        }
    }
}
