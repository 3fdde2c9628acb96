//! What a program serves to the CLI: permissions, hooks, tools, questions.
//!
//! The CLI asks by control requests. The session hands each to [`Host::serve`] in a task of its
//! own, so that a slow answer holds up nothing else, and answers for a callback that panics, is
//! dropped or runs out of time with [`Host::refusal`].

use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse, InitializeRequest};
use tokio_util::sync::CancellationToken;

use crate::future::BoxFuture;

/// Everything a program serves to the CLI.
#[derive(Debug, Clone, Default)]
pub(crate) struct Host {}

/// One question of the CLI.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The request's id, by which the CLI may withdraw it.
    pub(crate) request_id: Str,
    /// Cancelled when nobody waits for the answer any more.
    pub(crate) cancelled: CancellationToken,
}

impl Host {
    /// Answers one question of the CLI. Never fails: what nobody handles is denied or declined.
    pub(crate) fn serve(
        self: &Arc<Self>,
        request: ControlRequest,
        _call: Call,
    ) -> BoxFuture<'static, ControlResponse> {
        let answer = Self::refusal(&request, "nobody handles this");
        Box::pin(async move { answer })
    }

    /// How long a question may wait for its answer; `None` for ever.
    pub(crate) fn deadline(&self, _request: &ControlRequest) -> Option<Duration> {
        None
    }

    /// The answer when there is none: a deny, a decline or an error, never an allow.
    pub(crate) fn refusal(_request: &ControlRequest, why: &str) -> ControlResponse {
        ControlResponse::error(why)
    }

    /// Tells the CLI what is served here.
    pub(crate) fn declare(&self, _initialize: &mut InitializeRequest) {}

    /// Whether permissions are asked here, which the CLI must be told when it starts.
    pub(crate) fn asks_permissions(&self) -> bool {
        false
    }
}
