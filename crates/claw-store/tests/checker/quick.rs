//! Short runs, for the normal suite.

use std::sync::Arc;
use std::time::Duration;

use claw_store::{MemoryStore, SqliteOptions, SqliteStore, Store};

use crate::bodies::seed;
use crate::check::{Counts, check, explain};
use crate::run::in_process;
use crate::workload::Plan;

async fn check_handles(test: &str, handles: &[Arc<dyn Store>]) {
    let plan = Plan::new(seed(test), 4);
    let (history, finals) = in_process(handles, &plan, Duration::from_secs(3)).await;
    let counts = Counts::of(&history);
    eprintln!("{test}: {counts}");
    let found = check(&history, &finals);
    assert!(found.is_empty(), "{}", explain(&history, &found));
    assert!(
        counts.appends > 10 && counts.refused > 0 && counts.followed > 10,
        "too little was done: {counts}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_store_has_no_violations() {
    let store = MemoryStore::new();
    let handles = [store.handle(), store.handle()].map(|store| Arc::new(store) as Arc<dyn Store>);
    check_handles("memory", &handles).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_store_has_no_violations() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut handles: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..2 {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await;
        handles.push(Arc::new(store.unwrap()));
    }
    check_handles("sqlite", &handles).await;
}
