//! The reply of the advisor model.

use rusty_claw_macros::wire_type;

use crate::content::ServerToolErrorCode;
use crate::text::Str;
use crate::unknown::Unknown;

/// The reply of the advisor model.
#[wire_type]
pub struct AdvisorToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The advice, or an error.
    pub content: Option<AdvisorOutput>,
}

/// Advice, or an error.
#[wire_type(tag = "type")]
pub enum AdvisorOutput {
    /// The advice.
    AdvisorResult {
        /// The text.
        text: String,
        /// Why the advisor stopped.
        stop_reason: Option<Str>,
    },
    /// Advice that only the API can read.
    AdvisorRedactedResult {
        /// The encrypted text.
        encrypted_content: String,
        /// Why the advisor stopped.
        stop_reason: Option<Str>,
    },
    /// The advisor failed.
    AdvisorToolResultError {
        /// The error code.
        error_code: ServerToolErrorCode,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}
