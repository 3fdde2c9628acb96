//! Settings of a running session.

use rusty_claw::permission::PermissionMode;
use rusty_claw::{Session, SessionError};

use super::command::Command;
use super::{Controller, ControllerError};
use crate::session_id::SessionId;

impl Controller {
    /// Sets the model of a session from the next turn on; `None` selects the default of the CLI.
    /// The next start of the CLI uses the model of its options.
    ///
    /// # Errors
    /// There is no such session, or the CLI refuses the model or does not respond.
    pub async fn set_model(
        &self,
        session_id: SessionId,
        model: Option<&str>,
    ) -> Result<(), ControllerError> {
        let session = self.session(session_id, true).await?;
        done(session.set_model(model).await)
    }

    /// Sets the permission mode of a session from the next tool call on. The next start of the CLI
    /// uses the mode of its options.
    ///
    /// # Errors
    /// There is no such session, or the CLI refuses the mode or does not respond. It refuses the
    /// bypass mode unless it was started with that mode.
    pub async fn set_permission_mode(
        &self,
        session_id: SessionId,
        mode: PermissionMode,
    ) -> Result<(), ControllerError> {
        let session = self.session(session_id, true).await?;
        done(session.set_permission_mode(mode).await)
    }

    /// Returns the process id of the CLI of a session, if it is a process of this machine.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn pid(&self, session_id: SessionId) -> Result<Option<u32>, ControllerError> {
        Ok(self.session(session_id, false).await?.pid())
    }

    async fn session(
        &self,
        session_id: SessionId,
        is_change: bool,
    ) -> Result<Session, ControllerError> {
        let command = |reply| Command::Session { is_change, reply };
        self.send_command(session_id, command).await
    }
}

fn done<T>(response: Result<T, SessionError>) -> Result<(), ControllerError> {
    response.map(|_| ()).map_err(ControllerError::Session)
}
