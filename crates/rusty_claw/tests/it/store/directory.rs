use std::io::Write;
use std::path::Path;

use rusty_claw::store::{
    Batch, BatchId, DirectoryStore, SessionKey, SessionStore, StoreError, SyncPolicy,
};

use super::{line, texts};

const ONE: &str = r#"{"uuid":"c0c0c0c0-0000-4000-8000-000000000001"}"#;
const TWO: &str = r#"{"uuid":"c0c0c0c0-0000-4000-8000-000000000002"}"#;
const MODE: &str = r#"{"type":"mode"}"#;

fn key() -> SessionKey {
    SessionKey::new("-p", "5e5e")
}

fn batch(lines: &[&str]) -> Batch {
    let entries = lines.iter().map(|text| line(text)).collect();
    Batch::new(BatchId::first(), entries)
}

async fn loaded(store: &DirectoryStore, key: &SessionKey) -> Vec<String> {
    let entries = store.load(key).await.unwrap().unwrap();
    texts(&entries).into_iter().map(str::to_owned).collect()
}

fn add_bytes(path: &Path, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[tokio::test]
async fn the_folder_is_as_the_cli_lays_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path().join("projects"));
    let subagent = key().with_subpath("subagents/agent-1");
    store.append(&key(), &batch(&[ONE, MODE])).await.unwrap();
    let metadata = r#"{"type":"agent_metadata","agentType":"general"}"#;
    let finished = r#"{"type":"agent_metadata","agentType":"general","finished":true}"#;
    store
        .append(&subagent, &batch(&[metadata, TWO, finished]))
        .await
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("projects/-p/5e5e.jsonl"), format!("{ONE}\n{MODE}\n"));
    assert_eq!(
        read("projects/-p/5e5e/subagents/agent-1.jsonl"),
        format!("{metadata}\n{TWO}\n{finished}\n")
    );
    assert_eq!(
        read("projects/-p/5e5e/subagents/agent-1.meta.json"),
        r#"{"agentType":"general","finished":true}"#
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name: &str| {
            let found = std::fs::metadata(folder.path().join(name)).unwrap();
            found.permissions().mode() & 0o777
        };
        assert_eq!(mode("projects"), 0o700);
        assert_eq!(mode("projects/-p/5e5e/subagents"), 0o700);
        assert_eq!(mode("projects/-p/5e5e.jsonl"), 0o600);
        assert_eq!(mode("projects/-p/5e5e/subagents/agent-1.meta.json"), 0o600);
    }
    store.delete(&subagent).await.unwrap();
    assert!(
        !folder
            .path()
            .join("projects/-p/5e5e/subagents/agent-1.meta.json")
            .exists()
    );
}

#[tokio::test]
async fn what_a_crash_has_left_is_passed_over() {
    // The end of the file, and the lines that are read.
    let table: &[(&[u8], &[&str])] = &[
        (b"{\"type\":\"cut o", &[ONE]),
        (MODE.as_bytes(), &[ONE, MODE]),
        (b"garbage\n\n", &[ONE]),
        (b"\0\0\0\0", &[ONE]),
        (b"{\"type\":\"cut \xF0\x9F", &[ONE]),
        (b"null\n[1]\n", &[ONE]),
    ];
    for reopened in [false, true] {
        for (tail, expected) in table {
            let folder = tempfile::tempdir().unwrap();
            let mut store = DirectoryStore::new(folder.path());
            store.append(&key(), &batch(&[ONE])).await.unwrap();
            add_bytes(&store.file_of(&key()).unwrap(), tail);
            if reopened {
                store = DirectoryStore::new(folder.path());
            }
            assert_eq!(loaded(&store, &key()).await, *expected, "{tail:?}");
            store.append(&key(), &batch(&[TWO, ONE])).await.unwrap();
            let mut expected = expected.to_vec();
            expected.push(TWO);
            assert_eq!(loaded(&store, &key()).await, expected, "{tail:?}");
        }
    }
}

#[tokio::test]
async fn what_somebody_else_wrote_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path());
    let other = DirectoryStore::new(folder.path()).sync(SyncPolicy::BySystem);
    store.append(&key(), &batch(&[ONE])).await.unwrap();
    other.append(&key(), &batch(&[ONE, TWO])).await.unwrap();
    store.append(&key(), &batch(&[TWO, MODE])).await.unwrap();
    assert_eq!(loaded(&store, &key()).await, [ONE, TWO, MODE]);
    // A file that was replaced by a shorter one starts anew.
    std::fs::write(store.file_of(&key()).unwrap(), format!("{MODE}\n")).unwrap();
    store.append(&key(), &batch(&[ONE])).await.unwrap();
    assert_eq!(loaded(&store, &key()).await, [MODE, ONE]);
}

#[tokio::test]
async fn no_key_leads_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path().join("root"));
    let hostile = [
        SessionKey::new("..", "x"),
        SessionKey::new("-p", "../../x"),
        SessionKey::new("", "x"),
        SessionKey::new("/etc", "x"),
        SessionKey::new("-p", "x\0"),
        key().with_subpath("../../../x"),
        key().with_subpath("/x"),
        key().with_subpath(""),
    ];
    for key in &hostile {
        let refused = |error| matches!(error, StoreError::BadKey { .. });
        assert!(
            store.append(key, &batch(&[ONE])).await.is_err_and(refused),
            "{key:?}"
        );
        assert!(store.load(key).await.is_err_and(refused), "{key:?}");
        assert!(store.delete(key).await.is_err_and(refused), "{key:?}");
    }
    assert!(store.list_sessions("..").await.is_err());
    assert!(!folder.path().join("root").exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_io_error_converts_into_a_store_error() {
    fn read() -> Result<String, StoreError> {
        Ok(std::fs::read_to_string("/nowhere/at/all")?)
    }
    let error = read().unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

/// The folder of such a session would be the file of another.
#[tokio::test]
async fn a_key_cannot_name_the_file_of_another_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path());
    let victim = SessionKey::new("-p", "victim");
    let agent = victim.with_subpath("subagents/agent-1");
    store.append(&victim, &batch(&[ONE])).await.unwrap();
    store.append(&agent, &batch(&[TWO])).await.unwrap();
    let hostile = [
        SessionKey::new("-p", "victim.jsonl"),
        SessionKey::new("-p", "VICTIM.JSONL"),
        SessionKey::new("-p", "victim.jsonl").with_subpath("x"),
        victim.with_subpath("subagents/agent-1.jsonl"),
        victim.with_subpath("subagents/agent-1.jsonl/x"),
        victim.with_subpath("subagents/agent-1.meta.json/x"),
    ];
    for key in &hostile {
        let refused = |error| matches!(error, StoreError::BadKey { .. });
        assert!(store.delete(key).await.is_err_and(refused), "{key:?}");
        let appended = store.append(key, &batch(&[ONE])).await;
        assert!(appended.is_err_and(refused), "{key:?}");
    }
    assert_eq!(loaded(&store, &victim).await, [ONE]);
    assert_eq!(loaded(&store, &agent).await, [TWO]);
}

#[tokio::test]
async fn a_line_is_one_line_whatever_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path());
    let batch = batch(&["{\n \"a\": \"x y\"\n}", r#"{"b": 1}"#]);
    store.append(&key(), &batch).await.unwrap();
    assert_eq!(
        loaded(&store, &key()).await,
        [r#"{"a":"x y"}"#, r#"{"b": 1}"#]
    );
}

#[tokio::test]
async fn a_failed_append_is_welcome_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path());
    let in_the_way = folder.path().join("-p");
    std::fs::write(&in_the_way, "a file where a folder should be").unwrap();
    let batch = batch(&[MODE, ONE]);
    let error = store.append(&key(), &batch).await.unwrap_err();
    assert!(error.to_string().contains("5e5e.jsonl"), "{error}");
    std::fs::remove_file(&in_the_way).unwrap();
    store.append(&key(), &batch).await.unwrap();
    store.append(&key(), &batch).await.unwrap();
    assert_eq!(loaded(&store, &key()).await, [MODE, ONE]);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_an_error_and_the_retry_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path());
    store.append(&key(), &batch(&[ONE])).await.unwrap();
    let path = store.file_of(&key()).unwrap();
    // A file whose reading works and whose writing does not: the device that is always full.
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let late = Batch::new(BatchId::first(), vec![line(MODE)]);
    let error = store.append(&key(), &late).await;
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(error, Err(StoreError::Io { .. })), "{error:?}");
    store.append(&key(), &late).await.unwrap();
    assert_eq!(loaded(&store, &key()).await, [MODE]);
}

#[tokio::test]
async fn many_keys_are_forgotten_and_still_right() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(folder.path()).sync(SyncPolicy::BySystem);
    let first = batch(&[ONE, MODE]);
    store.append(&key(), &first).await.unwrap();
    for n in 0..600 {
        let other = SessionKey::new("-p", format!("other-{n}"));
        store.append(&other, &batch(&[ONE])).await.unwrap();
    }
    store.append(&key(), &first).await.unwrap();
    store.append(&key(), &batch(&[ONE, TWO])).await.unwrap();
    assert_eq!(loaded(&store, &key()).await, [ONE, MODE, TWO]);
    assert_eq!(store.list_sessions("-p").await.unwrap().len(), 601);
}
