//! What is done when a hook fires.

use std::fmt;

use rusty_claw_protocol::hook::{HookInput, HookOutput};

use super::HookContext;
use crate::future::BoxFuture;

/// What is done when a hook fires.
///
/// Every async closure or function from [`HookInput`] and [`HookContext`] to [`HookOutput`], or to
/// a result of one, is a handler. It may be called again before its first future is done.
pub trait HookHandler: Send + Sync + 'static {
    /// Answers one event. An error counts as a failure: see the [module](super).
    ///
    /// Dropping the future means that nobody wants the answer any more.
    fn call(
        &self,
        input: HookInput,
        context: HookContext,
    ) -> BoxFuture<'static, Result<HookOutput, String>>;
}

impl<F, Fut> HookHandler for F
where
    F: Fn(HookInput, HookContext) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoHookOutput,
{
    fn call(
        &self,
        input: HookInput,
        context: HookContext,
    ) -> BoxFuture<'static, Result<HookOutput, String>> {
        let output = self(input, context);
        Box::pin(async move { output.await.into_hook_output() })
    }
}

/// What a hook may return.
pub trait IntoHookOutput {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// The hook failed.
    fn into_hook_output(self) -> Result<HookOutput, String>;
}

impl IntoHookOutput for HookOutput {
    fn into_hook_output(self) -> Result<HookOutput, String> {
        Ok(self)
    }
}

impl<E: fmt::Display> IntoHookOutput for Result<HookOutput, E> {
    fn into_hook_output(self) -> Result<HookOutput, String> {
        self.map_err(|error| error.to_string())
    }
}
