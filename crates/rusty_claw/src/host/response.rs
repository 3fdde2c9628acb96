//! Control responses of the host.

use rusty_claw_protocol::control::ControlResponse;
use serde::Serialize;

use crate::future::BoxFuture;

/// Serializes an answer. If that fails, the response is an error, which allows nothing either.
pub(super) fn success(payload: &impl Serialize) -> ControlResponse {
    ControlResponse::success(payload).unwrap_or_else(|error| {
        ControlResponse::error(format!(
            "the answer of this program cannot be written: {error}"
        ))
    })
}

pub(super) fn ready(response: ControlResponse) -> BoxFuture<'static, ControlResponse> {
    Box::pin(async move { response })
}
