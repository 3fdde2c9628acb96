//! A stand-in for the `claude` program, for faults and load.
//!
//! `fake-claude` behaves like the CLI at its pipes: it takes the CLI's flags, answers control
//! requests, prints turns, keeps session files, and ends like the CLI does. Its output
//! and faults are defined by a [`FakeScript`].
//!
//! It is small on purpose (no runtime, no more than 3 MB resident, lines of any size streamed), so
//! that hundreds of them fit on one machine.
//!
//! ```
//! use claw_testkit::{FakeScript, FakeTurn, Flood, Permission, Step};
//! use serde_json::json;
//!
//! let script = FakeScript::new()
//!     .turn(
//!         FakeTurn::new()
//!             .step(Step::text("Let me look."))
//!             .step(Permission::new("Bash", json!({"command": "ls"})).record("answers.ndjson"))
//!             .step(Flood::new(1_000).bytes(200).per_second(500)),
//!     )
//!     .turn(FakeTurn::new().step(Step::Exit(1)));
//! // Pass it in the environment as text, or write it to a file and pass the path:
//! let (name, value) = script.env()?;
//! assert_eq!(name, "FAKE_CLAUDE_SCRIPT");
//! # let _ = value;
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Where the script comes from
//!
//! 1. the environment variable `FAKE_CLAUDE_SCRIPT`: a path, or the JSON itself when it starts
//!    with `{`;
//! 2. else the file `fake-claude.json` beside the program, or beside the link it was started by:
//!    hosts that clear the environment are reached this way;
//! 3. else one short reply to every prompt.
//!
//! [`FakeScript::fault`] returns the scripts of named faults.
//!
//! # What a script looks like
//!
//! ```
//! # let text = r#"
//! {
//!   "turns": [
//!     {"steps": [{"text": "Turn $turn, you said: $prompt"}]},
//!     {"steps": [{"flood": {"count": 3000, "bytes": 200, "kind": "delta"}},
//!                {"sleep_ms": 100},
//!                {"line": {"type": "from_the_future", "session_id": "$session_id"}},
//!                {"raw": [{"text": "{\"a\":\""}, {"hex": "ff00"}, {"text": "\"}\n"}]},
//!                "hang"]}
//!   ],
//!   "initialize": {"error": "not today"},
//!   "stubborn": true
//! }
//! # "#;
//! # let script: claw_testkit::FakeScript = serde_json::from_str(text)?;
//! # assert_eq!(script.turns.len(), 2);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Prompts beyond the last turn get the short reply, or the last turn again with `repeat_last`.
//! In texts and lines `$session_id`, `$uuid` (a new one each), `$prompt`, `$turn` (this turn's
//! number in the session, earlier processes included) and `$pid` are replaced.
//!
//! # What it does as the CLI does
//!
//! An unknown flag is refused unless the script's `any_flag` is set. A
//! line on stdin that is not JSON ends it with 1, the end of stdin ends it when the turn is over
//! and nothing runs in the background, `end_session` at once, SIGTERM with 143, SIGHUP with 129.
//! SIGINT ends it with 0 (the CLI prints the interrupted turn's result first; this one does not).
//! A resume asks again for a parked call, and the turn ends after it.
//! Prompts that wait behind a running turn become one turn. An interrupt is answered before
//! whatever output is still to be written.

mod faults;
mod locate;
#[cfg(unix)]
mod program;
mod script;
mod step;

pub use locate::{FakeClaudeMissing, fake_claude_path};
pub use script::{ControlAnswers, FakeScript, FakeTurn, InitializeAnswer, UnknownFault};
pub use step::{
    Background, Elicitation, Flood, FloodKind, Hook, McpCall, Permission, Piece, Replay, Step,
};

/// Runs the program with this process's arguments, environment and pipes.
#[cfg(unix)]
pub fn main() -> std::process::ExitCode {
    program::main()
}

/// Prints that the program needs Unix.
#[cfg(not(unix))]
pub fn main() -> std::process::ExitCode {
    eprintln!("fake-claude runs on Unix only");
    std::process::ExitCode::FAILURE
}
