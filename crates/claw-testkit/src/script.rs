//! Script files: the same turns, written as JSON.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::block::Pieces;
use crate::turn::{Turn, from_ms};

/// A conversation in a file.
///
/// ```
/// let script: claw_testkit::Script = serde_json::from_str(r#"{
///   "description": "A tool call, an overloaded moment, an answer; titles on the side.",
///   "defaults": {"pieces": {"chunk_chars": 12}},
///   "turns": [
///     {"content": [
///        {"type": "thinking", "thinking": "I should look.", "signature": "c2ln"},
///        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}]},
///     {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"},
///      "headers": {"retry-after": "1"}},
///     {"text": "Two files.", "usage": {"input": 1200, "output": 8, "cache_read": 900}},
///     {"text": "Files", "when": {"has_tools": false}, "always": true}
///   ],
///   "fallback": {"text": "Nothing more to say."}
/// }"#)?;
/// assert_eq!(script.turns.len(), 4);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// What the script is for.
    pub description: String,
    /// Settings for the turns without their own.
    defaults: Defaults,
    /// The turns in order.
    pub turns: Vec<Turn>,
    /// Answers whatever no turn answers, so that the script never runs dry.
    fallback: Option<Turn>,
    /// Uses the last turn without a rule as the fallback.
    pub repeat_last: bool,
}

/// Settings for the turns of a script without their own.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Defaults {
    pieces: Option<Pieces>,
    model: Option<String>,
    #[serde(rename = "delay_ms", deserialize_with = "from_ms")]
    delay: Duration,
    #[serde(rename = "delay_between_ms", deserialize_with = "from_ms")]
    delay_between: Duration,
}

impl Defaults {
    fn apply(&self, turn: &mut Turn) {
        let spec = &mut turn.spec;
        spec.pieces = spec.pieces.take().or_else(|| self.pieces.clone());
        spec.model = spec.model.take().or_else(|| self.model.clone());
        if spec.delay.is_zero() {
            spec.delay = self.delay;
        }
        if spec.delay_between.is_zero() {
            spec.delay_between = self.delay_between;
        }
    }
}

/// A script file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file is not there or not readable.
    #[error("cannot read the script {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not a script.
    #[error("{path} is not a script; fix the place named below, or see `scripted-api --help`")]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        source: serde_json::Error,
    },
}

impl Script {
    /// Reads a script file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| ScriptError::Read {
            path: path.to_owned(),
            source,
        })?;
        serde_json::from_slice(&bytes).map_err(|source| ScriptError::Parse {
            path: path.to_owned(),
            source,
        })
    }

    /// The turns with the defaults filled in, and the fallback.
    pub(crate) fn into_turns(self) -> (Vec<Turn>, Option<Turn>) {
        let Self {
            defaults,
            mut turns,
            mut fallback,
            repeat_last,
            ..
        } = self;
        for turn in turns.iter_mut().chain(&mut fallback) {
            defaults.apply(turn);
        }
        if repeat_last && fallback.is_none() {
            fallback = turns
                .iter()
                .rev()
                .find(|turn| !turn.is_conditional())
                .cloned();
        }
        (turns, fallback)
    }
}
