//! Real nats-servers: one, or a cluster of three, on loopback and in a temporary folder.
//!
//! `cargo xtask nats-server` installs the pinned releases and prints the environment variables that
//! [`server_binary`] reads. The functions block: a test calls them between its steps.

mod options;
mod process;

use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use options::{NatsOptions, server_binary, variables};
pub use process::free_ports;
use process::{NatsServer, Ports, get_json};

/// The limit for a start, a restart or an election. It only ends a hang: an election takes up to
/// nine seconds on an idle machine.
pub const TIMEOUT: Duration = Duration::from_secs(90);

/// Servers that run until this is dropped.
#[derive(Debug)]
pub struct NatsServers {
    servers: Vec<NatsServer>,
    folder: PathBuf,
    // Declared after the servers, because they write to it until they are killed.
    _temporary: Option<tempfile::TempDir>,
    kept: Vec<Box<dyn std::any::Any + Send>>,
}

impl NatsServers {
    /// Starts the servers and waits until they are healthy.
    ///
    /// # Errors
    /// A server does not start, or they do not become healthy within [`TIMEOUT`].
    pub fn start(options: &NatsOptions) -> io::Result<Self> {
        let temporary = match &options.folder {
            Some(_) => None,
            None => Some(tempfile::tempdir()?),
        };
        let folder = match (&options.folder, &temporary) {
            (Some(folder), _) => folder.clone(),
            (None, Some(folder)) => folder.path().to_path_buf(),
            (None, None) => unreachable!("a temporary folder was made"),
        };
        let address = |index| {
            let host = options.hosts.get(index);
            host.map_or(Ipv4Addr::LOCALHOST, |(_, address)| *address)
        };
        let ports: Vec<Ports> = (0..options.servers)
            .map(|index| Ports::free(address(index)))
            .collect::<io::Result<_>>()?;
        let servers = (0..options.servers)
            .map(|index| NatsServer::start(options, &folder, &ports, index))
            .collect::<io::Result<_>>()?;
        let servers = Self {
            servers,
            folder,
            _temporary: temporary,
            kept: Vec::new(),
        };
        servers.wait_until_healthy()?;
        Ok(servers)
    }

    /// Returns the number of servers.
    pub fn count(&self) -> usize {
        self.servers.len()
    }

    /// Returns the URLs of the servers for clients.
    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().map(NatsServer::url).collect()
    }

    /// Returns the URLs of the servers for clients of the system account.
    pub fn system_urls(&self) -> Vec<String> {
        self.servers.iter().map(NatsServer::system_url).collect()
    }

    /// Returns the folder in which each server has a folder of its own, `n0` and so on.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps something until the servers have ended, such as their disk.
    pub fn keep(&mut self, kept: impl Send + 'static) {
        self.kept.push(Box::new(kept));
    }

    /// Returns the process id of a server that runs.
    pub fn pid(&self, index: usize) -> Option<u32> {
        self.servers[index].pid()
    }

    /// Kills a server with SIGKILL.
    pub fn kill(&mut self, index: usize) {
        self.servers[index].kill();
    }

    /// Stops a server with SIGSTOP.
    ///
    /// # Errors
    /// It does not run.
    pub fn pause(&self, index: usize) -> io::Result<()> {
        self.servers[index].signal(rustix::process::Signal::STOP)
    }

    /// Continues a server that was paused.
    ///
    /// # Errors
    /// It does not run.
    pub fn resume(&self, index: usize) -> io::Result<()> {
        self.servers[index].signal(rustix::process::Signal::CONT)
    }

    /// Starts a server that was killed, with the data it had. Does not wait until it is healthy.
    ///
    /// # Errors
    /// It does not start.
    pub fn restart(&mut self, index: usize) -> io::Result<()> {
        self.servers[index].restart()
    }

    /// Returns what a server reports under a path of its monitoring port, such as `/varz`.
    ///
    /// # Errors
    /// It does not run or does not respond.
    pub fn monitor(&self, index: usize, path: &str) -> io::Result<Value> {
        get_json(&self.servers[index].ports, path).map(|(_, body)| body)
    }

    /// Waits until every server that runs is healthy and has a leader of the cluster.
    ///
    /// # Errors
    /// They are not healthy within [`TIMEOUT`].
    pub fn wait_until_healthy(&self) -> io::Result<()> {
        eventually("healthy servers", || {
            let running = self.servers.iter().filter(|server| server.pid().is_some());
            for server in running {
                server.check_healthy(self.servers.len())?;
            }
            Ok(Some(()))
        })
    }

    /// Returns the server that leads a stream, and waits for an election.
    ///
    /// # Errors
    /// There is no leader within [`TIMEOUT`].
    pub fn leader_of(&self, stream: &str) -> io::Result<usize> {
        eventually(&format!("a leader of the stream {stream}"), || {
            Ok((0..self.servers.len()).find(|index| self.is_leader(*index, stream)))
        })
    }

    /// A server that was cut off may still report itself; the others do not confirm it.
    fn is_leader(&self, index: usize, stream: &str) -> bool {
        let name = format!("n{index}");
        let confirms = |other: &usize| {
            let jsz = self.monitor(*other, "/jsz?accounts=true&streams=true");
            jsz.is_ok_and(|jsz| {
                stream_details(&jsz).any(|detail| {
                    detail["name"] == stream && detail["cluster"]["leader"] == name.as_str()
                })
            })
        };
        let confirmed = (0..self.servers.len()).filter(confirms).count();
        self.servers[index].pid().is_some() && confirmed > self.servers.len() / 2
    }
}

fn stream_details(jsz: &Value) -> impl Iterator<Item = &Value> {
    let accounts = jsz["account_details"].as_array().into_iter().flatten();
    accounts.flat_map(|account| account["stream_detail"].as_array().into_iter().flatten())
}

/// Calls `look` every 20 ms until it returns a value.
fn eventually<T>(what: &str, mut look: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
    let start = Instant::now();
    loop {
        let last = match look() {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => String::new(),
            Err(error) => format!(": {error}"),
        };
        if start.elapsed() > TIMEOUT {
            let seconds = TIMEOUT.as_secs();
            return Err(io::Error::other(format!(
                "no {what} within {seconds} s{last}"
            )));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
