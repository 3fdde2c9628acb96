//! The control protocol: questions and answers beside the conversation.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

/// What a control request asks. Told apart by `subtype`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum ControlRequest {
    /// Stop the running turn.
    Interrupt {
        /// Also drop the prompts that wait.
        cancel_queued: Option<bool>,
        /// What no field holds.
        extra: Extra,
    },
    /// A request that is new to this library.
    Unknown(Unknown),
}

/// The answer to a control request. Told apart by `subtype`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum ControlResponse {
    /// It was done.
    Success {
        /// What came of it; its type depends on the request.
        response: Option<Json>,
        /// What no field holds.
        extra: Extra,
    },
    /// It was not done.
    Error {
        /// Why not.
        error: String,
        /// Why not, for programs.
        error_code: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// An outcome that is new to this library.
    Unknown(Unknown),
}
