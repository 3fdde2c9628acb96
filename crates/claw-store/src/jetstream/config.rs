//! How a store is opened.

use std::time::Duration;

use crate::error::OpenError;

/// How to reach and use the servers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JetStreamConfig {
    /// The URLs of the servers. A URL may contain a user and a password, or a token.
    pub servers: Vec<String>,
    /// The URLs of the servers for a user of the system account, who can read the settings that
    /// decide what an append survives. Without them, the weakest settings are assumed.
    pub system_servers: Vec<String>,
    /// The prefix of all names of streams and subjects: letters, digits, `-` and `_`.
    pub namespace: String,
    /// The number of copies of new streams: 1, 3 or 5.
    pub replicas: usize,
    /// The number of partitions for new sessions; existing sessions stay where they are. `None`
    /// uses the number that was set last, or 1. Many partitions make the replay of a session faster
    /// that is one of many: a server scans what is stored between its frames.
    pub partitions: Option<u32>,
    /// The size at which a stream of a partition rejects writes.
    pub max_bytes: Option<u64>,
    /// How long a call is repeated before it returns `Unavailable`. An election takes up to 9 s.
    pub deadline: Duration,
}

impl JetStreamConfig {
    /// One replica, and the partitions that exist.
    pub fn new(servers: Vec<String>) -> Self {
        Self {
            servers,
            system_servers: Vec::new(),
            namespace: "claw".to_owned(),
            replicas: 1,
            partitions: None,
            max_bytes: None,
            deadline: Duration::from_secs(10),
        }
    }
}

pub(super) fn failed(error: impl ToString) -> OpenError {
    let reason = error.to_string();
    OpenError::Failed { reason }
}
