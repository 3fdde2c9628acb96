//! Applies changes of settings.

use std::time::Duration;

use claw_server::ControllerError;
use futures_util::FutureExt as _;
use rusty_claw::SessionError;

use super::{ClaimLost, Owner};
use crate::changes::SettingChange;
use crate::error::GatewayError;

/// How long the running turn may continue before the CLI is restarted with another mode.
const FOR_EVER: Duration = Duration::MAX;
/// The CLI's error code for the bypass mode, if the CLI was not started with it.
const NOT_STARTED_FOR_IT: &str = "bypass_not_launched";

impl Owner<'_> {
    /// Sends a setting to the CLI, and stores it for later starts. Returns `false` until both are
    /// done.
    pub(super) async fn change(&mut self, change: &SettingChange) -> Result<bool, ClaimLost> {
        let (controller, session_id) = (&self.tenant.controller, self.claimed.session_id);
        // The owner must not wait for the CLI. Later inputs wait for it.
        let changing = self.changing.get_or_insert_with(|| {
            let (controller, change) = (controller.clone(), change.clone());
            tokio::spawn(async move {
                match change {
                    SettingChange::Model(model) => {
                        controller.set_model(session_id, model.as_deref()).await
                    }
                    SettingChange::PermissionMode(mode) => {
                        controller.set_permission_mode(session_id, mode).await
                    }
                }
            })
        });
        let Some(changed) = changing.now_or_never() else {
            return Ok(false);
        };
        self.changing = None;
        let must_restart = match changed {
            Ok(Ok(())) => false,
            Ok(Err(ControllerError::Session(error))) => match error {
                SessionError::Refused { code, .. }
                    if code.as_deref() == Some(NOT_STARTED_FOR_IT) =>
                {
                    true
                }
                SessionError::Refused { .. } => {
                    tracing::warn!(%session_id, %error, "the CLI refused a setting");
                    return Ok(true);
                }
                // Whether the CLI applied it is unknown: only a new one certainly uses it.
                SessionError::TimedOut { .. } => {
                    tracing::warn!(%session_id, %error, "the CLI is restarted with a setting");
                    true
                }
                _ => return Ok(false),
            },
            // If the session ends, the next owner applies the change.
            _ => return Ok(false),
        };
        match self.tenant.store_change(session_id, change).await {
            Ok(()) => {}
            Err(GatewayError::Deleted | GatewayError::NotFound { .. }) => return Err(ClaimLost),
            Err(error) => {
                tracing::debug!(%session_id, %error, "a setting is stored later");
                return Ok(false);
            }
        }
        if must_restart {
            // Dropping the future does not cancel this.
            let _ = controller.sleep(session_id, FOR_EVER).now_or_never();
        }
        Ok(true)
    }
}
