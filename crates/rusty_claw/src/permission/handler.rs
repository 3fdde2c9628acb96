//! Permission handlers.

use std::sync::Arc;

use super::{PermissionAnswer, PermissionAsk};
use crate::future::BoxFuture;

/// Answers permission requests.
///
/// Implemented for every async closure or function from [`PermissionAsk`] to something that
/// converts to a [`PermissionAnswer`], and for [`Policy`](super::Policy). Several requests can be
/// pending at once, so `decide` may be called again before its first future completes.
///
/// Failures deny: if the future panics, times out or returns an error. The future is dropped when
/// its answer is no longer needed.
///
/// ```
/// use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionHandler};
///
/// fn is_a_handler(_: impl PermissionHandler) {}
///
/// is_a_handler(|ask: PermissionAsk| async move {
///     if ask.tool_name() == "WebSearch" {
///         PermissionAnswer::allow()
///     } else {
///         PermissionAnswer::deny("Only searching")
///     }
/// });
/// ```
pub trait PermissionHandler: Send + Sync + 'static {
    /// Answers one request.
    ///
    /// The future is dropped when its answer is no longer needed.
    fn decide(&self, ask: PermissionAsk) -> BoxFuture<'static, PermissionAnswer>;
}

impl<F, Fut> PermissionHandler for F
where
    F: Fn(PermissionAsk) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<PermissionAnswer>,
{
    fn decide(&self, ask: PermissionAsk) -> BoxFuture<'static, PermissionAnswer> {
        let answer = self(ask);
        Box::pin(async move { answer.await.into() })
    }
}

impl PermissionHandler for Arc<dyn PermissionHandler> {
    fn decide(&self, ask: PermissionAsk) -> BoxFuture<'static, PermissionAnswer> {
        self.as_ref().decide(ask)
    }
}
