//! The context of a hook call.

use rusty_claw_protocol::Str;
use tokio_util::sync::CancellationToken;

/// The context of a hook call.
#[derive(Debug, Clone, Default)]
pub struct HookContext {
    tool_use_id: Option<Str>,
    cancelled: CancellationToken,
}

impl HookContext {
    /// Creates a context that is never cancelled, for testing hooks.
    pub fn detached() -> Self {
        Self::default()
    }

    pub(crate) fn new(tool_use_id: Option<Str>, cancelled: CancellationToken) -> Self {
        Self {
            tool_use_id,
            cancelled,
        }
    }

    /// The tool call that the event is about. For events without one, the CLI sends a meaningless
    /// id.
    pub fn tool_use_id(&self) -> Option<&Str> {
        self.tool_use_id.as_ref()
    }

    /// Returns whether the output is no longer needed.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Waits until the output is no longer needed.
    ///
    /// This method is cancel safe.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}
