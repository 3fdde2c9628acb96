//! Many sleeping sessions in one store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_gateway::{DialectName, Gateway, Scope};
use claw_server::SessionId;
use claw_store::{NodeId, SessionKey, SqliteOptions, SqliteStore, Store};
use claw_testkit::FakeScript;
use claw_testkit::figure::{Figure, Spread, record};
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};

use crate::cases;
use crate::gateway::{is_kind, key, send, until};
use crate::host::{Host, settings};

use crate::stores::tenant;
use crate::template::Template;

/// What the process with the gateway is to do, as JSON.
const SETUP: &str = "CLAW_TEST_ASLEEP";
/// Begins the line with its result.
const MARK: &str = "@measured ";
/// The events of each session, at least.
const EVENTS: usize = 20;
const WAKES: usize = 10;
/// Sessions that are created at the same time.
const PARALLEL: usize = 256;
const MEMORY_MIB: f64 = 200.0;

#[derive(Serialize, Deserialize)]
struct Setup {
    folder: PathBuf,
    database: PathBuf,
    sessions: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    rss_mib: f64,
    wakes_ms: Vec<f64>,
}

async fn open(database: &Path) -> Arc<dyn Store> {
    let store = SqliteStore::open(database, SqliteOptions::default()).await;
    Arc::new(store.unwrap())
}

/// Runs a session until it has some turns, and removes its files.
async fn record_session(folder: tempfile::TempDir) -> (Template, tempfile::TempDir) {
    let store = open(&folder.path().join("template.db")).await;
    let settings = settings(folder.path(), &FakeScript::new());
    let node = NodeId::new("one").unwrap();
    let gateway = Gateway::start(Arc::clone(&store), node, settings).await;
    let host = Host {
        gateway: gateway.unwrap(),
        folder,
    };
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = phone.create(host.spec(), key("new")).await.unwrap().id;
    let mut frames = phone.follow(session, DialectName::Events, 0).await.unwrap();
    for turn in 0.. {
        let text = format!("prompt {turn}");
        send(&phone, session, &text, &text).await;
        until(&mut frames, is_kind("input_processed")).await;
        if phone.get(session).await.unwrap().last as usize >= EVENTS {
            break;
        }
    }
    let Host { gateway, folder } = host;
    gateway.shutdown(Duration::from_secs(10)).await;
    let id = claw_store::SessionId::new(&session.to_string()).unwrap();
    let recorded = Template::read(&*store, SessionKey::new(tenant(), id)).await;
    std::fs::remove_dir_all(folder.path().join("config")).unwrap();
    (recorded, folder)
}

/// Wakes some of many sessions in another process, whose memory is measured.
async fn measure(folder: &Path, template: &Template, count: usize) -> Measured {
    let database = folder.join(format!("{count}.db"));
    let store = open(&database).await;
    let sessions: Vec<SessionId> = stream::iter(0..count)
        .map(|_| template.copy(&*store))
        .buffered(PARALLEL)
        .collect()
        .await;
    drop(store);
    let woken = sessions.iter().step_by(count / WAKES).take(WAKES);
    let setup = Setup {
        folder: folder.to_owned(),
        database,
        sessions: woken.map(ToString::to_string).collect(),
    };
    let mut process = tokio::process::Command::new(std::env::current_exe().unwrap());
    process
        .args(["--exact", "asleep::a_gateway_wakes_sessions", "--nocapture"])
        .env(SETUP, serde_json::to_string(&setup).unwrap())
        .kill_on_drop(true);
    let output = process.output().await.unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    let found = out.lines().find_map(|line| line.split_once(MARK));
    let (_, measured) = found.unwrap_or_else(|| panic!("{output:?}"));
    std::fs::remove_dir_all(folder.join("config")).unwrap();
    serde_json::from_str(measured).unwrap()
}

/// The process with the gateway.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_wakes_sessions() {
    let Ok(setup) = std::env::var(SETUP) else {
        return;
    };
    let setup: Setup = serde_json::from_str(&setup).unwrap();
    let store = open(&setup.database).await;
    let settings = settings(&setup.folder, &FakeScript::new());
    let node = NodeId::new("one").unwrap();
    let gateway = Gateway::start(store, node, settings).await.unwrap();
    let access = gateway.access(claw_gateway::Caller {
        tenant: tenant(),
        device: "phone".to_owned(),
        scope: Scope::Drive,
    });
    let mut wakes_ms = Vec::new();
    for session in &setup.sessions {
        let session: SessionId = session.parse().unwrap();
        let after = access.get(session).await.unwrap().last;
        let events = DialectName::Events;
        let mut frames = access.follow(session, events, after).await.unwrap();
        let start = Instant::now();
        send(&access, session, "wake", "wake").await;
        until(&mut frames, is_kind("input_processed")).await;
        wakes_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.unwrap().trim().trim_end_matches(" kB");
    let measured = Measured {
        rss_mib: kib.parse::<f64>().unwrap() / 1024.0,
        wakes_ms,
    };
    gateway.shutdown(Duration::from_secs(10)).await;
    println!("\n{MARK}{}", serde_json::to_string(&measured).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wake_takes_as_long_among_many_sleeping_sessions() {
    let count = cases(100_000, 50) as usize;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let (template, folder) = record_session(folder).await;
    let few = measure(folder.path(), &template, WAKES).await;
    let many = measure(folder.path(), &template, count).await;
    assert_eq!(many.wakes_ms.len(), WAKES);
    let (few_ms, many_ms) = (
        Spread::of(&few.wakes_ms).unwrap(),
        Spread::of(&many.wakes_ms).unwrap(),
    );
    let events = template.events();
    let memory = Figure::new(
        format!(
            "gateway memory after {WAKES} wakes, {count} sleeping sessions of {events} events on \
             SQLite"
        ),
        format!("≤ {MEMORY_MIB} MiB"),
    );
    let mut wake = Figure::new(
        format!("wake of one of {count} sleeping sessions to the end of its turn, fake CLI"),
        format!(
            "within the spread of one among {WAKES}: ≤ {:.0} ms",
            few_ms.max
        ),
    );
    wake.within_spread = many_ms.min <= few_ms.max;
    let figures = vec![
        memory.measured(
            format!("{:.0} MiB", many.rss_mib),
            many.rss_mib <= MEMORY_MIB,
        ),
        wake.measured(
            format!(
                "median {:.0} ms ({:.0}–{:.0}), among {WAKES} {:.0} ms ({:.0}–{:.0})",
                many_ms.median, many_ms.min, many_ms.max, few_ms.median, few_ms.min, few_ms.max
            ),
            many_ms.median <= few_ms.max,
        ),
    ];
    // The times depend on the load of the machine, so only a proof judges them.
    if crate::is_full() {
        record("asleep", figures);
    }
}
