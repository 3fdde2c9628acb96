//! Hook handlers.

use std::fmt;

use rusty_claw_protocol::hook::{HookInput, HookOutput};

use super::HookContext;
use crate::future::BoxFuture;

/// The callback of a hook.
///
/// Implemented for every async closure or function from [`HookInput`] and [`HookContext`] to
/// [`HookOutput`], or to a `Result` of one. It may be called again before its first future
/// completes.
pub trait HookHandler: Send + Sync + 'static {
    /// Answers one event. An error counts as a failure: see the [module](super).
    ///
    /// The future is dropped when its output is no longer needed.
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

/// A value that a hook may return.
pub trait IntoHookOutput {
    /// Converts to the output, or to the reason for the failure.
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
