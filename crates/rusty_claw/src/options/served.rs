//! What the program serves to the CLI.

use rusty_claw_protocol::Str;

use super::Options;
use super::check::{bad, named};
use crate::dialog::DialogHandler;
use crate::elicitation::ElicitationHandler;
use crate::error::StartError;
use crate::hook::Hook;
use crate::permission::PermissionHandler;

/// What was said about what the program serves; the handlers themselves are with the host.
#[derive(Debug, Clone, Default)]
pub(crate) struct Served {
    dialog_kinds: Option<Vec<Str>>,
}

impl Options {
    /// Who decides about tool calls that neither a rule nor the mode decides: an async function,
    /// a policy, or a type of your own. Nobody unless set, and then such calls are denied.
    ///
    /// The CLI's own rules come first; see [`Options::allowed_tools`]. Without
    /// [`Options::permission_mode`] the CLI may start in a mode that asks less than you think.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
    ///
    /// async fn only_reading(ask: PermissionAsk) -> PermissionAnswer {
    ///     match ask.tool_name() {
    ///         "Read" => PermissionAnswer::allow(),
    ///         other => PermissionAnswer::deny(format!("{other} is not for this session")),
    ///     }
    /// }
    /// let options = Options::new().can_use_tool(only_reading);
    /// # let _ = options;
    /// ```
    pub fn can_use_tool(mut self, handler: impl PermissionHandler) -> Self {
        self.host.set_permission_handler(handler);
        self
    }

    /// A hook: called by the CLI when something happens, and asked what to do about it. Call it
    /// again for more; those of one event are called in the order they were added.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.host.add_hook(hook);
        self
    }

    /// Who answers MCP servers that ask the user. Nobody unless set, and then they are told that
    /// the user declined.
    pub fn on_elicitation(mut self, handler: impl ElicitationHandler) -> Self {
        self.host.set_elicitation_handler(handler);
        self
    }

    /// Who shows dialogs, and which kinds of them. None unless set. The CLI asks for the kinds
    /// named here only; behind every other it does what it does without a dialog.
    pub fn on_user_dialog<K: Into<Str>>(
        mut self,
        kinds: impl IntoIterator<Item = K>,
        handler: impl DialogHandler,
    ) -> Self {
        let kinds: Vec<Str> = kinds.into_iter().map(Into::into).collect();
        self.served.dialog_kinds = Some(kinds.clone());
        self.host.set_dialog_handler(kinds, handler);
        self
    }
}

impl Served {
    pub(super) fn check(&self) -> Result<(), StartError> {
        let Some(kinds) = &self.dialog_kinds else {
            return Ok(());
        };
        if kinds.is_empty() {
            return Err(bad(
                "on_user_dialog",
                "names no kind of dialog, so the CLI would never ask; name those it can show",
            ));
        }
        for kind in kinds {
            named("on_user_dialog", kind)?;
        }
        Ok(())
    }
}
