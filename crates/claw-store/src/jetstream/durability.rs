//! The versions and the settings of the servers.

use std::time::Duration;

use async_nats::Client;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::timeout;

use super::engine::Engine;
use crate::durability::{Durability, DurabilityLevel};
use crate::error::OpenError;

/// The oldest version that is supported, and the oldest one that works.
const SUPPORTED: [u64; 3] = [2, 15, 0];
const TOLERATED: [u64; 3] = [2, 12, 8];
/// How long to wait for the next server.
const PATIENCE: Duration = Duration::from_millis(500);

/// Refuses servers whose compare-and-set or whose disk format loses data.
pub(super) fn check_version(version: &str) -> Result<(), OpenError> {
    let found = parse(version);
    if found < TOLERATED {
        return Err(OpenError::Version {
            engine: "nats-server",
            version: version.to_owned(),
            reason: "older servers lose events or let an old owner write: use 2.15 or newer"
                .to_owned(),
        });
    }
    if found < SUPPORTED {
        tracing::warn!(
            version,
            "nats-server before 2.15 is slow with `sync_interval: always`: update it"
        );
    }
    Ok(())
}

fn parse(version: &str) -> [u64; 3] {
    let release = version.split('-').next().unwrap_or_default();
    let mut numbers = release.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

impl Engine {
    pub(super) async fn durability(&self) -> Durability {
        let mut evidence = Vec::new();
        let replicas = self.replicas(&mut evidence).await;
        let synced = self.synced_servers(&mut evidence).await;
        let level = match (replicas, synced) {
            (Some(replicas), Some(servers)) if replicas >= 3 && servers >= 3 => {
                DurabilityLevel::PowerLossReplicated
            }
            (Some(1..), Some(1..)) => DurabilityLevel::PowerLoss,
            _ => DurabilityLevel::ProcessCrash,
        };
        Durability { level, evidence }
    }

    /// Returns the smallest number of replicas of a stream.
    async fn replicas(&self, evidence: &mut Vec<String>) -> Option<u64> {
        let mut least = None;
        for stream in self.layout.streams(&self.names) {
            let info = self.wire.info(&stream, None).await.unwrap_or_default();
            let Some(replicas) = info["config"]["num_replicas"].as_u64() else {
                evidence.push(format!("stream {stream} does not report its replicas"));
                return None;
            };
            least = Some(replicas.min(least.unwrap_or(replicas)));
        }
        evidence.extend(least.map(|least| format!("each stream has {least} replicas or more")));
        if least.is_some_and(|least| least < 3) {
            evidence.push("set `replicas` to 3 to survive the loss of a server".to_owned());
        }
        least
    }

    /// Returns the number of servers, if all of them sync each write to the disk.
    async fn synced_servers(&self, evidence: &mut Vec<String>) -> Option<usize> {
        let servers = match &self.system {
            Some(system) => ping(system).await,
            None => Err("no access to the system account".to_owned()),
        };
        let servers = match servers {
            Ok(servers) => servers,
            Err(reason) => {
                let advice = "set `system_servers` so that `sync_interval` can be read";
                evidence.push(format!("{reason}: {advice}"));
                return None;
            }
        };
        let mut is_synced = true;
        for server in &servers {
            let (name, data) = (&server["server"]["name"], &server["data"]);
            let jetstream = &data["jetstream"]["config"];
            let sync = jetstream["sync_always"] == true;
            evidence.push(format!(
                "server {name}: version {}, sync_always {sync}, sync_interval {} s",
                data["version"],
                jetstream["sync_interval"].as_u64().unwrap_or(0) / 1_000_000_000
            ));
            // A server without JetStream stores nothing.
            is_synced &= sync || jetstream.is_null();
            let version = data["version"].as_str().unwrap_or_default();
            is_synced &= check_version(version).is_ok();
        }
        let routes = servers
            .iter()
            .map(|server| server["data"]["cluster"]["urls"].as_array());
        let expected = routes.flatten().map(Vec::len).max().unwrap_or(1);
        if servers.len() < expected {
            let missing = expected - servers.len();
            evidence.push(format!("{missing} of {expected} servers do not respond"));
            return None;
        }
        if !is_synced {
            evidence.push("set `sync_interval: always` to survive a power cut".to_owned());
            return None;
        }
        Some(servers.len())
    }
}

/// Requests the settings of all servers.
async fn ping(system: &Client) -> Result<Vec<Value>, String> {
    let inbox = system.new_inbox();
    let start = async {
        let replies = system.subscribe(inbox.clone()).await.ok()?;
        let subject = "$SYS.REQ.SERVER.PING.VARZ";
        let sent = system.publish_with_reply(subject, inbox, "".into()).await;
        sent.ok().map(|()| replies)
    };
    let replies = timeout(PATIENCE * 4, start).await.ok().flatten();
    let mut replies = replies.ok_or("the connection to the system account is not ready")?;
    let mut servers = Vec::new();
    while let Ok(Some(reply)) = timeout(PATIENCE, replies.next()).await {
        // Without responders, the reply is empty.
        servers.extend(serde_json::from_slice::<Value>(&reply.payload).ok());
    }
    match servers.is_empty() {
        true => Err("no server responds to the system account".to_owned()),
        false => Ok(servers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_refused_with_the_reason() {
        for (version, is_accepted) in [
            ("2.9.10", false),
            ("2.12.7", false),
            ("2.12.8", true),
            ("2.14.6", true),
            ("2.15.0-RC.1", true),
            ("2.15.1", true),
            ("3.0.0", true),
            ("", false),
        ] {
            assert_eq!(check_version(version).is_ok(), is_accepted, "{version}");
        }
        let error = check_version("2.9.10").unwrap_err().to_string();
        assert!(
            error.contains("2.9.10") && error.contains("use 2.15"),
            "{error}"
        );
    }
}
