//! A TCP proxy that cuts connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::random::Random;

/// A proxy that runs until it is dropped. It passes requests, and cuts responses after some bytes.
pub(crate) struct CuttingProxy {
    pub(crate) address: SocketAddr,
    /// How many responses are still cut.
    pub(crate) cuts: Arc<AtomicU64>,
    /// The most bytes of a response that is cut.
    pub(crate) most: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl CuttingProxy {
    pub(crate) async fn start(target: SocketAddr, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (cuts, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, longest) = (Arc::clone(&cuts), Arc::clone(&most));
        let task = tokio::spawn(async move {
            let mut random = Random::new(seed);
            while let Ok((client, _)) = listener.accept().await {
                let cut = random.below(longest.load(Ordering::SeqCst) + 1);
                tokio::spawn(pass(client, target, Arc::clone(&counted), cut));
            }
        });
        Self {
            address,
            cuts,
            most,
            task,
        }
    }
}

impl Drop for CuttingProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Passes a connection, and drops it after some bytes of the response if cuts are left.
async fn pass(client: TcpStream, target: SocketAddr, cuts: Arc<AtomicU64>, cut: usize) {
    let Ok(server) = TcpStream::connect(target).await else {
        return;
    };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let requests = async { drop(tokio::io::copy(&mut from_client, &mut to_server).await) };
    let responses = async {
        let mut passed = 0;
        let mut buffer = vec![0; 4096];
        while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
            let taken = |left: u64| left.checked_sub(1);
            if passed + read > cut
                && cuts
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, taken)
                    .is_ok()
            {
                let rest = &buffer[..cut.saturating_sub(passed).min(read)];
                drop(to_client.write_all(rest).await);
                return;
            }
            passed += read;
            if to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = requests => {}
        () = responses => {}
    }
}
