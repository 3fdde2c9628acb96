//! The script of the stand-in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::step::Step;

/// Everything that one run of `fake-claude` does. See [the module](crate::fake_claude) for the
/// format with an example.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FakeScript {
    /// What the script is for.
    pub description: String,
    /// One entry for each turn, in order.
    pub turns: Vec<FakeTurn>,
    /// Plays the last turn again for prompts beyond it; otherwise they get a short reply.
    pub repeat_last: bool,
    /// How `initialize` is answered.
    pub initialize: InitializeAnswer,
    /// How the other control requests are answered.
    pub control: ControlAnswers,
    /// Exits with this code before reading anything.
    pub exit_at_start: Option<i32>,
    /// Ends by nothing less than SIGKILL: other signals and the end of stdin do nothing, and
    /// `end_session` is only answered.
    pub stubborn: bool,
    /// Accepts flags that the CLI does not accept.
    pub any_flag: bool,
    /// Writes no session file, as with `--no-session-persistence`.
    pub no_session_file: bool,
    /// Appends every line from stdin to this file.
    pub record_stdin: Option<PathBuf>,
    /// Writes the process id, the arguments and the environment's names to this file as JSON.
    pub record_start: Option<PathBuf>,
}

/// How `initialize` is answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InitializeAnswer {
    /// At once.
    #[default]
    Answer,
    /// Never.
    Never,
    /// With an error of this text.
    Error(String),
}

/// How control requests other than `initialize` and `end_session` are answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlAnswers {
    /// Subtypes that get no answer.
    pub silent: Vec<String>,
    /// Subtypes that get an error of this text.
    pub errors: BTreeMap<String, String>,
    /// Subtypes that get this payload instead of the usual one.
    pub payloads: BTreeMap<String, Value>,
}

/// One turn: what comes between `system/init` and `result`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FakeTurn {
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// The `structured_output` member of the result.
    pub structured_output: Option<Value>,
}

/// A fault that [`FakeScript::fault`] has no script for.
#[derive(Debug, thiserror::Error)]
#[error("there is no fault named {name:?}; the faults are {}", FakeScript::faults().join(", "))]
pub struct UnknownFault {
    /// The name that was asked for.
    pub name: String,
}

impl FakeScript {
    /// A script without turns: every prompt gets a short reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn.
    pub fn turn(mut self, turn: FakeTurn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Plays the last turn again for prompts beyond it.
    pub fn repeat_last(mut self) -> Self {
        self.repeat_last = true;
        self
    }

    /// Sets the answer to `initialize`.
    pub fn initialize(mut self, answer: InitializeAnswer) -> Self {
        self.initialize = answer;
        self
    }

    /// Ends by nothing less than SIGKILL.
    pub fn stubborn(mut self) -> Self {
        self.stubborn = true;
        self
    }

    /// The script as JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// The environment variable that hands this script to the program: its name and its value.
    pub fn env(&self) -> Result<(&'static str, String), serde_json::Error> {
        Ok(("FAKE_CLAUDE_SCRIPT", self.to_json()?))
    }

    /// Writes the script to a file, for hosts that clear the environment: `fake-claude.json`
    /// beside a link to the program.
    pub fn write(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        std::fs::write(path, self.to_json()?)
    }
}

impl FakeTurn {
    /// A turn without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step.
    pub fn step(mut self, step: impl Into<Step>) -> Self {
        self.steps.push(step.into());
        self
    }
}
