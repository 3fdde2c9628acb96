//! Connections to the servers.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectOptions, Event, ReconnectToServer, Server, ServerAddr};
use tokio::sync::watch;

use super::config::failed;
use crate::error::OpenError;
use crate::hub::lock;

/// How often the connection is checked. The default of the client is a minute.
const PING: Duration = Duration::from_secs(2);
/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// Connects to one of the servers. The receiver changes whenever messages may have been lost.
pub(super) async fn connect(
    servers: &[String],
    deadline: Duration,
) -> Result<(Client, watch::Receiver<u64>), OpenError> {
    let addresses = servers.iter().map(|server| server.parse::<ServerAddr>());
    let addresses: Vec<_> = addresses.collect::<Result<_, _>>().map_err(failed)?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(50);
    loop {
        let (lost, receiver) = watch::channel(0);
        let mut options = options(lost);
        // The client ignores the credentials in a URL.
        match addresses
            .first()
            .map(|address| (address.username(), address.password()))
        {
            Some((Some(user), Some(password))) => {
                options = options.user_and_password(user.to_owned(), password.to_owned());
            }
            Some((Some(token), None)) => options = options.token(token.to_owned()),
            _ => {}
        }
        let error = match options.connect(&addresses[..]).await {
            Ok(client) => return Ok((client, receiver)),
            Err(error) => error,
        };
        let waited = start.elapsed();
        if waited >= deadline {
            let reason = error.to_string();
            return Err(OpenError::Unreachable { waited, reason });
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

fn options(lost: watch::Sender<u64>) -> ConnectOptions {
    let lost = Arc::new(lost);
    let current = Arc::new(Mutex::new(None));
    ConnectOptions::new()
        .name("claw-store")
        .ping_interval(PING)
        .connection_timeout(CONNECT)
        .reconnect_delay_callback(|attempts| {
            let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
            Duration::from_millis(20)
                .saturating_mul(attempts)
                .min(Duration::from_millis(500))
        })
        .reconnect_to_server_callback(move |servers, _| {
            let next = next_server(&mut lock(&current), &servers);
            async move { next }
        })
        .event_callback(move |event| {
            let lost = lost.clone();
            async move {
                if matches!(event, Event::Connected | Event::SlowConsumer(_)) {
                    lost.send_modify(|count| *count += 1);
                }
            }
        })
}

/// Chooses a server that has not failed, and another one than the last.
fn next_server(current: &mut Option<ServerAddr>, servers: &[Server]) -> Option<ReconnectToServer> {
    let random = getrandom::u32().unwrap_or(0) as usize;
    let mut servers: Vec<_> = servers.iter().collect();
    let middle = random % servers.len().max(1);
    servers.rotate_left(middle);
    let is_current = |server: &Server| current.as_ref() == Some(&server.addr);
    servers.sort_by_key(|server| (is_current(server), server.failed_attempts));
    let addr = servers.first()?.addr.clone();
    *current = Some(addr.clone());
    Some(ReconnectToServer { addr, delay: None })
}
