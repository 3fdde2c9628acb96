//! Progress of the work.
//!
//! Structured messages of the CLI come first. Where there are none, a [`ProgressParser`] reads the
//! agent's text and the output of its tools as a fallback, and such updates are labelled.

mod heartbeats;
mod lanes;
mod limits;
#[cfg(test)]
mod limits_page;
mod lists;
mod monitor;
mod parser;
mod plan;
mod results;
mod status;
mod subjects;
mod tasks;
mod tracker;
mod update_sink;
mod words;

use serde::{Deserialize, Serialize};

pub(crate) use heartbeats::call_of;
pub use monitor::{SubAgentProgressMonitor, SubAgentStatus};
pub use parser::ProgressParser;
pub use tracker::ProgressTracker;

/// The kind of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProgressKind {
    /// Tests run, are about to run, or have run.
    TestRun,
    /// A list with check marks: the agent's own to-do list.
    Checklist,
    /// Distinct steps, phases, stages, parts or tasks.
    Step,
    /// A sub-agent, or several.
    Subagent,
    /// A count of similar items: files, objects, records, megabytes.
    Count,
    /// A percentage without a count.
    Percent,
    /// An unrecognized kind.
    #[serde(other)]
    Other,
}

/// The state of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProgressState {
    /// It continues, possibly after failures.
    Running,
    /// It ended without failures.
    Finished,
    /// It ended with failures.
    Failed,
    /// An unrecognized state.
    #[serde(other)]
    Other,
}

/// The origin of a text. The same words mean less in the output of a tool, which may show a file,
/// than in the agent's own text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextOrigin {
    /// Text of the agent.
    Prose,
    /// Output of a tool.
    ToolOutput,
}

/// Progress that a text reports.
///
/// A field is `None` if the text does not report it. Counts of tests may be sums of printed counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProseProgress {
    /// The kind of progress.
    pub kind: ProgressKind,
    /// How many are done. For "item 5 of 20" it is 5, although the fifth is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<f64>,
    /// The total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// The printed percentage, from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// A few words of the text that name the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The state of the work.
    pub state: ProgressState,
    /// The confidence, from 0 to 1: high for the format of a known test runner, lower for prose.
    pub confidence: f32,
}
