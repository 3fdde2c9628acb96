//! Something that holds a CLI while hosts come and go: its pipes, and everything it has printed.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rusty_claw::transport::{ChildProcess, Connection, Custody, Exit, Launch, Streams, Transport};
use rusty_claw::{BoxFuture, StartError};
use serde_json::Value;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, mpsc, watch};

/// Holds one CLI.
pub(crate) struct Holder {
    /// Where it lives: a host may die with a runtime of its own.
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
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            runtime: Handle::current(),
            output: Mutex::default(),
            grown: watch::Sender::new(0),
            held: OnceCell::new(),
        })
    }

    /// A way to the CLI, from this byte of its output on. The first starts it.
    pub(crate) fn connect(self: &Arc<Self>, offset: u64) -> ToHolder {
        ToHolder {
            holder: Arc::clone(self),
            offset,
        }
    }

    /// How much the CLI has printed.
    pub(crate) fn printed(&self) -> usize {
        *self.grown.borrow()
    }

    /// Everything that the CLI has printed, by lines.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = output.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }

    /// Waits until the CLI has ended.
    pub(crate) async fn exited(&self) -> Result<Exit> {
        let held = self.held.get().context("no CLI was started")?;
        Ok(held.custody.lock().await.exited().await)
    }

    /// Starts the CLI, if nobody has.
    async fn start(self: &Arc<Self>, launch: Launch) -> Result<(), StartError> {
        let holder = Arc::clone(self);
        // Not where the caller lives, with whom its pipes would go.
        let started = self.runtime.spawn(async move {
            let start = async || {
                let connection = Box::new(ChildProcess::new()).open(launch).await?;
                let (input, inputs) = mpsc::unbounded_channel();
                tokio::spawn(write_all(connection.writer, inputs));
                tokio::spawn(Arc::clone(&holder).keep(connection.reader));
                Ok(Held {
                    input,
                    custody: tokio::sync::Mutex::new(connection.custody),
                })
            };
            holder.held.get_or_try_init(start).await.map(|_| ())
        });
        started.await.unwrap_or_else(|error| {
            Err(StartError::Io {
                what: "the holder broke down".to_owned(),
                source: std::io::Error::other(error),
            })
        })
    }

    async fn keep(self: Arc<Self>, mut reader: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = reader.read(&mut buffer).await {
            let new = buffer.get(..length).unwrap_or_default();
            let total = {
                let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
                output.extend_from_slice(new);
                output.len()
            };
            self.grown.send_replace(total);
        }
    }

    /// Gives a host all output from a byte on, as long as it is there.
    async fn give(self: Arc<Self>, mut host: WriteHalf<DuplexStream>, mut at: usize) {
        let mut grown = self.grown.subscribe();
        while grown.wait_for(|total| *total > at).await.is_ok() {
            let new = {
                let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
                output.get(at..).unwrap_or_default().to_vec()
            };
            at += new.len();
            if host.write_all(&new).await.is_err() {
                return;
            }
        }
    }

    /// Takes what a host says, until it goes. The CLI's input stays open.
    async fn take(self: Arc<Self>, mut host: ReadHalf<DuplexStream>) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = host.read(&mut buffer).await {
            let said = buffer.get(..length).unwrap_or_default().to_vec();
            if let Some(held) = self.held.get() {
                let _ = held.input.send(said);
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

/// A way to a CLI that is held.
pub(crate) struct ToHolder {
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
            holder.runtime.spawn(Arc::clone(&holder).give(to_host, at));
            holder.runtime.spawn(Arc::clone(&holder).take(from_host));
            let (reader, writer) = tokio::io::split(host);
            Box::new(Streams::new(reader, writer)).open(launch).await
        })
    }
}
