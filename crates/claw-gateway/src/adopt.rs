//! Adopts conversations that were started in a terminal.

use std::path::{Path, PathBuf};

use claw_store::{IdempotencyKey, PageToken};
use rusty_claw::sessions::{SessionLibrary, find_writer};
use tokio::sync::Mutex;

use crate::access::{Access, SessionInfo, info};
use crate::caller::Scope;
use crate::error::GatewayError;
use crate::origin::Origin;
use crate::spec::SessionSpec;
use crate::tenant::Tenant;

/// The most characters of a title that is taken from a conversation.
const TITLE: usize = 100;
/// The number of sessions in a page.
const PAGE: usize = 1000;

/// Held while a conversation is adopted, so that only one session continues it.
static ADOPTING: Mutex<()> = Mutex::const_new(());

/// A conversation in the configuration folder.
struct Conversation {
    folder: PathBuf,
    title: String,
    /// The reason if another process writes to it, or may do so.
    writer: Option<String>,
}

impl Access {
    /// Creates a session that continues a conversation that was started in a terminal.
    /// `cli_session_id` is the CLI's id of it. The conversation must be in the configuration folder
    /// of this gateway's CLIs, and `Settings::tenant` must be the tenant of the caller.
    ///
    /// # Errors
    /// There is no such conversation, its folder is not in a root, another process writes to it, or
    /// another session continues it.
    pub async fn adopt(
        &self,
        cli_session_id: &str,
        key: IdempotencyKey,
    ) -> Result<SessionInfo, GatewayError> {
        self.caller.need(Scope::Drive)?;
        let what = "session of the CLI";
        // Several tenants would share the configuration folder.
        if self.tenant.settings.tenant.as_ref() != Some(&self.tenant.id) {
            return Err(GatewayError::NotFound { what });
        }
        let id = cli_session_id.to_ascii_lowercase();
        let _adopting = ADOPTING.lock().await;
        let found = self.tenant.find_conversation(&id).await?;
        let found = found.ok_or(GatewayError::NotFound { what })?;
        let mut spec = SessionSpec::new(found.folder);
        spec.confine(&self.tenant.settings.roots)?;
        if let Some(other) = self.session_of(&id, &spec.folder).await? {
            let adopted_by = other
                .spec
                .origin
                .as_ref()
                .and_then(|one| one.key.as_deref());
            return match adopted_by == Some(key.as_str()) {
                true => Ok(other),
                false => Err(conflict(format!(
                    "the session {} has this conversation: use it, or fork it",
                    other.id
                ))),
            };
        }
        if let Some(writer) = found.writer {
            return Err(conflict(writer));
        }
        spec.title = Some(found.title);
        spec.origin = Some(Origin {
            cli_session_id: id,
            is_fork: false,
            key: Some(key.as_str().to_owned()),
        });
        self.store_new(spec, key).await
    }

    /// Returns the session that has a conversation of this folder.
    async fn session_of(
        &self,
        conversation: &str,
        folder: &Path,
    ) -> Result<Option<SessionInfo>, GatewayError> {
        let mut from: Option<PageToken> = None;
        loop {
            let (store, tenant) = (&self.tenant.store, &self.tenant.id);
            let page = store.list(tenant, from, PAGE).await?;
            for row in page.rows {
                let one = info(row)?;
                let origin = one.spec.origin.as_ref().filter(|origin| !origin.is_fork);
                let is_adopted = origin.is_some_and(|origin| origin.cli_session_id == conversation);
                // The CLI keeps a conversation with the folder in which it began.
                let may_have = one.spec.folder == folder && one.last > 0;
                if is_adopted
                    || may_have
                        && self.cli_session_id(one.id).await?.as_deref() == Some(conversation)
                {
                    return Ok(Some(one));
                }
            }
            from = page.next;
            if from.is_none() {
                return Ok(None);
            }
        }
    }
}

impl Tenant {
    /// Checks that no other process writes to the conversation that a session has adopted.
    pub(crate) async fn check_writer(&self, spec: &SessionSpec) -> Result<(), GatewayError> {
        let origin = spec.origin.as_ref().filter(|origin| !origin.is_fork);
        let Some(origin) = origin else {
            return Ok(());
        };
        let found = self.find_conversation(&origin.cli_session_id).await?;
        found
            .and_then(|found| found.writer)
            .map_or(Ok(()), |writer| Err(conflict(writer)))
    }

    async fn find_conversation(&self, id: &str) -> Result<Option<Conversation>, GatewayError> {
        let library = (self.settings.options)().session_library();
        let unavailable = |reason: String| GatewayError::Unavailable { reason };
        let library = library.map_err(|error| unavailable(error.to_string()))?;
        let id = id.to_owned();
        let found = tokio::task::spawn_blocking(move || find(&library, &id)).await;
        found.map_err(|error| unavailable(error.to_string()))
    }
}

/// Finds a conversation. Blocks the thread.
fn find(library: &SessionLibrary, id: &str) -> Option<Conversation> {
    // A string that is not an id matches no conversation.
    let found = library.info(id).ok().flatten()?;
    let folder = PathBuf::from(found.cwd?);
    let is_file = std::fs::symlink_metadata(&found.path).is_ok_and(|meta| meta.is_file());
    // An isolated CLI sees only the conversations of its folder.
    let is_there = found.path.parent() == Some(&*library.project_of(&folder).path);
    (is_file && is_there).then(|| Conversation {
        writer: find_writer(library.config_dir(), id, &found.path),
        title: found.summary.chars().take(TITLE).collect(),
        folder,
    })
}

fn conflict(reason: String) -> GatewayError {
    GatewayError::Conflict { reason }
}
