//! The files in which the parents of a file's lines may be.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::reporter::facts_of;
use crate::facts::Member;
use crate::files::{FileRole, SessionFile};

/// The files in which parents may be: those of the same session. Read only if a parent was found in
/// another file.
#[derive(Debug)]
pub(super) struct ParentFiles<'f> {
    file: &'f SessionFile,
    /// The sessions of the file; for a subagent, also those that its lines name.
    own: HashSet<String>,
    /// Results of [`ParentFiles::may_hold`] so far.
    known: HashMap<PathBuf, bool>,
}

impl<'f> ParentFiles<'f> {
    pub(super) fn of(file: &'f SessionFile) -> Self {
        let mut own: HashSet<String> = file.session_id.clone().into_iter().collect();
        own.extend(session_of_path(&file.path));
        if is_of_agent(file) {
            facts_of(&file.path, |facts| {
                own.extend(facts.id(Member::Session).map(|id| id.into_owned()));
                true
            });
        }
        Self {
            file,
            own,
            known: HashMap::new(),
        }
    }

    /// Returns whether a parent may be in a file: the parent of a subagent's first line may be in the
    /// session that started it, or in another one of its subagents.
    ///
    /// The main file of a session must hold all parents itself. Forks copy all lines.
    pub(super) fn may_hold(&mut self, path: &Path) -> bool {
        // A second file of the same subagent is a copy.
        if !is_of_agent(self.file) || path.file_name() == self.file.path.file_name() {
            return false;
        }
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let may_hold = session_of(path).is_some_and(|session| self.own.contains(&session));
        self.known.insert(path.to_path_buf(), may_hold);
        may_hold
    }

    /// The message for a parent in a file that may not hold it.
    pub(super) fn foreign_message(&self, path: &Path) -> String {
        let session = session_of(path).unwrap_or_default();
        let place = if self.own.contains(&session) {
            "the file of a subagent".to_owned()
        } else {
            format!("session {session}, and not here")
        };
        format!(
            "the parent is in {place}: everything before is cut off; name a message that is here, \
             or write null"
        )
    }
}

/// Returns whether a file belongs to a subagent, so that parents may be in other files.
pub(super) fn is_of_agent(file: &SessionFile) -> bool {
    matches!(file.role, FileRole::Agent { .. })
}

/// The session of a file, by its path or by its first line that names one.
fn session_of(path: &Path) -> Option<String> {
    session_of_path(path).or_else(|| {
        let mut session = None;
        facts_of(path, |facts| {
            session = facts.id(Member::Session).map(|id| id.into_owned());
            session.is_none()
        });
        session
    })
}

/// The session of a file by its path; paths of old agent files do not name it.
fn session_of_path(path: &Path) -> Option<String> {
    let name = |path: &Path| Some(path.file_stem()?.to_string_lossy().into_owned());
    match companions(path) {
        Some(companions) => name(companions),
        None => name(path).filter(|name| !name.starts_with("agent-")),
    }
}

/// The folder of a session that has the file of a subagent in it.
pub(super) fn companions(path: &Path) -> Option<&Path> {
    let mut folders = path.ancestors();
    folders
        .find(|folder| folder.ends_with("subagents"))?
        .parent()
}

/// The project folder of a file.
pub(super) fn project_folder(file: &SessionFile) -> PathBuf {
    let of_session = companions(&file.path).unwrap_or(&file.path);
    of_session.parent().unwrap_or(Path::new("")).to_path_buf()
}
