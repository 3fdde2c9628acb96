//! Copies sessions from the CLI's files into a store.

use std::path::Path;

use claw_transcript::{FileRole, SessionFile, SessionLibrary};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, BufReader};

use super::batch::{Batch, BatchId};
use super::blocking::blocking;
use super::error::StoreError;
use super::key::SessionKey;
use super::session_store::SessionStore;
use crate::Json;

/// A batch is sent once it has this many bytes, even if it has fewer lines than allowed.
const BATCH_BYTES: usize = 1024 * 1024;

/// Options of [`import_session`].
#[derive(Debug, Clone)]
pub struct ImportOptions {
    subagents: bool,
    batch_lines: usize,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ImportOptions {
    /// The defaults: subagents are included, and a batch has at most 500 lines.
    pub fn new() -> Self {
        Self {
            subagents: true,
            batch_lines: 500,
        }
    }

    /// Whether the files of subagents are imported too. True by default.
    pub fn subagents(mut self, included: bool) -> Self {
        self.subagents = included;
        self
    }

    /// The maximum number of lines in one call of [`SessionStore::append`]; at least one.
    pub fn batch_lines(mut self, lines: usize) -> Self {
        self.batch_lines = lines.max(1);
        self
    }
}

/// The result of [`import_session`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReport {
    /// The keys that received lines, the session's own first.
    pub keys: Vec<SessionKey>,
    /// The number of appended lines.
    pub lines: u64,
    /// The number of lines that were skipped because they are not JSON objects.
    pub left_out: u64,
}

/// Copies a session from the CLI's files into a store: its lines, and the lines and metadata of its
/// subagents.
///
/// The key is taken from the location of the file: its project folder and the session. Lines that
/// are not JSON objects are skipped and counted.
///
/// Lines with a `uuid` that the store already has are recognized. Lines without one, such as
/// titles, are added again if the session is imported again.
///
/// Dropping the future stops the import; lines that were appended stay in the store.
///
/// # Errors
/// There is no such session, a file cannot be read, or the store fails. Lines that were appended
/// before stay in the store.
///
/// ```no_run
/// use rusty_claw::sessions::SessionLibrary;
/// use rusty_claw::store::{DirectoryStore, ImportOptions, import_session};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let (library, store) = (SessionLibrary::from_env()?, DirectoryStore::new("/srv/sessions"));
/// let id = "5e5e5e5e-2222-4222-8222-000000000601";
/// let report = import_session(&store, &library, id, ImportOptions::new()).await?;
/// println!("{} lines are in the store", report.lines);
/// # Ok(())
/// # }
/// ```
pub async fn import_session(
    store: &dyn SessionStore,
    library: &SessionLibrary,
    session_id: &str,
    options: ImportOptions,
) -> Result<ImportReport, StoreError> {
    let files = {
        let (library, session_id) = (library.clone(), session_id.to_owned());
        blocking(move || {
            library
                .session_files(&session_id)
                .map_err(StoreError::transcript)
        })
        .await?
    };
    let mut import = Import {
        store,
        batch_lines: options.batch_lines,
        id: BatchId::first(),
        report: ImportReport::default(),
    };
    for file in files {
        if file.role != FileRole::Main && !options.subagents {
            continue;
        }
        let key = key_of(&file, session_id);
        key.check()?;
        import.lines(&key, &file.path).await?;
        if let Some(about) = file.sidecar() {
            import.metadata(&key, &about).await?;
        }
        import.report.keys.push(key);
    }
    Ok(import.report)
}

/// The key of a session's file, from its location in the session's folder. Old releases put the
/// files of subagents beside the session's file; such a file gets its present location.
fn key_of(file: &SessionFile, session_id: &str) -> SessionKey {
    let session = SessionKey::new(file.project.as_str(), session_id);
    if file.role == FileRole::Main {
        return session;
    }
    let names: Vec<_> = file
        .path
        .iter()
        .map(|name| name.to_string_lossy())
        .collect();
    let below = names.iter().rposition(|name| *name == session_id);
    let place = match below {
        Some(folder) => names[folder + 1..].join("/"),
        None => format!("subagents/{}", names.last().cloned().unwrap_or_default()),
    };
    session.with_subpath(place.trim_end_matches(".jsonl"))
}

struct Import<'a> {
    store: &'a dyn SessionStore,
    batch_lines: usize,
    id: BatchId,
    report: ImportReport,
}

impl Import<'_> {
    async fn lines(&mut self, key: &SessionKey, path: &Path) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(format!("cannot read {}", path.display()), error);
        let mut file = BufReader::new(File::open(path).await.map_err(failed)?);
        let (mut batch, mut bytes, mut line) = (Vec::new(), 0, Vec::new());
        loop {
            line.clear();
            let read = file.read_until(b'\n', &mut line).await.map_err(failed)?;
            match std::str::from_utf8(&line).map(str::trim) {
                Ok("") => {}
                text => match text.ok().and_then(|text| Json::from_text(text).ok()) {
                    Some(entry) if entry.is_object() => batch.push(entry),
                    _ => self.report.left_out += 1,
                },
            }
            bytes += read;
            if read == 0 || batch.len() >= self.batch_lines || bytes >= BATCH_BYTES {
                self.append(key, std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// The CLI's metadata of a subagent is a separate line in a store.
    async fn metadata(&mut self, key: &SessionKey, path: &Path) -> Result<(), StoreError> {
        let Ok(text) = tokio::fs::read(path).await else {
            return Ok(());
        };
        let Ok(Value::Object(about)) = serde_json::from_slice(&text) else {
            self.report.left_out += 1;
            return Ok(());
        };
        let mut entry = serde_json::Map::new();
        entry.insert("type".to_owned(), "agent_metadata".into());
        entry.extend(about);
        let entry = Json::from_value(&Value::Object(entry));
        self.append(key, vec![entry]).await
    }

    async fn append(&mut self, key: &SessionKey, entries: Vec<Json>) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        self.report.lines += entries.len() as u64;
        let batch = Batch::new(self.id, entries);
        self.id = self.id.next();
        self.store.append(key, &batch).await
    }
}
