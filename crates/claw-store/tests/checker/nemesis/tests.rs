//! Tests of what makes the faults.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::slow_proxy::{SlowProxy, Slowness};

#[tokio::test]
async fn bytes_of_a_slow_proxy_arrive_late_and_in_order() {
    let echo = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let target = echo.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = echo.accept().await.unwrap();
        let (mut from, mut to) = stream.into_split();
        tokio::io::copy(&mut from, &mut to).await
    });
    let slow = Slowness {
        delay: Duration::from_millis(50),
        jitter: Duration::from_millis(50),
        ..Slowness::default()
    };
    let proxy = SlowProxy::start(target, slow, 7).await.unwrap();
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    let sent: Vec<u8> = (0..200_000_u32).map(|byte| byte as u8).collect();
    let start = Instant::now();
    let (mut from, mut to) = client.split();
    let mut received = vec![0; sent.len()];
    let (written, read) = tokio::join!(to.write_all(&sent), from.read_exact(&mut received));
    written.and(read.map(drop)).unwrap();
    assert!(start.elapsed() >= 2 * slow.delay);
    assert_eq!(received, sent);
    proxy.set(Slowness::default());
}
