//! What a host answers.

use rusty_claw_macros::Wire;

use super::JsonRpcMessage;
use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

pub use crate::permission::PermissionResult;

/// Done, and there is nothing more to say.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Acknowledged {
    /// What no field holds.
    pub extra: Extra,
}

/// What an in-process MCP server says.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpMessageAnswer {
    /// The JSON-RPC answer. Notifications need one too, whatever it says.
    pub mcp_response: Option<JsonRpcMessage>,
    /// What no field holds.
    pub extra: Extra,
}

impl From<JsonRpcMessage> for McpMessageAnswer {
    fn from(message: JsonRpcMessage) -> Self {
        Self {
            mcp_response: Some(message),
            extra: Extra::new(),
        }
    }
}

/// What the user says to an MCP server. Told apart by `action`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "action")]
#[non_exhaustive]
pub enum ElicitationAnswer {
    /// Here it is.
    Accept {
        /// The form as it was filled in; reaches the server unchanged.
        content: Option<Json>,
        /// What no field holds.
        extra: Extra,
    },
    /// No.
    Decline {
        /// What no field holds.
        extra: Extra,
    },
    /// Nothing at all.
    Cancel {
        /// What no field holds.
        extra: Extra,
    },
    /// An answer that is new to this library.
    Unknown(Unknown),
}

impl ElicitationAnswer {
    /// The form as it was filled in.
    pub fn accept(content: Json) -> Self {
        Self::Accept {
            content: Some(content),
            extra: Extra::new(),
        }
    }

    /// No.
    pub fn decline() -> Self {
        Self::Decline {
            extra: Extra::new(),
        }
    }

    /// Nothing at all: the user closed the form.
    pub fn cancel() -> Self {
        Self::Cancel {
            extra: Extra::new(),
        }
    }
}

/// What came of a dialog. Told apart by `behavior`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "behavior")]
#[non_exhaustive]
pub enum DialogAnswer {
    /// The user chose.
    Completed {
        /// What; its shape depends on the dialog.
        result: Option<Json>,
        /// What no field holds.
        extra: Extra,
    },
    /// The user closed it.
    Cancelled {
        /// What no field holds.
        extra: Extra,
    },
    /// An outcome that is new to this library.
    Unknown(Unknown),
}

impl DialogAnswer {
    /// The user chose.
    pub fn completed(result: Json) -> Self {
        Self::Completed {
            result: Some(result),
            extra: Extra::new(),
        }
    }

    /// The user closed it.
    pub fn cancelled() -> Self {
        Self::Cancelled {
            extra: Extra::new(),
        }
    }
}

/// A fresh sign-in token.
#[derive(Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct OauthTokenAnswer {
    /// The token; `None` when there is none to give.
    pub access_token: Option<Str>,
    /// Why there is none.
    pub reason: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A fresh credential of the provider.
#[derive(Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct HostAuthTokenAnswer {
    /// The credential; `None` when there is none to give.
    pub auth_token: Option<Str>,
    /// Whether it is the one that the CLI has.
    pub material_unchanged: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

// Secrets do not reach logs: what is printed says only whether there is one.
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
