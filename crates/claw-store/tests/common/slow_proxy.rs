//! A TCP proxy that is as slow as a bad network.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_testkit::Dice;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How slow a proxy is, in each direction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slowness {
    /// The shortest delay.
    pub(crate) delay: Duration,
    /// The delay is up to this much longer, at random.
    pub(crate) jitter: Duration,
    /// How many of a thousand pieces are stalled, and those behind them with them.
    pub(crate) stalls_per_mille: u64,
    /// The length of a stall.
    pub(crate) stall: Duration,
    /// The bandwidth of each connection. Zero is no limit.
    pub(crate) bytes_per_second: u64,
}

/// A proxy that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct SlowProxy {
    address: SocketAddr,
    slowness: Arc<Mutex<Slowness>>,
    task: JoinHandle<()>,
}

impl SlowProxy {
    /// Starts a proxy on loopback for connections to a target. Order is kept, and nothing is lost.
    pub(crate) async fn start(
        target: SocketAddr,
        slowness: Slowness,
        seed: u64,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let slowness = Arc::new(Mutex::new(slowness));
        let task = tokio::spawn(accept(listener, target, slowness.clone(), Dice::new(seed)));
        Ok(Self {
            address,
            slowness,
            task,
        })
    }

    /// Returns the address for clients.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes how slow the proxy is, also for connections that are open.
    pub(crate) fn set(&self, slowness: Slowness) {
        *self.slowness.lock().unwrap() = slowness;
    }
}

impl Drop for SlowProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(
    listener: TcpListener,
    target: SocketAddr,
    slowness: Arc<Mutex<Slowness>>,
    mut dice: Dice,
) {
    // The connections end with the proxy.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = TcpStream::connect(target).await else {
            continue;
        };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        for (from, to) in [(from_client, to_server), (from_server, to_client)] {
            let dice = Dice::new(dice.number());
            let (sender, pieces) = mpsc::channel(64);
            connections.spawn(receive(from, sender, slowness.clone(), dice));
            connections.spawn(send(pieces, to));
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Reads pieces and schedules them.
async fn receive(
    mut from: OwnedReadHalf,
    sender: mpsc::Sender<(Instant, Vec<u8>)>,
    slowness: Arc<Mutex<Slowness>>,
    mut dice: Dice,
) {
    let mut due = Instant::now();
    let mut buffer = vec![0; 16 * 1024];
    // The connection ends when one of its sides does.
    while let Ok(size @ 1..) = from.read(&mut buffer).await {
        let now = *slowness.lock().unwrap();
        let mut delay = now.delay;
        if !now.jitter.is_zero() {
            delay += now.jitter * (dice.number() % 1000) as u32 / 1000;
        }
        if dice.per_mille(now.stalls_per_mille) {
            delay += now.stall;
        }
        due = due.max(Instant::now() + delay);
        let nanos = (size as u64 * 1_000_000_000).checked_div(now.bytes_per_second);
        due += Duration::from_nanos(nanos.unwrap_or(0));
        if sender.send((due, buffer[..size].to_vec())).await.is_err() {
            return;
        }
    }
}

async fn send(mut pieces: mpsc::Receiver<(Instant, Vec<u8>)>, mut to: OwnedWriteHalf) {
    while let Some((due, piece)) = pieces.recv().await {
        tokio::time::sleep_until(due).await;
        if to.write_all(&piece).await.is_err() {
            return;
        }
    }
}
