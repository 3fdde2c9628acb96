//! The address that clients keep while gateways come and go.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Passes connections to the gateway that runs, so that clients keep one address. Closes them if
/// there is none.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    pub(super) target: watch::Sender<Option<SocketAddr>>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let target = watch::Sender::new(None);
        let current = target.subscribe();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let target = *current.borrow();
                tokio::spawn(pass(client, target));
            }
        });
        Self {
            address,
            target,
            task,
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(mut client: TcpStream, target: Option<SocketAddr>) {
    let Some(target) = target else { return };
    if let Ok(mut gateway) = TcpStream::connect(target).await {
        let _ = client.set_nodelay(true);
        let _ = gateway.set_nodelay(true);
        // It fails when the gateway is killed, which closes the connection of the client.
        let _ = copy_bidirectional(&mut client, &mut gateway).await;
    }
}
