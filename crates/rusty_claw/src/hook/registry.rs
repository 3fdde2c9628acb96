//! All hooks of a program.

use std::time::Duration;

use rusty_claw_protocol::control::{HookCallback, InitializeRequest};
use rusty_claw_protocol::hook::{HookEvent, HookInput, HookOutput};
use rusty_claw_protocol::{Json, Map, Str};
use tokio_util::sync::CancellationToken;

use super::{Hook, HookContext, check};
use crate::future::BoxFuture;

/// How long the CLI waits for a hook.
const USUAL: Duration = Duration::from_secs(600);
/// How long it waits before it drops a prompt.
const PROMPT: Duration = Duration::from_secs(30);

/// All hooks of a program. The place of each is in the name that the CLI calls it by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hooks(Vec<Hook>);

impl Hooks {
    pub(crate) fn add(&mut self, hook: Hook) {
        self.0.push(hook);
    }

    /// Tells the CLI which hooks there are.
    pub(crate) fn declare(&self, initialize: &mut InitializeRequest) {
        if self.0.is_empty() {
            return;
        }
        let declared = initialize.hooks.take().unwrap_or_default();
        let mut events: Map<Vec<_>> = declared;
        for (place, hook) in self.0.iter().enumerate() {
            let event = hook.event().as_str();
            let mut matchers = events.get(event).cloned().unwrap_or_default();
            matchers.push(hook.declaration(Str::from(format!("hook_{place}"))));
            events.insert(event, matchers);
        }
        initialize.hooks = Some(events);
    }

    /// Whether the CLI does what the hooks rely on, by its reply to `initialize`.
    ///
    /// # Errors
    /// A hook must block when it fails, and this CLI would let the action go on.
    pub(crate) fn check(&self, initialized: &Json) -> Result<(), String> {
        let says = |name: &str| initialized.get(name).and_then(|flag| flag.view::<bool>());
        let applied = says("hooks_applied") != Some(false);
        if !self.0.is_empty() && !applied {
            tracing::warn!("the CLI keeps the hooks that somebody else gave it");
        }
        if !self.0.iter().any(Hook::must_block) {
            return Ok(());
        }
        if says("hook_on_failure_supported") != Some(true) {
            return Err(
                "this CLI does not know hooks that block when they fail; update it, or leave out Hook::on_failure_block"
                    .to_owned(),
            );
        }
        if !applied {
            return Err(
                "the CLI keeps the hooks that somebody else gave it, so a hook that must block would not run"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn get(&self, callback_id: &str) -> Option<&Hook> {
        let place = callback_id.strip_prefix("hook_")?.parse::<usize>().ok()?;
        self.0.get(place)
    }

    /// Runs a hook. The error says why there is no answer.
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
        let event = input.event();
        let context = HookContext::new(callback.tool_use_id, cancelled);
        let output = hook.handler().call(*input, context);
        Box::pin(async move { check::sendable(&event, output.await?) })
    }

    /// How long a hook may take before it is answered for: a little less than the CLI waits, so
    /// that the CLI hears the reason.
    pub(crate) fn deadline(&self, callback: &HookCallback) -> Duration {
        let hook = self.get(&callback.callback_id);
        let given = hook.and_then(Hook::seconds).map(Duration::from_secs);
        let told = callback.deadline_ms.map(Duration::from_millis);
        let event = callback.input.as_deref().map(HookInput::event);
        let usual = match event {
            Some(HookEvent::UserPromptSubmit) => PROMPT,
            _ => USUAL,
        };
        let waits = given.or(told).unwrap_or(usual);
        let waits = told.map_or(waits, |told| waits.min(told));
        waits.saturating_sub((waits / 10).min(Duration::from_secs(1)))
    }
}
