//! The permission mode that the CLI reports. An approved plan changes it, and a later start of the
//! CLI must use it.

use claw_server::SessionEvent;
use claw_server::event::Fact;
use rusty_claw::messages::{Message, SystemMessage};
use rusty_claw::permission::PermissionMode;

use super::{ClaimLost, Owner};
use crate::caller::Scope;
use crate::changes::SettingChange;
use crate::error::GatewayError;
use crate::spec::mode_scope;

/// Lines with the mode are short.
const MAX_LINE: usize = 256 * 1024;

/// The mode that a process has reported last.
#[derive(Debug, Default)]
pub(super) struct ReportedMode(Option<PermissionMode>);

impl ReportedMode {
    /// Returns the mode if the process has changed it. Its first mode is that of its start.
    pub(super) fn changed(&mut self, event: &SessionEvent) -> Option<PermissionMode> {
        let mode = reported(event)?;
        let before = self.0.replace(mode.clone());
        before.is_some_and(|before| before != mode).then_some(mode)
    }
}

fn reported(event: &SessionEvent) -> Option<PermissionMode> {
    let Fact::Message(raw) = &event.fact else {
        return None;
    };
    // Decoding every line of the session again would be slow.
    let bytes = raw.as_bytes();
    let text = std::str::from_utf8(bytes.get(..MAX_LINE).unwrap_or(bytes)).ok()?;
    if !text.contains("\"permissionMode\"") {
        return None;
    }
    match event.line()?.message()? {
        Message::System(SystemMessage::Init { details, .. }) => details.permission_mode.clone(),
        Message::System(SystemMessage::Status(said)) => said.permission_mode.clone(),
        _ => None,
    }
}

impl Owner<'_> {
    /// Stores the mode that the CLI has changed to, for later starts. A mode that only an
    /// administrator may choose is not stored.
    pub(super) async fn store_mode(&mut self) -> Result<(), ClaimLost> {
        let Some(mode) = self.unstored_mode.take() else {
            return Ok(());
        };
        let mode = match mode {
            PermissionMode::Manual => PermissionMode::Default,
            mode => mode,
        };
        if mode_scope(&mode) != Scope::Drive {
            return Ok(());
        }
        let change = SettingChange::PermissionMode(mode.clone());
        let stored = self.tenant.store_change(self.claimed.session_id, &change);
        match stored.await {
            Ok(()) => Ok(()),
            Err(GatewayError::Deleted | GatewayError::NotFound { .. }) => Err(ClaimLost),
            Err(error) => {
                tracing::debug!(%error, "the mode of a session is stored later");
                self.unstored_mode = Some(mode);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(line: &str) -> SessionEvent {
        SessionEvent::new(1, 1, 0, Fact::message(line))
    }

    #[test]
    fn only_changes_of_the_mode_are_found() {
        let status = |mode: &str| {
            let line = r#"{"type":"system","subtype":"status","status":null,"permissionMode":"MODE","uuid":"u","session_id":"s"}"#;
            event(&line.replace("MODE", mode))
        };
        let user =
            event(r#"{"type":"user","message":{"role":"user","content":"\"permissionMode\""}}"#);
        let mut mode = ReportedMode::default();
        assert_eq!(mode.changed(&status("plan")), None);
        assert_eq!(mode.changed(&user), None);
        assert_eq!(mode.changed(&status("plan")), None);
        let accepted = mode.changed(&status("acceptEdits"));
        assert_eq!(accepted, Some(PermissionMode::AcceptEdits));
    }
}
