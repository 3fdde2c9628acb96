//! The context of a tool call.

use std::sync::Arc;

use rusty_claw_protocol::control::JsonRpcMessage;
use rusty_claw_protocol::{Json, Str};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Sends a notification of a server to the CLI.
pub(super) type Notify = Arc<dyn Fn(JsonRpcMessage) + Send + Sync>;

/// The context of a tool call.
///
/// Take one as the first parameter:
///
/// ```
/// use rusty_claw::mcp::{McpServer, ToolContext, tool};
///
/// /// Copies files.
/// #[tool]
/// async fn copy(context: ToolContext, files: Vec<String>) -> String {
///     for (done, file) in files.iter().enumerate() {
///         context.progress(done as f64, Some(files.len() as f64), file);
///         // Copying would come here.
///     }
///     format!("{} files copied", files.len())
/// }
///
/// let server = McpServer::new("files").tool(copy);
/// ```
#[derive(Clone)]
pub struct ToolContext {
    call: Arc<Call>,
}

/// One call, as the CLI requested it.
pub(super) struct Call {
    pub(super) server: Str,
    pub(super) tool: Str,
    pub(super) meta: Option<Json>,
    pub(super) cancel: CancellationToken,
    pub(super) notify: Option<Notify>,
}

impl ToolContext {
    pub(super) fn new(call: Call) -> Self {
        Self {
            call: Arc::new(call),
        }
    }

    /// Creates a context without a call, for testing a tool's function: it is never cancelled, and
    /// progress is dropped.
    ///
    /// ```
    /// use rusty_claw::mcp::ToolContext;
    ///
    /// let context = ToolContext::detached("files", "copy");
    /// assert_eq!(context.tool_name(), "copy");
    /// assert!(!context.is_cancelled());
    /// ```
    pub fn detached(server: impl Into<Str>, tool: impl Into<Str>) -> Self {
        Self::new(Call {
            server: server.into(),
            tool: tool.into(),
            meta: None,
            cancel: CancellationToken::new(),
            notify: None,
        })
    }

    /// The server that was called.
    pub fn server_name(&self) -> &Str {
        &self.call.server
    }

    /// The tool that was called, without its server.
    pub fn tool_name(&self) -> &Str {
        &self.call.tool
    }

    /// The id of the model's `tool_use` block, which identifies this call in messages, hooks and
    /// permission requests. A host's own call (`mcp_call`) may have none.
    pub fn tool_use_id(&self) -> Option<Str> {
        let id = self.meta()?.get("claudecode/toolUseId")?;
        id.to_text().map(Str::from)
    }

    /// MCP's `_meta` of the call.
    pub fn meta(&self) -> Option<&Json> {
        self.call.meta.as_ref()
    }

    /// The token for progress notifications of this call. `None` if progress was not requested.
    pub fn progress_token(&self) -> Option<Json> {
        self.meta()?
            .get("progressToken")
            .filter(|token| !token.is_null())
    }

    /// Reports progress to the CLI. `done` should grow from call to call; `total` is in the same
    /// unit, if known. Does nothing if progress was not requested.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let (Some(notify), Some(token)) = (&self.call.notify, self.progress_token()) else {
            return;
        };
        let mut params = json!({ "progressToken": token.to_value(), "progress": done });
        if let Some(total) = total {
            params["total"] = total.into();
        }
        if !message.is_empty() {
            params["message"] = message.into();
        }
        notify(JsonRpcMessage::notification(
            "notifications/progress",
            Some(Json::from_value(&params)),
        ));
    }

    /// Returns whether the result is no longer needed.
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }

    /// Completes when the result is no longer needed.
    ///
    /// The tool's own future is dropped then, so most tools need not check. A tool that selects on
    /// this is polled once more before it is dropped, and may return a partial result. This method
    /// is cancel safe.
    pub async fn cancelled(&self) {
        self.call.cancel.cancelled().await;
    }

    /// The token behind [`ToolContext::cancelled`], for work on another task or thread, which is
    /// not dropped with the tool's future.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.call.cancel
    }
}

debug_fields!(ToolContext, |context|
    server: context.call.server,
    tool: context.call.tool,
    tool_use_id: context.tool_use_id(),
    cancelled: context.is_cancelled()
);
