//! Responses to requests that have no answer.

use rusty_claw_protocol::control::{
    ControlRequest, ControlResponse, DialogAnswer, ElicitationAnswer, JsonRpcMessage, McpMessage,
    McpMessageAnswer, PermissionResult,
};

use crate::hook;

/// The JSON-RPC code of an internal error.
const INTERNAL_ERROR: i64 = -32603;

/// The response without an answer: a deny, a decline or an error, never an allow.
pub(crate) fn refusal(request: &ControlRequest, why: &str) -> ControlResponse {
    match request {
        ControlRequest::CanUseTool(request) => {
            let message = format!("The program that runs this session did not allow it: {why}");
            let mut result = PermissionResult::deny(message);
            if let PermissionResult::Deny(deny) = &mut result {
                deny.tool_use_id = Some(request.tool_use_id.clone()).filter(|id| !id.is_empty());
            }
            success(&result, why)
        }
        ControlRequest::HookCallback(callback) => hook::failed(callback, why),
        ControlRequest::McpMessage(message) => mcp(message, why),
        ControlRequest::Elicitation(_) => success(&ElicitationAnswer::decline(), why),
        ControlRequest::RequestUserDialog(_) => success(&DialogAnswer::cancelled(), why),
        ControlRequest::OauthTokenRefresh(_) | ControlRequest::HostAuthTokenRefresh(_) => {
            ControlResponse::error(format!(
                "this program holds no sign-in and cannot refresh one ({}): {why}",
                request.tag()
            ))
        }
        other => unsupported(other.tag()),
    }
}

/// The response to a dialog of an undeclared kind. Without one the CLI would wait.
pub(super) fn undeclared_dialog(kind: &str) -> ControlResponse {
    ControlResponse::error(format!(
        "unsupported dialog kind: {kind}; this program did not declare that it supports it"
    ))
}

fn unsupported(subtype: &str) -> ControlResponse {
    let error = format!("unsupported control request subtype: {subtype}");
    match ControlResponse::error(error) {
        ControlResponse::Error {
            error,
            pending,
            extra,
            ..
        } => ControlResponse::Error {
            error,
            error_code: Some("unsupported_request".into()),
            pending,
            extra,
        },
        other => other,
    }
}

/// Puts a JSON-RPC error into the control response, because the MCP client waits for one.
fn mcp(message: &McpMessage, why: &str) -> ControlResponse {
    match &message.message.id {
        Some(id) => success(
            &McpMessageAnswer::from(JsonRpcMessage::failure(id.clone(), INTERNAL_ERROR, why)),
            why,
        ),
        None => ControlResponse::error(why),
    }
}

fn success(payload: &impl serde::Serialize, why: &str) -> ControlResponse {
    ControlResponse::success(payload).unwrap_or_else(|_| ControlResponse::error(why))
}
