//! What a tool can know about the call it serves.

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::control::JsonRpcMessage;
use rusty_claw_protocol::{Json, Str};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Carries a notification of a server to the CLI.
pub(super) type Notify = Arc<dyn Fn(JsonRpcMessage) + Send + Sync>;

/// What a tool can know about the call it serves.
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

/// One call, as the CLI asked for it.
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

    /// A context that belongs to no call, for tests of a tool's function: nobody cancels it, and
    /// progress goes nowhere.
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

    /// The id of the model's `tool_use` block, by which messages, hooks and permission questions
    /// speak of this call. A host's own call (`mcp_call`) may have none.
    pub fn tool_use_id(&self) -> Option<Str> {
        let id = self.meta()?.get("claudecode/toolUseId")?;
        id.to_text().map(Str::from)
    }

    /// MCP's `_meta` of the call.
    pub fn meta(&self) -> Option<&Json> {
        self.call.meta.as_ref()
    }

    /// The token that progress of this call carries; without one nobody wants to hear of it.
    pub fn progress_token(&self) -> Option<Json> {
        self.meta()?
            .get("progressToken")
            .filter(|token| !token.is_null())
    }

    /// Tells the CLI how far the call is. `done` should grow from call to call; `total` is in the
    /// same unit, where it is known. Does nothing when nobody wants to hear of it.
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

    /// Whether nobody waits for the result any more.
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }

    /// Ends when nobody waits for the result any more.
    ///
    /// The tool's own future is dropped then, so most tools need not ask. A tool that selects on
    /// this is polled once more before it is dropped, and may return how far it came. Dropping
    /// this future changes nothing.
    pub async fn cancelled(&self) {
        self.call.cancel.cancelled().await;
    }

    /// The signal behind [`ToolContext::cancelled`], for work that was moved to another task or
    /// thread, which is not dropped with the tool's future.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.call.cancel
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("server", &self.call.server)
            .field("tool", &self.call.tool)
            .field("tool_use_id", &self.tool_use_id())
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}
