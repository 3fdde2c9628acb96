//! The server: connections and their limits.

use std::collections::VecDeque;
use std::future::{Future, pending};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::io::InspectReader;

use super::Api;
use crate::devices::Devices;

/// Limits for all connections, authenticated or not. The rate of each device is limited by the
/// [`Site`](super::Site).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The most open connections. Further ones receive the status 503.
    pub connections: usize,
    /// The most open connections on which no device has authenticated. A new one replaces the
    /// oldest, so that programs without a token cannot keep others from connecting.
    pub unauthenticated: usize,
    /// How long the headers of a request may take. An idle connection is closed after this time.
    pub header_time: Duration,
    /// The largest size of all headers of a request together.
    pub header_size: usize,
    /// The most headers of a request.
    pub headers: usize,
}

impl Default for Limits {
    /// 4,096 connections, 256 of them unauthenticated; 64 headers with 32 KiB in total, within 15 s.
    fn default() -> Self {
        Self {
            connections: 4096,
            unauthenticated: 256,
            header_time: Duration::from_secs(15),
            header_size: 32 * 1024,
            headers: 64,
        }
    }
}

/// Sent to connections beyond the limit, before anything is read from them.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    content-type: application/problem+json\r\nretry-after: 1\r\nconnection: close\r\n\
    content-length: 112\r\n\r\n\
    {\"status\":503,\"code\":\"full\",\"title\":\"Service Unavailable\",\"detail\":\"too many connections are open: retry later\"}";

/// The time for the last bytes of a stream, before the connection is closed.
const LAST_BYTES: Duration = Duration::from_millis(200);

/// A connection. Its requests have it in their extensions.
#[derive(Default)]
pub(super) struct Connection {
    is_authenticated: AtomicBool,
    /// The device that receives the stream of this connection.
    streams_to: watch::Sender<Option<String>>,
    is_replaced: Notify,
}

impl Connection {
    /// Records that a device has authenticated.
    pub(super) fn authenticate(&self) {
        self.is_authenticated.store(true, Relaxed);
    }

    /// Closes the connection if the device is revoked, even if its peer does not read.
    pub(super) fn stream_to(&self, device: &str) {
        self.streams_to.send_replace(Some(device.to_owned()));
    }

    /// Completes when the connection must be closed.
    async fn closed(&self, devices: &Devices) {
        let mut streams = self.streams_to.subscribe();
        loop {
            let device = streams.borrow_and_update().clone();
            let revoked = async {
                match &device {
                    Some(device) => devices.revoked(device).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                // A peer that reads sees the end of the stream before the connection is closed.
                () = revoked => return tokio::time::sleep(LAST_BYTES).await,
                () = self.is_replaced.notified() => return,
                _ = streams.changed() => {}
            }
        }
    }
}

/// The connections on which no device has authenticated, the oldest first.
#[derive(Default)]
struct Unauthenticated {
    connections: VecDeque<Weak<Connection>>,
}

impl Unauthenticated {
    /// Adds a connection, and closes the oldest ones beyond the limit.
    fn add(&mut self, connection: &Arc<Connection>, limit: usize) {
        self.connections.push_back(Arc::downgrade(connection));
        if self.connections.len() <= limit {
            return;
        }
        self.connections.retain(|connection| {
            let connection = connection.upgrade();
            connection.is_some_and(|connection| !connection.is_authenticated.load(Relaxed))
        });
        while self.connections.len() > limit {
            let oldest = self.connections.pop_front();
            if let Some(oldest) = oldest.and_then(|oldest| oldest.upgrade()) {
                oldest.is_replaced.notify_one();
            }
        }
    }
}

/// Serves the API until `shutdown` completes, and then until the requests in progress are
/// completed. Streams do not end by themselves: drop the future to close them.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send,
) {
    let devices = api.devices.clone();
    let router = api.router();
    let mut unauthenticated = Unauthenticated::default();
    let permits = Arc::new(Semaphore::new(limits.connections));
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_header_size(limits.header_size)
        .max_headers(limits.headers);
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
            // Removes the tasks of closed connections.
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, address)) => match Arc::clone(&permits).try_acquire_owned() {
                Ok(permit) => {
                    let handle = Arc::new(Connection::default());
                    unauthenticated.add(&handle, limits.unauthenticated);
                    let serving = connection(
                        builder.clone(),
                        (stream, address, permit),
                        (router.clone(), Arc::clone(&handle)),
                        stopped.clone(),
                    );
                    let devices = devices.clone();
                    connections.spawn(async move {
                        tokio::select! {
                            () = serving => {}
                            () = handle.closed(&devices) => {}
                        }
                    });
                }
                // This does not block: the send buffer of a new socket is empty.
                Err(_) => drop(stream.try_write(BUSY)),
            },
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                // If the process has no free file descriptors, the next call fails at once as well.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    drop(stop);
    while connections.join_next().await.is_some() {}
}

async fn connection(
    builder: http1::Builder,
    (stream, address, permit): (TcpStream, SocketAddr, OwnedSemaphorePermit),
    (router, handle): (Router, Arc<Connection>),
    mut stopped: watch::Receiver<()>,
) {
    // Frames are small, and must not wait for more data.
    let _ = stream.set_nodelay(true);
    // The permit belongs to the socket, which outlives this task if the protocol is upgraded.
    let stream = InspectReader::new(stream, move |_: &[u8]| {
        let _ = &permit;
    });
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&handle));
        router.call(request)
    });
    let serving = builder.serve_connection(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving.with_upgrades());
    let served = tokio::select! {
        served = serving.as_mut() => served,
        // Completes when the sender is dropped.
        _ = stopped.changed() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%address, %error, "a connection failed");
    }
}
