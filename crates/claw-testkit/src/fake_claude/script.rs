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
    /// Sleeps this long before anything else, like a slow start.
    pub start_delay_ms: u64,
    /// Exits with this code before reading anything.
    pub exit_at_start: Option<i32>,
    /// Lives on after SIGTERM, SIGHUP and SIGINT.
    pub ignore_sigterm: bool,
    /// Lives on after the end of stdin.
    pub ignore_eof: bool,
    /// Answers `end_session` but lives on.
    pub ignore_end_session: bool,
    /// Answers `interrupt` but lets the turn go on.
    pub ignore_interrupt: bool,
    /// Stops reading stdin after this many lines.
    pub read_lines: Option<u64>,
    /// Runs each queued prompt in its own turn; the CLI joins them.
    pub separate_turns: bool,
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
    /// After this many milliseconds.
    LateMs(u64),
    /// With an error of this text.
    Error(String),
}

/// How control requests other than `initialize` and `end_session` are answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlAnswers {
    /// Every answer comes this late.
    pub delay_ms: u64,
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
    /// How the turn ends.
    pub result: FakeResult,
    /// Prints only what the steps print: no life cycle, no `system/init`, no `result`.
    pub bare: bool,
}

/// How a turn ends. The default is a success whose text is the last text that was printed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FakeResult {
    /// The `result` text.
    pub text: Option<String>,
    /// Ends the turn as an API error: `subtype` success, `is_error` true.
    pub is_error: bool,
    /// Another subtype, such as `error_max_turns`; it makes the result an error.
    pub subtype: Option<String>,
    /// The dollars that this turn costs.
    pub cost_usd: Option<f64>,
    /// The `structured_output` member.
    pub structured_output: Option<Value>,
    /// Prints no result at all.
    pub missing: bool,
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

    /// Ends by nothing less than SIGKILL: signals, the end of stdin and `end_session` do nothing.
    pub fn stubborn(mut self) -> Self {
        self.ignore_sigterm = true;
        self.ignore_eof = true;
        self.ignore_end_session = true;
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

    /// Sets the end of the turn.
    pub fn result(mut self, result: FakeResult) -> Self {
        self.result = result;
        self
    }

    /// Leaves out the frame: only the steps print.
    pub fn bare(mut self) -> Self {
        self.bare = true;
        self
    }
}
