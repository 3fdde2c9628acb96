//! The end of a turn.

mod details;
mod reason;
mod subagents;
mod timing;

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::usage::UsageInfo;

pub use details::*;
pub use reason::*;
pub use subagents::*;
pub use timing::*;

/// The end of a turn.
///
/// Tagged by `subtype`. An API failure is a `Success` with `is_error` in its details; use
/// [`ResultMessage::is_error`].
#[wire_type(tag = "subtype")]
pub enum ResultMessage {
    /// The turn completed, possibly with an API error.
    Success {
        /// The final text.
        result: String,
        /// How long the turn took.
        duration_ms: Option<u64>,
        /// Number of model calls.
        num_turns: Option<u32>,
        /// The session's id.
        session_id: Option<Str>,
        /// Cost so far, of the whole process and what it resumed.
        total_cost_usd: Option<f64>,
        /// Tokens of this turn, main loop only.
        usage: Option<Box<UsageInfo>>,
        /// Further details.
        #[wire(flatten)]
        details: Box<ResultDetails>,
    },
    /// The turn was aborted.
    #[wire(
        name = "error",
        alias = "error_during_execution",
        alias = "error_max_turns"
    )]
    #[wire(
        alias = "error_max_budget_usd",
        alias = "error_max_structured_output_retries"
    )]
    #[wire(after = "join_errors")]
    Error {
        /// The kind of error.
        subtype: ErrorSubtype,
        /// The error; if the CLI sent a list, the list joined.
        error: String,
        /// The list of errors.
        errors: Option<Vec<String>>,
        /// How long the turn took.
        duration_ms: Option<u64>,
        /// Number of model calls.
        num_turns: Option<u32>,
        /// The session's id.
        session_id: Option<Str>,
        /// Cost so far, of the whole process and what it resumed.
        total_cost_usd: Option<f64>,
        /// Tokens of this turn, main loop only.
        usage: Option<Box<UsageInfo>>,
        /// Further details.
        #[wire(flatten)]
        details: Box<ResultDetails>,
    },
    /// The session waits for input, as in one document. The CLI uses control requests instead.
    InputRequired {
        /// The session's id.
        session_id: Option<Str>,
    },
    /// An unrecognized subtype.
    Unknown(Unknown),
}

/// Leniency: the document has `error`, the CLI has `errors`; `error` has the text in both cases.
fn join_errors(result: &mut __ResultMessageError) {
    if result.error.is_empty()
        && let Some(errors) = &result.errors
    {
        result.error = errors.join("; ");
    }
}

open_enum! {
    /// How a turn was aborted.
    pub enum ErrorSubtype {
        /// As in one document.
        Error = "error",
        /// It was interrupted, or failed internally.
        DuringExecution = "error_during_execution",
        /// The limit of model calls was reached.
        MaxTurns = "error_max_turns",
        /// The budget was exhausted.
        MaxBudgetUsd = "error_max_budget_usd",
        /// The model never produced the structured output.
        MaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}
