//! Stores on NATS servers.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use claw_store::{JetStreamConfig, JetStreamStore};
use claw_testkit::nats::{NatsOptions, NatsServers};

/// The stream of the log.
const LOG: &str = "claw_L_0_0";
/// The partitions of a store with many sessions. The study of the design has 64.
const PARTITIONS: u32 = 16;

async fn open(urls: Vec<String>, replicas: usize, parts: Option<u32>) -> Result<JetStreamStore> {
    let mut config = JetStreamConfig::new(urls);
    config.replicas = replicas;
    config.partitions = parts;
    config.deadline = Duration::from_secs(60);
    Ok(JetStreamStore::open(config).await?)
}

/// Opens a store that connects to the server that is so many further than the leader of its log.
pub(super) async fn from_leader(servers: &NatsServers, further: usize) -> Result<JetStreamStore> {
    let (urls, count) = (servers.urls(), servers.count());
    // The first handle creates the streams.
    open(urls.clone(), count, None).await?;
    let at = (servers.leader_of(LOG)? + further) % count;
    open(vec![urls[at].clone()], count, None).await
}

/// Opens a store with many sessions on one server.
pub(super) async fn partitioned(url: &str) -> Result<JetStreamStore> {
    open(vec![url.to_owned()], 1, Some(PARTITIONS)).await
}

/// Starts a server on the data in a folder.
pub(super) fn server_in(folder: &Path, is_synced: bool) -> Result<NatsServers> {
    let mut options = NatsOptions::new(1);
    options.folder = Some(folder.to_path_buf());
    options.is_synced = is_synced;
    Ok(NatsServers::start(&options)?)
}
