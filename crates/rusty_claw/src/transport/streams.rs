//! A CLI at the other end of any two streams.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Connection, Custody, Exit, Launch, Stop, Transport};
use crate::error::StartError;
use crate::future::BoxFuture;

/// A CLI that runs already, at the other end of two streams: a socket, an SSH channel, a container.
///
/// Nothing is known of it but what it says: its end is the end of its output, and all that can be
/// done to stop it is to close its input, which dropping the connection does.
pub struct Streams<R, W> {
    reader: R,
    writer: W,
}

impl<R, W> Streams<R, W> {
    /// `reader` gives what the CLI prints, `writer` takes what it reads.
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

/// Of what is at the other end of a stream nobody here can tell, and nobody can stop it.
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
