//! Mirrors a session's file to a store.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use claw_transcript::{ProjectKey, SessionLibrary};
use rusty_claw_protocol::Str;
use tokio::sync::mpsc::WeakUnboundedSender;

use crate::error::StartError;
use crate::options::Options;
use crate::pump::command::{Command, ConfigDir};
use crate::store::{
    FlushMode, MadeFolder, MaterializeOptions, Mirror, MirrorOptions, MirrorReport, SessionKey,
    SessionStore, StoreError, UserConfig, in_another_project, materialize,
};
use crate::transport::launch::Launch;

/// How long the store may take for the last lines once the CLI has ended.
pub(crate) const LAST_LINES: Duration = Duration::from_secs(30);

/// How long each call of the store may take before the CLI is started, unless set in the options.
pub(crate) const STORE_CALL: Duration = Duration::from_secs(60);

/// A mirror to be started with the session.
pub(super) struct MirrorPlan {
    store: Arc<dyn SessionStore>,
    mode: FlushMode,
    config_dir: PathBuf,
    made: Option<MadeFolder>,
    /// Whether the folder was created for an earlier host, and is removed after this session.
    adopts: bool,
}

/// The running mirror of a session.
#[derive(Debug)]
pub(crate) struct RunningMirror {
    mirror: Mirror,
    config_dir: PathBuf,
    /// The folder that the CLI resumed from; removed when the CLI has ended.
    made: Option<MadeFolder>,
}

impl RunningMirror {
    /// Queues a `transcript_mirror` line. Does not block.
    pub(crate) fn push(&self, raw: Bytes) {
        self.mirror.push(raw);
    }

    /// Requests that queued lines are stored soon, at the end of a turn. Does not block.
    pub(crate) fn flush(&self) {
        self.mirror.flush();
    }

    /// Waits until all queued lines are stored or lost, at the end of the session.
    pub(crate) async fn close(self) -> MirrorReport {
        let report = self.mirror.close(LAST_LINES).await;
        drop(self.made);
        report
    }

    /// Stores queued lines and keeps the CLI's folder, because the CLI continues.
    pub(crate) async fn let_go(self) -> ConfigDir {
        // Losses are reported among the messages, while they are read.
        let report = self.mirror.close(LAST_LINES).await;
        if !report.is_complete() {
            tracing::warn!(
                ?report,
                "not all lines of a session that was let go are in its store"
            );
        }
        ConfigDir {
            is_made: self.made.is_some(),
            path: self.made.map_or(self.config_dir, MadeFolder::keep),
        }
    }
}

impl MirrorPlan {
    /// Prepares the mirror for the store in the options. Unless the store only receives lines, a
    /// resumed session is loaded from it, and `launch` points the CLI to its files.
    pub(super) async fn make(
        options: &Options,
        launch: &mut Launch,
    ) -> Result<Option<Self>, StartError> {
        let Some(store) = &options.conversation.store else {
            return Ok(None);
        };
        let store = Arc::clone(store);
        let user = UserConfig::by_environment(|name| variable(launch, name));
        let mode = options.conversation.store_flush;
        let loaded = options.conversation.resume.clone();
        let loaded = loaded.filter(|_| !options.conversation.store_only_receives);
        let Some(session_id) = loaded else {
            let config_dir = config_dir_of(user)?;
            return Ok(Some(Self {
                store,
                mode,
                config_dir,
                made: None,
                adopts: false,
            }));
        };
        let cwd = match &launch.cwd {
            Some(cwd) => cwd.clone(),
            None => std::env::current_dir().map_err(|source| StartError::Io {
                what: "the working folder of this process cannot be found".to_owned(),
                source,
            })?,
        };
        let limit = options.conversation.store_load.unwrap_or(STORE_CALL);
        let mut how = MaterializeOptions::new().load_limit(limit);
        if let Some(user) = user {
            how = how.user_config(user);
        }
        let named = options.conversation.store_project.clone();
        let may_be_elsewhere = named.is_none();
        let project = named.unwrap_or_else(|| project_key(launch, &cwd));
        let key = SessionKey::new(project, session_id);
        let mut laid_out = materialize(&*store, &key, how.clone()).await;
        if may_be_elsewhere && matches!(laid_out, Err(StoreError::NoSuchSession { .. })) {
            // The CLI finds a session in any project folder, and so does this.
            match in_another_project(&*store, &key, limit).await {
                Ok(Some(key)) => laid_out = materialize(&*store, &key, how).await,
                Ok(None) => {}
                Err(error) => laid_out = Err(error),
            }
        }
        let materialized = laid_out.map_err(|source| StartError::Store { source })?;
        let config_dir = materialized.config_dir().to_owned();
        launch.env.push((
            OsString::from("CLAUDE_CONFIG_DIR"),
            Some(config_dir.clone().into_os_string()),
        ));
        Ok(Some(Self {
            store,
            mode,
            config_dir,
            made: Some(materialized.into_folder()),
            adopts: false,
        }))
    }

    /// The same for a running CLI. Nothing is loaded: the CLI has its folder and would not read
    /// another.
    pub(super) fn attached(
        options: &Options,
        launch: &Launch,
        config_dir: Option<ConfigDir>,
    ) -> Result<Option<Self>, StartError> {
        let Some(store) = &options.conversation.store else {
            return Ok(None);
        };
        let (config_dir, adopts) = match config_dir {
            Some(ConfigDir { path, is_made }) => (path, is_made),
            None => {
                let user = UserConfig::by_environment(|name| variable(launch, name));
                (config_dir_of(user)?, false)
            }
        };
        Ok(Some(Self {
            store: Arc::clone(store),
            mode: options.conversation.store_flush,
            config_dir,
            made: None,
            adopts,
        }))
    }

    /// Starts the mirror. Losses are reported among the session's messages.
    pub(super) fn start(self, commands: WeakUnboundedSender<Command>) -> RunningMirror {
        let options = MirrorOptions::new(&self.config_dir)
            .mode(self.mode)
            .on_loss(move |received| {
                if let Some(commands) = commands.upgrade() {
                    let raw = received.raw.into_bytes();
                    // The session may be over.
                    let _ = commands.send(Command::Inject { raw });
                }
            });
        let adopted = self
            .adopts
            .then(|| MadeFolder::adopt(self.config_dir.clone()));
        RunningMirror {
            mirror: Mirror::start(self.store, options),
            config_dir: self.config_dir,
            made: self.made.or(adopted),
        }
    }
}

fn config_dir_of(user: Option<UserConfig>) -> Result<PathBuf, StartError> {
    match user {
        Some(user) => Ok(user.config_dir().to_owned()),
        None => Err(StartError::BadOption {
            option: "session_store",
            why: "neither CLAUDE_CONFIG_DIR nor HOME is set for the CLI, so it is not known where \
                  it writes; set one with Options::env"
                .to_owned(),
        }),
    }
}

/// The name of the folder in which the CLI keeps the sessions of a working folder.
fn project_key(launch: &Launch, cwd: &Path) -> Str {
    let key = match SessionLibrary::from_vars(|name| variable(launch, name)) {
        Ok(library) => library.project_of(cwd).key,
        Err(_) => ProjectKey::of_dir(cwd),
    };
    Str::from(key.as_str())
}

/// The value of a variable for the CLI.
fn variable(launch: &Launch, name: &str) -> Option<OsString> {
    let set = launch
        .env
        .iter()
        .rev()
        .find(|(key, _)| *key == *OsStr::new(name));
    match set {
        Some((_, value)) => value.clone(),
        None if launch.env_clear => None,
        None => std::env::var_os(name),
    }
}
