//! Who answers.

use std::sync::Arc;

use super::{PermissionAnswer, PermissionAsk};
use crate::future::BoxFuture;

/// Answers permission questions.
///
/// Every async closure or function from [`PermissionAsk`] to something that becomes a
/// [`PermissionAnswer`] is one; so is a [`Policy`](super::Policy). Several questions can be open
/// at once, so `decide` may be called again before its first future is done.
///
/// What goes wrong denies: a future that panics, one that is not done in time, and one that ends
/// in an error. The future is dropped when nobody waits for its answer any more.
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
    /// Answers one question.
    ///
    /// Dropping the future means that nobody wants the answer any more.
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
