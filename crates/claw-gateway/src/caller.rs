//! Who calls, and what they may do.

use claw_store::TenantId;
use serde::{Deserialize, Serialize};

use crate::error::GatewayError;

/// What a device may do. Each scope includes those before it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Scope {
    /// Read sessions and follow them.
    View,
    /// Answer interactions, without edits, grants, modes and interrupts.
    Answer,
    /// Create and steer sessions, and answer with edits, grants and modes.
    Drive,
    /// Choose settings that reach beyond a session, such as the bypass mode, and manage devices.
    Admin,
}

/// A device that has authenticated. Every operation of a gateway starts from one, so that none can
/// leave out the tenant or the scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The tenant whose sessions it sees.
    pub tenant: TenantId,
    /// Its name, recorded with what it does.
    pub device: String,
    /// What it may do.
    pub scope: Scope,
}

impl Caller {
    /// Checks that the device has a scope.
    pub(crate) fn need(&self, needed: Scope) -> Result<(), GatewayError> {
        let scope = self.scope;
        match scope >= needed {
            true => Ok(()),
            false => Err(GatewayError::Forbidden { needed, scope }),
        }
    }
}
