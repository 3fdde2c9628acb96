//! Store keys.

use std::fmt;

use rusty_claw_protocol::Str;

/// Identifies one list of lines: a session, or a file below it.
///
/// The CLI stores a session in `projects/<project_key>/<session_id>.jsonl` and the files of its
/// subagents in `projects/<project_key>/<session_id>/<subpath>.jsonl`. A key consists of those
/// names.
///
/// ```
/// use rusty_claw::store::SessionKey;
///
/// let session = SessionKey::new("-home-user-project", "5e5e5e5e-2222-4222-8222-000000000601");
/// let subagent = session.with_subpath("subagents/agent-ad05c3f952e21533d");
/// assert_eq!(subagent.session(), session);
/// assert!(session.check().is_ok());
/// assert!(SessionKey::new("..", "etc").check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// The project: in the CLI, its working directory, written as one name.
    pub project_key: Str,
    /// The session id.
    pub session_id: Str,
    /// The file below the session, names joined by `/`; absent for the session's own.
    pub subpath: Option<Str>,
}

impl SessionKey {
    /// The key of a session.
    pub fn new(project_key: impl Into<Str>, session_id: impl Into<Str>) -> Self {
        Self {
            project_key: project_key.into(),
            session_id: session_id.into(),
            subpath: None,
        }
    }

    /// The key of a file below this session.
    pub fn with_subpath(&self, subpath: impl Into<Str>) -> Self {
        Self {
            subpath: Some(subpath.into()),
            ..self.clone()
        }
    }

    /// The key of the session itself.
    pub fn session(&self) -> Self {
        Self {
            subpath: None,
            ..self.clone()
        }
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project_key, self.session_id)?;
        match &self.subpath {
            Some(subpath) => write!(f, "/{subpath}"),
            None => Ok(()),
        }
    }
}
