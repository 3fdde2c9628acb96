//! A scripted Anthropic Messages API on loopback, and a stand-in for the CLI.
//!
//! [`ScriptedApi`] answers an agent's requests as a test decides: queue one [`Turn`] for each
//! request you expect,
//! point the agent's base URL at [`ScriptedApi::uri`], and ask [`ScriptedApi::finish`] at the end
//! whether the conversation went as written.
//!
//! ```
//! use claw_testkit::{ScriptedApi, Turn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let api = ScriptedApi::start().await?;
//! api.turn(Turn::text("Let me look.").tool_use("toolu_1", "Bash", serde_json::json!({"command": "ls"})))
//!     .turn(Turn::text("There are two files."));
//! // ... start the agent with ANTHROPIC_BASE_URL = api.uri(), let it work ...
//! # assert_eq!(api.remaining(), 2);
//! assert!(api.finish().is_err(), "no request came, so two turns are unused");
//! # Ok(())
//! # }
//! ```
//!
//! Nothing in it is random or reads the clock: the same script gives the same bytes.
//!
//! The other half is [`fake_claude`]: a program that stands in for the CLI itself, for faults and
//! load. [`real_cli`] is for tests on the real CLI, [`recordings`] for its recorded lines, `nats` for
//! tests on real NATS servers, and [`figure`] for what they measure.

pub mod corpus;
pub mod fake_claude;
pub mod figure;
pub mod fixture;
#[cfg(unix)]
pub mod nats;
pub mod processes;
pub mod real_cli;
pub mod recordings;

mod api;
mod block;
mod body;
mod calendar;
mod capture;
mod dice;
mod lenient_json;
mod matching;
mod plan;
mod script;
mod serve;
mod sse;
mod state;
mod turn;
mod unfinished;
mod usage;

pub use api::{ApiOptions, ScriptedApi};
pub use capture::{AnsweredBy, ApiRequest};
pub use dice::Dice;
pub use fake_claude::{
    Background, ControlAnswers, Elicitation, FakeClaudeMissing, FakeScript, FakeTurn, Flood,
    FloodKind, Hook, InitializeAnswer, McpCall, Permission, Piece, Replay, Step, UnknownFault,
    fake_claude_path,
};
pub use matching::Match;
pub use script::{Script, ScriptError};
pub use turn::Turn;
pub use unfinished::{DryRequest, Unfinished};
