//! Killed processes and power cuts.

use claw_store::contract::numbered_body;
use claw_testkit::figure::{Figure, record};
use rusqlite::Connection;

use super::fixture::{Fixture, create, open, read_all};
use super::power::{Trace, Unsynced};

/// Runs a process and checks the files of many power cuts. Returns how many.
async fn check_power_cuts(events: u64, faults: &[&str]) -> usize {
    let fixture = Fixture::new().await;
    let key = create(&fixture.store, "tenant").await.unwrap();
    let path = fixture.dir.path().join("traced.db");
    fixture.store.backup(&path).await.unwrap();
    let trace = Trace::record(&path, &key, events, faults);
    assert!(
        trace.failures >= 10 * faults.len(),
        "{} failures",
        trace.failures
    );
    let mut acks = Vec::new();
    for round in 1..=40 {
        let instant = trace.len() * round / 40;
        for unsynced in [Unsynced::None, Unsynced::Some(round as u64)] {
            let folder = fixture.dir.path().join(format!("cut-{}", acks.len()));
            let acked = trace.write_files(instant, unsynced, &folder);
            let store = open(&folder.join("traced.db")).await;
            let stored = read_all(&store, &key).await;
            let context = format!("instant {instant} of {}, {unsynced:?}", trace.len());
            assert!(
                stored.len() as u64 >= acked,
                "{acked} acknowledged, {context}"
            );
            for event in &stored {
                assert_eq!(event.body, numbered_body(event.sequence), "{context}");
            }
            let raw = Connection::open(folder.join("traced.db")).unwrap();
            let check =
                raw.pragma_query_value(None, "integrity_check", |row| row.get::<_, String>(0));
            assert_eq!(check.as_deref(), Ok("ok"), "{context}");
            acks.push(acked);
        }
    }
    assert_eq!(acks.last(), Some(&events), "the process ended early");
    let cuts = acks.iter().filter(|acked| (1..events).contains(*acked));
    assert!(cuts.count() >= 50);
    acks.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_without_unsynced_writes_open_and_have_every_acknowledged_event() {
    let images = check_power_cuts(350, &[]).await;
    let name = "SQLite: images rebuilt without unsynced writes, or with some of them";
    let figure = Figure::new(name, "≥ 50: 0 lost, 0 doubled, all open")
        .measured(format!("{images}: 0, 0, all"), images >= 50);
    record("sqlite-power", vec![figure]);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_syncs_lose_no_acknowledged_event() {
    check_power_cuts(200, &["inject=fdatasync,fsync:error=EIO:when=20+7"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_writes_lose_no_acknowledged_event() {
    check_power_cuts(200, &["inject=pwrite64:error=EIO:when=100+37"]).await;
}
