//! A single hook.

use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{HookFailure, HookMatcher};
use rusty_claw_protocol::hook::{HookEvent, HookInput};

use super::{HookContext, HookHandler, IntoHookOutput};

/// An input that belongs to one event. Implemented for the input of each event.
pub trait TypedHookInput: Sized + Send + 'static {
    /// The event that the input belongs to.
    const EVENT: HookEvent;

    /// Returns the input if it belongs to this event.
    fn from_input(input: HookInput) -> Option<Self>;
}

/// An event and its handler.
///
/// There is a constructor for each event, such as [`Hook::pre_tool_use`]. [`Hook::typed`] takes the
/// event from the input's type, and [`Hook::on`] takes an event that is chosen at run time.
#[derive(Clone)]
pub struct Hook {
    on: HookOn,
    handler: Arc<dyn HookHandler>,
}

/// An event that has no handler yet: see [`HookOn::run`].
#[derive(Debug, Clone)]
#[must_use = "a hook does something only when it says what to run"]
pub struct HookOn {
    event: HookEvent,
    matcher: Option<Str>,
    timeout: Option<Duration>,
    block_on_failure: bool,
}

impl HookOn {
    /// Limits the hook to a part of the event, such as a tool name. `matcher` is a regular
    /// expression for the whole name (`Bash|Edit`, `mcp__.*`). Without it, the hook runs for all.
    pub fn matching(mut self, matcher: impl Into<Str>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    /// Sets the maximum duration, in whole seconds, rounded up. The default is ten minutes, and 30
    /// seconds for `UserPromptSubmit`.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Blocks the action if the hook fails. Without this the CLI continues, except for `PreToolUse`
    /// and `UserPromptSubmit`, which always block.
    ///
    /// It has no effect for `Stop`, `SubagentStop`, `TaskCompleted` and `TeammateIdle`. A session
    /// with such a hook, or with one for `PreToolUse`, `UserPromptSubmit` or `PermissionRequest`,
    /// does not start if the CLI does not support this, or does not accept the hooks.
    pub fn on_failure_block(mut self) -> Self {
        self.block_on_failure = true;
        self
    }

    /// Sets the handler.
    pub fn run(self, handler: impl HookHandler) -> Hook {
        Hook {
            on: self,
            handler: Arc::new(handler),
        }
    }
}

impl Hook {
    /// A hook for an event that is chosen at run time.
    ///
    /// ```
    /// use rusty_claw::hook::{Hook, HookContext, HookEvent, HookInput, HookOutput};
    ///
    /// for event in [HookEvent::Stop, HookEvent::SubagentStop] {
    ///     let hook = Hook::on(event).run(|input: HookInput, _: HookContext| async move {
    ///         println!("{} in {:?}", input.event(), input.common().and_then(|c| c.session_id.clone()));
    ///         HookOutput::none()
    ///     });
    /// #   let _ = hook;
    /// }
    /// ```
    pub fn on(event: HookEvent) -> HookOn {
        HookOn {
            event,
            matcher: None,
            timeout: None,
            block_on_failure: false,
        }
    }

    /// A hook for the event that the input's type belongs to.
    ///
    /// ```
    /// use rusty_claw::hook::{Hook, HookOutput, StopInput};
    ///
    /// let once_more = Hook::typed(|input: StopInput, _| async move {
    ///     if input.stop_hook_active {
    ///         HookOutput::none()
    ///     } else {
    ///         HookOutput::block("Run the tests before you stop")
    ///     }
    /// });
    /// # let _ = once_more;
    /// ```
    pub fn typed<I, F, Fut>(handler: F) -> Self
    where
        I: TypedHookInput,
        F: Fn(I, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoHookOutput,
    {
        Self::on(I::EVENT).run(move |input: HookInput, context: HookContext| {
            let event = input.event();
            let output = I::from_input(input).map(|input| handler(input, context));
            async move {
                match output {
                    Some(output) => output.await.into_hook_output(),
                    // The CLI sends a callback the event it was registered for. If it ever does
                    // not, the callback cannot run.
                    None => Err(format!("a hook for {} was sent {event}", I::EVENT)),
                }
            }
        })
    }

    /// See [`HookOn::matching`].
    #[must_use]
    pub fn matching(mut self, matcher: impl Into<Str>) -> Self {
        self.on = self.on.matching(matcher);
        self
    }

    /// See [`HookOn::timeout`].
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.on = self.on.timeout(timeout);
        self
    }

    /// See [`HookOn::on_failure_block`].
    #[must_use]
    pub fn on_failure_block(mut self) -> Self {
        self.on = self.on.on_failure_block();
        self
    }

    /// The event that the hook is for.
    pub fn event(&self) -> &HookEvent {
        &self.on.event
    }

    /// Whether the CLI must block if the hook fails.
    fn must_block(&self) -> bool {
        // Failures on this side are denied here. This is for outputs that only the CLI rejects.
        let always = matches!(
            self.on.event,
            HookEvent::PreToolUse | HookEvent::UserPromptSubmit
        );
        self.on.block_on_failure || always
    }

    /// Whether an unwanted action could happen if the hook is not called.
    pub(super) fn guards(&self) -> bool {
        self.must_block() || self.on.event == HookEvent::PermissionRequest
    }

    /// Whether the other has the same event and matcher.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (&self.on.event, &self.on.matcher) == (&other.on.event, &other.on.matcher)
    }

    /// The callback id; `place` counts the hooks with the same event and matcher. It begins with
    /// the event: see [`check::event_of`](super::check::event_of).
    pub(super) fn callback_id(&self, place: usize) -> Str {
        let event = &self.on.event;
        Str::from(match &self.on.matcher {
            Some(matcher) => format!("{event}({matcher})#{place}"),
            None => format!("{event}#{place}"),
        })
    }

    pub(super) fn handler(&self) -> &Arc<dyn HookHandler> {
        &self.handler
    }

    /// The timeout in seconds, as sent to the CLI.
    pub(super) fn seconds(&self) -> Option<u64> {
        let timeout = self.on.timeout?;
        Some(timeout.as_millis().div_ceil(1000).clamp(1, 1 << 31) as u64)
    }

    /// The declaration that is sent to the CLI.
    pub(super) fn declaration(&self, callback_id: Str) -> HookMatcher {
        let mut matcher = HookMatcher::new(vec![callback_id]);
        matcher.matcher = self.on.matcher.clone();
        matcher.timeout = self.seconds().map(|seconds| seconds as f64);
        matcher.on_failure = self.must_block().then_some(HookFailure::Block);
        matcher
    }
}

debug_fields!(Hook, |hook| on: hook.on);
