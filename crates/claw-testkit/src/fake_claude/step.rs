//! The things that can happen in a turn.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that happens in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// An `assistant` line with this text.
    Text(String),
    /// A line: a JSON value, or a string that is printed as it is.
    Line(Value),
    /// Bytes, without a newline at the end, in one piece: no answer comes in between.
    Raw(Vec<Piece>),
    /// Many messages.
    Flood(Flood),
    /// The lines of a recording.
    Replay(Replay),
    /// A pause. An interrupt ends it.
    SleepMs(u64),
    /// This text on stderr.
    Stderr(String),
    /// This many bytes on stderr, in lines.
    StderrBytes(u64),
    /// A tool call that asks for permission.
    Permission(Permission),
    /// Calls the hooks that `initialize` announced for an event.
    Hook(Hook),
    /// A tool call to a server in the host's process.
    Mcp(McpCall),
    /// A question that an MCP server asks the user.
    Elicitation(Elicitation),
    /// Exits with this code, without a result.
    Exit(i32),
    /// Ends by this signal, such as 9.
    Kill(i32),
    /// Prints nothing more in this turn. Interrupts and the end of stdin still end it, unless the
    /// script ignores them.
    Hang,
    /// Work that continues after the result.
    Background(Background),
}

impl Step {
    /// An `assistant` line with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// A piece of raw output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Piece {
    /// Text; `$session_id` and the like are replaced.
    Text(String),
    /// Bytes in hexadecimal.
    Hex(String),
}

/// Many messages, each numbered in its text (`message 17 of 3000`) and with an id of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Flood {
    /// How many.
    pub count: u64,
    /// The text's length in bytes, at least its number.
    pub bytes: u64,
    /// How many a second; 0 is as fast as the reader reads.
    pub per_second: u64,
    /// Of which kind.
    pub kind: FloodKind,
}

/// What a flood consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FloodKind {
    /// `assistant` lines.
    #[default]
    Text,
    /// `stream_event` lines with text deltas, and the events around them.
    Delta,
    /// `user` lines with tool results.
    ToolResult,
    /// Messages that are streamed: each is four text deltas and then an `assistant` line with the
    /// whole text. All five count, and their text contains the time at which they were written:
    /// see [`Flood::written_at`].
    Streamed,
}

impl Flood {
    /// The member of a streamed flood's `assistant` lines that has the time.
    pub const WRITTEN: &str = "written_ns";

    /// A number of short `assistant` lines, as fast as they are read.
    pub fn new(count: u64) -> Self {
        Self {
            count,
            ..Self::default()
        }
    }

    /// The text's length.
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// How many a second.
    pub fn per_second(mut self, per_second: u64) -> Self {
        self.per_second = per_second;
        self
    }

    /// Of which kind.
    pub fn kind(mut self, kind: FloodKind) -> Self {
        self.kind = kind;
        self
    }

    /// Returns the times in a piece of a [`FloodKind::Streamed`] flood, in nanoseconds of the
    /// monotonic clock: of its `assistant` lines if there are any, otherwise of its deltas.
    pub fn written_at(piece: &str) -> impl Iterator<Item = u64> {
        let mark = if piece.contains(Self::WRITTEN) {
            Self::WRITTEN
        } else {
            DELTA_WRITTEN
        };
        piece.split(mark).skip(1).filter_map(|rest| {
            // The line may be quoted, and its quotes escaped.
            let start = rest.find(|c: char| c.is_ascii_digit())?;
            let digits = &rest[start..];
            let end = digits.find(|c: char| !c.is_ascii_digit());
            digits[..end.unwrap_or(digits.len())].parse().ok()
        })
    }
}

/// What the time of a delta follows.
pub(super) const DELTA_WRITTEN: &str = "delta@";

/// The lines of a recorded stdout, such as `testdata/cli/*/text_basic/stdout.ndjson`.
///
/// Control frames are left out: they answer a host that is not there any more.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Replay {
    /// The file; a relative path starts at the script's folder.
    pub file: PathBuf,
    /// How often; 0 is once.
    pub times: u64,
}

/// A tool call that asks for permission with `can_use_tool` and applies the answer.
///
/// Without `--permission-prompt-tool stdio` it is denied at once, as in the CLI.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Permission {
    /// The tool's name; `Bash` when empty.
    pub tool: String,
    /// The tool's input.
    pub input: Value,
    /// Appends the answer to this file, one line of JSON each.
    pub record: Option<PathBuf>,
}

impl Permission {
    /// A request to run a tool with this input.
    pub fn new(tool: impl Into<String>, input: Value) -> Self {
        Self {
            tool: tool.into(),
            input,
            ..Self::default()
        }
    }

    /// Appends the answer to a file.
    pub fn record(mut self, path: impl Into<PathBuf>) -> Self {
        self.record = Some(path.into());
        self
    }
}

/// Calls the hooks of an event, one after the other. An event without hooks calls nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hook {
    /// The event, such as `PreToolUse`.
    pub event: String,
    /// More members of the hook's input. A `tool_name` chooses among matchers.
    pub input: Value,
}

/// A tool call to a server in the host's process, with the handshake before the first one unless
/// `initialize` carried a manifest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpCall {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The tool's arguments.
    pub arguments: Value,
}

/// A question that an MCP server asks the user through the host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Elicitation {
    /// The server's name.
    pub server: String,
    /// What it asks.
    pub message: String,
    /// The form's schema.
    pub schema: Option<Value>,
}

/// Work in the background: the turn ends, and later a notification and a turn without a prompt
/// follow. The process lives at least that long.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Background {
    /// What the task is called.
    pub description: String,
    /// When it ends, counted from its start.
    pub after_ms: u64,
    /// The text of that turn.
    pub text: String,
}

macro_rules! steps_from {
    ($($type:ident => $variant:ident),+) => {
        $(impl From<$type> for Step {
            fn from(step: $type) -> Self {
                Self::$variant(step)
            }
        })+
    };
}

steps_from!(
    Flood => Flood, Replay => Replay, Permission => Permission, Hook => Hook, McpCall => Mcp,
    Elicitation => Elicitation, Background => Background
);
