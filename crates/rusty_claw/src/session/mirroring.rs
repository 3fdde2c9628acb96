//! A session whose file is kept in a store as well.

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
use crate::pump::Command;
use crate::store::{
    FlushMode, MadeFolder, MaterializeOptions, Mirror, MirrorOptions, MirrorReport, SessionKey,
    SessionStore, StoreError, UserConfig, in_another_project, materialize,
};
use crate::transport::Launch;

/// How long the store has for the last lines once the CLI has ended.
pub(crate) const LAST_LINES: Duration = Duration::from_secs(30);

/// How long the store has for each call before the CLI is started, unless the options say.
pub(crate) const STORE_CALL: Duration = Duration::from_secs(60);

/// A mirror that is to be started with the session.
pub(super) struct MirrorPlan {
    store: Arc<dyn SessionStore>,
    mode: FlushMode,
    config_dir: PathBuf,
    made: Option<MadeFolder>,
    /// Whether the folder was made for an earlier host and is this session's once it has begun.
    adopts: bool,
}

/// Where the pump puts copies of session files.
#[derive(Debug)]
pub(crate) struct StoreLane {
    mirror: Mirror,
    config_dir: PathBuf,
    /// The folder that the CLI resumed from; it goes when the CLI has ended.
    made: Option<MadeFolder>,
}

/// Where a CLI that lives on has its files.
#[derive(Debug, Clone)]
pub(crate) struct ConfigDir {
    pub(crate) path: PathBuf,
    /// Whether it was made for this session, and has to go when the CLI has ended.
    pub(crate) is_made: bool,
}

impl StoreLane {
    /// Takes one `transcript_mirror` line. Does not wait.
    pub(crate) fn push(&self, raw: Bytes) {
        self.mirror.push(raw);
    }

    /// A turn ended: what was taken should be stored soon. Does not wait.
    pub(crate) fn flush(&self) {
        self.mirror.flush();
    }

    /// The session is over: waits until everything that was taken is stored, or lost.
    pub(crate) async fn close(self) -> MirrorReport {
        let report = self.mirror.close(LAST_LINES).await;
        drop(self.made);
        report
    }

    /// The CLI lives on: stores what was taken, and leaves the CLI its folder.
    pub(crate) async fn let_go(self) -> ConfigDir {
        // What is lost is told among the messages, as long as somebody reads them.
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
    /// What it takes to keep a session in the store that the options name. When the session is
    /// resumed, it is resumed from there, and the CLI is led to it.
    pub(super) async fn make(
        options: &Options,
        launch: &mut Launch,
    ) -> Result<Option<Self>, StartError> {
        let Some(store) = &options.conversation.store else {
            return Ok(None);
        };
        let store = Arc::clone(&store.0);
        let user = UserConfig::by_environment(|name| variable(launch, name));
        let mode = options.conversation.store_flush;
        let Some(session_id) = options.conversation.resumed_id() else {
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
            // The CLI finds a session in whatever folder it lies, and so does this.
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

    /// The same for a CLI that runs already. Nothing is laid out for it: it has its folder, and
    /// would not look at another.
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
            store: Arc::clone(&store.0),
            mode: options.conversation.store_flush,
            config_dir,
            made: None,
            adopts,
        }))
    }

    /// Starts the mirror. What it loses is told among the session's messages.
    pub(super) fn start(self, commands: WeakUnboundedSender<Command>) -> StoreLane {
        let options = MirrorOptions::new(&self.config_dir)
            .mode(self.mode)
            .on_loss(move |received| {
                if let Some(commands) = commands.upgrade() {
                    let raw = received.raw.into_bytes();
                    // A session that is over has nobody to tell.
                    let _ = commands.send(Command::Tell { raw });
                }
            });
        let adopted = self
            .adopts
            .then(|| MadeFolder::adopt(self.config_dir.clone()));
        StoreLane {
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

/// The name of the folder in which the CLI keeps sessions of a working folder.
fn project_key(launch: &Launch, cwd: &Path) -> Str {
    let key = match SessionLibrary::from_vars(|name| variable(launch, name)) {
        Ok(library) => library.project_of(cwd).key,
        Err(_) => ProjectKey::of_dir(cwd),
    };
    Str::from(key.as_str())
}

/// A variable as the CLI will see it.
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
