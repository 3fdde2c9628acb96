//! The keys by which usage can be grouped.

use std::fmt;
use std::str::FromStr;

use serde::de::IntoDeserializer as _;
use serde::de::value::Error as ValueError;
use serde::{Deserialize, Serialize};

use crate::error::TranscriptError;

/// A key by which rows are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GroupBy {
    /// The day in the report's time zone.
    Day,
    /// The working directory of the CLI. If the lines do not name it, the name of the session's
    /// folder.
    Project,
    /// The session in which a reply was made. Copies in forks are not counted again.
    Session,
    /// The model, as named in the lines.
    Model,
    /// `live` for messages on the way to the end of a conversation, `abandoned` for those that were
    /// edited away or regenerated, `(unknown)` if parents are missing. A subagent is evaluated
    /// separately. Reads every line, which takes a few times longer.
    Branch,
    /// The git branch of the working directory.
    GitBranch,
    /// The tool that a reply calls. The cost of a reply with several blocks is divided between them
    /// by their length in bytes. Blocks that call no tool are `(no tool)`.
    Tool,
    /// The subagent by its id, or `main`.
    Subagent,
    /// The kind of subagent, or `main`.
    AgentType,
}

/// The names of all groupings.
const NAMES: &str = "day, project, session, model, branch, git-branch, tool, subagent, agent-type";

impl fmt::Display for GroupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for GroupBy {
    type Err = TranscriptError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let group = Self::deserialize(text.into_deserializer());
        group.map_err(|_: ValueError| TranscriptError::UnknownName {
            what: "grouping",
            name: text.to_owned(),
            hint: format!("give {NAMES}"),
        })
    }
}
