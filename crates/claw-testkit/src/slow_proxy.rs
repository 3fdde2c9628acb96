//! A TCP proxy that is as slow as a bad network.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::dice::Dice;

/// How slow a proxy is, in each direction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slowness {
    /// The shortest delay.
    pub delay: Duration,
    /// The delay is up to this much longer, at random.
    pub jitter: Duration,
    /// How many of a thousand pieces are stalled, and those behind them with them.
    pub stalls_per_mille: u64,
    /// The length of a stall.
    pub stall: Duration,
    /// The bandwidth of each connection. Zero is no limit.
    pub bytes_per_second: u64,
}

/// A proxy that runs until it is dropped.
#[derive(Debug)]
pub struct SlowProxy {
    address: SocketAddr,
    slowness: Arc<Mutex<Slowness>>,
    task: JoinHandle<()>,
}

impl SlowProxy {
    /// Starts a proxy on loopback for connections to a target. Order is kept, and nothing is lost.
    ///
    /// # Errors
    /// The proxy cannot listen.
    pub async fn start(target: SocketAddr, slowness: Slowness, seed: u64) -> io::Result<Self> {
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
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes how slow the proxy is, also for connections that are open.
    pub fn set(&self, slowness: Slowness) {
        *lock(&self.slowness) = slowness;
    }
}

impl Drop for SlowProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(slowness: &Mutex<Slowness>) -> std::sync::MutexGuard<'_, Slowness> {
    slowness
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
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
            let dice = Dice::new(dice.next());
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
        let now = *lock(&slowness);
        let mut delay = now.delay;
        if !now.jitter.is_zero() {
            delay += now.jitter * (dice.next() % 1000) as u32 / 1000;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_arrive_late_and_in_order() {
        let echo = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let target = echo.local_addr().expect("its address");
        tokio::spawn(async move {
            let (stream, _) = echo.accept().await.expect("a connection");
            let (mut from, mut to) = stream.into_split();
            tokio::io::copy(&mut from, &mut to).await
        });
        let slow = Slowness {
            delay: Duration::from_millis(50),
            jitter: Duration::from_millis(50),
            ..Slowness::default()
        };
        let proxy = SlowProxy::start(target, slow, 7).await.expect("a proxy");
        let mut client = TcpStream::connect(proxy.address())
            .await
            .expect("it accepts");
        let sent: Vec<u8> = (0..200_000_u32).map(|byte| byte as u8).collect();
        let start = Instant::now();
        let (mut from, mut to) = client.split();
        let mut received = vec![0; sent.len()];
        let (written, read) = tokio::join!(to.write_all(&sent), from.read_exact(&mut received));
        written.and(read.map(drop)).expect("the connection holds");
        assert!(start.elapsed() >= 2 * slow.delay);
        assert_eq!(received, sent);
        proxy.set(Slowness::default());
    }
}
