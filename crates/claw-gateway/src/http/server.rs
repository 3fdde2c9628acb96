//! The server: connections and their limits.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::io::InspectReader;

use super::Api;

/// Limits for all connections, authenticated or not. The rate of each device is limited by the
/// [`Site`](super::Site).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The most open connections. Further ones receive the status 503.
    pub connections: usize,
    /// How long the headers of a request may take. An idle connection is closed after this time.
    pub header_time: Duration,
    /// The largest size of all headers of a request together.
    pub header_size: usize,
    /// The most headers of a request.
    pub headers: usize,
}

impl Default for Limits {
    /// 4,096 connections; 64 headers with 32 KiB in total, within 15 s.
    fn default() -> Self {
        Self {
            connections: 4096,
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
    {\"status\":503,\"code\":\"busy\",\"title\":\"Service Unavailable\",\"detail\":\"too many connections are open: retry later\"}";

/// Serves the API until `shutdown` completes, and then until the requests in progress are
/// completed. Streams do not end by themselves: drop the future to close them.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send,
) {
    let router = api.router();
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
                    let one = (stream, address, permit);
                    connections.spawn(connection(
                        builder.clone(),
                        one,
                        router.clone(),
                        stopped.clone(),
                    ));
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
    router: Router,
    mut stopped: watch::Receiver<()>,
) {
    // Frames are small, and must not wait for more data.
    let _ = stream.set_nodelay(true);
    // The permit belongs to the socket, which outlives this task if the protocol is upgraded.
    let stream = InspectReader::new(stream, move |_: &[u8]| {
        let _ = &permit;
    });
    let service = TowerToHyperService::new(router);
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
