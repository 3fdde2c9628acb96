//! Sessions kept in a folder.

mod file;
mod listing;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use self::file::KeptFile;
pub(super) use self::file::{make_private_folder, private};
use super::batch::Batch;
use super::error::StoreError;
use super::key::{self, SessionKey};
use super::{SessionStore, StoredSession};
use crate::future::BoxFuture;
use crate::{Json, Str};

/// Keys whose lines are remembered by their `uuid`. The others are read again when written again.
const REMEMBERED: usize = 256;
/// Keys of which anything is remembered at all.
const KNOWN: usize = 8192;

/// When appended lines are forced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SyncPolicy {
    /// Before an append reports success: what is stored survives a loss of power. The usual.
    #[default]
    EachAppend,
    /// When the system likes: what is stored survives the end of this process, not of the machine.
    /// Many times faster.
    BySystem,
}

/// Keeps each key in a file of its own, below one folder.
///
/// The files are laid out as the CLI lays out its `projects` folder, so a copy of the folder, put
/// into a config folder of the CLI as `projects`, can be resumed from as it is. A subagent's
/// metadata, which the CLI mirrors as a line, is kept as that line and also beside it in the
/// `.meta.json` file where the CLI looks for it.
///
/// A line that was cut off by a crash is passed over, and what is appended behind it is whole.
/// Files are private to the user (mode 0600, folders 0700). While one process appends to a file,
/// others that use this type wait, so the lines of two writers never mix within a batch; but a
/// session that two CLIs run at a time splits, wherever it is kept. Reading needs no care.
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

/// What all stores of one folder in this process share.
#[derive(Default)]
struct Shared {
    files: Mutex<Files>,
}

/// The folders that are in use in this process, by their real paths.
static IN_USE: Mutex<BTreeMap<PathBuf, Weak<Shared>>> = Mutex::new(BTreeMap::new());

#[derive(Default)]
struct Files {
    slots: HashMap<SessionKey, Slot>,
    /// Grows with each use.
    clock: u64,
}

struct Slot {
    file: Arc<Mutex<KeptFile>>,
    used: u64,
}

impl DirectoryStore {
    /// A store in this folder, which is made when something is stored.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            shared: Shared::of(&root),
            root,
            sync: SyncPolicy::default(),
        }
    }

    /// Says when lines are forced to the disk.
    pub fn sync(mut self, policy: SyncPolicy) -> Self {
        self.sync = policy;
        self
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file in which a key is kept, whether it is there or not.
    ///
    /// # Errors
    /// The key cannot be a path: see [`SessionKey::check`].
    pub fn file_of(&self, key: &SessionKey) -> Result<PathBuf, StoreError> {
        key.file(&self.root, ".jsonl")
    }
}

impl fmt::Debug for DirectoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryStore")
            .field("root", &self.root)
            .field("sync", &self.sync)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Two stores of one folder know the same of it: a batch that came through one of them is
    /// recognised by the other.
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

    /// What is known of a key. Others wait for the same key, not for different ones.
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
    /// Forgets what was not used for long, so that a process with many sessions does not grow.
    fn trim(&mut self) {
        let clock = self.clock;
        // A slot in use has a second owner, and is newer than all that are forgotten anyway.
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

/// A path without links, as far as it is there.
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
    // What is behind these locks is checked against the file before it is used.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does file work where it may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(StoreError::failed(
            "the work on the store's files broke off",
            error,
        )),
    }
}

impl SessionStore for DirectoryStore {
    fn append<'a>(
        &'a self,
        key: &'a SessionKey,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
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

    fn load<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Option<Vec<Json>>, StoreError>> {
        Box::pin(async move {
            let path = self.file_of(key)?;
            blocking(move || file::load(&path)).await
        })
    }

    fn list_sessions<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredSession>, StoreError>> {
        Box::pin(async move {
            key::name("the project key", project_key)?;
            let folder = self.root.join(project_key);
            blocking(move || listing::sessions(&folder)).await
        })
    }

    fn list_projects(&self) -> BoxFuture<'_, Result<Vec<Str>, StoreError>> {
        let root = self.root.clone();
        Box::pin(blocking(move || listing::projects(&root)))
    }

    fn list_subkeys<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<Str>, StoreError>> {
        Box::pin(async move {
            let folder = key.session().file(&self.root, "")?;
            blocking(move || listing::subkeys(&folder)).await
        })
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
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
                // An append that has begun is waited for; one that waits here starts anew.
                for slot in &slots {
                    lock(slot).forget();
                }
                listing::delete(&path, &beside)
            })
            .await
        })
    }
}
