//! Writes stored sessions as files that the CLI resumes from.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::compact::{agent_metadata, compact};
use super::directory::{make_private_folder, private};
use super::error::StoreError;
use super::key::SessionKey;
use super::made_folder::MadeFolder;
use super::session_store::SessionStore;
use super::user_config::{Copied, UserConfig};
use crate::transport::host_folder;
use crate::{Json, Str};

/// Options of [`materialize`].
#[derive(Debug, Clone)]
pub struct MaterializeOptions {
    user_config: Option<UserConfig>,
    within: Option<PathBuf>,
    load_limit: Duration,
}

impl Default for MaterializeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl MaterializeOptions {
    /// The defaults: nothing of the user's configuration, the system's folder for temporary files,
    /// one minute for each call of the store.
    pub fn new() -> Self {
        Self {
            user_config: None,
            within: None,
            load_limit: Duration::from_secs(60),
        }
    }

    /// Copies what a CLI needs of the user's own configuration: `.claude.json` (and `.config.json`,
    /// its older name), `settings.json` without plugins, and `.credentials.json` without the
    /// refresh token. Files that are missing or cannot be read are skipped.
    ///
    /// A login in the keychain of macOS is not read: set `ANTHROPIC_API_KEY` or
    /// `CLAUDE_CODE_OAUTH_TOKEN` for the CLI.
    pub fn user_config(mut self, config: UserConfig) -> Self {
        self.user_config = Some(config);
        self
    }

    /// Creates the config folder in this folder, which must exist, instead of the system's for
    /// temporary files.
    pub fn within(mut self, folder: impl Into<PathBuf>) -> Self {
        self.within = Some(folder.into());
        self
    }

    /// Sets the time limit of each call of the store; one minute by default.
    pub fn load_limit(mut self, limit: Duration) -> Self {
        self.load_limit = limit;
        self
    }
}

/// A config folder of the CLI that was created from a store.
///
/// Start the CLI with [`Materialized::config_dir`] as `CLAUDE_CONFIG_DIR`, with
/// `--resume=<session id>`, and with `--session-mirror` so that the store stays up to date.
///
/// Dropping it removes the folder, including credentials, so it must outlive the CLI. If the
/// program is killed, [`sweep`](crate::transport::custody::sweep) removes the folder later, on
/// Linux and unless it is [within](MaterializeOptions::within) a folder of your own.
pub struct Materialized {
    folder: MadeFolder,
    key: SessionKey,
    entries: usize,
    subkeys: Vec<Str>,
    left_out: Vec<Str>,
    copied: Vec<Copied>,
}

impl Materialized {
    /// The config folder.
    pub fn config_dir(&self) -> &Path {
        self.folder.path()
    }

    /// The id of the session to resume.
    pub fn session_id(&self) -> &Str {
        &self.key.session_id
    }

    /// The key of the session in the store.
    pub fn key(&self) -> &SessionKey {
        &self.key
    }

    /// The session's own file.
    pub fn session_file(&self) -> PathBuf {
        self.config_dir()
            .join("projects")
            .join(&*self.key.project_key)
            .join(format!("{}.jsonl", self.key.session_id))
    }

    /// The number of lines of the session.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// The files below the session that were written.
    pub fn subkeys(&self) -> &[Str] {
        &self.subkeys
    }

    /// Subpaths of the store that could not be written: they lead out of the session's folder, or
    /// the system rejected their file.
    pub fn left_out(&self) -> &[Str] {
        &self.left_out
    }

    /// The results of copying the user's configuration.
    pub fn copied(&self) -> &[Copied] {
        &self.copied
    }

    /// Keeps the folder and returns its path, for a CLI that outlives its host. The caller must
    /// remove it, including credentials, when that CLI has ended.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    pub(crate) fn into_folder(self) -> MadeFolder {
        self.folder
    }

    /// Removes the folder and returns the error if that fails, which a drop does not.
    ///
    /// If the future is dropped, the removal continues in the background.
    ///
    /// # Errors
    /// A file could not be removed.
    pub async fn remove(self) -> Result<(), StoreError> {
        let path = self.config_dir().to_owned();
        let removed = tokio::task::spawn_blocking(move || self.folder.remove()).await;
        removed
            .unwrap_or_else(|error| Err(io::Error::other(error)))
            .map_err(|error| StoreError::io(format!("cannot remove {}", path.display()), error))
    }
}

debug_fields!(Materialized, |made|
    config_dir: made.config_dir(),
    key: made.key,
    entries: made.entries,
    subkeys: made.subkeys
);

/// Writes a stored session to a config folder of the CLI.
///
/// The folder and all files in it are private to the user. Dropping the result removes them. A
/// subpath in `key` is ignored: a session is resumed as a whole.
///
/// If the future is dropped, no files remain.
///
/// # Errors
/// The key cannot be a path, the store has no lines under it, fails or times out, or the files
/// cannot be written. Invalid subpaths are skipped and are not an error.
///
/// ```
/// use rusty_claw::store::{
///     materialize, Batch, BatchId, MaterializeOptions, MemoryStore, SessionKey, SessionStore,
/// };
/// use rusty_claw::Json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let store = MemoryStore::new();
/// # let key = SessionKey::new("-home-user-project", "5e5e");
/// # let line = Json::from_text(r#"{"type":"mode","mode":"normal"}"#)?;
/// # store.append(&key, &Batch::new(BatchId::first(), vec![line])).await?;
/// let resumed = materialize(&store, &key, MaterializeOptions::new()).await?;
/// assert!(resumed.config_dir().join("projects/-home-user-project/5e5e.jsonl").is_file());
/// // Start the CLI with CLAUDE_CONFIG_DIR set to it and --resume=5e5e --session-mirror, and keep
/// // `resumed` until it has ended.
/// # Ok(())
/// # }
/// ```
pub async fn materialize(
    store: &dyn SessionStore,
    key: &SessionKey,
    options: MaterializeOptions,
) -> Result<Materialized, StoreError> {
    let key = key.session();
    key.check()?;
    let limit = options.load_limit;
    let entries = in_time("load", limit, store.load(&key)).await?;
    let entries = match entries {
        Some(entries) if !entries.is_empty() => entries,
        _ => return Err(StoreError::NoSuchSession { key: Box::new(key) }),
    };
    let subpaths = match in_time("list_subkeys", limit, store.list_subkeys(&key)).await {
        Err(StoreError::Unsupported { .. }) => Vec::new(),
        listed => listed?,
    };
    let mut below = Vec::new();
    let mut left_out = Vec::new();
    for subpath in subpaths {
        let subkey = key.with_subpath(subpath.clone());
        if let Err(error) = subkey.check() {
            tracing::warn!(%error, "a subpath of a store was left out");
            left_out.push(subpath);
            continue;
        }
        if let Some(entries) = in_time("load", limit, store.load(&subkey)).await? {
            below.push((subkey, entries));
        }
    }
    let write = move || lay_out(key, entries, below, left_out, &options);
    match tokio::task::spawn_blocking(write).await {
        Ok(done) => done,
        Err(error) => Err(StoreError::failed(
            "the writing of the session's files broke off",
            error,
        )),
    }
}

pub(super) async fn in_time<T>(
    operation: &'static str,
    limit: Duration,
    call: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(limit, call).await {
        Ok(done) => done,
        Err(_) => Err(StoreError::TimedOut {
            operation,
            after: limit,
        }),
    }
}

fn lay_out(
    key: SessionKey,
    entries: Vec<Json>,
    below: Vec<(SessionKey, Vec<Json>)>,
    mut left_out: Vec<Str>,
    options: &MaterializeOptions,
) -> Result<Materialized, StoreError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("claude-resume-");
    // It will contain credentials, so it is private from the start.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = match &options.within {
        Some(within) => builder.tempdir_in(within),
        None => host_folder::place(|folder| builder.tempdir_in(folder)),
    }
    .map_err(|error| StoreError::io("cannot make a folder to resume from", error))?;
    let folder = MadeFolder::adopt(folder.keep());
    let projects = folder.path().join("projects");
    let failed =
        |path: &Path, error| StoreError::io(format!("cannot write {}", path.display()), error);
    let path = key.file(&projects, ".jsonl")?;
    write_lines(&path, entries.iter()).map_err(|error| failed(&path, error))?;
    let mut subkeys = Vec::new();
    for (subkey, entries) in below {
        let subpath = subkey.subpath.clone().unwrap_or_default();
        match write_below(&projects, &subkey, &entries) {
            Ok(()) => subkeys.push(subpath),
            Err(error) => {
                // A session can be resumed without the files of its subagents.
                tracing::warn!(%subkey, error = error.chain(), "a subagent's file was left out");
                left_out.push(subpath);
            }
        }
    }
    let copied = match &options.user_config {
        Some(config) => config.copy_into(folder.path(), write_private),
        None => Vec::new(),
    };
    for file in &copied {
        if let Some(why) = &file.left_out {
            tracing::warn!(
                file = file.file,
                why,
                "a file of the user's configuration was left out"
            );
        }
    }
    Ok(Materialized {
        folder,
        key,
        entries: entries.len(),
        subkeys,
        left_out,
        copied,
    })
}

/// Writes the lines of a subagent, and its metadata where the CLI expects it.
fn write_below(projects: &Path, key: &SessionKey, entries: &[Json]) -> Result<(), StoreError> {
    let failed =
        |path: &Path, error| StoreError::io(format!("cannot write {}", path.display()), error);
    let (mut lines, mut metadata) = (Vec::new(), None);
    for entry in entries {
        match agent_metadata(entry) {
            // The last one counts.
            Some(latest) => metadata = Some(latest),
            None => lines.push(entry),
        }
    }
    if !lines.is_empty() {
        let path = key.file(projects, ".jsonl")?;
        write_lines(&path, lines.into_iter()).map_err(|error| failed(&path, error))?;
    }
    if let Some(metadata) = metadata {
        let path = key.file(projects, ".meta.json")?;
        write_private(&path, metadata.as_bytes()).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// Line by line: a session may be long, and is already in memory once.
fn write_lines<'a>(path: &Path, entries: impl Iterator<Item = &'a Json>) -> io::Result<()> {
    let mut file = BufWriter::new(create_private(path)?);
    for entry in entries {
        file.write_all(compact(entry.text()).as_bytes())?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_private(path)?.write_all(bytes)
}

fn create_private(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    options.open(path)
}
