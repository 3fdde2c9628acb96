//! The versions and the settings of the servers.

use std::collections::BTreeSet;
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
        let mut names = BTreeSet::new();
        let replicas = self.replicas(&mut names, &mut evidence).await;
        let level = match (replicas, self.are_synced(&names, &mut evidence).await) {
            (Some(3..), true) => DurabilityLevel::PowerLossReplicated,
            (Some(1..), true) => DurabilityLevel::PowerLoss,
            _ => DurabilityLevel::ProcessCrash,
        };
        Durability { level, evidence }
    }

    /// Returns the smallest number of replicas of a stream, and adds the names of the servers that
    /// store the streams.
    async fn replicas(
        &self,
        names: &mut BTreeSet<String>,
        evidence: &mut Vec<String>,
    ) -> Option<u64> {
        let mut least = None;
        for stream in self.layout.streams(&self.names) {
            let info = self.wire.info(&stream, None).await.unwrap_or_default();
            let Some(replicas) = info["config"]["num_replicas"].as_u64() else {
                evidence.push(format!("stream {stream} does not report its replicas"));
                return None;
            };
            least = Some(replicas.min(least.unwrap_or(replicas)));
            let cluster = &info["cluster"];
            let others = cluster["replicas"].as_array().into_iter().flatten();
            let stored_by = others
                .map(|other| &other["name"])
                .chain([&cluster["leader"]]);
            names.extend(stored_by.filter_map(Value::as_str).map(str::to_owned));
        }
        evidence.extend(least.map(|least| format!("each stream has {least} replicas or more")));
        if least.is_some_and(|least| least < 3) {
            evidence.push("set `replicas` to 3 to survive the loss of a server".to_owned());
        }
        least
    }

    /// Returns whether all servers with these names sync each write to the disk.
    async fn are_synced(&self, names: &BTreeSet<String>, evidence: &mut Vec<String>) -> bool {
        let servers = match &self.system {
            Some(system) => ping(system).await,
            None => Err("no access to the system account".to_owned()),
        };
        let servers = match servers {
            Ok(servers) => servers,
            Err(reason) => {
                let advice = "set `system_servers` so that `sync_interval` can be read";
                evidence.push(format!("{reason}: {advice}"));
                return false;
            }
        };
        let (mut missing, mut is_synced) = (names.clone(), true);
        for server in &servers {
            let name = server["server"]["name"].as_str().unwrap_or_default();
            // The others store nothing of this.
            if !missing.remove(name) {
                continue;
            }
            let data = &server["data"];
            let (version, config) = (&data["version"], &data["jetstream"]["config"]);
            let sync = config["sync_always"] == true;
            let interval = config["sync_interval"].as_u64().unwrap_or(0) / 1_000_000_000;
            evidence.push(format!(
                "server {name}: version {version}, sync_always {sync}, sync_interval {interval} s"
            ));
            is_synced &= sync && check_version(version.as_str().unwrap_or_default()).is_ok();
        }
        if !missing.is_empty() {
            let (missing, all) = (missing.len(), names.len());
            evidence.push(format!("{missing} of {all} servers do not respond"));
            return false;
        }
        if !is_synced {
            evidence.push("set `sync_interval: always` to survive a power cut".to_owned());
        }
        is_synced && !names.is_empty()
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
