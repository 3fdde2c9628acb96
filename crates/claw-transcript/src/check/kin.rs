//! Which files belong together: those of one session and its subagents.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::facts::Facts;
use super::member::Member;
use crate::files::{FileRole, SessionFile};
use crate::lines::{Lines, readable};

/// What a file says about the files that it belongs to. Read only when a parent was found in
/// another file.
#[derive(Debug)]
pub(super) struct Kin {
    of_agent: bool,
    name: Option<OsString>,
    /// The session that the file is of; for a subagent, by its lines too.
    own: HashSet<String>,
    /// By file: whether it is kin.
    known: HashMap<PathBuf, bool>,
}

impl Kin {
    pub(super) fn of(file: &SessionFile) -> Self {
        let of_agent = is_of_agent(file);
        let mut own: HashSet<String> = file.session_id.clone().into_iter().collect();
        own.extend(session_of_path(&file.path));
        if of_agent {
            facts_of(&file.path, |facts| {
                own.extend(facts.id(Member::Session).map(|id| id.into_owned()));
                true
            });
        }
        Self {
            of_agent,
            name: file.path.file_name().map(OsString::from),
            own,
            known: HashMap::new(),
        }
    }

    /// Whether a parent may be in a file: a subagent's first line may hang under the session that
    /// started it, or under another one of its subagents.
    ///
    /// A session's own file is whole by itself. Forks have copies of all lines that they go on
    /// from, so that what is only in the other file is lost to the CLI in either of them.
    pub(super) fn has(&mut self, path: &Path) -> bool {
        // A second file of the same subagent is a copy, which excuses nothing.
        if !self.of_agent || path.file_name() == self.name.as_deref() {
            return false;
        }
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let is_kin = session_of(path).is_some_and(|session| self.own.contains(&session));
        self.known.insert(path.to_path_buf(), is_kin);
        is_kin
    }

    /// What to say of a parent in a file that is no kin.
    pub(super) fn stranger(&self, path: &Path) -> String {
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

/// Whether a file's parents may be in other files at all.
pub(super) fn is_of_agent(file: &SessionFile) -> bool {
    matches!(file.role, FileRole::Agent { .. })
}

/// Gives the facts of each line of a file, until that is enough.
fn facts_of(path: &Path, mut each: impl FnMut(&Facts<'_>) -> bool) {
    let Ok(file) = File::open(path) else {
        return;
    };
    let mut lines = Lines::new(file);
    while let Ok(Some(line)) = lines.next_line() {
        let text = readable(line.raw);
        if let Some(facts) = Facts::read(&text)
            && !each(&facts)
        {
            return;
        }
    }
}

/// The session that a file is of, by its path or by its first line that says one.
fn session_of(path: &Path) -> Option<String> {
    let by_path = session_of_path(path);
    by_path.or_else(|| {
        let mut session = None;
        facts_of(path, |facts| {
            session = facts.id(Member::Session).map(|id| id.into_owned());
            session.is_none()
        });
        session
    })
}

/// The same by the path alone; that of an old agent file says nothing.
fn session_of_path(path: &Path) -> Option<String> {
    let name = |path: &Path| Some(path.file_stem()?.to_string_lossy().into_owned());
    match path
        .ancestors()
        .find(|folder| folder.ends_with("subagents"))
    {
        Some(subagents) => name(subagents.parent()?),
        None => name(path).filter(|name| !name.starts_with("agent-")),
    }
}

/// The folder that a file's project has.
pub(super) fn project_folder(file: &SessionFile) -> PathBuf {
    let of_main = file.path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut folders = file.path.ancestors();
    match folders.find(|folder| folder.ends_with("subagents")) {
        Some(subagents) => {
            let session = subagents.parent();
            let folder = session.and_then(Path::parent);
            folder.map_or(of_main, Path::to_path_buf)
        }
        None => of_main,
    }
}
