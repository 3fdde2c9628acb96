//! One hook.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{HookFailure, HookMatcher};
use rusty_claw_protocol::hook::{HookEvent, HookInput};

use super::{HookContext, HookHandler, IntoHookOutput, TypedHookInput};

/// An event, and what is done then.
///
/// There is a constructor for each event, such as [`Hook::pre_tool_use`]; [`Hook::typed`] takes
/// the event from the input's type, and [`Hook::on`] serves whatever must be chosen at run time.
#[derive(Clone)]
pub struct Hook {
    on: HookOn,
    handler: Arc<dyn HookHandler>,
}

/// An event for which it is not said yet what is to be done: see [`HookOn::run`].
#[derive(Debug, Clone)]
#[must_use = "a hook does something only when it says what to run"]
pub struct HookOn {
    event: HookEvent,
    matcher: Option<Str>,
    timeout: Option<Duration>,
    block_on_failure: bool,
}

impl HookOn {
    /// Only for a part of the event, such as a tool's name: a regular expression, compared with
    /// the whole name (`Bash|Edit`, `mcp__.*`). For every one when it is not said.
    pub fn matching(mut self, matcher: impl Into<Str>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    /// How long the hook may take; else ten minutes, and half a minute for `UserPromptSubmit`.
    /// The CLI counts in seconds, and at least one.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// When the hook fails, what it was asked about does not happen. Without it the CLI goes on,
    /// except for `PreToolUse` and `UserPromptSubmit`, which always block.
    ///
    /// It means nothing for `Stop`, `SubagentStop`, `TaskCompleted` and `TeammateIdle`. A session
    /// with such a hook, or with one for `PreToolUse`, `UserPromptSubmit` or `PermissionRequest`,
    /// does not start on a CLI that does not know of this, or that does not take the hooks.
    pub fn on_failure_block(mut self) -> Self {
        self.block_on_failure = true;
        self
    }

    /// What to do.
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
                    // The CLI sends a callback the event it was registered for; if it ever does
                    // not, the callback cannot be asked.
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

    /// The event.
    pub fn event(&self) -> &HookEvent {
        &self.on.event
    }

    /// Whether the program relies on the CLI to block.
    fn must_block(&self) -> bool {
        // What fails here is denied here. This is for answers that only the CLI finds fault with.
        let always = matches!(
            self.on.event,
            HookEvent::PreToolUse | HookEvent::UserPromptSubmit
        );
        self.on.block_on_failure || always
    }

    /// Whether something happens that the program did not want when the hook is not called.
    pub(super) fn guards(&self) -> bool {
        self.must_block() || self.on.event == HookEvent::PermissionRequest
    }

    /// Whether the other is for the same moments.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (&self.on.event, &self.on.matcher) == (&other.on.event, &other.on.matcher)
    }

    /// The name by which the CLI calls it, the `place`th of those that are alike. It begins with
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

    /// How long the hook may take, as the CLI is told.
    pub(super) fn seconds(&self) -> Option<u64> {
        let timeout = self.on.timeout?;
        Some(timeout.as_millis().div_ceil(1000).clamp(1, 1 << 31) as u64)
    }

    /// How the CLI is told of it.
    pub(super) fn declaration(&self, callback_id: Str) -> HookMatcher {
        let mut matcher = HookMatcher::new(vec![callback_id]);
        matcher.matcher = self.on.matcher.clone();
        matcher.timeout = self.seconds().map(|seconds| seconds as f64);
        matcher.on_failure = self.must_block().then_some(HookFailure::Block);
        matcher
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("on", &self.on)
            .finish_non_exhaustive()
    }
}
