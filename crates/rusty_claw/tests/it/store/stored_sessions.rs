//! Stores and the CLI's files return the same sessions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusty_claw::sessions::{
    ForkOptions, MessageFilter, SessionFilter, SessionInfo, SessionLibrary,
};
use rusty_claw::store::{
    Batch, DirectoryStore, ImportOptions, MemoryStore, SessionKey, SessionStore, StoreError,
    StoreFuture, StoredSession, StoredSessions, import_session,
};
use rusty_claw::{Json, Str};

const PROJECT: &str = "-home-user-atlas";

fn library() -> SessionLibrary {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sessions/demo");
    SessionLibrary::open(demo)
}

/// The expected entry of a store: without a path, and modified at the time of the import.
fn in_no_file(info: &SessionInfo) -> SessionInfo {
    let mut info = info.clone();
    info.path = PathBuf::new();
    info.file_size = 0;
    info.last_modified = std::time::SystemTime::UNIX_EPOCH;
    info
}

#[tokio::test]
async fn every_store_answers_as_the_files_do() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn SessionStore>; 3] = [
        Arc::new(MemoryStore::new()),
        Arc::new(DirectoryStore::new(folder.path())),
        Arc::new(WithoutSummaries(MemoryStore::new())),
    ];
    for store in stores {
        let library = library();
        let in_files = &library.list(&SessionFilter::new()).unwrap()[0];
        let id = in_files.session_id.as_str();
        let options = ImportOptions::new().batch_lines(3);
        let report = import_session(&*store, &library, id, options)
            .await
            .unwrap();
        assert_eq!((report.keys.len(), report.left_out), (2, 0), "{report:?}");
        let stored = StoredSessions::new(Arc::clone(&store), PROJECT);

        let listed = stored.list(0, 10).await.unwrap();
        let [listed] = listed.as_slice() else {
            panic!("{listed:?}")
        };
        assert_eq!(in_no_file(listed), in_no_file(in_files));
        let info = stored.info(id).await.unwrap().unwrap();
        assert_eq!(in_no_file(&info), in_no_file(in_files));
        assert!(stored.list(1, 10).await.unwrap().is_empty());
        assert!(stored.list(0, 0).await.unwrap().is_empty());

        let filter = MessageFilter::new();
        let messages = library.messages(id, &filter).unwrap();
        assert!(!messages.is_empty());
        assert_eq!(stored.messages(id, filter.clone()).await.unwrap(), messages);
        let agents = library.subagents(id).unwrap();
        assert_eq!(stored.subagents(id).await.unwrap(), agents);
        let work = library.subagent_messages(id, &agents[0], &filter).unwrap();
        assert!(work[0].parent_tool_use_id.is_some());
        let found = stored.subagent_messages(id, &agents[0], filter.clone());
        assert_eq!(found.await.unwrap(), work);

        stored.rename(id, "Charts").await.unwrap();
        stored.tag(id, Some("kept")).await.unwrap();
        let fork = stored.fork(id, ForkOptions::new()).await.unwrap();
        let info = stored.info(id).await.unwrap().unwrap();
        assert_eq!(info.custom_title.as_deref(), Some("Charts"));
        assert_eq!(info.tag.as_deref(), Some("kept"));
        let copied = stored.messages(&fork, filter).await.unwrap();
        assert_eq!(copied.len(), messages.len());
        stored.tag(id, None).await.unwrap();
        let ids: BTreeSet<String> = stored
            .list(0, 10)
            .await
            .unwrap()
            .into_iter()
            .inspect(|info| assert_eq!(info.tag, None))
            .map(|info| info.session_id)
            .collect();
        assert_eq!(ids, BTreeSet::from([id.to_owned(), fork.clone()]));

        stored.delete(id).await.unwrap();
        assert_eq!(stored.info(id).await.unwrap(), None);
        let gone = stored.messages(id, MessageFilter::new()).await.unwrap_err();
        assert!(matches!(gone, StoreError::NoSuchSession { .. }), "{gone:?}");
        assert_eq!(stored.list(0, 10).await.unwrap()[0].session_id, fork);
    }
}

#[tokio::test]
async fn rejected_change_changes_nothing() {
    let (library, store) = (library(), Arc::new(MemoryStore::new()));
    let id = library.list(&SessionFilter::new()).unwrap()[0]
        .session_id
        .clone();
    import_session(&*store, &library, &id, ImportOptions::new())
        .await
        .unwrap();
    let key = SessionKey::new(PROJECT, id.as_str());
    let before = store.load(&key).await.unwrap();
    let stored = StoredSessions::new(store.clone(), PROJECT);
    assert!(stored.rename(&id, "  ").await.is_err());
    assert!(stored.tag(&id, Some("")).await.is_err());
    let other = "00000000-0000-4000-8000-000000000000";
    assert!(stored.rename(other, "New").await.is_err());
    assert_eq!(store.load(&key).await.unwrap(), before);
    assert_eq!(store.keys().len(), 2);
}

#[tokio::test]
async fn import_skips_invalid_lines_and_recognizes_stored_ones() {
    let config = tempfile::tempdir().unwrap();
    let project = config.path().join("projects/-w");
    std::fs::create_dir_all(&project).unwrap();
    let id = "5e5e5e5e-2222-4222-8222-000000000601";
    let said = r#"{"type":"user","uuid":"0c0c0c0c-0000-4000-8000-000000000001","message":{"role":"user","content":"Hello"}}"#;
    let title = r#"{"type":"custom-title","customTitle":"T"}"#;
    let text = format!("{said}\n\nnot JSON\n[1]\n{title}\n{{\"torn");
    std::fs::write(project.join(format!("{id}.jsonl")), text).unwrap();
    let (library, store) = (SessionLibrary::open(config.path()), MemoryStore::new());
    let report = import_session(&store, &library, id, ImportOptions::new())
        .await
        .unwrap();
    assert_eq!((report.lines, report.left_out), (2, 3), "{report:?}");
    import_session(&store, &library, id, ImportOptions::new())
        .await
        .unwrap();
    let lines = store
        .load(&SessionKey::new("-w", id))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(super::texts(&lines), [said, title, title]);
    let missing = "00000000-0000-4000-8000-000000000000";
    let error = import_session(&store, &library, missing, ImportOptions::new()).await;
    assert!(error.is_err());
}

/// A store that can list sessions and keeps no summaries.
struct WithoutSummaries(MemoryStore);

impl SessionStore for WithoutSummaries {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        self.0.append(key, batch)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        self.0.load(key)
    }

    fn list_sessions<'a>(&'a self, project_key: &'a str) -> StoreFuture<'a, Vec<StoredSession>> {
        self.0.list_sessions(project_key)
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        self.0.list_subkeys(key)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, ()> {
        self.0.delete(key)
    }
}
