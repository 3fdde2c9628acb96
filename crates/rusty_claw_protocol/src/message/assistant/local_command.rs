//! Commands that the CLI runs without the model.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A local command that ran.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LocalCommandRun {
    /// Its name, without the slash.
    pub command: Str,
    /// What followed the name.
    pub args: String,
    /// The plugin that it came with.
    pub plugin: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// How a local command ended, when not well.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LocalCommandOutcome {
    /// How.
    pub kind: LocalCommandOutcomeKind,
    /// What to try instead.
    pub suggestion: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How a local command ended, when not well.
    pub enum LocalCommandOutcomeKind {
        /// It failed.
        Failed = "failed",
        /// It needs a terminal.
        UnavailableHeadless = "unavailable_headless",
    }
}
