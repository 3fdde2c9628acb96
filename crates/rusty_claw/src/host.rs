//! What a program serves to the CLI: permissions, hooks, tools, questions.
//!
//! The CLI asks by control requests. The session hands each to [`Host::serve`] in a task of its
//! own, so that a slow answer holds up nothing else, and answers for a callback that panics, is
//! dropped or runs out of time with [`Host::refusal`].

mod mcp;
mod refusal;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{
    CanUseTool, ControlRequest, ControlResponse, Elicitation, HookCallback, InitializeRequest,
    McpMessage, RequestUserDialog,
};
use rusty_claw_protocol::{Json, Str};
use serde::Serialize;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::mcp::McpServers;
use crate::dialog::{DialogAsk, DialogHandler};
use crate::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationHandler};
use crate::future::BoxFuture;
use crate::hook::{Hook, Hooks};
use crate::mcp::{InvalidMcpServer, McpServer};
use crate::permission::{PermissionAsk, PermissionHandler};

/// Everything a program serves to the CLI.
#[derive(Clone, Default)]
pub(crate) struct Host {
    permissions: Option<Arc<dyn PermissionHandler>>,
    permission_timeout: Option<Duration>,
    hooks: Hooks,
    elicitations: Option<Arc<dyn ElicitationHandler>>,
    elicitation_timeout: Option<Duration>,
    dialogs: Option<Arc<dyn DialogHandler>>,
    dialog_timeout: Option<Duration>,
    dialog_kinds: Vec<Str>,
    expects: Expected,
    mcp_servers: McpServers,
}

/// What the options gave the CLI and its reply to `initialize` must not take back.
#[derive(Debug, Clone, Copy, Default)]
struct Expected {
    managed_settings: bool,
    plugins: bool,
}

/// One question of the CLI.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The request's id, by which the CLI may withdraw it.
    pub(crate) request_id: Str,
    /// Which question of the session it is: answers are sought beside each other, in any order.
    pub(crate) order: u64,
    /// Cancelled when nobody waits for the answer any more.
    pub(crate) cancelled: CancellationToken,
}

/// Somebody waits for the answer, until the answer or the drop of this.
struct Waiting(DropGuard);

impl Call {
    /// What a callback is told by, also when its future is dropped: because it is late, or because
    /// the session is over.
    fn waiting(&self) -> (CancellationToken, Waiting) {
        let cancelled = self.cancelled.child_token();
        (cancelled.clone(), Waiting(cancelled.drop_guard()))
    }
}

impl Waiting {
    fn wrap(
        self,
        answer: impl Future<Output = ControlResponse> + Send + 'static,
    ) -> BoxFuture<'static, ControlResponse> {
        Box::pin(async move {
            let Self(guard) = self;
            let answer = answer.await;
            // A hook that goes on in the background is not cancelled by its answer.
            guard.disarm();
            answer
        })
    }
}

// For the options.
impl Host {
    /// Who answers permission questions.
    pub(crate) fn set_permission_handler(&mut self, handler: impl PermissionHandler) {
        self.permissions = Some(Arc::new(handler));
    }

    /// How long a permission question may wait; then it is denied. For ever when absent.
    pub(crate) fn set_permission_timeout(&mut self, timeout: Option<Duration>) {
        self.permission_timeout = timeout;
    }

    /// Adds a hook. Hooks of one event are told to the CLI in the order they were added.
    pub(crate) fn add_hook(&mut self, hook: Hook) {
        self.hooks.add(hook);
    }

    /// Who answers MCP servers that ask the user.
    pub(crate) fn set_elicitation_handler(&mut self, handler: impl ElicitationHandler) {
        self.elicitations = Some(Arc::new(handler));
    }

    /// How long an MCP server's question may wait; then it is declined. For ever when absent.
    pub(crate) fn set_elicitation_timeout(&mut self, timeout: Option<Duration>) {
        self.elicitation_timeout = timeout;
    }

    /// How long a dialog may stay open; then it is closed. For ever when absent.
    pub(crate) fn set_dialog_timeout(&mut self, timeout: Option<Duration>) {
        self.dialog_timeout = timeout;
    }

    /// The program relies on settings that the user cannot change.
    pub(crate) fn expect_managed_settings(&mut self) {
        self.expects.managed_settings = true;
    }

    /// The program gave the CLI plugins.
    pub(crate) fn expect_plugins(&mut self) {
        self.expects.plugins = true;
    }

    /// Who shows dialogs, and which.
    pub(crate) fn set_dialog_handler<K: Into<Str>>(
        &mut self,
        kinds: impl IntoIterator<Item = K>,
        handler: impl DialogHandler,
    ) {
        self.dialog_kinds = kinds.into_iter().map(Into::into).collect();
        self.dialogs = Some(Arc::new(handler));
    }
}

// For MCP servers.
impl Host {
    /// Adds an in-process MCP server. One of the same name goes.
    pub(crate) fn add_mcp_server(&mut self, server: McpServer) {
        self.mcp_servers.add(server);
    }

    /// Looks for what the CLI or the model's API would refuse of the servers.
    ///
    /// # Errors
    /// Which server or tool cannot be served, and why.
    pub(crate) fn check_mcp_servers(&self) -> Result<(), InvalidMcpServer> {
        self.mcp_servers.check()
    }

    /// Says where the servers' own messages go, such as progress: to the CLI, as `mcp_message`.
    /// The function must not wait. Without it they are lost.
    pub(crate) fn notify_with(&mut self, notify: impl Fn(McpMessage) + Send + Sync + 'static) {
        self.mcp_servers.notify_with(Arc::new(notify));
    }
}

// For the session.
impl Host {
    /// Answers one question of the CLI. Never fails: what nobody handles is denied or declined.
    pub(crate) fn serve(
        self: &Arc<Self>,
        request: ControlRequest,
        call: Call,
    ) -> BoxFuture<'static, ControlResponse> {
        tracing::debug!(request_id = %call.request_id, subtype = request.tag(), "the CLI asks");
        match request {
            ControlRequest::CanUseTool(request) => self.decide(request, call),
            ControlRequest::HookCallback(callback) => self.call_hook(callback, call),
            ControlRequest::Elicitation(request) => self.elicit(request, call),
            ControlRequest::RequestUserDialog(request) => self.show(request, call),
            ControlRequest::McpMessage(message) => self.mcp_servers.answer(message, call.cancelled),
            other => ready(Self::refusal(&other, "nobody handles it")),
        }
    }

    /// How long a question may wait for its answer; `None` for ever.
    pub(crate) fn deadline(&self, request: &ControlRequest) -> Option<Duration> {
        match request {
            ControlRequest::CanUseTool(_) => self.permission_timeout,
            ControlRequest::HookCallback(callback) => Some(self.hooks.deadline(callback)),
            ControlRequest::Elicitation(_) => self.elicitation_timeout,
            ControlRequest::RequestUserDialog(_) => self.dialog_timeout,
            _ => None,
        }
    }

    /// The answer when there is none: a deny, a decline or an error, never an allow.
    pub(crate) fn refusal(request: &ControlRequest, why: &str) -> ControlResponse {
        refusal::refusal(request, why)
    }

    /// Tells the CLI what is served here.
    pub(crate) fn declare(&self, initialize: &mut InitializeRequest) {
        self.hooks.declare(initialize);
        self.mcp_servers.declare(initialize);
        if !self.dialog_kinds.is_empty() {
            initialize.supported_dialog_kinds = Some(self.dialog_kinds.clone());
        }
    }

    /// Whether the CLI can do what is relied on here, by the payload of its reply to `initialize`.
    ///
    /// # Errors
    /// Why not. The session must not go on then: something would happen that the program forbids.
    pub(crate) fn check(&self, initialized: &Json) -> Result<(), String> {
        let denied = |name: &str| {
            let flag = initialized.get(name).and_then(|flag| flag.view::<bool>());
            flag == Some(false)
        };
        if self.expects.managed_settings && denied("managed_settings_applied") {
            return Err(
                "the CLI did not take the managed settings, so nothing that they forbid would be forbidden; see whether the machine has a policy of its own, or leave out Options::managed_settings"
                    .to_owned(),
            );
        }
        if self.expects.plugins && denied("plugins_applied") {
            tracing::warn!("the CLI did not load all plugins that it was given");
        }
        self.hooks.check(initialized)
    }

    /// Whether permissions are asked here, which the CLI must be told when it starts.
    pub(crate) fn asks_permissions(&self) -> bool {
        self.permissions.is_some()
    }

    fn decide(&self, request: Box<CanUseTool>, call: Call) -> BoxFuture<'static, ControlResponse> {
        let Some(handler) = &self.permissions else {
            return ready(Self::refusal(
                &ControlRequest::CanUseTool(request),
                "it has no permission handler",
            ));
        };
        let tool_use_id = request.tool_use_id.clone();
        let (cancelled, waiting) = call.waiting();
        let answer = handler.decide(PermissionAsk::asked(request, call.order, cancelled));
        waiting.wrap(async move {
            let result = answer.await.into_sendable(&tool_use_id);
            tracing::debug!(%tool_use_id, behavior = result.tag(), "answered a permission question");
            success(&result)
        })
    }

    fn call_hook(&self, callback: HookCallback, call: Call) -> BoxFuture<'static, ControlResponse> {
        // Kept for the case that the hook fails: the event says what is safe then.
        let failing = callback.clone();
        let (cancelled, waiting) = call.waiting();
        let output = self.hooks.call(callback, cancelled);
        waiting.wrap(async move {
            match output.await {
                Ok(output) => success(&output),
                Err(why) => {
                    // Why is for the CLI: it is the program's own, and perhaps secret.
                    tracing::warn!(callback_id = %failing.callback_id, "a hook failed");
                    Self::refusal(&ControlRequest::HookCallback(failing), &why)
                }
            }
        })
    }

    fn elicit(&self, request: Box<Elicitation>, call: Call) -> BoxFuture<'static, ControlResponse> {
        let Some(handler) = &self.elicitations else {
            tracing::debug!(server = %request.mcp_server_name, "declined: no elicitation handler");
            return ready(Self::refusal(
                &ControlRequest::Elicitation(request),
                "it has no elicitation handler",
            ));
        };
        let withdrawn = call.cancelled.clone();
        let (cancelled, waiting) = call.waiting();
        let answer = handler.answer(ElicitationAsk::asked(request, call.order, cancelled));
        waiting.wrap(async move {
            let answer = tokio::select! {
                biased;
                answer = answer => answer,
                () = withdrawn.cancelled() => ElicitationAnswer::cancel(),
            };
            success(&answer.into_sendable())
        })
    }

    fn show(&self, request: RequestUserDialog, call: Call) -> BoxFuture<'static, ControlResponse> {
        let Some(handler) = &self.dialogs else {
            return ready(refusal::undeclared_dialog(&request.dialog_kind));
        };
        if !self.dialog_kinds.contains(&request.dialog_kind) {
            return ready(refusal::undeclared_dialog(&request.dialog_kind));
        }
        let (cancelled, waiting) = call.waiting();
        let answer = handler.show(DialogAsk::asked(request, call.order, cancelled));
        waiting.wrap(async move { success(&answer.await.into_sendable()) })
    }
}

/// An answer, or an error that says why it cannot be written: then nothing was allowed either.
fn success(payload: &impl Serialize) -> ControlResponse {
    ControlResponse::success(payload).unwrap_or_else(|error| {
        ControlResponse::error(format!(
            "the answer of this program cannot be written: {error}"
        ))
    })
}

fn ready(response: ControlResponse) -> BoxFuture<'static, ControlResponse> {
    Box::pin(async move { response })
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("permissions", &self.permissions.is_some())
            .field("permission_timeout", &self.permission_timeout)
            .field("hooks", &self.hooks)
            .field("elicitations", &self.elicitations.is_some())
            .field("elicitation_timeout", &self.elicitation_timeout)
            .field("dialog_timeout", &self.dialog_timeout)
            .field("dialog_kinds", &self.dialog_kinds)
            .field("mcp_servers", &self.mcp_servers)
            .finish()
    }
}

#[cfg(test)]
mod tests;
