//! What a program serves to the CLI: permissions, hooks, MCP servers, elicitations and dialogs.
//!
//! The CLI sends control requests. The session passes each to [`Host::serve`] in its own task, so
//! that a slow answer delays nothing else, and responds with [`refusal`] if a callback
//! panics, is dropped or times out.

mod mcp;
mod refusal;
mod response;

use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{
    CanUseTool, ControlRequest, ControlResponse, Elicitation, HookCallback, InitializeRequest,
    RequestUserDialog,
};
use rusty_claw_protocol::{Json, Str};
use tokio_util::sync::{CancellationToken, DropGuard};

use self::mcp::McpServers;
pub(crate) use self::refusal::refusal;
use self::refusal::undeclared_dialog;
use self::response::{ready, success};
use crate::dialog::{DialogAsk, DialogHandler};
use crate::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationHandler};
use crate::future::BoxFuture;
use crate::hook::Hooks;
use crate::permission::{PermissionAsk, PermissionHandler};

/// Everything a program serves to the CLI.
#[derive(Clone, Default)]
pub(crate) struct Host {
    pub(crate) permissions: Option<Arc<dyn PermissionHandler>>,
    /// How long a permission request may wait before it is denied; `None` for no limit.
    pub(crate) permission_timeout: Option<Duration>,
    pub(crate) hooks: Hooks,
    pub(crate) elicitations: Option<Arc<dyn ElicitationHandler>>,
    /// How long an elicitation may wait before it is declined; `None` for no limit.
    pub(crate) elicitation_timeout: Option<Duration>,
    pub(crate) dialogs: Option<Arc<dyn DialogHandler>>,
    /// How long a dialog may wait before it is closed; `None` for no limit.
    pub(crate) dialog_timeout: Option<Duration>,
    /// The kinds of dialogs that the handler can show.
    pub(crate) dialog_kinds: Vec<Str>,
    /// Fails the start if the CLI does not apply the managed settings.
    pub(crate) expects_managed_settings: bool,
    /// Logs a warning if the CLI does not load all plugins.
    pub(crate) expects_plugins: bool,
    pub(crate) mcp_servers: McpServers,
}

/// A control request of the CLI.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The id of the request, with which the CLI may cancel it.
    pub(crate) request_id: Str,
    /// The position among the session's requests, which are handled concurrently.
    pub(crate) order: u64,
    /// Cancelled when the answer is no longer needed.
    pub(crate) cancelled: CancellationToken,
}

impl Call {
    /// The cancellation signal passed to a callback. It also fires when the callback's future is
    /// dropped: on a timeout, or at the end of the session.
    fn guard(&self) -> (CancellationToken, DropGuard) {
        let cancelled = self.cancelled.child_token();
        (cancelled.clone(), cancelled.drop_guard())
    }
}

/// Disarms the guard of a callback after its answer, so that a hook that continues in the
/// background is not cancelled.
fn guarded(
    guard: DropGuard,
    answer: impl Future<Output = ControlResponse> + Send + 'static,
) -> BoxFuture<'static, ControlResponse> {
    Box::pin(async move {
        let answer = answer.await;
        guard.disarm();
        answer
    })
}

impl Host {
    /// Answers a control request. Never fails: unhandled requests are denied, declined or refused.
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
            other => ready(refusal(&other, "it has no handler")),
        }
    }

    /// How long a request may wait for its answer; `None` for no limit.
    pub(crate) fn deadline(&self, request: &ControlRequest) -> Option<Duration> {
        match request {
            ControlRequest::CanUseTool(_) => self.permission_timeout,
            ControlRequest::HookCallback(callback) => Some(self.hooks.deadline(callback)),
            ControlRequest::Elicitation(_) => self.elicitation_timeout,
            ControlRequest::RequestUserDialog(_) => self.dialog_timeout,
            _ => None,
        }
    }

    /// Declares in `initialize` what is served here.
    pub(crate) fn declare(&self, initialize: &mut InitializeRequest) {
        self.hooks.declare(initialize);
        self.mcp_servers.declare(initialize);
        if !self.dialog_kinds.is_empty() {
            initialize.supported_dialog_kinds = Some(self.dialog_kinds.clone());
        }
    }

    /// Checks the reply to `initialize` for what this host relies on.
    ///
    /// # Errors
    /// The reason. The session must not continue: something would happen that the program forbids.
    pub(crate) fn check(&self, initialized: &Json) -> Result<(), String> {
        let denied = |name: &str| {
            let flag = initialized.get(name).and_then(|flag| flag.view::<bool>());
            flag == Some(false)
        };
        if self.expects_managed_settings && denied("managed_settings_applied") {
            return Err(
                "the CLI did not apply the managed settings, so their restrictions would have no effect; check whether the machine has its own policy, or remove Options::managed_settings"
                    .to_owned(),
            );
        }
        if self.expects_plugins && denied("plugins_applied") {
            tracing::warn!("the CLI did not load all plugins that it was given");
        }
        self.hooks.check(initialized)
    }

    /// Whether there is a permission handler, which the CLI must know when it starts.
    pub(crate) fn asks_permissions(&self) -> bool {
        self.permissions.is_some()
    }

    fn decide(&self, request: Box<CanUseTool>, call: Call) -> BoxFuture<'static, ControlResponse> {
        let Some(handler) = &self.permissions else {
            return ready(refusal(
                &ControlRequest::CanUseTool(request),
                "it has no permission handler",
            ));
        };
        let tool_use_id = request.tool_use_id.clone();
        let (cancelled, guard) = call.guard();
        let answer = handler.decide(PermissionAsk {
            request,
            order: call.order,
            cancelled,
        });
        guarded(guard, async move {
            let result = answer.await.into_sendable(&tool_use_id);
            tracing::debug!(%tool_use_id, behavior = result.tag(), "answered a permission question");
            success(&result)
        })
    }

    fn call_hook(&self, callback: HookCallback, call: Call) -> BoxFuture<'static, ControlResponse> {
        // If the hook fails, the safe response depends on the event.
        let failing = callback.clone();
        let (cancelled, guard) = call.guard();
        let output = self.hooks.call(callback, cancelled);
        guarded(guard, async move {
            match output.await {
                Ok(output) => success(&output),
                Err(why) => {
                    // The reason is sent to the CLI but not logged: it may be secret.
                    tracing::warn!(callback_id = %failing.callback_id, "a hook failed");
                    refusal(&ControlRequest::HookCallback(failing), &why)
                }
            }
        })
    }

    fn elicit(&self, request: Box<Elicitation>, call: Call) -> BoxFuture<'static, ControlResponse> {
        let Some(handler) = &self.elicitations else {
            tracing::debug!(server = %request.mcp_server_name, "declined: no elicitation handler");
            return ready(refusal(
                &ControlRequest::Elicitation(request),
                "it has no elicitation handler",
            ));
        };
        let withdrawn = call.cancelled.clone();
        let (cancelled, guard) = call.guard();
        let answer = handler.answer(ElicitationAsk {
            request,
            order: call.order,
            cancelled,
        });
        guarded(guard, async move {
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
            return ready(undeclared_dialog(&request.dialog_kind));
        };
        if !self.dialog_kinds.contains(&request.dialog_kind) {
            return ready(undeclared_dialog(&request.dialog_kind));
        }
        let (cancelled, guard) = call.guard();
        let answer = handler.show(DialogAsk {
            request,
            order: call.order,
            cancelled,
        });
        guarded(guard, async move { success(&answer.await.into_sendable()) })
    }
}

debug_fields!(Host, |host|
    permissions: host.permissions.is_some(),
    permission_timeout: host.permission_timeout,
    hooks: host.hooks,
    elicitations: host.elicitations.is_some(),
    elicitation_timeout: host.elicitation_timeout,
    dialog_timeout: host.dialog_timeout,
    dialog_kinds: host.dialog_kinds,
    mcp_servers: host.mcp_servers
);

#[cfg(test)]
mod tests;
