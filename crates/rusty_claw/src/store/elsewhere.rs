//! Finds sessions that are stored under another project.

use std::time::Duration;

use super::error::StoreError;
use super::key::SessionKey;
use super::materialize::in_time;
use super::session_store::SessionStore;

/// The key of a session that is stored under another project, because it was started in another
/// folder or on another machine. The newest one if there are several; `None` also if the store
/// cannot list.
pub(crate) async fn in_another_project(
    store: &dyn SessionStore,
    key: &SessionKey,
    limit: Duration,
) -> Result<Option<SessionKey>, StoreError> {
    let projects = match in_time("list_projects", limit, store.list_projects()).await {
        Err(StoreError::Unsupported { .. }) => return Ok(None),
        listed => listed?,
    };
    let mut newest = None;
    for project in projects {
        if project == key.project_key {
            continue;
        }
        let sessions = match in_time("list_sessions", limit, store.list_sessions(&project)).await {
            Err(StoreError::Unsupported { .. }) => return Ok(None),
            listed => listed?,
        };
        let here = sessions.iter().find(|it| it.session_id == key.session_id);
        if let Some(here) = here
            && newest
                .as_ref()
                .is_none_or(|(modified, _)| *modified < here.modified)
        {
            newest = Some((here.modified, project));
        }
    }
    Ok(newest.map(|(_, project)| SessionKey::new(project, key.session_id.clone())))
}
