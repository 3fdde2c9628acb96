//! What the program serves to the CLI.

use rusty_claw_protocol::Str;

use super::Options;
use super::check::{bad, named};
use crate::dialog::{DialogAnswer, DialogAsk, DialogHandler};
use crate::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationHandler};
use crate::error::StartError;
use crate::hook::Hook;
use crate::permission::{PermissionAnswer, PermissionAsk, PermissionHandler};

/// What was said about what the program serves; the handlers themselves are with the host.
#[derive(Debug, Clone, Default)]
pub(crate) struct Served {
    dialog_kinds: Option<Vec<Str>>,
}

impl Options {
    /// Who decides about tool calls that neither a rule nor the mode decides: an async function or
    /// closure. Nobody unless set, and then such calls are denied. For a policy or a type of your
    /// own see [`Options::permission_handler`], which sets the same.
    ///
    /// The CLI's own rules come first; see [`Options::allowed_tools`]. Without
    /// [`Options::permission_mode`] the CLI may start in a mode that asks less than you think.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::permission::PermissionAnswer;
    ///
    /// let options = Options::new().can_use_tool(|ask| async move {
    ///     match ask.tool_name() {
    ///         "Read" => PermissionAnswer::allow(),
    ///         other => PermissionAnswer::deny(format!("{other} is not for this session")),
    ///     }
    /// });
    /// # let _ = options;
    /// ```
    pub fn can_use_tool<F, Fut>(self, decide: F) -> Self
    where
        F: Fn(PermissionAsk) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<PermissionAnswer>,
    {
        self.permission_handler(decide)
    }

    /// The same as [`Options::can_use_tool`], for a [`Policy`](crate::permission::Policy) or a
    /// type of your own. Of the two the last one counts.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::permission::{Policy, Rule};
    ///
    /// let policy = Policy::new().allow(Rule::command("cargo test"));
    /// let options = Options::new().permission_handler(policy);
    /// # let _ = options;
    /// ```
    pub fn permission_handler(mut self, handler: impl PermissionHandler) -> Self {
        self.host.set_permission_handler(handler);
        self
    }

    /// A hook: called by the CLI when something happens, and asked what to do about it. Call it
    /// again for more; those of one event are called in the order they were added.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.host.add_hook(hook);
        self
    }

    /// Who answers MCP servers that ask the user: an async function or closure. Nobody unless set,
    /// and then they are told that the user declined.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::elicitation::ElicitationAnswer;
    ///
    /// let options = Options::new().on_elicitation(|ask| async move {
    ///     println!("{} asks: {}", ask.server_name(), ask.message());
    ///     ElicitationAnswer::decline()
    /// });
    /// # let _ = options;
    /// ```
    pub fn on_elicitation<F, Fut>(self, answer: F) -> Self
    where
        F: Fn(ElicitationAsk) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<ElicitationAnswer>,
    {
        self.elicitation_handler(answer)
    }

    /// The same as [`Options::on_elicitation`], for a type of your own. Of the two the last one
    /// counts.
    pub fn elicitation_handler(mut self, handler: impl ElicitationHandler) -> Self {
        self.host.set_elicitation_handler(handler);
        self
    }

    /// Who shows dialogs, an async function or closure, and which kinds of them. None unless set.
    /// The CLI asks for the kinds named here only; behind every other it does what it does without
    /// a dialog.
    ///
    /// ```
    /// use rusty_claw::Options;
    /// use rusty_claw::dialog::{Dialog, DialogAnswer, REFUSAL_FALLBACK_PROMPT};
    ///
    /// let options = Options::new().on_user_dialog([REFUSAL_FALLBACK_PROMPT], |ask| async move {
    ///     match ask.dialog() {
    ///         Dialog::RefusalFallback(_) => DialogAnswer::retry_with_fallback(),
    ///         _ => DialogAnswer::cancelled(),
    ///     }
    /// });
    /// # let _ = options;
    /// ```
    pub fn on_user_dialog<K, F, Fut>(self, kinds: impl IntoIterator<Item = K>, show: F) -> Self
    where
        K: Into<Str>,
        F: Fn(DialogAsk) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<DialogAnswer>,
    {
        self.dialog_handler(kinds, show)
    }

    /// The same as [`Options::on_user_dialog`], for a type of your own. Of the two the last one
    /// counts.
    pub fn dialog_handler<K: Into<Str>>(
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
