//! Commands from handles to the pump, and the state that handles read.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse, McpMessage};
use rusty_claw_protocol::messages::UserMessage;
use tokio::sync::oneshot;

use super::unread::TurnNumber;
use crate::error::SessionError;
use crate::session::end::{CloseReport, SessionEnd};
use crate::session::outcome::TurnOutcome;

/// A command from a handle to the pump.
pub(crate) enum Command {
    /// Send a control request.
    Request {
        id: Str,
        request: Box<ControlRequest>,
        reply: oneshot::Sender<Result<ControlResponse, SessionError>>,
    },
    /// Forward a message of an in-process MCP server. The response is ignored.
    Notify { message: Box<McpMessage> },
    /// Cancel a request: its caller no longer waits.
    Forget { id: Str },
    /// Send a prompt. `written` is notified once it is written.
    Prompt {
        id: Str,
        number: TurnNumber,
        message: Box<UserMessage>,
        outcome: oneshot::Sender<TurnOutcome>,
        written: oneshot::Sender<()>,
    },
    /// The session is initialized. From now on, dropping the last handle closes it.
    Ready,
    /// Get the end of the CLI's standard error.
    StderrTail { reply: oneshot::Sender<String> },
    /// Queue a line for the reader that the CLI did not print.
    Inject { raw: Bytes },
    Close {
        report: oneshot::Sender<CloseReport>,
    },
    /// Kills the process, without a graceful end.
    Kill {
        report: oneshot::Sender<CloseReport>,
    },
    /// Detach from the session, and leave it running.
    Detach {
        state: oneshot::Sender<Result<PumpState, SessionError>>,
    },
}

/// The state with which another pump can continue.
#[derive(Debug, Default)]
pub(crate) struct PumpState {
    /// The number of handled bytes of the CLI's output.
    pub(crate) offset: u64,
    pub(crate) open_turns: Vec<Str>,
    pub(crate) open_calls: Vec<(Str, ControlRequest)>,
    pub(crate) total_cost: Option<f64>,
    pub(crate) config_dir: Option<ConfigDir>,
}

/// The state of a session that handles can read without a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Status {
    /// The CLI's own id of the session; it can change.
    pub(crate) session_id: Option<Str>,
    /// Whether the CLI is idle: `None` until it reports that.
    pub(crate) idle: Option<bool>,
    pub(crate) background_tasks: usize,
    /// Number of prompts without an outcome.
    pub(crate) open_turns: usize,
    pub(crate) end: Option<Arc<SessionEnd>>,
}

/// The config folder of a CLI that continues after a detach.
#[derive(Debug, Clone)]
pub(crate) struct ConfigDir {
    pub(crate) path: PathBuf,
    /// Whether it was created for this session and must be removed when the CLI has ended.
    pub(crate) is_made: bool,
}
