//! The server as a test sees it.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::capture::ApiRequest;
use crate::script::Script;
use crate::serve;
use crate::state::State;
use crate::turn::Turn;
use crate::unfinished::Unfinished;

/// How a server is started. By default on a free port, with all requests kept in memory.
#[derive(Debug, Clone, Default)]
pub struct ApiOptions {
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Writes every request to this file as a line of JSON. An existing file is replaced.
    pub capture: Option<PathBuf>,
    /// Drops requests once they are answered, for load tests that would fill the memory.
    pub forgets_requests: bool,
}

/// A Messages API on loopback that answers with scripted turns.
///
/// It serves until it is dropped, and must be started inside a tokio runtime with timers and I/O.
#[derive(Debug)]
pub struct ScriptedApi {
    address: SocketAddr,
    state: Arc<State>,
    task: AbortHandle,
}

impl ScriptedApi {
    /// Starts a server on a free port of 127.0.0.1.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(ApiOptions::default()).await
    }

    /// Starts a server with options.
    pub async fn start_with(options: ApiOptions) -> io::Result<Self> {
        let capture = options.capture.map(File::create).transpose()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::new(!options.forgets_requests, capture));
        let task = tokio::spawn(serve::accept_all(listener, Arc::clone(&state))).abort_handle();
        Ok(Self {
            address,
            state,
            task,
        })
    }

    /// The base URL, without a slash at the end: the value for `ANTHROPIC_BASE_URL`.
    pub fn uri(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Queues the next answer.
    pub fn turn(&self, turn: Turn) -> &Self {
        self.state.queue(turn);
        self
    }

    /// Queues all turns of a script, and takes over its fallback if it has one.
    pub fn script(&self, script: Script) -> &Self {
        let (turns, fallback) = script.into_turns();
        for turn in turns {
            self.state.queue(turn);
        }
        if let Some(turn) = fallback {
            self.state.set_fallback(turn);
        }
        self
    }

    /// Answers every message request for which no turn is left, so that it never runs dry.
    pub fn fallback(&self, turn: Turn) -> &Self {
        self.state.set_fallback(turn);
        self
    }

    /// The requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<ApiRequest> {
        self.state.requests()
    }

    /// Waits until this many requests have arrived in total (answered or not).
    pub async fn arrived(&self, count: usize) {
        let mut arrivals = self.state.arrivals();
        // The sender lives in the state that we hold, so this only returns when it is true.
        let _ = arrivals.wait_for(|arrived| *arrived >= count).await;
    }

    /// How many turns have not been asked for yet; those that answer always do not count.
    pub fn remaining(&self) -> usize {
        self.state.remaining()
    }

    /// Whether the requests and the script came out even.
    pub fn finish(&self) -> Result<(), Unfinished> {
        self.state.verdict()
    }
}

impl Drop for ScriptedApi {
    fn drop(&mut self) {
        self.task.abort();
    }
}
