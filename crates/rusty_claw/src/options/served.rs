//! What the program serves to the CLI.

use std::sync::Arc;

use rusty_claw_protocol::Str;

use super::check::{bad, named};
use super::fields::Options;
use crate::dialog::{DialogAnswer, DialogAsk, DialogHandler};
use crate::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationHandler};
use crate::error::StartError;
use crate::hook::Hook;
use crate::host::Host;
use crate::permission::{PermissionAnswer, PermissionAsk, PermissionHandler};

impl Options {
    /// Sets the callback for tool calls that neither a rule nor the mode decides: an async function
    /// or closure. Without one, such calls are denied. For a policy or your own type use
    /// [`Options::permission_handler`], which sets the same.
    ///
    /// The CLI's own rules come first; see [`Options::allowed_tools`]. Without
    /// [`Options::permission_mode`] the CLI may start in a mode that asks less than you expect.
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

    /// Like [`Options::can_use_tool`], for a [`Policy`](crate::permission::Policy) or your own
    /// type. The last call of the two wins.
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
        self.host.permissions = Some(Arc::new(handler));
        self
    }

    /// Adds a hook: a callback for an event of the CLI. Call it again for more; hooks of one event
    /// are called in the order they were added.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.host.hooks.add(hook);
        self
    }

    /// Sets the callback for elicitations, in which MCP servers ask the user: an async function or
    /// closure. Without one, they are declined.
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

    /// Like [`Options::on_elicitation`], for your own type. The last call of the two wins.
    pub fn elicitation_handler(mut self, handler: impl ElicitationHandler) -> Self {
        self.host.elicitations = Some(Arc::new(handler));
        self
    }

    /// Sets the callback that shows dialogs, an async function or closure, and the kinds that it
    /// can show. None by default. The CLI requests only these kinds; otherwise it behaves as
    /// without dialogs.
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

    /// Like [`Options::on_user_dialog`], for your own type. The last call of the two wins.
    pub fn dialog_handler<K: Into<Str>>(
        mut self,
        kinds: impl IntoIterator<Item = K>,
        handler: impl DialogHandler,
    ) -> Self {
        self.host.dialog_kinds = kinds.into_iter().map(Into::into).collect();
        self.host.dialogs = Some(Arc::new(handler));
        self
    }
}

/// Checks that a dialog handler can show something.
pub(super) fn check_dialogs(host: &Host) -> Result<(), StartError> {
    if host.dialogs.is_some() && host.dialog_kinds.is_empty() {
        return Err(bad(
            "on_user_dialog",
            "names no kind of dialog, so the CLI would never ask; name those it can show",
        ));
    }
    let mut kinds = host.dialog_kinds.iter();
    kinds.try_for_each(|kind| named("on_user_dialog", kind))
}
