//! The runtime behind the blocking functions.

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::error::{SessionError, StartError};

/// A runtime on background threads. It shuts down when this value is dropped.
#[derive(Debug)]
pub(super) struct Background {
    runtime: Handle,
    /// Dropping it ends the thread.
    _stop: oneshot::Sender<()>,
}

/// A blocking function was called inside an async runtime.
#[derive(Debug)]
pub(super) struct InAsync;

impl Background {
    pub(super) fn start() -> Result<Self, StartError> {
        if Handle::try_current().is_ok() {
            return Err(InAsync.at_start());
        }
        let cannot = |source| StartError::Io {
            what: "the thread behind the blocking functions could not be started".to_owned(),
            source,
        };
        // Two threads, so that timers run while a callback of a script blocks one of them.
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("rusty_claw")
            .enable_all()
            .build()
            .map_err(cannot)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::Builder::new()
            .name("rusty_claw".to_owned())
            .spawn(move || {
                // Resolves with an error when the sender is dropped.
                let _ = runtime.block_on(stopped);
            })
            .map_err(cannot)?;
        Ok(Self {
            runtime: handle,
            _stop: stop,
        })
    }

    pub(super) fn wait<F: Future>(&self, future: F) -> Result<F::Output, InAsync> {
        if Handle::try_current().is_ok() {
            return Err(InAsync);
        }
        Ok(self.runtime.block_on(future))
    }
}

impl InAsync {
    pub(super) fn at_start(self) -> StartError {
        StartError::InsideAsync
    }

    pub(super) fn later(self) -> SessionError {
        SessionError::InsideAsync
    }
}
