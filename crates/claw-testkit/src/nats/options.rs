//! How servers are configured.

use std::net::Ipv4Addr;
use std::path::PathBuf;

/// The environment variables that name the binaries of nats-server.
pub mod variables {
    /// The supported release.
    pub const SERVER: &str = "CLAW_NATS_SERVER";
    /// A release that works with a warning.
    pub const SERVER_TOLERATED: &str = "CLAW_NATS_SERVER_TOLERATED";
    /// A release that is refused.
    pub const SERVER_REFUSED: &str = "CLAW_NATS_SERVER_REFUSED";
}

/// Returns the binary that an environment variable of [`variables`] names.
///
/// # Panics
/// The variable is not set: a missing server fails a test and never skips it.
pub fn server_binary(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).unwrap_or_else(|| {
        panic!("{variable} is not set: run `eval \"$(cargo xtask nats-server)\"` first")
    });
    path.into()
}

/// How the servers are configured.
#[derive(Debug, Clone)]
pub struct NatsOptions {
    /// The program.
    pub binary: PathBuf,
    /// The number of servers.
    pub servers: usize,
    /// Whether each write reaches the disk before it is acknowledged (`sync_interval: always`).
    pub is_synced: bool,
    /// More lines for the configuration files.
    pub settings: String,
    /// Where the data is. Without one, in a temporary folder.
    pub folder: Option<PathBuf>,
    /// The network namespaces of the servers, and their addresses there. Without them, the servers
    /// run on loopback.
    pub hosts: Vec<(String, Ipv4Addr)>,
}

impl NatsOptions {
    /// Servers of the supported release with `sync_interval: always`.
    ///
    /// # Panics
    /// The environment variable [`variables::SERVER`] is not set.
    pub fn new(servers: usize) -> Self {
        Self {
            binary: server_binary(variables::SERVER),
            servers,
            is_synced: true,
            settings: String::new(),
            folder: None,
            hosts: Vec::new(),
        }
    }
}
