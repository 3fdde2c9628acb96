//! Retries by the CLI.

use rusty_claw_macros::wire_type;

use crate::message::AssistantError;
use crate::open_enum::open_enum;
use crate::text::Str;

/// An API request failed and will be retried.
#[wire_type]
pub struct ApiRetryMessage {
    /// Number of the failed attempt, from 1.
    pub attempt: u64,
    /// The maximum number of retries.
    pub max_retries: u64,
    /// The delay before the next attempt.
    pub retry_delay_ms: u64,
    /// The HTTP status; `None` if the API was not reached.
    pub error_status: Option<u64>,
    /// The error.
    pub error: AssistantError,
    /// Set if the API did not respond in time.
    pub no_response: Option<NoResponse>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The API did not respond in time.
#[wire_type]
pub struct NoResponse {
    /// How long the CLI waited.
    pub waited_ms: u64,
    /// How long it will wait for the next attempt.
    pub retry_wait_ms: u64,
}

/// The progress of a slow control request: it started, or it is retried.
#[wire_type]
pub struct ControlRequestProgressMessage {
    /// The request's id.
    pub request_id: Str,
    /// The status.
    pub status: ControlRequestStatus,
    /// Number of the failed attempt, from 1.
    pub attempt: Option<u64>,
    /// The maximum number of retries.
    pub max_retries: Option<u64>,
    /// The delay before the next attempt.
    pub retry_delay_ms: Option<u64>,
    /// The HTTP status; `None` if the API was not reached.
    pub error_status: Option<u64>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The status of a slow control request.
    pub enum ControlRequestStatus {
        /// It started.
        Started = "started",
        /// An API request failed and will be retried.
        ApiRetry = "api_retry",
    }
}
