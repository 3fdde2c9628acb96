//! Which files belong together: a subagent's and its session's, a fork and what it was made from.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::facts::Facts;
use super::ids;
use super::member::Member;
use crate::files::{FileRole, SessionFile};
use crate::lines::{Lines, readable};
use crate::members::Members;

/// What a file says about the files that it belongs to. Read only when a parent was found in
/// another file.
#[derive(Debug)]
pub(super) struct Kin {
    of_agent: bool,
    /// The session that the file is of; for a subagent, by its lines too.
    own: HashSet<String>,
    /// The sessions that its lines were copied from.
    sources: HashSet<String>,
    uuids: HashSet<u64>,
    /// By file: whether it is kin.
    known: HashMap<PathBuf, bool>,
}

impl Kin {
    pub(super) fn of(file: &SessionFile) -> Self {
        let of_agent = matches!(file.role, FileRole::Agent { .. });
        let mut kin = Self {
            of_agent,
            own: file.session_id.clone().into_iter().collect(),
            sources: HashSet::new(),
            uuids: HashSet::new(),
            known: HashMap::new(),
        };
        kin.own.extend(session_of_path(&file.path));
        facts_of(&file.path, |facts| {
            if let Some(uuid) = facts.id(Member::Uuid) {
                kin.uuids.insert(ids::number(&uuid));
            }
            if let Some(session) = facts.id(Member::Session).filter(|_| of_agent) {
                kin.own.insert(session.into_owned());
            }
            if let Some(source) = forked_from(facts) {
                kin.sources.insert(source);
            }
            true
        });
        kin
    }

    /// Whether a parent may be in a file: that of the session which started a subagent or of
    /// another one of its subagents, or of the session that a fork was made from.
    pub(super) fn has(&mut self, path: &Path) -> bool {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let session = session_of(path);
        let session = session.as_ref();
        let is_own = session.is_some_and(|session| self.own.contains(session));
        let is_kin = if is_own {
            self.of_agent
        } else {
            let is_source = session.is_some_and(|session| self.sources.contains(session));
            is_source || self.shares_lines(path)
        };
        self.known.insert(path.to_path_buf(), is_kin);
        is_kin
    }

    /// Forks have the lines that they were made with.
    fn shares_lines(&self, path: &Path) -> bool {
        let mut shares = false;
        facts_of(path, |facts| {
            let uuid = facts.id(Member::Uuid);
            shares = uuid.is_some_and(|uuid| self.uuids.contains(&ids::number(&uuid)));
            !shares
        });
        shares
    }

    /// What to say of a parent in a file that is no kin.
    pub(super) fn stranger(&self, path: &Path) -> String {
        let session = session_of(path).unwrap_or_default();
        let place = if self.own.contains(&session) {
            "the file of a subagent".to_owned()
        } else {
            format!("session {session}, which this is no fork of")
        };
        format!(
            "the parent is in {place}: everything before is cut off; name a message that is here, \
             or write null"
        )
    }
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

/// The session that a line was copied from.
fn forked_from(facts: &Facts<'_>) -> Option<String> {
    // Not a member that the checks keep; most lines do not have it.
    memchr::memmem::find(facts.text.as_bytes(), b"\"forkedFrom\"")?;
    let from = Members::read(facts.text)?.object("forkedFrom")?;
    Some(from.string("sessionId")?.into_owned())
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
