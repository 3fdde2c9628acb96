//! A session whose file is kept in a store as well.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use claw_transcript::ProjectKey;
use tokio::sync::mpsc::WeakUnboundedSender;

use crate::error::StartError;
use crate::options::Options;
use crate::pump::Command;
use crate::store::{
    FlushMode, MaterializeOptions, Materialized, Mirror, MirrorOptions, MirrorReport, SessionKey,
    SessionStore, UserConfig, materialize,
};
use crate::transport::Launch;

/// How long the store has for the last lines once the CLI has ended.
const LAST_LINES: Duration = Duration::from_secs(30);

/// A mirror that is to be started with the session.
pub(super) struct MirrorPlan {
    store: Arc<dyn SessionStore>,
    mode: FlushMode,
    config_dir: PathBuf,
    materialized: Option<Materialized>,
}

/// Where the pump puts copies of session files.
#[derive(Debug)]
pub(crate) struct StoreLane {
    mirror: Mirror,
    /// The folder that the CLI resumed from; it goes when the CLI has ended.
    materialized: Option<Materialized>,
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
        drop(self.materialized);
        report
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
            let user = user.ok_or_else(|| StartError::BadOption {
                option: "session_store",
                why: "neither CLAUDE_CONFIG_DIR nor HOME is set for the CLI, so it is not known \
                      where it writes; set one with Options::env"
                    .to_owned(),
            })?;
            return Ok(Some(Self {
                store,
                mode,
                config_dir: user.config_dir().to_owned(),
                materialized: None,
            }));
        };
        let cwd = match &launch.cwd {
            Some(cwd) => cwd.clone(),
            None => std::env::current_dir().map_err(|source| StartError::Io {
                what: "the working folder of this process cannot be found".to_owned(),
                source,
            })?,
        };
        let key = SessionKey::new(ProjectKey::of_dir(cwd).as_str(), session_id);
        let mut how = MaterializeOptions::new();
        if let Some(limit) = options.conversation.store_load {
            how = how.load_limit(limit);
        }
        if let Some(user) = user {
            how = how.user_config(user);
        }
        let materialized = materialize(&*store, &key, how)
            .await
            .map_err(|source| StartError::Store { source })?;
        let config_dir = materialized.config_dir().to_owned();
        launch.env.push((
            OsString::from("CLAUDE_CONFIG_DIR"),
            Some(config_dir.clone().into_os_string()),
        ));
        Ok(Some(Self {
            store,
            mode,
            config_dir,
            materialized: Some(materialized),
        }))
    }

    /// Starts the mirror. What it loses is told among the session's messages.
    pub(super) fn start(self, commands: WeakUnboundedSender<Command>) -> StoreLane {
        let options =
            MirrorOptions::new(self.config_dir)
                .mode(self.mode)
                .on_loss(move |received| {
                    if let Some(commands) = commands.upgrade() {
                        let raw = received.raw.into_bytes();
                        // A session that is over has nobody to tell.
                        let _ = commands.send(Command::Tell { raw });
                    }
                });
        StoreLane {
            mirror: Mirror::start(self.store, options),
            materialized: self.materialized,
        }
    }
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
