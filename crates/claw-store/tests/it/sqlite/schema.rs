//! Files of other schemas and programs.

use claw_store::{OpenError, SqliteOptions, SqliteStore};
use rusqlite::Connection;
use tempfile::TempDir;

use super::fixture::{create, open};

#[tokio::test]
async fn newer_schema_and_other_programs_are_refused() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("newer.db");
    drop(open(&path).await);
    let newer = "PRAGMA user_version = 99";
    Connection::open(&path)
        .unwrap()
        .execute_batch(newer)
        .unwrap();
    let error = SqliteStore::open(&path, SqliteOptions::default()).await;
    let error = error.unwrap_err();
    let is_newer = matches!(
        error,
        OpenError::NewerSchema {
            found: 99,
            supported: 2
        }
    );
    assert!(is_newer, "{error}");

    let path = dir.path().join("other.db");
    let other = "CREATE TABLE other (id INTEGER)";
    Connection::open(&path)
        .unwrap()
        .execute_batch(other)
        .unwrap();
    let error = SqliteStore::open(&path, SqliteOptions::default()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("another program"), "{error}");

    let path = dir.path().join("text.db");
    std::fs::write(&path, "x".repeat(5000)).unwrap();
    let error = SqliteStore::open(&path, SqliteOptions::default()).await;
    assert!(matches!(error, Err(OpenError::Failed { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_create_the_file_at_the_same_time_share_it() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("store.db");
    let opens = (0..8).map(|_| {
        let path = path.clone();
        tokio::spawn(async move { open(&path).await })
    });
    let opens: Vec<_> = opens.collect();
    let mut names = Vec::new();
    for store in opens {
        let store = store.await.unwrap();
        names.push(create(&store, "tenant").await.unwrap());
    }
    assert_eq!(names.len(), 8);
}
