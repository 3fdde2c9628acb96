//! All hooks of a program.

use std::time::Duration;

use rusty_claw_protocol::control::{HookCallback, InitializeRequest};
use rusty_claw_protocol::hook::{HookEvent, HookOutput};
use rusty_claw_protocol::{Json, Map, Str};
use tokio_util::sync::CancellationToken;

use super::{Hook, HookContext, check};
use crate::future::BoxFuture;

/// The CLI's default timeout.
const USUAL: Duration = Duration::from_secs(600);
/// The CLI's default timeout for `UserPromptSubmit`.
const PROMPT: Duration = Duration::from_secs(30);

/// All hooks of a program, each with its callback id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hooks(Vec<(Str, Hook)>);

impl Hooks {
    /// Adds a hook. Its id depends on what it is for, not on how many hooks came before: a CLI that
    /// is taken over by a program with other hooks must not call the wrong one.
    pub(crate) fn add(&mut self, hook: Hook) {
        let alike = self.hooks().filter(|other| other.is_like(&hook)).count();
        self.0.push((hook.callback_id(alike), hook));
    }

    fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.0.iter().map(|(_, hook)| hook)
    }

    /// Adds the hooks to the `initialize` request.
    pub(crate) fn declare(&self, initialize: &mut InitializeRequest) {
        if self.0.is_empty() {
            return;
        }
        let declared = initialize.hooks.take().unwrap_or_default();
        let mut events: Map<Vec<_>> = declared;
        for (callback_id, hook) in &self.0 {
            let event = hook.event().as_str();
            let mut matchers = events.get(event).cloned().unwrap_or_default();
            matchers.push(hook.declaration(callback_id.clone()));
            events.insert(event, matchers);
        }
        initialize.hooks = Some(events);
    }

    /// Checks that the CLI supports what the hooks need, by its response to `initialize`.
    ///
    /// # Errors
    /// A hook guards something, and this CLI would not call it, or would continue if it fails.
    pub(crate) fn check(&self, initialized: &Json) -> Result<(), String> {
        let says = |name: &str| initialized.get(name).and_then(|flag| flag.view::<bool>());
        let applied = says("hooks_applied") != Some(false);
        if !self.0.is_empty() && !applied {
            tracing::warn!("the CLI keeps the hooks of another host");
        }
        let Some(guard) = self.hooks().find(|hook| hook.guards()) else {
            return Ok(());
        };
        let event = guard.event();
        // A CLI that does not run hooks at all does not report this either.
        if says("hook_on_failure_supported") != Some(true) {
            return Err(format!(
                "this CLI does not report support for hooks that block when they fail, so the hook for {event} would protect nothing; update the CLI, or remove the hook"
            ));
        }
        if !applied {
            return Err(format!(
                "the CLI keeps the hooks of another host, so the hook for {event} would not run; start the CLI from this program, or remove the hook"
            ));
        }
        Ok(())
    }

    fn get(&self, callback_id: &str) -> Option<&Hook> {
        let mut hooks = self.0.iter();
        hooks.find_map(|(id, hook)| (id == callback_id).then_some(hook))
    }

    /// Runs a hook. The error is the reason for a failure.
    pub(crate) fn call(
        &self,
        callback: HookCallback,
        cancelled: CancellationToken,
    ) -> BoxFuture<'static, Result<HookOutput, String>> {
        let failed = |why: String| -> BoxFuture<'static, _> { Box::pin(async move { Err(why) }) };
        let Some(hook) = self.get(&callback.callback_id) else {
            return failed(format!("there is no hook {}", callback.callback_id));
        };
        let Some(input) = callback.input else {
            return failed(format!(
                "the hook {} was called without an input",
                callback.callback_id
            ));
        };
        let event = hook.event().clone();
        if let Err(why) = check::acceptable(&event, &input) {
            return failed(why);
        }
        let context = HookContext::new(callback.tool_use_id, cancelled);
        let output = hook.handler().call(*input, context);
        Box::pin(async move { check::sendable(&event, output.await?) })
    }

    /// The timeout of a hook: slightly shorter than the CLI's own, so that the CLI receives the
    /// reason.
    pub(crate) fn deadline(&self, callback: &HookCallback) -> Duration {
        let hook = self.get(&callback.callback_id);
        let given = hook.and_then(Hook::seconds).map(Duration::from_secs);
        let told = callback.deadline_ms.map(Duration::from_millis);
        let event = check::event_of(callback);
        let usual = match event {
            Some(HookEvent::UserPromptSubmit) => PROMPT,
            _ => USUAL,
        };
        let waits = given.or(told).unwrap_or(usual);
        let waits = told.map_or(waits, |told| waits.min(told));
        waits.saturating_sub((waits / 10).min(Duration::from_secs(1)))
    }
}
