//! What a callback is told beside its input.

use rusty_claw_protocol::Str;
use tokio_util::sync::CancellationToken;

/// What a hook is told beside its input.
#[derive(Debug, Clone, Default)]
pub struct HookContext {
    tool_use_id: Option<Str>,
    cancelled: CancellationToken,
}

impl HookContext {
    /// A context that is never cancelled: for tests of hooks.
    pub fn detached() -> Self {
        Self::default()
    }

    pub(crate) fn new(tool_use_id: Option<Str>, cancelled: CancellationToken) -> Self {
        Self {
            tool_use_id,
            cancelled,
        }
    }

    /// The tool call that the event is about. For events that are not about one, the CLI sends an
    /// id that means nothing.
    pub fn tool_use_id(&self) -> Option<&Str> {
        self.tool_use_id.as_ref()
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Waits until nobody waits for the answer any more.
    ///
    /// Dropping the future loses nothing.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}
