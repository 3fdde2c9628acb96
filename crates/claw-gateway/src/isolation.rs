//! How the settings of a gateway isolate its sessions.

use std::path::Path;

use claw_store::TenantId;
use rusty_claw::Options;

use crate::error::GatewayError;
use crate::gateway::Settings;
use crate::relay::RelayToken;

impl Settings {
    /// Checks that agents of different tenants are isolated from each other. Blocks.
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

    /// Returns the options of a session of a tenant in a folder, and the token that its CLI needs
    /// while it runs.
    pub(crate) fn isolate(
        &self,
        tenant: &TenantId,
        options: Options,
        folder: &Path,
    ) -> Result<(Options, Option<RelayToken>), GatewayError> {
        if self.tenant.as_ref().is_some_and(|only| only != tenant) {
            let why = "this gateway runs the sessions of another tenant only";
            return Err(GatewayError::invalid(why));
        }
        let options = match &self.runner {
            Some(runner) => runner.isolate(options, folder)?,
            None => options,
        };
        Ok(match &self.relay {
            Some(relay) => {
                let (options, token) = relay.apply(options);
                (options, Some(token))
            }
            None => (options, None),
        })
    }
}
