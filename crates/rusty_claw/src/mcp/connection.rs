//! A session's connection to a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::{JsonRpcId, JsonRpcMessage, McpMessageAnswer};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::context::{Call, Notify};
use super::{McpServer, Tool, ToolContext, ToolResult};
use crate::BoxFuture;
use crate::future::catch_unwind;

// JSON-RPC error codes.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;

/// A session's connection to a server: handles JSON-RPC messages and returns the responses.
///
/// A session creates one for each of its servers. Create one yourself to test tools without a CLI,
/// or to transport the messages in another way.
///
/// ```
/// use rusty_claw::control::messages::{JsonRpcId, JsonRpcMessage};
/// use rusty_claw::mcp::{CancellationToken, McpServer, tool};
/// use rusty_claw::{Json, Str};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let connection = McpServer::new("calc").tool(add).connect();
/// let call = Json::from_text(r#"{"name":"add","arguments":{"a":2,"b":3}}"#)?;
/// let mut request = JsonRpcMessage::notification("tools/call", Some(call));
/// request.id = Some(JsonRpcId::Number(1));
/// let answer = connection.handle(request, CancellationToken::new()).await;
/// let result = answer.and_then(|answer| answer.result);
/// assert_eq!(
///     result.map(|result| result.to_string()).as_deref(),
///     Some(r#"{"content":[{"type":"text","text":"5"}]}"#),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpConnection {
    server: McpServer,
    running: RunningCalls,
    notify: Option<Notify>,
}

/// The running calls, each with the token that cancels it.
type RunningCalls = Arc<Mutex<HashMap<JsonRpcId, CancellationToken>>>;

impl McpServer {
    /// Creates a session's connection to this server. Request ids are unique only within a
    /// connection, so every session needs its own.
    pub fn connect(&self) -> McpConnection {
        McpConnection::new(self.clone())
    }
}

impl McpConnection {
    pub(super) fn new(server: McpServer) -> Self {
        Self {
            server,
            running: RunningCalls::default(),
            notify: None,
        }
    }

    /// Sets the receiver of the server's notifications: the progress of calls. Without this they
    /// are dropped. The function must not block; it is called from inside tools.
    pub fn on_notification(
        mut self,
        notify: impl Fn(JsonRpcMessage) + Send + Sync + 'static,
    ) -> Self {
        self.notify = Some(Arc::new(notify));
        self
    }

    /// The server.
    pub fn server(&self) -> &McpServer {
        &self.server
    }

    /// Handles a message. Returns `None` for notifications and for responses.
    ///
    /// No tool runs until the future is polled; a cancelling notification takes effect at once. Any
    /// number of calls can run concurrently. A panic in a tool is returned as a failed call,
    /// without the panic message. If `cancel` or a `notifications/cancelled` ends a call, the
    /// tool's future is dropped and the response says so. Dropping this future drops the tool's
    /// future and cancels its context.
    pub fn handle(
        &self,
        message: JsonRpcMessage,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Option<JsonRpcMessage>> {
        let params = message.params.unwrap_or_default();
        let (Some(method), id) = (message.method, message.id) else {
            return Box::pin(std::future::ready(None));
        };
        let Some(id) = id else {
            if method == "notifications/cancelled" {
                self.cancel(&params);
            }
            return Box::pin(std::future::ready(None));
        };
        let answer = match method.as_str() {
            "tools/call" => {
                let call = self.call(id, &params, cancel);
                return Box::pin(async { Some(call.await) });
            }
            "tools/list" => success(id, &self.server.tools_list_result()),
            "initialize" => success(id, &self.server.initialize(&params)),
            "ping" => success(id, &Value::Object(Map::new())),
            _ => {
                let server = self.server.name();
                let message = format!("MCP server `{server}` does not know the method `{method}`");
                JsonRpcMessage::failure(id, METHOD_NOT_FOUND, message)
            }
        };
        Box::pin(std::future::ready(Some(answer)))
    }

    /// Like [`McpConnection::handle`], but returns the answer to an `mcp_message` of the CLI. The
    /// CLI expects one for notifications too: they get an empty result. Dropping the future has the
    /// same effect.
    pub fn answer(
        &self,
        message: JsonRpcMessage,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, McpMessageAnswer> {
        // The same id as in the official SDKs; the CLI ignores it.
        let nothing = || success(JsonRpcId::Number(0), &Value::Object(Map::new()));
        let answer = self.handle(message, cancel);
        Box::pin(async move { answer.await.unwrap_or_else(nothing).into() })
    }

    /// Starts a call. It can be cancelled from now on, even before it is polled.
    fn call(
        &self,
        id: JsonRpcId,
        params: &Json,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, JsonRpcMessage> {
        let tool = match self.tool_of(params) {
            Ok(tool) => tool.clone(),
            Err(why) => {
                let refusal = JsonRpcMessage::failure(id, INVALID_PARAMS, why);
                return Box::pin(std::future::ready(refusal));
            }
        };
        let member = |name| params.get(name).filter(|member| !member.is_null());
        let arguments = member("arguments").unwrap_or_else(|| Json::from_value(&Map::new().into()));
        let call = RunningCall::start(&self.running, id.clone(), cancel.child_token());
        let context = ToolContext::new(Call {
            server: self.server.name().clone(),
            tool: tool.name().clone(),
            meta: member("_meta"),
            cancel: call.cancel.clone(),
            notify: self.notify.clone(),
        });
        Box::pin(async move {
            // The tool is polled first, so one that watches the signal can still return a partial
            // result.
            let outcome = tokio::select! {
                biased;
                outcome = catch_unwind(tool.call(context, arguments)) => Some(outcome),
                () = call.cancel.cancelled() => None,
            };
            let result = match outcome {
                Some(Ok(Ok(result))) => result,
                Some(Ok(Err(why))) => {
                    let name = tool.name();
                    let message = format!("The arguments of `{name}` do not fit: {why}");
                    return JsonRpcMessage::failure(id, INVALID_PARAMS, message);
                }
                Some(Err(_)) => {
                    // The panic message is on standard error, for the developers. It may contain
                    // what the model must not see.
                    let name = tool.name();
                    tracing::error!(tool = %name, "a tool panicked");
                    ToolResult::error(format!("The tool `{name}` broke down"))
                }
                None => ToolResult::error("The call was cancelled."),
            };
            call.finish();
            success(id, &result)
        })
    }

    fn tool_of(&self, params: &Json) -> Result<&Tool, String> {
        let name = params.get("name").and_then(|name| name.to_text());
        let name = name.ok_or("`tools/call` has no `name`: say which tool is meant")?;
        self.server.find(&name).ok_or_else(|| {
            let known: Vec<&str> = self
                .server
                .tools()
                .iter()
                .map(|tool| &**tool.name())
                .collect();
            format!(
                "MCP server `{}` has no tool `{name}`; it has: {}",
                self.server.name(),
                known.join(", ")
            )
        })
    }

    /// Cancels a running call; ignores ids of calls that are not running.
    fn cancel(&self, params: &Json) {
        let id = params
            .get("requestId")
            .and_then(|id| id.view::<JsonRpcId>());
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancel) = id.and_then(|id| running.get(&id).cloned()) {
            drop(running);
            cancel.cancel();
        }
    }
}

debug_fields!(McpConnection, |connection| server: connection.server);

/// The entry of a running call. Dropping it removes the entry, however the call ended.
struct RunningCall {
    calls: RunningCalls,
    id: JsonRpcId,
    cancel: CancellationToken,
    finished: bool,
}

impl RunningCall {
    fn start(calls: &RunningCalls, id: JsonRpcId, cancel: CancellationToken) -> Self {
        let mut running = calls.lock().unwrap_or_else(PoisonError::into_inner);
        running.insert(id.clone(), cancel.clone());
        Self {
            calls: Arc::clone(calls),
            id,
            cancel,
            finished: false,
        }
    }

    /// Marks the call as completed: work that it started elsewhere is not cancelled.
    fn finish(mut self) {
        self.finished = true;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let mut running = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        running.remove(&self.id);
        drop(running);
        if !self.finished {
            self.cancel.cancel();
        }
    }
}

fn success(id: JsonRpcId, result: &impl Serialize) -> JsonRpcMessage {
    match Json::from_serialize(result) {
        Ok(result) => JsonRpcMessage::result(id, result),
        Err(error) => JsonRpcMessage::failure(
            id,
            INTERNAL_ERROR,
            format!("The answer could not be written as JSON: {error}"),
        ),
    }
}
