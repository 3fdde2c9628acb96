//! One session's use of a server.

use std::collections::HashMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::{JsonRpcId, JsonRpcMessage, McpMessageAnswer};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::context::{Call, Notify};
use super::{McpServer, Tool, ToolContext, ToolResult};
use crate::BoxFuture;

// The numbers that JSON-RPC gives to what went wrong.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;

/// One session's use of a server: takes JSON-RPC messages and answers them.
///
/// A session makes one for each of its servers. Make one yourself to test tools without a CLI, or
/// to carry the messages some other way.
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

/// The calls that run, with what cancels each.
type RunningCalls = Arc<Mutex<HashMap<JsonRpcId, CancellationToken>>>;

impl McpConnection {
    pub(super) fn new(server: McpServer) -> Self {
        Self {
            server,
            running: RunningCalls::default(),
            notify: None,
        }
    }

    /// Says where notifications of the server go: progress of calls. They are lost without this.
    /// The function must not wait; it is called from inside tools.
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

    /// Takes a message and gives the answer, which is `None` for notifications and for answers.
    ///
    /// No tool runs until the future is polled; a cancelling notification takes effect at once.
    /// Any number of calls can run side by side. A tool that panics is a failed call, not a panic;
    /// the model does not read what the panic says.
    /// When `cancel` or a `notifications/cancelled` ends a call, the tool's future is dropped and
    /// the answer says so. Dropping this future drops the tool's future and cancels its context.
    pub fn handle(
        &self,
        message: JsonRpcMessage,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Option<JsonRpcMessage>> {
        let params = message.params.unwrap_or_default();
        let (Some(method), id) = (message.method, message.id) else {
            return std::future::ready(None).boxed();
        };
        let Some(id) = id else {
            if method == "notifications/cancelled" {
                self.cancel(&params);
            }
            return std::future::ready(None).boxed();
        };
        let answer = match method.as_str() {
            "tools/call" => return self.call(id, &params, cancel).map(Some).boxed(),
            "tools/list" => success(id, &self.server.tools_list_result()),
            "initialize" => success(id, &self.server.initialize(&params)),
            "ping" => success(id, &Value::Object(Map::new())),
            _ => {
                let server = self.server.name();
                let message = format!("MCP server `{server}` does not know the method `{method}`");
                JsonRpcMessage::failure(id, METHOD_NOT_FOUND, message)
            }
        };
        std::future::ready(Some(answer)).boxed()
    }

    /// [`McpConnection::handle`], as the answer to an `mcp_message` of the CLI. The CLI waits for
    /// one after notifications too; they get an empty result. The same holds when the future is
    /// dropped.
    pub fn answer(
        &self,
        message: JsonRpcMessage,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, McpMessageAnswer> {
        // The id is the one that the official SDKs give; the CLI does not look at it.
        let nothing = || success(JsonRpcId::Number(0), &Value::Object(Map::new()));
        self.handle(message, cancel)
            .map(move |answer| answer.unwrap_or_else(nothing).into())
            .boxed()
    }

    /// Starts a call. It can be cancelled from now on, not only once it is polled.
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
                return std::future::ready(refusal).boxed();
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
        async move {
            let running = AssertUnwindSafe(tool.call(context, arguments)).catch_unwind();
            let cancelled = call.cancel.cancelled();
            // The tool is polled first, so one that watches the signal can still say how far it
            // came.
            let result = match select(pin!(running), pin!(cancelled)).await {
                Either::Left((Ok(Ok(result)), _)) => result,
                Either::Left((Ok(Err(why)), _)) => {
                    let name = tool.name();
                    let message = format!("The arguments of `{name}` do not fit: {why}");
                    return JsonRpcMessage::failure(id, INVALID_PARAMS, message);
                }
                Either::Left((Err(_), _)) => {
                    // What a panic says is for the program's people, who read it on standard
                    // error. It may hold what the model must not see.
                    let name = tool.name();
                    tracing::error!(tool = %name, "a tool panicked");
                    ToolResult::error(format!("The tool `{name}` broke down"))
                }
                Either::Right(_) => ToolResult::error("The call was cancelled."),
            };
            call.finish();
            success(id, &result)
        }
        .boxed()
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

    /// What no longer runs cannot be cancelled; that is no error.
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

impl fmt::Debug for McpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpConnection")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

/// A call's place among those that run. Gone when it is dropped, however the call ended.
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

    /// The call ended by itself: what it started elsewhere may go on.
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
