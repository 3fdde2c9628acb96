//! Stores sessions in a folder.

mod file;
mod listing;
mod sync;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use self::file::KeptFile;
pub(super) use self::file::{make_private_folder, private};
pub use self::sync::SyncPolicy;
use super::batch::Batch;
use super::blocking::blocking;
use super::error::StoreError;
use super::key::SessionKey;
use super::key_path;
use super::session_store::{SessionStore, StoreFuture, StoredSession};
use crate::{Json, Str};

/// The number of appends after which an unused key drops its `uuid`s. Its file is then read again.
const REMEMBERED: usize = 256;
/// The maximum number of keys with state in memory.
const KNOWN: usize = 8192;

/// Stores each key in its own file, below one folder.
///
/// The files are laid out as in the CLI's `projects` folder, so the CLI can resume from a copy that
/// is put into a config folder as `projects`. A subagent's metadata, which the CLI mirrors as a
/// line, is stored as that line and also in the `.meta.json` file where the CLI expects it.
///
/// A line that was cut off by a crash is skipped, and lines that are appended after it are
/// complete. Files are private to the user (mode 0600, folders 0700). While one process appends to
/// a file, others that use this type wait, so the lines of two writers never mix within a batch;
/// but a session that two CLIs run at the same time diverges, wherever it is stored. Reading needs
/// no lock.
///
/// ```
/// use rusty_claw::store::{Batch, BatchId, DirectoryStore, SessionKey, SessionStore};
/// use rusty_claw::Json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let store = DirectoryStore::new(folder);
/// let line = Json::from_text(r#"{"type":"mode","mode":"normal"}"#)?;
/// let batch = Batch::new(BatchId::first(), vec![line]);
/// store.append(&SessionKey::new("-home-user-project", "5e5e"), &batch).await?;
/// assert!(folder.join("-home-user-project/5e5e.jsonl").is_file());
///
/// let hostile = SessionKey::new("..", "authorized_keys");
/// assert!(store.append(&hostile, &batch).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct DirectoryStore {
    root: PathBuf,
    shared: Arc<Shared>,
    sync: SyncPolicy,
}

/// The state that all stores of one folder in this process share.
#[derive(Default)]
struct Shared {
    files: Mutex<Files>,
}

/// The folders that are in use in this process, by their real paths.
static IN_USE: Mutex<BTreeMap<PathBuf, Weak<Shared>>> = Mutex::new(BTreeMap::new());

#[derive(Default)]
struct Files {
    slots: HashMap<SessionKey, Slot>,
    /// Incremented with each use.
    clock: u64,
}

struct Slot {
    file: Arc<Mutex<KeptFile>>,
    used: u64,
}

impl DirectoryStore {
    /// Creates a store in this folder, which is created by the first append.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            shared: Shared::of(&root),
            root,
            sync: SyncPolicy::default(),
        }
    }

    /// Sets when lines are synced to the disk.
    pub fn sync(mut self, policy: SyncPolicy) -> Self {
        self.sync = policy;
        self
    }

    /// The folder of the store.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a key, whether it exists or not.
    ///
    /// # Errors
    /// The key cannot be a path: see [`SessionKey::check`].
    pub fn file_of(&self, key: &SessionKey) -> Result<PathBuf, StoreError> {
        key.file(&self.root, ".jsonl")
    }
}

debug_fields!(DirectoryStore, |store| root: store.root, sync: store.sync);

impl Shared {
    /// Stores of the same folder share their state: a batch that was appended through one of them
    /// is recognized by the other.
    fn of(root: &Path) -> Arc<Self> {
        let mut in_use = lock(&IN_USE);
        in_use.retain(|_, shared| shared.strong_count() > 0);
        let place = in_use.entry(real_path(root)).or_default();
        place.upgrade().unwrap_or_else(|| {
            let shared = Arc::default();
            *place = Arc::downgrade(&shared);
            shared
        })
    }

    /// The state of a key. Locking it does not block other keys.
    fn slot(&self, key: &SessionKey) -> Arc<Mutex<KeptFile>> {
        let mut files = lock(&self.files);
        files.clock += 1;
        let used = files.clock;
        let slot = files.slots.entry(key.clone()).or_insert_with(|| Slot {
            file: Arc::default(),
            used,
        });
        slot.used = used;
        let file = Arc::clone(&slot.file);
        files.trim();
        file
    }
}

impl Files {
    /// Drops state that was not used for long, so that memory stays bounded.
    fn trim(&mut self) {
        let clock = self.clock;
        // A slot in use has a second owner, and is newer than all that are dropped anyway.
        if clock.is_multiple_of(REMEMBERED as u64) {
            for slot in self.slots.values() {
                let old = clock.saturating_sub(slot.used) >= REMEMBERED as u64;
                if old && let Ok(mut file) = slot.file.try_lock() {
                    file.forget_lines();
                }
            }
        }
        if self.slots.len() > KNOWN {
            let mut ages: Vec<u64> = self.slots.values().map(|slot| slot.used).collect();
            let (_, median, _) = ages.select_nth_unstable(KNOWN / 2);
            let median = *median;
            self.slots
                .retain(|_, slot| slot.used >= median || Arc::strong_count(&slot.file) > 1);
        }
    }
}

/// Resolves the links of a path, as far as it exists.
fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in path.ancestors() {
        if let Ok(real) = there.canonicalize() {
            let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
            return real.join(rest);
        }
    }
    path
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The state behind these locks is checked against the file before it is used.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionStore for DirectoryStore {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let path = self.file_of(key)?;
            let metadata = key
                .subpath
                .is_some()
                .then(|| key.file(&self.root, ".meta.json"))
                .transpose()?;
            let slot = self.shared.slot(key);
            let (root, batch, sync) = (self.root.clone(), batch.clone(), self.sync);
            blocking(move || lock(&slot).append(&root, &path, metadata.as_deref(), &batch, sync))
                .await
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        Box::pin(async move {
            let path = self.file_of(key)?;
            blocking(move || file::load(&path)).await
        })
    }

    fn list_sessions<'a>(&'a self, project_key: &'a str) -> StoreFuture<'a, Vec<StoredSession>> {
        Box::pin(async move {
            key_path::name("the project key", project_key)?;
            let folder = self.root.join(project_key);
            blocking(move || listing::sessions(&folder)).await
        })
    }

    fn list_projects(&self) -> StoreFuture<'_, Vec<Str>> {
        let root = self.root.clone();
        Box::pin(blocking(move || listing::projects(&root)))
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        Box::pin(async move {
            let folder = key.session().file(&self.root, "")?;
            blocking(move || listing::subkeys(&folder)).await
        })
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let path = self.file_of(key)?;
            let beside = match key.subpath {
                None => key.file(&self.root, "")?,
                Some(_) => key.file(&self.root, ".meta.json")?,
            };
            let shared = Arc::clone(&self.shared);
            let key = key.clone();
            blocking(move || {
                let slots: Vec<Arc<Mutex<KeptFile>>> = {
                    let mut files = lock(&shared.files);
                    let hit = |stored: &SessionKey| {
                        *stored == key || (key.subpath.is_none() && stored.session() == key)
                    };
                    files
                        .slots
                        .extract_if(|stored, _| hit(stored))
                        .map(|(_, slot)| slot.file)
                        .collect()
                };
                // Waits for an append that has begun; one that waits for the lock starts anew.
                for slot in &slots {
                    lock(slot).forget();
                }
                listing::delete(&path, &beside)
            })
            .await
        })
    }
}
