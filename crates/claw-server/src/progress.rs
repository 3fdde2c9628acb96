//! How far the work is.
//!
//! The CLI says much of it in structured messages; those come first. Where it says nothing, a
//! [`ProgressParser`] reads what the agent says and what its tools print, as a fallback that is
//! labelled as one.

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
mod words;

use serde::{Deserialize, Serialize};

pub(crate) use heartbeats::call_of;
pub use monitor::{SubAgentProgressMonitor, SubAgentStatus};
pub use parser::ProgressParser;
pub use tracker::ProgressTracker;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProgressKind {
    /// Tests run, are about to run, or have run.
    TestRun,
    /// A list with ticks: the agent's own list of work.
    Checklist,
    /// Steps, phases, stages, parts, tasks: things that differ from each other.
    Step,
    /// A sub-agent, or several.
    Subagent,
    /// Like things out of a total: files, objects, records, megabytes.
    Count,
    /// A share, and nothing else.
    Percent,
    /// A kind that is new to this library.
    #[serde(other)]
    Other,
}

/// Where the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProgressState {
    /// It goes on, also after a failure in the middle.
    Running,
    /// It ended and nothing failed.
    Finished,
    /// It ended and something failed.
    Failed,
    /// A state that is new to this library.
    #[serde(other)]
    Other,
}

/// Who wrote a text. The same words mean less in the output of a tool, which may be a file that
/// is shown, than in what the agent says itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextOrigin {
    /// The agent says it.
    Prose,
    /// A tool printed it.
    ToolOutput,
}

/// How far the work is, as a text says it.
///
/// A field is there when the text prints it; nothing is computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProseProgress {
    /// What is counted.
    pub kind: ProgressKind,
    /// How many are done. For "item 5 of 20" it is 5, although the fifth is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<f64>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// The share that is printed, from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// A few words of the text that name the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Where the work is.
    pub state: ProgressState,
    /// How sure the reader is, from 0 to 1: the form of a known runner is sure, a loose mention
    /// in prose is not.
    pub confidence: f32,
}
