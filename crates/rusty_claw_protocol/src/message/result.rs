//! The end of a turn.

mod details;
mod reason;
mod subagents;
mod timing;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
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
/// Told apart by `subtype`. An API failure is a `Success` whose details say `is_error`: ask
/// [`ResultMessage::is_error`].
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum ResultMessage {
    /// The turn came to its end, perhaps with an API error.
    Success {
        /// The final text.
        result: String,
        /// How long the turn took.
        duration_ms: Option<u64>,
        /// How often the model was asked.
        num_turns: Option<u32>,
        /// The session.
        session_id: Option<Str>,
        /// Cost so far, of the whole process and of what it resumed.
        total_cost_usd: Option<f64>,
        /// Tokens of this turn, main loop only.
        usage: Option<Box<UsageInfo>>,
        /// Everything else the CLI says.
        #[wire(flatten)]
        details: Box<ResultDetails>,
        /// What no field holds.
        extra: Extra,
    },
    /// The turn was cut off.
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
        /// Which kind of end.
        subtype: ErrorSubtype,
        /// What went wrong; when the CLI gave a list, the list joined.
        error: String,
        /// What went wrong, one by one.
        errors: Option<Vec<String>>,
        /// How long the turn took.
        duration_ms: Option<u64>,
        /// How often the model was asked.
        num_turns: Option<u32>,
        /// The session.
        session_id: Option<Str>,
        /// Cost so far, of the whole process and of what it resumed.
        total_cost_usd: Option<f64>,
        /// Tokens of this turn, main loop only.
        usage: Option<Box<UsageInfo>>,
        /// Everything else the CLI says.
        #[wire(flatten)]
        details: Box<ResultDetails>,
        /// What no field holds.
        extra: Extra,
    },
    /// The session waits for input, as one document has it. The CLI asks through control requests
    /// instead.
    InputRequired {
        /// The session.
        session_id: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// A subtype that is new to this library.
    Unknown(Unknown),
}

/// Leniency: the document has `error`, the CLI has `errors`; whoever reads `error` finds the text
/// in both cases.
fn join_errors(result: &mut __ResultMessageError) {
    if result.error.is_empty()
        && let Some(errors) = &result.errors
    {
        result.error = errors.join("; ");
    }
}

open_enum! {
    /// How a turn was cut off.
    pub enum ErrorSubtype {
        /// As one document has it.
        Error = "error",
        /// It was interrupted, or failed inside.
        DuringExecution = "error_during_execution",
        /// The limit of model calls was reached.
        MaxTurns = "error_max_turns",
        /// The budget was spent.
        MaxBudgetUsd = "error_max_budget_usd",
        /// The model never produced the structured output.
        MaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}
