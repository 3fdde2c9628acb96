//! The files of a library.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Serialize, Serializer};

use crate::entry::{Body, Entry};
use crate::error::TranscriptError;
use crate::library::{SessionLibrary, if_present};
use crate::lines::Lines;
use crate::listing::runs_elsewhere;
use crate::not_a_session;
use crate::project_key::ProjectKey;

/// The kind of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileRole {
    /// The conversation.
    Main,
    /// The conversation of a subagent.
    Agent {
        /// The id in lines and sidecars.
        agent_id: String,
    },
    /// The steps of a workflow.
    Journal,
    /// A tool result that was too long for a line, as plain text. Only a search returns such files.
    ToolResult,
}

/// A session file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionFile {
    /// The path.
    pub path: PathBuf,
    /// The project folder. Several working directories can share one; the lines contain the real
    /// one.
    pub project: ProjectKey,
    /// The session, by the names of files and folders. For old agent files, only the lines contain
    /// it.
    pub session_id: Option<String>,
    /// The kind of the file.
    pub role: FileRole,
    /// The length in bytes when the file was found.
    pub len: u64,
    /// The time of the last change.
    pub modified: SystemTime,
}

/// A file or a folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unreadable {
    /// The path.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// The error of the system.
    pub error: String,
}

impl Unreadable {
    pub(crate) fn new(path: impl Into<PathBuf>, error: &dyn std::fmt::Display) -> Self {
        Self {
            path: path.into(),
            error: error.to_string(),
        }
    }
}

/// Serializes a path that may not be valid UTF-8.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// The files of a library, and the paths that could not be read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Survey {
    /// Every main and agent file, by path.
    pub files: Vec<SessionFile>,
    /// Folders that could not be listed and dangling links. If there are any, `files` may be
    /// incomplete.
    pub unreadable: Vec<Unreadable>,
}

impl SessionFile {
    /// A file outside of a library, such as a copy. The id and the kind follow from its name.
    ///
    /// # Errors
    /// Returns an error if the file does not exist or cannot be read.
    pub fn at(path: impl Into<PathBuf>) -> Result<Self, TranscriptError> {
        let path = path.into();
        let meta = std::fs::metadata(&path).map_err(TranscriptError::io("read", &path))?;
        let name = stem(&path);
        let project = path.parent().and_then(Path::file_name).unwrap_or_default();
        let project = ProjectKey::of_folder(project.to_string_lossy().into_owned());
        let agent = name.strip_prefix("agent-").map(str::to_owned);
        Ok(Self {
            project,
            session_id: agent.is_none().then(|| name.clone()),
            role: agent.map_or(FileRole::Main, |agent_id| FileRole::Agent { agent_id }),
            len: meta.len(),
            modified: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            path,
        })
    }

    /// The files of the subagents of a main file, by path: those in its folder, and those that old
    /// releases wrote beside it.
    ///
    /// # Errors
    /// Returns an error if their folder exists but cannot be read.
    pub fn agents(&self) -> Result<Vec<Self>, TranscriptError> {
        let mut walk = Walk::default();
        walk.agents(self);
        walk.old_agents(self);
        let Survey {
            mut files,
            unreadable,
        } = walk.survey;
        if let Some(Unreadable { path, error }) = unreadable.into_iter().next() {
            return Err(TranscriptError::io("list", &path)(std::io::Error::other(
                error,
            )));
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// A main file and the files of its subagents.
    pub(crate) fn with_agents(self) -> Result<Vec<Self>, TranscriptError> {
        let mut files = self.agents()?;
        files.insert(0, self);
        Ok(files)
    }

    /// Checks that at least one line is a JSON object.
    ///
    /// # Errors
    /// Returns an error if no line is a JSON object (the error names the kind of the file), or if
    /// the file cannot be read.
    pub fn must_hold_a_session(&self) -> Result<(), TranscriptError> {
        let file = std::fs::File::open(&self.path);
        let mut lines = Lines::new(file.map_err(TranscriptError::io("open", &self.path))?);
        while let Some(line) = lines
            .next_line()
            .map_err(TranscriptError::io("read", &self.path))?
        {
            match line.body() {
                Body::Entry(_) => return Ok(()),
                Body::Broken(damage) if !damage.pieces.is_empty() => return Ok(()),
                _ => {}
            }
        }
        Err(not_a_session::refusal(&self.path))
    }

    /// The folder of the file.
    pub(crate) fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// The path of a subagent's metadata, which may not exist.
    pub fn sidecar(&self) -> Option<PathBuf> {
        match self.role {
            FileRole::Agent { .. } => Some(self.path.with_extension("meta.json")),
            _ => None,
        }
    }

    /// The folder beside a main file, with its subagents, long tool results and titles. It may not
    /// exist.
    pub fn companions(&self) -> Option<PathBuf> {
        match self.role {
            FileRole::Main => Some(self.path.with_extension("")),
            _ => None,
        }
    }
}

impl SessionLibrary {
    /// Every main and agent file, by path. A folder or file that a symbolic link leads to is listed
    /// once. What cannot be read is left out; see [`SessionLibrary::survey`].
    ///
    /// # Errors
    /// Returns an error if the folder of projects cannot be read.
    pub fn files(&self) -> Result<Vec<SessionFile>, TranscriptError> {
        Ok(self.survey()?.files)
    }

    /// Like [`SessionLibrary::files`], with the folders that could not be read. In a library of one
    /// directory, files of another directory that shares its folder are left out.
    ///
    /// # Errors
    /// Returns an error if the folder of projects cannot be read.
    pub fn survey(&self) -> Result<Survey, TranscriptError> {
        let mut walk = Walk::default();
        // Real folders first, so that a folder is listed under its own name.
        let mut places = self.places()?;
        places.sort_by_key(|place| (place.path.is_symlink(), place.path.clone()));
        let own_dirs = self.own_dirs();
        for place in places {
            let key = place.path.file_name().unwrap_or_default();
            let key = ProjectKey::of_folder(key.to_string_lossy().into_owned());
            let dir = place.dir.as_deref();
            walk.project(&place.path, &key, |file| {
                dir.is_some_and(|dir| runs_elsewhere(file, dir, &own_dirs))
            });
        }
        let mut survey = walk.survey;
        survey.files.sort_by(|a, b| a.path.cmp(&b.path));
        survey.unreadable.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(survey)
    }

    /// The files of one session: the main file, if it exists, then those of its subagents, by path.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, or its folder cannot be read.
    pub fn session_files(&self, session_id: &str) -> Result<Vec<SessionFile>, TranscriptError> {
        let error = match self.find(session_id) {
            Ok(found) => return SessionFile::at(found.path)?.with_agents(),
            Err(error) => error,
        };
        let mut files = self.files()?;
        files.retain(|file| file.session_id.as_deref() == Some(session_id));
        if files.is_empty() {
            Err(error)
        } else {
            Ok(files)
        }
    }
}

/// Lists folders, and skips those that cannot be read.
#[derive(Debug, Default)]
struct Walk {
    seen: Seen,
    survey: Survey,
}

impl Walk {
    fn project(&mut self, folder: &Path, project: &ProjectKey, elsewhere: impl Fn(&Path) -> bool) {
        if !self.seen.first(folder) {
            return;
        }
        let children = self.children(folder);
        for path in &children {
            if path.extension().is_none_or(|ending| ending != "jsonl") {
                continue;
            }
            if path.is_symlink() && !path.exists() {
                let error = "the link leads nowhere";
                self.survey.unreadable.push(Unreadable::new(path, &error));
            }
            let Some(file) = listed(path.clone(), project, &mut self.seen) else {
                continue;
            };
            if elsewhere(path) {
                continue;
            }
            let session = file.role == FileRole::Main;
            self.survey.files.push(file.clone());
            if session {
                self.agents(&file);
            }
        }
        // Subagents of a session without a main file are listed too, because they have costs.
        for path in children {
            let main = path.with_extension("jsonl");
            if path.extension().is_none() && !main.exists() && path.join("subagents").is_dir() {
                self.agents(&SessionFile {
                    session_id: Some(stem(&path)),
                    path: main,
                    project: project.clone(),
                    role: FileRole::Main,
                    len: 0,
                    modified: SystemTime::UNIX_EPOCH,
                });
            }
        }
    }

    /// Lists the subagents of a main file. Those of workflows are in subfolders.
    fn agents(&mut self, main: &SessionFile) {
        let Some(folder) = main.companions() else {
            return;
        };
        let mut folders = vec![(folder.join("subagents"), 0)];
        while let Some((folder, depth)) = folders.pop() {
            for path in self.children(&folder) {
                if path.extension().is_some_and(|ending| ending == "jsonl") {
                    self.add_agent(path, main);
                } else if depth < 4 && path.is_dir() {
                    folders.push((path, depth + 1));
                }
            }
        }
    }

    /// Lists agent files that old releases wrote beside the main file. Their lines contain the
    /// session id.
    fn old_agents(&mut self, main: &SessionFile) {
        let Some(id) = main.session_id.as_deref() else {
            return;
        };
        for path in self.children(main.folder()) {
            if is_agent_of(&path, id).unwrap_or_default() {
                self.add_agent(path, main);
            }
        }
    }

    fn add_agent(&mut self, path: PathBuf, main: &SessionFile) {
        let agent = listed(path, &main.project, &mut self.seen);
        self.survey.files.extend(agent.map(|agent| SessionFile {
            session_id: main.session_id.clone(),
            role: match agent.role {
                FileRole::Main => FileRole::Journal,
                role => role,
            },
            ..agent
        }));
    }

    fn children(&mut self, folder: &Path) -> Vec<PathBuf> {
        children(folder).unwrap_or_else(|error| {
            self.survey.unreadable.push(Unreadable::new(folder, &error));
            Vec::new()
        })
    }
}

/// The session id in the first line of a file that has one. It can be any text.
pub(crate) fn session_in(path: &Path) -> std::io::Result<Option<String>> {
    let mut lines = Lines::new(std::fs::File::open(path)?);
    while let Some(line) = lines.next_line()? {
        let entry = Entry::read(line.raw);
        if let Some(id) = entry.as_ref().and_then(Entry::session) {
            return Ok(Some(id.into_owned()));
        }
    }
    Ok(None)
}

/// Returns whether a file in the folder of a session is an agent file of that session, as old
/// releases wrote them.
pub(crate) fn is_agent_of(path: &Path, session_id: &str) -> std::io::Result<bool> {
    let is_agent = stem(path).starts_with("agent-")
        && path.extension().is_some_and(|ending| ending == "jsonl")
        // Opening a pipe would wait for a writer.
        && path.is_file();
    Ok(is_agent && session_in(path)?.as_deref() == Some(session_id))
}

/// A regular file that was not seen before.
fn listed(path: PathBuf, project: &ProjectKey, seen: &mut Seen) -> Option<SessionFile> {
    // Opening a pipe would wait for a writer.
    if !path.is_file() || !seen.first(&path) {
        return None;
    }
    let file = SessionFile::at(path).ok()?;
    Some(SessionFile {
        project: project.clone(),
        ..file
    })
}

/// The entries of a folder, by name; none if it does not exist.
pub(crate) fn children(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = if_present(std::fs::read_dir(folder))?;
    let entries = entries.into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The files and folders that were listed, under any path.
#[derive(Debug, Default)]
struct Seen {
    #[cfg(unix)]
    nodes: HashSet<(u64, u64)>,
    #[cfg(not(unix))]
    nodes: HashSet<PathBuf>,
}

impl Seen {
    fn first(&mut self, path: &Path) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let meta = std::fs::metadata(path);
            meta.is_ok_and(|meta| self.nodes.insert((meta.dev(), meta.ino())))
        }
        #[cfg(not(unix))]
        {
            let real = std::fs::canonicalize(path);
            real.is_ok_and(|real| self.nodes.insert(real))
        }
    }
}
