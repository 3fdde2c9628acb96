//! The stores that the laws are checked on.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use claw_gateway::StoreLog;
use claw_store::{MemoryStore, Store};
use claw_testkit::nats::{NatsServers, variables};

use crate::is_full;
use crate::place::Place;
pub(crate) use crate::place::{TENANT, claim, create, tenant};

/// A store, as two processes see it.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store>,
    /// Another handle, without anything in memory that it shares with the first one.
    pub(crate) elsewhere: Arc<dyn Store>,
    /// Files and servers that are removed at the end.
    _kept: Box<dyn Send + Sync>,
}

/// If set, all tests run on JetStream only, so that also those run on it that need one store.
const ON_JETSTREAM: &str = "CLAW_ON_JETSTREAM";

thread_local! {
    /// Servers that stop when the test ends.
    static SERVERS: RefCell<Vec<NatsServers>> = const { RefCell::new(Vec::new()) };
}

/// Whether a server is installed. A plain test has none.
pub(crate) fn has_servers() -> bool {
    std::env::var_os(variables::SERVER).is_some()
}

/// Every kind of store that needs no server; in a proof, every kind.
pub(crate) async fn all() -> Vec<Row> {
    rows(is_full()).await
}

/// Every kind of store for which there is a server.
pub(crate) async fn with_servers() -> Vec<Row> {
    rows(has_servers()).await
}

async fn rows(with_server: bool) -> Vec<Row> {
    if std::env::var_os(ON_JETSTREAM).is_some() {
        let (place, servers) = Place::jetstream().await;
        // Some tests keep only the store.
        SERVERS.with_borrow_mut(|all| all.push(servers));
        return vec![row(place, ()).await];
    }
    let (file, folder) = Place::sqlite();
    let mut rows = vec![memory(), row(file, folder).await];
    if with_server {
        let (place, servers) = Place::jetstream().await;
        rows.push(row(place, Mutex::new(servers)).await);
    }
    rows
}

fn memory() -> Row {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    Row {
        name: "memory",
        elsewhere: Arc::clone(&store),
        store,
        _kept: Box::new(()),
    }
}

async fn row(place: Place, kept: impl Send + Sync + 'static) -> Row {
    Row {
        name: place.name(),
        store: place.open().await,
        elsewhere: place.open().await,
        _kept: Box::new(kept),
    }
}

impl Row {
    /// The log of a process.
    pub(crate) fn log(&self) -> StoreLog {
        StoreLog::new(Arc::clone(&self.store), tenant())
    }

    /// The log of another process.
    pub(crate) fn log_elsewhere(&self) -> StoreLog {
        StoreLog::new(Arc::clone(&self.elsewhere), tenant())
    }
}
