//! A gateway: the sessions of all tenants in this process, over one store.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use claw_store::lease::{self, NodeLease};
use claw_store::{NodeId, NodeRecord, NodeRef, Revision, Store, TenantId};
use futures_util::StreamExt as _;
use rusty_claw::Options;
use tokio::sync::watch;

use crate::access::Access;
use crate::caller::Caller;
use crate::cli_host::CliHost;
use crate::error::GatewayError;
use crate::expiry;
use crate::places::Places;
use crate::relay::Relay;
use crate::runner::Runner;
use crate::tenant::Tenant;

/// How long the store may take to end the lease of this node.
const LEAVE: Duration = Duration::from_secs(5);

/// How a gateway runs sessions.
#[non_exhaustive]
pub struct Settings {
    /// The options that every CLI starts with.
    pub options: Box<dyn Fn() -> Options + Send + Sync>,
    /// The folders in which sessions may work.
    pub roots: Vec<PathBuf>,
    /// How long an interaction waits before it is denied; `None` for ever.
    pub interaction_timeout: Option<Duration>,
    /// How many inputs of a session may wait for the agent.
    pub queued: usize,
    /// How long a session without work keeps its CLI. Then it sleeps until the next input.
    pub idle: Duration,
    /// How many sessions may be awake. Others wait until one sleeps or ends.
    pub awake: usize,
    /// Whether the CLI asks for a parked call again (default: true). If not, the turn is continued
    /// after the answer; see [`claw_server::SessionSetup::repeats_calls`].
    pub repeats_calls: bool,
    /// How long a session must have been without work before it sleeps early because another one
    /// waits.
    pub min_idle: Duration,
    /// The delay before a CLI that failed is started again. It doubles with every failure in a row,
    /// up to 50 times its value.
    pub restart_delay: Duration,
    /// The most resident memory, in bytes, of a CLI and everything that it started. Memory that
    /// processes share counts for each of them. A CLI that uses more is ended, and starts again with
    /// the next input.
    pub memory_limit: Option<u64>,
    /// How long other nodes wait before they take the sessions of this one.
    pub term: Duration,
    /// How CLIs are isolated. Without it, an agent has all access of the gateway's user, and can
    /// answer its own interactions.
    pub runner: Option<Runner>,
    /// Adds the API key to the requests of CLIs, which do not receive the key. Without it, every
    /// program of an agent can read the credentials that the options contain.
    pub relay: Option<Relay>,
    /// The only tenant whose sessions may run; `None` for any, which needs a runner.
    pub tenant: Option<TenantId>,
    /// Where CLIs run. Without it, they are child processes and end with the gateway.
    pub host: Option<Arc<dyn CliHost>>,
}

impl Settings {
    /// Creates settings for sessions in these folders: an hour to answer, 1,024 inputs, 32 awake
    /// sessions, which sleep after 10 minutes without work.
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Self {
            options: Box::new(Options::new),
            roots,
            interaction_timeout: Some(Duration::from_secs(3600)),
            queued: 1024,
            idle: Duration::from_secs(600),
            awake: 32,
            repeats_calls: true,
            min_idle: Duration::from_secs(30),
            restart_delay: Duration::from_millis(200),
            memory_limit: None,
            term: Duration::from_secs(10),
            runner: None,
            relay: None,
            tenant: None,
            host: None,
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("roots", &self.roots)
            .field("interaction_timeout", &self.interaction_timeout)
            .field("queued", &self.queued)
            .field("idle", &self.idle)
            .field("awake", &self.awake)
            .field("memory_limit", &self.memory_limit)
            .field("term", &self.term)
            .field("runner", &self.runner)
            .field("relay", &self.relay)
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

/// Runs sessions over a store, and lets callers of any tenant use them.
#[derive(Clone)]
pub struct Gateway {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    settings: Arc<Settings>,
    node: NodeRef,
    /// `None` after the gateway has shut down.
    lease: Mutex<Option<NodeLease>>,
    leaving: watch::Sender<bool>,
    tenants: Mutex<HashMap<TenantId, Arc<Tenant>>>,
    /// The awake sessions of all tenants.
    places: Arc<Places>,
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway")
            .field("node", &self.inner.node)
            .finish_non_exhaustive()
    }
}

impl Gateway {
    /// Starts a gateway as a node of a store. It takes over the sessions that an earlier process of
    /// the same node, or a dead node, has left awake.
    ///
    /// # Errors
    /// The store is unavailable, another process starts as the same node, the runner does not work
    /// on this machine, or neither [`Settings::runner`] nor [`Settings::tenant`] is set.
    pub async fn start(
        store: Arc<dyn Store>,
        node: NodeId,
        settings: Settings,
    ) -> Result<Self, GatewayError> {
        settings.check_isolation()?;
        let incarnation = 1;
        let record = NodeRecord {
            node: NodeRef { node, incarnation },
            counter: 0,
            is_leaving: false,
            body: Bytes::new(),
            revision: Revision(0),
        };
        let lease = lease::hold(Arc::clone(&store), record, settings.term).await?;
        let mut orphans = lease.orphans();
        let places = Places::new(settings.awake, settings.min_idle);
        let inner = Arc::new(Inner {
            store,
            settings: Arc::new(settings),
            node: lease.node().clone(),
            lease: Mutex::new(Some(lease)),
            leaving: watch::Sender::new(false),
            tenants: Mutex::default(),
            places,
        });
        if let Some(tenant) = &inner.settings.tenant {
            // It may have interactions that expire.
            inner.tenant(tenant);
        }
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            while let Some((key, owner)) = orphans.next().await {
                let Some(inner) = weak.upgrade() else { return };
                let tenant = inner.tenant(&key.tenant);
                let Ok(session_id) = key.session.as_str().parse() else {
                    continue;
                };
                if let Err(error) = tenant.take_over(session_id, Some(&owner)).await {
                    tracing::warn!(%session_id, %error, "a session is taken over later");
                    tokio::spawn(tenant.take_over_later(session_id, Some(owner)));
                }
            }
        });
        Ok(Self { inner })
    }

    /// Returns the operations of a caller.
    pub fn access(&self, caller: Caller) -> Access {
        let tenant = self.inner.tenant(&caller.tenant);
        Access { tenant, caller }
    }

    /// Puts all sessions to sleep and ends the lease of this node. Running work may finish within
    /// `grace`. If a CLI or the store does not respond, this takes up to 25 s longer. Commands are
    /// refused from now on. Sessions with unfinished commands are taken over by other nodes, or by
    /// the next process of this one.
    pub async fn shutdown(self, grace: Duration) {
        self.inner.leaving.send_replace(true);
        let tenants: Vec<Arc<Tenant>> = self.inner.tenants().values().cloned().collect();
        let asleep = tenants.iter().map(|tenant| tenant.sleep_all(grace));
        futures_util::future::join_all(asleep).await;
        let lease = self.inner.lease.lock();
        let lease = lease.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(lease) = lease {
            match tokio::time::timeout(LEAVE, lease.leave()).await {
                Ok(Ok(())) => {}
                left => tracing::warn!(?left, "other nodes wait until the lease expires"),
            }
        }
    }
}

impl Inner {
    fn tenants(&self) -> std::sync::MutexGuard<'_, HashMap<TenantId, Arc<Tenant>>> {
        // Nothing panics while the lock is held.
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tenant(&self, id: &TenantId) -> Arc<Tenant> {
        let mut tenants = self.tenants();
        let new = || {
            let (store, node) = (Arc::clone(&self.store), self.node.clone());
            let (settings, leaving) = (Arc::clone(&self.settings), self.leaving.subscribe());
            let places = Arc::clone(&self.places);
            let id = id.clone();
            let tenant = Arc::new(Tenant::new(id, store, node, settings, leaving, places));
            tokio::spawn(expiry::run(Arc::downgrade(&tenant)));
            tenant
        };
        Arc::clone(tenants.entry(id.clone()).or_insert_with(new))
    }
}
