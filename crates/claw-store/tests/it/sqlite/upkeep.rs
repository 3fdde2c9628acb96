//! Quotas, retention, erasure and backups.

use std::time::Duration;

use bytes::Bytes;
use claw_store::{
    Batch, Blobs as _, Checkpoint, Directory as _, Log as _, Mirror as _, Quota, ReadLimit,
    Retention, SessionState, StoreError,
};
use rusqlite::Connection;

use super::fixture::{Fixture, append, claim, create, open, owned, read_all, tenant, wait_until};

/// Returns the bytes and the sessions that are counted for a tenant.
fn usage(fixture: &Fixture, tenant: &str) -> (u64, u64) {
    let raw = Connection::open(fixture.path()).unwrap();
    let sql = "SELECT bytes, sessions FROM tenant WHERE name = ?";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    raw.query_row(sql, [tenant], read).unwrap()
}

#[tokio::test]
async fn quota_refuses_sessions_and_bytes_of_its_tenant_only() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let quota = Quota {
        bytes: Some(1000),
        sessions: Some(2),
    };
    store.set_quota(&tenant("small"), quota).await.unwrap();
    let key = create(store, "small").await.unwrap();
    create(store, "small").await.unwrap();
    let full = create(store, "small").await;
    assert!(matches!(full, Err(StoreError::Full { .. })), "{full:?}");
    create(store, "large").await.unwrap();

    let claim = claim(store, &key).await;
    let half = || Bytes::from(vec![1; 500]);
    let batch = Batch::from(vec![half()]);
    store.append(&claim, 0, &batch).await.unwrap();
    store.put_blob(&claim, half()).await.unwrap();
    let refused = [
        store.append(&claim, 1, &batch).await.map(drop),
        store.mirror(&claim, "file", 0, &[half()]).await.map(drop),
        store
            .put_blob(&claim, Bytes::from_static(b"x"))
            .await
            .map(drop),
    ];
    for refused in refused {
        assert!(
            matches!(refused, Err(StoreError::Full { .. })),
            "{refused:?}"
        );
    }
    // A repeated call stores nothing, and a stale owner must stop.
    store.append(&claim, 0, &batch).await.unwrap();
    store.put_blob(&claim, half()).await.unwrap();
    let newer = super::fixture::claim(store, &key).await;
    let fenced = store.append(&claim, 1, &batch).await;
    assert!(
        matches!(fenced, Err(StoreError::Fenced { .. })),
        "{fenced:?}"
    );

    assert_eq!(usage(&fixture, "small"), (1000, 2));
    store.erase(&key).await.unwrap();
    assert_eq!(usage(&fixture, "small"), (0, 1));
    create(store, "small").await.unwrap();
    let late = store.append(&newer, 1, &batch).await;
    assert_eq!(late, Err(StoreError::Deleted));
}

#[tokio::test]
async fn retention_deletes_ended_sessions_and_what_a_checkpoint_includes() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let (ended, claim) = owned(store).await;
    append(store, &claim, 0, 600).await;
    store.release(&claim, SessionState::Ended).await.unwrap();
    let (awake, claim) = owned(store).await;
    append(store, &claim, 0, 10).await;
    let body = Bytes::from_static(b"state");
    let checkpoint = Checkpoint { sequence: 4, body };
    store.save_checkpoint(&claim, &checkpoint).await.unwrap();

    let mut policy = Retention {
        max_age: Duration::from_secs(3600),
        ended_only: true,
    };
    assert_eq!(store.retain(policy).await, Ok(0));
    // The clock has to go on for the events to be old enough.
    tokio::time::sleep(Duration::from_millis(5)).await;
    policy.max_age = Duration::ZERO;
    assert_eq!(store.retain(policy).await, Ok(600));
    policy.ended_only = false;
    assert_eq!(store.retain(policy).await, Ok(4));
    assert_eq!(store.retain(policy).await, Ok(0));

    let limit = ReadLimit::default();
    let truncated = |first| Err(StoreError::Truncated { first });
    assert_eq!(store.read(&ended, 0, limit).await, truncated(601));
    assert_eq!(store.read(&ended, 600, limit).await, Ok(vec![]));
    assert_eq!(store.read(&awake, 3, limit).await, truncated(5));
    assert_eq!(store.read(&awake, 4, limit).await.unwrap().len(), 6);
    append(store, &claim, 10, 1).await;

    let raw = Connection::open(fixture.path()).unwrap();
    let count = || {
        let sql = "SELECT count(*) FROM event";
        raw.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    wait_until("the deletion of old events", || count() == 7).await;
    let size: u64 = (5..=11)
        .map(|number| format!("event {number}").len() as u64)
        .sum();
    assert_eq!(usage(&fixture, "tenant"), (size + 5, 2));
}

#[tokio::test]
async fn erased_session_leaves_no_rows_and_its_deletion_survives_a_restart() {
    let fixture = Fixture::new().await;
    let (key, claim) = owned(&fixture.store).await;
    append(&fixture.store, &claim, 0, 1000).await;
    let secret = Bytes::from(vec![b'S'; 100_000]);
    fixture
        .store
        .put_blob(&claim, secret.clone())
        .await
        .unwrap();
    let lines = vec![Bytes::from_static(b"line"); 300];
    fixture
        .store
        .mirror(&claim, "file", 0, &lines)
        .await
        .unwrap();
    fixture.store.erase(&key).await.unwrap();
    let other = open(&fixture.path()).await;
    assert_eq!(other.get(&key).await, Err(StoreError::Deleted));
    let raw = Connection::open(fixture.path()).unwrap();
    let is_empty = || {
        [
            "event",
            "blob",
            "mirror",
            "mirror_file",
            "inbox",
            "checkpoint",
            "trash",
        ]
        .iter()
        .all(|table| {
            let sql = format!("SELECT count(*) FROM {table}");
            raw.query_row(&sql, [], |row| row.get::<_, i64>(0)) == Ok(0)
        })
    };
    wait_until("the deletion of all rows", is_empty).await;
    let truncated = "PRAGMA wal_checkpoint(TRUNCATE)";
    wait_until("an empty log", || {
        raw.query_row(truncated, [], |row| row.get::<_, i64>(0)) == Ok(0)
    })
    .await;
    let file = std::fs::read(fixture.path()).unwrap();
    let has_secret = file.windows(100).any(|part| part == &secret[..100]);
    assert!(!has_secret, "the content of the blob is in the file");
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_of_a_busy_store_is_a_prefix_of_it() {
    let fixture = Fixture::new().await;
    let (key, claim) = owned(&fixture.store).await;
    append(&fixture.store, &claim, 0, 100).await;
    let writer = tokio::spawn({
        let store = fixture.store.clone();
        async move {
            for last in 100..2000 {
                append(&store, &claim, last, 1).await;
            }
        }
    });
    for number in 0..5 {
        let path = fixture.dir.path().join(format!("backup-{number}.db"));
        fixture.store.backup(&path).await.unwrap();
        let again = fixture.store.backup(&path).await;
        assert!(
            matches!(again, Err(StoreError::Conflict { .. })),
            "{again:?}"
        );
        let restored = open(&path).await;
        let events = read_all(&restored, &key).await;
        assert!(events.len() >= 100);
        assert_eq!(restored.get(&key).await.unwrap().last, events.len() as u64);
    }
    writer.await.unwrap();
    assert_eq!(read_all(&fixture.store, &key).await.len(), 2000);
}
