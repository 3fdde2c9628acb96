//! Keeps a CLI running while hosts come and go: its pipes, and everything it has printed.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use rusty_claw::transport::{ChildProcess, Connection, Custody, Exit, Launch, Streams, Transport};
use rusty_claw::{BoxFuture, StartError};
use serde_json::Value;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, mpsc, watch};

use crate::stage::lines;

/// Owns one CLI.
pub(super) struct Holder {
    /// Not the runtime of a host, which may end.
    runtime: Handle,
    output: Mutex<Vec<u8>>,
    grown: watch::Sender<usize>,
    held: OnceCell<Held>,
}

struct Held {
    input: mpsc::UnboundedSender<Vec<u8>>,
    custody: tokio::sync::Mutex<Box<dyn Custody>>,
}

impl Holder {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            runtime: Handle::current(),
            output: Mutex::default(),
            grown: watch::Sender::new(0),
            held: OnceCell::new(),
        })
    }

    /// A transport to the CLI, from this byte of its output on. The first one starts it.
    pub(super) fn connect(self: &Arc<Self>, offset: u64) -> ToHolder {
        ToHolder {
            holder: Arc::clone(self),
            offset,
        }
    }

    /// Number of bytes that the CLI has printed.
    pub(super) fn printed(&self) -> usize {
        *self.grown.borrow()
    }

    /// The lines that the CLI has printed.
    pub(super) fn lines(&self) -> Vec<Value> {
        lines(&self.output.lock().unwrap())
    }

    /// Waits until the CLI has ended.
    pub(super) async fn exited(&self) -> Result<Exit> {
        let held = self.held.get().context("no CLI was started")?;
        Ok(held.custody.lock().await.exited().await)
    }

    /// Starts the CLI, if it is not running.
    async fn start(self: &Arc<Self>, launch: Launch) -> Result<(), StartError> {
        let holder = Arc::clone(self);
        // On the runtime of the holder: the pipes would end with that of the caller.
        let started = self.runtime.spawn(async move {
            let start = async || {
                let connection = Box::new(ChildProcess::new()).open(launch).await?;
                let (input, inputs) = mpsc::unbounded_channel();
                tokio::spawn(write_all(connection.writer, inputs));
                tokio::spawn(Arc::clone(&holder).store(connection.reader));
                Ok(Held {
                    input,
                    custody: tokio::sync::Mutex::new(connection.custody),
                })
            };
            holder.held.get_or_try_init(start).await.map(|_| ())
        });
        started.await.unwrap_or_else(|error| {
            Err(StartError::Io {
                what: "the holder panicked".to_owned(),
                source: std::io::Error::other(error),
            })
        })
    }

    async fn store(self: Arc<Self>, mut reader: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = reader.read(&mut buffer).await {
            let total = {
                let mut output = self.output.lock().unwrap();
                output.extend_from_slice(&buffer[..length]);
                output.len()
            };
            self.grown.send_replace(total);
        }
    }

    /// Sends a host all output from a byte on, until the host is gone.
    async fn send_output(self: Arc<Self>, mut host: WriteHalf<DuplexStream>, mut at: usize) {
        let mut grown = self.grown.subscribe();
        while grown.wait_for(|total| *total > at).await.is_ok() {
            let new = self.output.lock().unwrap()[at..].to_vec();
            at += new.len();
            if host.write_all(&new).await.is_err() {
                return;
            }
        }
    }

    /// Forwards the input of a host until the host is gone. The CLI's input stays open.
    async fn forward_input(self: Arc<Self>, mut host: ReadHalf<DuplexStream>) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = host.read(&mut buffer).await {
            if let Some(held) = self.held.get() {
                let _ = held.input.send(buffer[..length].to_vec());
            }
        }
    }
}

async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut inputs: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    while let Some(input) = inputs.recv().await {
        if writer.write_all(&input).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

/// A transport to the CLI of a holder.
pub(super) struct ToHolder {
    holder: Arc<Holder>,
    offset: u64,
}

impl Transport for ToHolder {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(async move {
            let Self { holder, offset } = *self;
            holder.start(launch.clone()).await?;
            let (host, held) = tokio::io::duplex(64 << 10);
            let (from_host, to_host) = tokio::io::split(held);
            let at = usize::try_from(offset).unwrap_or(usize::MAX);
            holder
                .runtime
                .spawn(Arc::clone(&holder).send_output(to_host, at));
            holder
                .runtime
                .spawn(Arc::clone(&holder).forward_input(from_host));
            let (reader, writer) = tokio::io::split(host);
            Box::new(Streams::new(reader, writer)).open(launch).await
        })
    }
}
