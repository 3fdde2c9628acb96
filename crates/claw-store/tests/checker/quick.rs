//! Short runs, for the normal suite. Those on the memory store also find the bugs of
//! `testdata/mutants` that name a rule of the checker.

use std::sync::Arc;
use std::time::Duration;

use claw_store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use tokio::time::sleep;

use crate::bodies::seed;
use crate::check::{Counts, check, explain};
use crate::run::in_process;
use crate::workload::{LeasePlan, Plan};

async fn run(crews: &[(Arc<dyn Store>, Plan)], load: impl Future<Output = ()>) -> Counts {
    let (history, finals) = in_process(crews, load).await;
    let counts = Counts::of(&history);
    eprintln!("{counts}");
    let found = check(&history, &finals);
    assert!(found.is_empty(), "{}", explain(&history, &found));
    counts
}

/// Loads a store. Everything but appends and followed events may be as rare as `least`.
async fn check_handles(test: &str, handles: Vec<Arc<dyn Store>>, least: usize) {
    let plan = Plan {
        patience_ms: 10_000,
        lossy: 20,
        ..Plan::new(seed(test), 4)
    };
    let crews = handles.into_iter().map(|store| (store, plan.clone()));
    let counts = run(&crews.collect::<Vec<_>>(), sleep(Duration::from_secs(3))).await;
    let others = [counts.refused, counts.unknown, counts.reads, counts.answers];
    assert!(
        counts.appends > 10 && counts.followed > 10 && others.iter().all(|count| *count > least),
        "too little was done: {counts}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_store_has_no_violations() {
    let store = MemoryStore::new();
    let handles = vec![Arc::new(store.handle()) as _, Arc::new(store.handle()) as _];
    check_handles("memory", handles, 10).await;
}

/// After an outage, the nodes renew their leases one after the other. The first ones must not take
/// the sessions of the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_leases_outlast_an_outage() {
    const NODES: u32 = 8;
    let store = MemoryStore::new();
    let plan = Plan {
        writers: 0,
        takers: 0,
        readers: 0,
        followers: 0,
        answerers: 0,
        submitters: 0,
        ..Plan::new(seed("leases"), NODES)
    };
    let crews = (0..NODES).map(|node| {
        // The terms differ, so that nodes do not renew and look at the same times.
        let lease = Some(LeasePlan {
            term_ms: 2000 + 37 * u64::from(node),
            share: Some((node, NODES)),
        });
        let plan = Plan {
            lease,
            ..plan.clone()
        };
        (Arc::new(store.handle()) as Arc<dyn Store>, plan)
    });
    let load = async {
        sleep(Duration::from_secs(1)).await;
        store.set_stopped(true);
        sleep(Duration::from_secs(3)).await;
        store.set_stopped(false);
        sleep(Duration::from_secs(1)).await;
    };
    let counts = run(&crews.collect::<Vec<_>>(), load).await;
    assert!(counts.appends > 10, "too little was done: {counts}");
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
    check_handles("sqlite", handles, 0).await;
}
