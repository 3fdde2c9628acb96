//! Three servers on a network that can be cut, or on disks whose power can be cut.

use claw_testkit::nats::{NatsOptions, NatsServers};
use tempfile::TempDir;

use super::faults::PROCESSES;
use super::network::Network;
use crate::disk::LoopDisk;
use crate::process::Engine;
use crate::slow_proxy::{SlowProxy, Slowness};

/// The stream with the logs.
const LOG: &str = "claw_L_0_0";
pub(super) const SERVERS: usize = 3;
/// How many lines of a server's log are printed.
const LOG_LINES: usize = 60;

/// Hosts 0 to 2 of the network run the servers, the others the processes.
pub(crate) struct Cluster {
    pub(crate) servers: NatsServers,
    pub(super) network: Option<Network>,
    pub(super) disks: Vec<LoopDisk>,
    /// Between processes and servers.
    pub(super) proxies: Vec<SlowProxy>,
    // Declared last: the servers write to it until they are killed.
    _folder: Option<TempDir>,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let network = Network::new(SERVERS + PROCESSES).unwrap();
        let mut options = NatsOptions::new(SERVERS);
        let host = |index| (network.namespace(index), network.address(index));
        options.hosts = (0..SERVERS).map(host).collect();
        Self {
            servers: NatsServers::start(&options).unwrap(),
            network: Some(network),
            disks: Vec::new(),
            proxies: Vec::new(),
            _folder: None,
        }
    }

    /// Starts servers on loopback. Processes use them through proxies.
    pub(super) async fn start_behind_proxies() -> Self {
        let servers = NatsServers::start(&NatsOptions::new(SERVERS)).unwrap();
        let mut proxies = Vec::new();
        for url in servers.urls() {
            let target = url.trim_start_matches("nats://").parse().unwrap();
            let proxy = SlowProxy::start(target, Slowness::default(), 1).await;
            proxies.push(proxy.unwrap());
        }
        Self {
            servers,
            network: None,
            disks: Vec::new(),
            proxies,
            _folder: None,
        }
    }

    /// Starts servers without a network of their own, each on a disk of its own.
    pub(super) fn start_on_disks() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disks: Vec<_> = (0..SERVERS).map(|_| LoopDisk::new(512).unwrap()).collect();
        for (index, disk) in disks.iter().enumerate() {
            let link = folder.path().join(format!("n{index}"));
            std::os::unix::fs::symlink(disk.path(), link).unwrap();
        }
        let mut options = NatsOptions::new(SERVERS);
        options.folder = Some(folder.path().to_path_buf());
        Self {
            servers: NatsServers::start(&options).unwrap(),
            network: None,
            disks,
            proxies: Vec::new(),
            _folder: Some(folder),
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        let urls = match self.proxies.is_empty() {
            true => self.servers.urls(),
            false => {
                let proxies = self.proxies.iter();
                proxies
                    .map(|proxy| format!("nats://{}", proxy.address()))
                    .collect()
            }
        };
        Engine::JetStream(urls, self.servers.system_urls())
    }

    pub(super) fn set_slowness(&self, slowness: Slowness) {
        self.proxies.iter().for_each(|proxy| proxy.set(slowness));
    }

    pub(super) fn network(&self) -> &Network {
        self.network.as_ref().unwrap()
    }

    pub(super) fn namespace_of_process(&self, index: usize) -> Option<String> {
        let network = self.network.as_ref()?;
        Some(network.namespace(SERVERS + index))
    }

    /// Returns the server that leads the log.
    pub(super) fn leader(&self) -> usize {
        self.servers.leader_of(LOG).unwrap()
    }

    /// Starts all servers that are down, and waits until the log has a leader.
    pub(crate) fn recover(&mut self) {
        for index in 0..SERVERS {
            if self.servers.pid(index).is_none() {
                self.servers.restart(index).unwrap();
            }
        }
        self.servers.wait_until_healthy().unwrap();
        self.leader();
    }
}

impl Drop for Cluster {
    /// Prints the ends of the servers' logs if the test fails: their folder goes with them.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for index in 0..SERVERS {
            let path = self.servers.folder().join(format!("n{index}/log"));
            let log = std::fs::read_to_string(path).unwrap_or_default();
            // Waiting for healthy servers makes many of these lines.
            let lines = log
                .lines()
                .filter(|line| !line.contains("Healthcheck failed"));
            let lines: Vec<&str> = lines.collect();
            let tail = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            let health = self.servers.monitor(index, "/healthz");
            eprintln!("server {index}: {health:?}\n{tail}");
        }
    }
}
