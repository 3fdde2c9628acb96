//! The CLI as a child process, with a copy of everything it prints.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use rusty_claw::transport::{ChildProcess, Connection, Launch, Transport};
use rusty_claw::{BoxFuture, StartError};
use serde_json::Value;
use tokio::io::{AsyncRead, ReadBuf};

/// What a CLI has printed.
#[derive(Clone, Default)]
pub(crate) struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    /// Its lines, control frames among them.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = bytes.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }
}

/// Starts the CLI and copies what it prints.
#[derive(Default)]
pub(crate) struct Tap {
    pub(crate) printed: Printed,
}

impl Transport for Tap {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(async move {
            let mut connection = Box::new(ChildProcess::new()).open(launch).await?;
            connection.reader = Box::new(Copying {
                reader: connection.reader,
                printed: self.printed,
            });
            Ok(connection)
        })
    }
}

struct Copying {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    printed: Printed,
}

impl AsyncRead for Copying {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(cx, buffer))?;
        let new = buffer.filled().get(before..).unwrap_or_default();
        let mut printed = self
            .printed
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        printed.extend_from_slice(new);
        Poll::Ready(Ok(()))
    }
}
