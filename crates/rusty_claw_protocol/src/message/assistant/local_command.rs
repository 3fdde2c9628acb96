//! Commands that the CLI runs without the model.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// A local command that ran.
#[wire_type]
pub struct LocalCommandRun {
    /// Its name, without the slash.
    pub command: Str,
    /// Its arguments.
    pub args: String,
    /// The plugin that it belongs to.
    pub plugin: Option<Str>,
}

/// The outcome of a local command that did not succeed.
#[wire_type]
pub struct LocalCommandOutcome {
    /// The kind of outcome.
    pub kind: LocalCommandOutcomeKind,
    /// What to try instead.
    pub suggestion: Option<String>,
}

open_enum! {
    /// The kind of outcome of a local command that did not succeed.
    pub enum LocalCommandOutcomeKind {
        /// It failed.
        Failed = "failed",
        /// It requires a terminal.
        UnavailableHeadless = "unavailable_headless",
    }
}
