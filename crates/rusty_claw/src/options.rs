//! How a session is to be.

use std::time::Duration;

use rusty_claw_protocol::control::InitializeRequest;

use crate::error::StartError;
use crate::host::Host;
use crate::transport::Launch;

/// How a session is to be: what the CLI is started with, what is served to it, and how long
/// things may take.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(crate) host: Host,
    pub(crate) limits: Limits,
}

/// How long things may take, and how much may pile up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits {
    /// From the start to the reply to `initialize`.
    pub(crate) start: Duration,
    /// From a control request to its reply.
    pub(crate) control: Duration,
    /// Without a byte from the CLI while a turn runs and the CLI waits for nobody.
    pub(crate) idle: Option<Duration>,
    /// From a prompt to its outcome.
    pub(crate) turn: Option<Duration>,
    /// Each step of the way from a friendly goodbye to a kill.
    pub(crate) ladder: Ladder,
    /// Unread messages kept in memory, in bytes; what is beyond goes to a file.
    pub(crate) unread_in_memory: usize,
    /// Unread messages kept in the file, in bytes; beyond it the CLI's output is left unread.
    pub(crate) unread_in_file: u64,
    /// The longest line that is kept whole; none when absent.
    pub(crate) line: Option<usize>,
}

/// How long each step of the way from a friendly goodbye to a kill may take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ladder {
    /// After `end_session`.
    pub(crate) end_session: Duration,
    /// After its input was closed.
    pub(crate) end_of_input: Duration,
    /// After SIGTERM.
    pub(crate) terminate: Duration,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            end_session: Duration::from_secs(2),
            end_of_input: Duration::from_secs(1),
            terminate: Duration::from_millis(1500),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            control: Duration::from_secs(60),
            idle: Some(Duration::from_secs(15 * 60)),
            turn: None,
            ladder: Ladder::default(),
            unread_in_memory: 4 << 20,
            unread_in_file: 1 << 30,
            line: None,
        }
    }
}

impl Options {
    /// The usual: the CLI's own defaults, nothing served, everything that asks denied.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the CLI is started with.
    pub(crate) fn launch(&self) -> Result<Launch, StartError> {
        Ok(Launch::default())
    }

    /// Whether the conversation began earlier.
    pub(crate) fn resumes(&self) -> bool {
        false
    }

    /// What is said first.
    pub(crate) fn initialize(&self) -> InitializeRequest {
        let mut initialize = InitializeRequest::default();
        self.host.declare(&mut initialize);
        initialize
    }
}
