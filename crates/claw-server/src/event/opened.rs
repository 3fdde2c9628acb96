//! The settings of a session, and omitted events.

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

/// The settings with which a session was opened, so that any process can open it again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Opened {
    /// The tenant that it belongs to.
    pub tenant: String,
    /// The folder in which the agent works.
    pub folder: String,
    /// The number of the session in UI messages.
    pub number: i64,
    /// The options that the program stores with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Json>,
}

/// An event that was larger than the log accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Omitted {
    /// The kind of the fact.
    pub kind: String,
    /// Its size in bytes.
    pub size: u64,
    /// The maximum size.
    pub limit: u64,
}
