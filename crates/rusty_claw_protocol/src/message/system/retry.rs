//! What the CLI says while it tries again.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::message::AssistantError;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A request to the API failed and will be made again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ApiRetryMessage {
    /// Which attempt failed, from 1.
    pub attempt: u64,
    /// How many more are made at most.
    pub max_retries: u64,
    /// How long the CLI waits before the next.
    pub retry_delay_ms: u64,
    /// The HTTP status; none when the API was not reached.
    pub error_status: Option<u64>,
    /// What went wrong.
    pub error: AssistantError,
    /// How long nothing came, when that was the failure.
    pub no_response: Option<NoResponse>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The API did not answer in time.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NoResponse {
    /// How long the CLI waited for it.
    pub waited_ms: u64,
    /// How long it will wait the next time.
    pub retry_wait_ms: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// A control request takes long: it has begun, or it tries again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ControlRequestProgressMessage {
    /// The request.
    pub request_id: Str,
    /// How far it is.
    pub status: ControlRequestStatus,
    /// Which attempt failed, from 1.
    pub attempt: Option<u64>,
    /// How many more are made at most.
    pub max_retries: Option<u64>,
    /// How long the CLI waits before the next.
    pub retry_delay_ms: Option<u64>,
    /// The HTTP status; none when the API was not reached.
    pub error_status: Option<u64>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How far a long control request is.
    pub enum ControlRequestStatus {
        /// It has begun.
        Started = "started",
        /// The API failed and is asked again.
        ApiRetry = "api_retry",
    }
}
