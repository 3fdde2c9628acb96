//! The state of a handle.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_nats::Client;
use tokio::sync::watch;

use super::cache::Cache;
use super::layout::{Layout, Names};
use super::wire::Wire;
use crate::hub::Hub;
use crate::id::SessionKey;

/// A store on NATS JetStream. A clone is the same handle.
///
/// Needs nats-server 2.12.8 or newer; 2.15 and newer are supported. An acknowledged append survives
/// a power cut only if the servers have `sync_interval: always`.
#[derive(Clone)]
pub struct JetStreamStore {
    pub(super) engine: Arc<Engine>,
}

impl std::fmt::Debug for JetStreamStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JetStreamStore").finish_non_exhaustive()
    }
}

pub(super) struct Engine {
    pub(super) wire: Wire,
    pub(super) names: Names,
    pub(super) layout: Layout,
    /// A connection to the system account.
    pub(super) system: Option<Client>,
    pub(super) hub: Arc<Hub>,
    pub(super) cache: Cache,
    /// When the last position of each session is published.
    pub(super) beacons: Mutex<HashMap<SessionKey, Instant>>,
    /// Changes when messages may have been lost.
    pub(super) reconnects: watch::Receiver<u64>,
}
