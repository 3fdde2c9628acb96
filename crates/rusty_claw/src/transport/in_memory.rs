//! A CLI inside this program: for tests, and for hosts that hold the CLI elsewhere.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;

use super::connection::{Connection, Custody, Stop, Transport};
use super::exit::Exit;
use super::launch::Launch;
use super::pipe::{self, PipeReader, PipeWriter, Shared};
use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;

/// The host's side of an in-memory connection.
///
/// Each direction buffers up to 64 KiB, like a pipe, and almost nothing while it is empty.
///
/// ```
/// use rusty_claw::transport::{InMemory, Launch, Transport};
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (host, mut cli) = InMemory::pair();
/// let mut connection = Box::new(host).open(Launch::default()).await?;
///
/// cli.write_all(b"{\"type\":\"keep_alive\"}\n").await?;
/// let mut line = [0; 22];
/// connection.reader.read_exact(&mut line).await?;
/// assert_eq!(&line, b"{\"type\":\"keep_alive\"}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct InMemory {
    reader: PipeReader,
    writer: PipeWriter,
    fate: watch::Sender<Fate>,
}

/// The CLI's side: reads what the host writes, and the other way round.
///
/// Dropping it ends the CLI, like the exit of a process: the host's reads end after what was
/// written, its writes fail, and [`Custody::exited`] returns [`Exit::Unknown`], or the value that
/// was passed to [`InMemoryCli::exit`].
#[derive(Debug)]
pub struct InMemoryCli {
    reader: PipeReader,
    writer: PipeWriter,
    fate: watch::Sender<Fate>,
}

/// The state that both sides share.
#[derive(Debug, Default)]
struct Fate {
    launch: Option<Launch>,
    stop: Option<Stop>,
    exit: Option<Exit>,
}

impl InMemory {
    /// Creates the two sides of a connection.
    pub fn pair() -> (Self, InMemoryCli) {
        let (to_cli, from_host) = (pipe::pipe(), pipe::pipe());
        let (fate, _) = watch::channel(Fate::default());
        let host = Self {
            reader: from_host.0,
            writer: to_cli.1,
            fate: fate.clone(),
        };
        let cli = InMemoryCli {
            reader: to_cli.0,
            writer: from_host.1,
            fate,
        };
        (host, cli)
    }
}

impl Transport for InMemory {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        let Self {
            reader,
            writer,
            fate,
        } = *self;
        fate.send_modify(|fate| fate.launch = Some(launch));
        let custody = InMemoryCustody {
            pipes: [reader.shared(), writer.shared()],
            fate,
            released: false,
        };
        let connection = Connection {
            reader: Box::new(reader),
            writer: Box::new(writer),
            custody: Box::new(custody),
        };
        Box::pin(async { Ok(connection) })
    }
}

#[derive(Debug)]
struct InMemoryCustody {
    pipes: [Arc<Shared>; 2],
    fate: watch::Sender<Fate>,
    released: bool,
}

impl Custody for InMemoryCustody {
    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        let mut fate = self.fate.subscribe();
        Box::pin(async move {
            match fate.wait_for(|fate| fate.exit.is_some()).await {
                Ok(fate) => fate.exit.unwrap_or(Exit::Unknown),
                // Unreachable: this side holds a sender too.
                Err(_) => Exit::Unknown,
            }
        })
    }

    fn stop(&mut self, how: Stop) {
        self.fate.send_modify(|fate| {
            fate.stop = Some(how);
            if how == Stop::Kill && fate.exit.is_none() {
                fate.exit = Some(Exit::Signal(9));
            }
        });
        if how == Stop::Kill {
            for pipe in &self.pipes {
                pipe.close();
            }
        }
    }

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn release(&mut self) -> Result<(), SessionError> {
        self.released = true;
        Ok(())
    }
}

impl Drop for InMemoryCustody {
    fn drop(&mut self) {
        if !self.released {
            self.stop(Stop::Kill);
        }
    }
}

impl InMemoryCli {
    /// What the host would start the CLI with; `None` until it opens its side.
    pub fn launch(&self) -> Option<Launch> {
        self.fate.borrow().launch.clone()
    }

    /// Waits until the host stops the CLI, gracefully or by force.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn stopped(&self) -> Stop {
        let mut fate = self.fate.subscribe();
        let stopped = fate.wait_for(|fate| fate.stop.is_some()).await;
        stopped
            .ok()
            .and_then(|fate| fate.stop)
            .unwrap_or(Stop::Kill)
    }

    /// Ends the CLI with this exit.
    pub fn exit(self, exit: Exit) {
        self.fate.send_modify(|fate| {
            fate.exit.get_or_insert(exit);
        });
    }
}

impl Drop for InMemoryCli {
    fn drop(&mut self) {
        self.fate.send_modify(|fate| {
            fate.exit.get_or_insert(Exit::Unknown);
        });
    }
}

impl AsyncRead for InMemoryCli {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(context, buffer)
    }
}

impl AsyncWrite for InMemoryCli {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}
