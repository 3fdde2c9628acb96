//! Keeps the session files of the CLI and their copies in the store in agreement.
//!
//! While a CLI runs, its lines are [mirrored](mirror) to the store. Before a start that resumes a
//! conversation:
//! - A missing file is rebuilt from the store.
//! - A file that is ahead of the store, because lines were not mirrored before a process was killed
//!   or the conversation began in a terminal, completes the copy.
//! - A file that is behind the store, because a backup was restored, is completed from the copy.
//! - If each has lines that the other lacks, the file stays as it is, and the copy receives its
//!   lines. The CLI continues the branch in the file.
//!
//! Lines are never removed or replaced on either side. In the store, a file is named after its
//! conversation, not after its project folder, so that the folder may move.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use claw_store::{Claim, ReadLimit, Store, StoreError};
use rusty_claw::StartError;
use rusty_claw::sessions::{FileRole, SessionFile, SessionLibrary};
use rusty_claw::store::StoreError as MirrorError;
use rusty_claw::transport::custody;

use self::mirror::FileMirror;
use rusty_claw::sessions::find_writer;

mod disk;
pub(crate) mod mirror;
mod tail;

/// A failure that prevents the start of a CLI.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilesError {
    #[error("a session file cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    #[error("the copy of a session file is not available: {0}")]
    Store(#[from] StoreError),
    #[error("the conversation has no session file, and it is not restored: {0}")]
    Writer(String),
}

impl From<FilesError> for StartError {
    fn from(error: FilesError) -> Self {
        Self::Store {
            source: MirrorError::failed(error.to_string(), error),
        }
    }
}

/// The session files of a claimed session.
#[derive(Clone)]
pub(crate) struct SessionFiles {
    store: Arc<dyn Store>,
    claim: Arc<Claim>,
    library: SessionLibrary,
    folder: PathBuf,
    /// Whether the CLI sees only the project folder of `folder`.
    is_isolated: bool,
    mirror: Arc<FileMirror>,
}

impl SessionFiles {
    /// The files in a library of a session that works in `folder`.
    pub(crate) fn new(
        store: &Arc<dyn Store>,
        claim: &Arc<Claim>,
        library: SessionLibrary,
        folder: &Path,
        is_isolated: bool,
    ) -> Self {
        Self {
            mirror: Arc::new(FileMirror::new(Arc::clone(store), Arc::clone(claim))),
            store: Arc::clone(store),
            claim: Arc::clone(claim),
            library,
            folder: folder.to_owned(),
            is_isolated,
        }
    }

    /// Returns the mirror for the options of the CLI.
    pub(crate) fn mirror(&self) -> Arc<FileMirror> {
        Arc::clone(&self.mirror)
    }

    /// Makes the files of a conversation and their copies agree. No CLI of the conversation may
    /// run. If neither exists, this does nothing, and the CLI reports it.
    pub(crate) async fn reconcile(&self, conversation: &str) -> Result<(), FilesError> {
        if !is_name(conversation) {
            return Ok(());
        }
        let (library, folder) = (self.library.clone(), self.folder.clone());
        let (id, only_folder) = (conversation.to_owned(), self.is_isolated);
        let found = disk::blocking(move || Ok(find(&library, &folder, &id, only_folder))).await?;
        match found {
            Some(main) => self.complete(conversation, main).await,
            None => self.restore(conversation).await,
        }
    }

    /// Writes the files of a conversation from their copies, the conversation itself last.
    async fn restore(&self, conversation: &str) -> Result<(), FilesError> {
        let files = self.store.mirrored_files(self.claim.key()).await?;
        let below = format!("{conversation}/");
        let has_main = files.iter().any(|(name, _)| name == conversation);
        if !has_main {
            return Ok(());
        }
        let project = self.library.project_of(&self.folder).path;
        let main = project.join(format!("{conversation}.jsonl"));
        self.check_writer(conversation, &main).await?;
        for (name, _) in files.iter().filter(|(name, _)| name.starts_with(&below)) {
            if name.split('/').all(is_name) {
                let path = project.join(format!("{name}.jsonl"));
                self.write_copy(name, project.clone(), path).await?;
            }
        }
        self.write_copy(conversation, project, main).await?;
        tracing::info!(conversation, "a missing session file was restored");
        Ok(())
    }

    /// Writes one copy to a file, unless the file exists.
    async fn write_copy(
        &self,
        name: &str,
        project: PathBuf,
        path: PathBuf,
    ) -> Result<(), FilesError> {
        let mut file = disk::blocking(move || disk::NewFile::create(&project, path)).await?;
        let mut after = 0;
        loop {
            let limit = ReadLimit::default();
            let key = self.claim.key();
            let page = self.store.mirrored(key, name, after, limit).await?;
            if page.is_empty() {
                break;
            }
            after += page.len() as u64;
            file = disk::blocking(move || file.write(&page)).await?;
        }
        Ok(disk::blocking(move || file.finish()).await?)
    }

    /// Completes the copies of the files of a conversation, or its file.
    async fn complete(&self, conversation: &str, main: PathBuf) -> Result<(), FilesError> {
        let agents = disk::blocking({
            let main = main.clone();
            move || Ok(SessionFile::at(main).and_then(|file| file.agents()))
        });
        let agents = agents.await?.unwrap_or_default();
        for agent in agents {
            let FileRole::Agent { agent_id } = &agent.role else {
                continue;
            };
            let name = format!("{conversation}/subagents/agent-{agent_id}");
            // The lines of a subagent without a copy precede the mirror.
            if is_name(agent_id) && self.mirror.tail(&name).await?.last == 0 {
                self.copy_from(&name, agent.path, 0).await?;
            }
        }
        let tail = self.mirror.tail(conversation).await?;
        if !tail.has_uuids() {
            return self.copy_from(conversation, main, 0).await;
        }
        let (path, uuids) = (main.clone(), tail.clone());
        let scan = disk::blocking(move || disk::scan(&path, &uuids)).await?;
        let Some(end) = scan.after_known else {
            tracing::warn!(
                conversation,
                "a session file and its copy have no common end"
            );
            return Ok(());
        };
        let missing = tail.missing(&scan.known);
        if scan.has_more {
            self.copy_from(conversation, main, end).await?;
        } else if let Some(mut after) = missing {
            self.check_writer(conversation, &main).await?;
            let key = self.claim.key();
            loop {
                let limit = ReadLimit::default();
                let lines = self.store.mirrored(key, conversation, after, limit).await?;
                if lines.is_empty() {
                    break;
                }
                after += lines.len() as u64;
                let file = main.clone();
                disk::blocking(move || disk::append(&file, &lines)).await?;
            }
            tracing::warn!(
                conversation,
                "a session file was behind its copy and was completed"
            );
        }
        Ok(())
    }

    /// Appends the lines of a file from an offset to its copy.
    async fn copy_from(&self, name: &str, path: PathBuf, offset: u64) -> Result<(), FilesError> {
        let mut reader = disk::blocking(move || disk::Reader::open(&path, offset)).await?;
        loop {
            let (lines, next) = disk::blocking(move || reader.next_page()).await?;
            if lines.is_empty() {
                return Ok(());
            }
            reader = next;
            self.mirror.add_missing(name, lines).await?;
        }
    }

    async fn check_writer(&self, conversation: &str, file: &Path) -> Result<(), FilesError> {
        // A CLI whose host was killed may still run.
        custody::sweep().await;
        let config = self.library.config_dir().to_owned();
        let (id, file) = (conversation.to_owned(), file.to_owned());
        let writer = disk::blocking(move || Ok(find_writer(&config, &id, &file))).await?;
        writer.map_or(Ok(()), |writer| Err(FilesError::Writer(writer)))
    }
}

/// Finds the file of a conversation. The CLI searches all project folders; an isolated one sees
/// only its own. Blocks the thread.
fn find(library: &SessionLibrary, folder: &Path, id: &str, only_folder: bool) -> Option<PathBuf> {
    let name = format!("{id}.jsonl");
    let own = library.project_of(folder).path.join(&name);
    let is_there = |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.len() > 0);
    if only_folder || is_there(&own) {
        return Some(own).filter(is_there);
    }
    let projects = library.projects().unwrap_or_default();
    let mut files = projects.into_iter().map(|project| project.path.join(&name));
    files.find(is_there)
}

/// Whether a text can be one name in a path.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= 200 && text.chars().all(is_plain)
}

/// Returns the uuid of a line.
fn uuid_of(line: &[u8]) -> Option<Box<str>> {
    let uuid = rusty_claw::Peek::new(line)?.uuid?;
    (!uuid.is_empty()).then(|| uuid.into())
}

/// Whether the CLI never mirrors a line.
fn is_unmirrored(line: &[u8]) -> bool {
    rusty_claw::Peek::new(line).is_none_or(|peek| peek.kind().starts_with("api-request"))
}

/// Returns the lines of one write to the store, and the rest.
fn split_page(lines: &[Bytes]) -> (&[Bytes], &[Bytes]) {
    /// The most bytes of a write with more than one line.
    const WRITE: usize = 1024 * 1024;
    let mut bytes = 0;
    let fits = |line: &&Bytes| {
        bytes += line.len();
        bytes <= WRITE
    };
    let count = lines.iter().take_while(fits).count().max(1);
    lines.split_at(count.min(lines.len()))
}
