//! What the adviser model said.

use rusty_claw_macros::Wire;

use crate::content::ServerToolErrorCode;
use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;

/// What the adviser model said to the model that asked it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AdvisorToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The advice, or why there is none.
    pub content: Option<AdvisorOutput>,
    /// What no field holds.
    pub extra: Extra,
}

/// The advice, or why there is none.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum AdvisorOutput {
    /// The advice.
    AdvisorResult {
        /// What it says.
        text: String,
        /// Why the adviser stopped.
        stop_reason: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// Advice that only the API can read.
    AdvisorRedactedResult {
        /// What it says, encrypted.
        encrypted_content: String,
        /// Why the adviser stopped.
        stop_reason: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// The adviser could not be asked.
    AdvisorToolResultError {
        /// The reason.
        error_code: ServerToolErrorCode,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}
