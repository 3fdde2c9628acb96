//! Lists, reads and changes the sessions of a store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use claw_transcript::{
    ForkOptions, MessageFilter, ProjectKey, SessionInfo, SessionLibrary, SessionMessage,
    TranscriptError,
};

use super::batch::{Batch, BatchId};
use super::blocking::blocking;
use super::error::StoreError;
use super::import::{ImportOptions, import_session};
use super::key::SessionKey;
use super::materialize::{MaterializeOptions, Materialized, materialize};
use super::session_store::{SessionStore, StoredSummary};
use crate::{Json, Str};

/// Lists, reads and changes the sessions of one project in a store, as
/// [`SessionLibrary`](crate::sessions::SessionLibrary) does for the CLI's files.
///
/// Each call writes the session to a private temporary folder, so that it is read by the same code
/// as the CLI's files. Lines that a change appends there are appended to the store.
///
/// ```
/// use std::sync::Arc;
/// use rusty_claw::sessions::MessageFilter;
/// use rusty_claw::store::{Batch, BatchId, MemoryStore, SessionKey, SessionStore, StoredSessions};
/// use rusty_claw::Json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(MemoryStore::new());
/// # let id = "5e5e5e5e-2222-4222-8222-000000000601";
/// # let line = Json::from_text(r#"{"type":"user","uuid":"0c0c0c0c-0000-4000-8000-000000000001","parentUuid":null,"sessionId":"5e5e5e5e-2222-4222-8222-000000000601","message":{"role":"user","content":"Hello"}}"#)?;
/// # store.append(&SessionKey::new("-w", id), &Batch::new(BatchId::first(), vec![line])).await?;
/// let sessions = StoredSessions::of_dir(store, "/w");
/// let newest = &sessions.list(0, 1).await?[0];
/// assert_eq!(newest.summary, "Hello");
/// sessions.rename(&newest.session_id, "Greetings").await?;
/// let messages = sessions.messages(&newest.session_id, MessageFilter::new()).await?;
/// assert_eq!(messages.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct StoredSessions {
    store: Arc<dyn SessionStore>,
    project_key: Str,
}

impl StoredSessions {
    /// The sessions that are stored under a project key.
    pub fn new(store: Arc<dyn SessionStore>, project_key: impl Into<Str>) -> Self {
        Self {
            store,
            project_key: project_key.into(),
        }
    }

    /// The sessions of a CLI that ran in this folder.
    pub fn of_dir(store: Arc<dyn SessionStore>, dir: impl AsRef<Path>) -> Self {
        Self::new(store, ProjectKey::of_dir(dir).as_str())
    }

    /// Lists sessions, newest first: at most `limit` after the first `offset`.
    ///
    /// Uses the store's summaries if they are not older than their sessions; other sessions of the
    /// page are loaded. Sessions without a prompt are omitted. The path of each entry is empty.
    ///
    /// # Errors
    /// The store cannot list sessions, or fails.
    pub async fn list(&self, offset: usize, limit: usize) -> Result<Vec<SessionInfo>, StoreError> {
        let mut stored = self.store.list_sessions(&self.project_key).await?;
        stored.sort_by(|a, b| (b.modified, &b.session_id).cmp(&(a.modified, &a.session_id)));
        let summaries = match self.store.list_session_summaries(&self.project_key).await {
            Err(StoreError::Unsupported { .. }) => Vec::new(),
            summaries => summaries?,
        };
        let summaries: HashMap<&Str, &StoredSummary> =
            summaries.iter().map(|one| (&one.session_id, one)).collect();
        let (mut listed, mut to_skip) = (Vec::new(), offset);
        for session in stored {
            if listed.len() >= limit {
                break;
            }
            let (id, modified) = (&session.session_id, session.modified);
            let fresh = summaries.get(id).filter(|one| one.modified >= modified);
            let info = match fresh {
                Some(one) => one.summary.info(id, modified),
                None => self.described(id, modified).await?,
            };
            match info {
                Some(_) if to_skip > 0 => to_skip -= 1,
                info => listed.extend(info),
            }
        }
        Ok(listed)
    }

    /// Returns one session, or `None` if the store has no such session or it has no prompt.
    ///
    /// # Errors
    /// The id is not a UUID, the store cannot list sessions, or it fails.
    pub async fn info(&self, session_id: &str) -> Result<Option<SessionInfo>, StoreError> {
        let stored = self.store.list_sessions(&self.project_key).await?;
        match stored.into_iter().find(|one| one.session_id == *session_id) {
            Some(one) => self.described(session_id, one.modified).await,
            None => Ok(None),
        }
    }

    /// The conversation of a session.
    ///
    /// # Errors
    /// The store has no such session, or fails.
    pub async fn messages(
        &self,
        session_id: &str,
        filter: MessageFilter,
    ) -> Result<Vec<SessionMessage>, StoreError> {
        self.read(session_id, move |library, id| library.messages(id, &filter))
            .await
    }

    /// The ids of the subagents of a session.
    ///
    /// # Errors
    /// The store has no such session, or fails.
    pub async fn subagents(&self, session_id: &str) -> Result<Vec<String>, StoreError> {
        self.read(session_id, |library, id| library.subagents(id))
            .await
    }

    /// The conversation of one subagent.
    ///
    /// # Errors
    /// The store has no such session, or fails.
    pub async fn subagent_messages(
        &self,
        session_id: &str,
        agent_id: &str,
        filter: MessageFilter,
    ) -> Result<Vec<SessionMessage>, StoreError> {
        let agent_id = agent_id.to_owned();
        self.read(session_id, move |library, id| {
            library.subagent_messages(id, &agent_id, &filter)
        })
        .await
    }

    /// Sets the title of a session.
    ///
    /// # Errors
    /// The title is blank, the store has no such session, or fails.
    pub async fn rename(&self, session_id: &str, title: &str) -> Result<(), StoreError> {
        let title = title.to_owned();
        self.change(session_id, move |library, id| library.rename(id, &title))
            .await
    }

    /// Sets the tag of a session, or removes it with `None`.
    ///
    /// # Errors
    /// The tag is blank, the store has no such session, or fails.
    pub async fn tag(&self, session_id: &str, tag: Option<&str>) -> Result<(), StoreError> {
        let tag = tag.map(str::to_owned);
        self.change(session_id, move |library, id| {
            library.tag(id, tag.as_deref())
        })
        .await
    }

    /// Copies a session and returns the new id.
    ///
    /// # Errors
    /// The store has no such session, or fails.
    pub async fn fork(&self, session_id: &str, options: ForkOptions) -> Result<String, StoreError> {
        let made = self.lay_out(session_id).await?;
        let library = SessionLibrary::open(made.config_dir());
        let (files, id) = (library.clone(), session_id.to_owned());
        let forked =
            blocking(move || files.fork(&id, &options).map_err(StoreError::transcript)).await?;
        import_session(&*self.store, &library, &forked, ImportOptions::new()).await?;
        Ok(forked)
    }

    /// Deletes a session and everything below it.
    ///
    /// # Errors
    /// The store cannot delete, or fails.
    pub async fn delete(&self, session_id: &str) -> Result<(), StoreError> {
        self.store.delete(&self.key(session_id)).await
    }

    fn key(&self, session_id: &str) -> SessionKey {
        SessionKey::new(self.project_key.clone(), session_id)
    }

    async fn lay_out(&self, session_id: &str) -> Result<Materialized, StoreError> {
        materialize(
            &*self.store,
            &self.key(session_id),
            MaterializeOptions::new(),
        )
        .await
    }

    async fn described(
        &self,
        session_id: &str,
        modified: SystemTime,
    ) -> Result<Option<SessionInfo>, StoreError> {
        let read = self.read(session_id, |library, id| library.info(id));
        let mut info = match read.await {
            // The session was deleted after it was listed.
            Err(StoreError::NoSuchSession { .. }) => None,
            info => info?,
        };
        if let Some(info) = &mut info {
            info.last_modified = modified;
            info.path = PathBuf::new();
        }
        Ok(info)
    }

    async fn read<T: Send + 'static>(
        &self,
        session_id: &str,
        read: impl FnOnce(&SessionLibrary, &str) -> Result<T, TranscriptError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let made = self.lay_out(session_id).await?;
        blocking(move || {
            let library = SessionLibrary::open(made.config_dir());
            read(&library, made.session_id()).map_err(StoreError::transcript)
        })
        .await
    }

    /// Changes the files, and appends the new lines of the session's file to the store.
    async fn change(
        &self,
        session_id: &str,
        change: impl FnOnce(&SessionLibrary, &str) -> Result<(), TranscriptError> + Send + 'static,
    ) -> Result<(), StoreError> {
        let made = self.lay_out(session_id).await?;
        let before = made.entries();
        let file = made.session_file();
        let text = blocking(move || {
            change(&SessionLibrary::open(made.config_dir()), made.session_id())
                .map_err(StoreError::transcript)?;
            std::fs::read_to_string(&file)
                .map_err(|error| StoreError::io(format!("cannot read {}", file.display()), error))
        })
        .await?;
        let appended = text.lines().skip(before);
        let appended = appended.filter_map(|line| Json::from_text(line).ok());
        let batch = Batch::new(BatchId::first(), appended.collect());
        self.store.append(&self.key(session_id), &batch).await
    }
}

debug_fields!(StoredSessions, |sessions| project_key: sessions.project_key);
