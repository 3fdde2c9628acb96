//! Answers that a host sends.

use rusty_claw_macros::{Wire, wire_type};

use super::JsonRpcMessage;
use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

pub use crate::permission::PermissionResult;

/// A success without a payload.
#[wire_type]
pub struct Acknowledged {}

/// The reply of an in-process MCP server.
#[wire_type]
pub struct McpMessageAnswer {
    /// The JSON-RPC response. Notifications need one too, with any content.
    pub mcp_response: Option<JsonRpcMessage>,
}

impl From<JsonRpcMessage> for McpMessageAnswer {
    fn from(message: JsonRpcMessage) -> Self {
        Self {
            mcp_response: Some(message),
            extra: Extra::new(),
        }
    }
}

/// The user's answer to an elicitation. Tagged by `action`.
#[wire_type(tag = "action")]
pub enum ElicitationAnswer {
    /// The user submitted the form.
    Accept {
        /// The content of the form; passed to the server unchanged.
        content: Option<Json>,
    },
    /// The user declined.
    Decline {},
    /// The user dismissed the form.
    Cancel {},
    /// An unrecognized answer.
    Unknown(Unknown),
}

impl ElicitationAnswer {
    /// Submits the form with this content.
    pub fn accept(content: Json) -> Self {
        Self::Accept {
            content: Some(content),
            extra: Extra::new(),
        }
    }

    /// Declines the elicitation.
    pub fn decline() -> Self {
        Self::Decline {
            extra: Extra::new(),
        }
    }

    /// Dismisses the form without an answer.
    pub fn cancel() -> Self {
        Self::Cancel {
            extra: Extra::new(),
        }
    }
}

/// The outcome of a dialog. Tagged by `behavior`.
#[wire_type(tag = "behavior")]
pub enum DialogAnswer {
    /// The user made a choice.
    Completed {
        /// The choice; its shape depends on the dialog.
        result: Option<Json>,
    },
    /// The user closed it.
    Cancelled {},
    /// An unrecognized outcome.
    Unknown(Unknown),
}

impl DialogAnswer {
    /// Returns a completed dialog.
    pub fn completed(result: Json) -> Self {
        Self::Completed {
            result: Some(result),
            extra: Extra::new(),
        }
    }

    /// Returns a closed dialog.
    pub fn cancelled() -> Self {
        Self::Cancelled {
            extra: Extra::new(),
        }
    }
}

/// A new OAuth token.
#[derive(Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct OauthTokenAnswer {
    /// The token, if there is one.
    pub access_token: Option<Str>,
    /// Why there is none.
    pub reason: Option<Str>,
    /// Unrecognized members.
    pub extra: Extra,
}

/// A new credential for the provider.
#[derive(Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct HostAuthTokenAnswer {
    /// The credential, if there is one.
    pub auth_token: Option<Str>,
    /// Whether it equals the CLI's current credential.
    pub material_unchanged: Option<bool>,
    /// Unrecognized members.
    pub extra: Extra,
}

// Keeps secrets out of logs: only their presence is printed.
impl std::fmt::Debug for OauthTokenAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OauthTokenAnswer")
            .field("access_token", &self.access_token.as_ref().map(|_| "…"))
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for HostAuthTokenAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostAuthTokenAnswer")
            .field("auth_token", &self.auth_token.as_ref().map(|_| "…"))
            .field("material_unchanged", &self.material_unchanged)
            .finish_non_exhaustive()
    }
}
