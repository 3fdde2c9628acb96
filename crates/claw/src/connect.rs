//! Finds the gateway that a command talks to.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::data::DataFolder;

/// The address of a gateway, and the token of a device.
pub(crate) struct Found {
    pub(crate) url: String,
    pub(crate) token: String,
}

/// Finds the gateway of a data folder.
pub(crate) fn find_local(data: &DataFolder) -> anyhow::Result<Found> {
    let path = data.path().display();
    // Without the lock, another program may have the port, and would get the token.
    ensure!(
        data.is_locked(),
        "no gateway runs on {path}: start one with claw serve"
    );
    let url = DataFolder::read(&data.url())?;
    let url = url.with_context(|| format!("the gateway on {path} is starting or stopping"))?;
    let token = DataFolder::read(&data.token())?;
    let token = token.with_context(|| format!("{path} has no token: restart claw serve"))?;
    Ok(Found { url, token })
}

/// Checks that a gateway accepts its token.
pub(crate) async fn check(found: &Found) -> anyhow::Result<()> {
    let address = found.url.strip_prefix("http://").unwrap_or_default();
    let mut stream = TcpStream::connect(address).await?;
    let token = &found.token;
    let request = format!(
        "GET /v1/sessions?limit=1 HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    let read = stream.read_to_string(&mut response);
    tokio::time::timeout(Duration::from_secs(10), read)
        .await
        .context("it does not respond")??;
    let status = response.lines().next().unwrap_or_default();
    ensure!(status.starts_with("HTTP/1.1 200"), "it responds {status}");
    Ok(())
}
