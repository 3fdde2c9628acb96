//! A CLI at the other end of two streams.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

use super::connection::{Connection, Custody, Stop, Transport};
use super::exit::Exit;
use super::launch::Launch;
use crate::error::StartError;
use crate::future::BoxFuture;

/// A running CLI at the other end of two streams: a socket, an SSH channel, a container.
///
/// Only its output is known: its end is the end of its output, and it can only be stopped by
/// closing its input, which dropping the connection does.
pub struct Streams<R, W> {
    reader: R,
    writer: W,
}

impl<R, W> Streams<R, W> {
    /// Reads the CLI's output from `reader`, and writes its input to `writer`.
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer }
    }
}

impl<R, W> fmt::Debug for Streams<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams").finish_non_exhaustive()
    }
}

impl<R, W> Transport for Streams<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn open(
        self: Box<Self>,
        _launch: Launch,
    ) -> BoxFuture<'static, Result<Connection, StartError>> {
        let connection = Connection {
            reader: Box::new(self.reader),
            writer: Box::new(self.writer),
            custody: Box::new(NobodysCustody),
        };
        Box::pin(async { Ok(connection) })
    }
}

/// The custody of a CLI that can be neither watched nor stopped.
#[derive(Debug)]
struct NobodysCustody;

impl Custody for NobodysCustody {
    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        Box::pin(std::future::pending())
    }

    fn stop(&mut self, _how: Stop) {}

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
