//! All files of a library.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Serialize, Serializer};

use crate::entry::Body;
use crate::error::TranscriptError;
use crate::library::{SessionLibrary, is_absent, is_session_id};
use crate::lines::Lines;
use crate::listing::runs_elsewhere;
use crate::members::Members;
use crate::not_a_session;
use crate::project_key::ProjectKey;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileRole {
    /// The conversation itself.
    Main,
    /// What a subagent did.
    Agent {
        /// By which lines and sidecars name it.
        agent_id: String,
    },
    /// The steps of a workflow.
    Journal,
    /// A result that was too long for a line: text as a tool gave it, no lines of a session. Only
    /// a search gives such files.
    ToolResult,
}

/// One file of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// The folder that it is filed under: only a hint at the directory that the CLI worked in,
    /// since several paths share one name. The lines say it.
    pub project: ProjectKey,
    /// The session, by the names of files and folders. Old agent files do not say it; their lines
    /// do.
    pub session_id: Option<String>,
    /// What it holds.
    pub role: FileRole,
    /// Its length in bytes when it was found.
    pub len: u64,
    /// When it was written last.
    pub modified: SystemTime,
}

/// A file or a folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unreadable {
    /// Which.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// What the system said.
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

/// A path that is not text is still worth telling.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// The files of a library, and what of it could not be looked at.
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
    /// A file that is not in a library, such as a copy that somebody sent. Takes names as the CLI
    /// gives them.
    ///
    /// # Errors
    /// The file is not there or cannot be looked at.
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
    /// releases put beside it.
    ///
    /// # Errors
    /// Their folder is there but cannot be read.
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

    /// Checks that at least one line is a JSON object.
    ///
    /// # Errors
    /// No line is a JSON object (the error names the kind of the file), or the file cannot be read.
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

    /// The file that says how a subagent came to be; there may be none.
    pub fn sidecar(&self) -> Option<PathBuf> {
        match self.role {
            FileRole::Agent { .. } => Some(self.path.with_extension("meta.json")),
            _ => None,
        }
    }

    /// The folder beside a main file with its subagents, long tool results and titles; there may be
    /// none.
    pub fn companions(&self) -> Option<PathBuf> {
        match self.role {
            FileRole::Main => Some(self.path.with_extension("")),
            _ => None,
        }
    }
}

impl SessionLibrary {
    /// Every main and agent file, by path. A folder or file that is reached in two ways, through
    /// a symbolic link, is given once. What cannot be read is left out; see
    /// [`SessionLibrary::survey`].
    ///
    /// # Errors
    /// The folder of projects cannot be read.
    pub fn files(&self) -> Result<Vec<SessionFile>, TranscriptError> {
        Ok(self.survey()?.files)
    }

    /// The same, with the folders that could not be read: one that belongs to somebody else must
    /// not keep the others from being counted, nor go unsaid.
    ///
    /// In a library of one directory, files of another that shares its folder are left out, as in
    /// a list.
    ///
    /// # Errors
    /// The folder of projects cannot be read.
    pub fn survey(&self) -> Result<Survey, TranscriptError> {
        let mut walk = Walk::default();
        // Real folders first, so that a link to one gives it under its own name.
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

    /// The files of one session: the main file, then those of its subagents, by path. Of a session
    /// whose main file is gone, those of its subagents.
    ///
    /// # Errors
    /// There is no such session, or its folder cannot be read.
    pub fn session_files(&self, session_id: &str) -> Result<Vec<SessionFile>, TranscriptError> {
        let found = self.find(session_id);
        let main = match found {
            Ok(found) => SessionFile::at(found.path)?,
            Err(error) => {
                let mut files = self.files()?;
                files.retain(|file| file.session_id.as_deref() == Some(session_id));
                return if files.is_empty() {
                    Err(error)
                } else {
                    Ok(files)
                };
            }
        };
        let mut files = main.agents()?;
        files.insert(0, main);
        Ok(files)
    }
}

/// Goes through folders, and past those that cannot be read.
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
        // The folder of a session whose main file is gone still holds what was spent.
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

    /// The subagents' files beside a main file, workflows' ones in folders of their own.
    fn agents(&mut self, main: &SessionFile) {
        let Some(folder) = main.companions() else {
            return;
        };
        let mut folders = vec![(folder.join("subagents"), 0)];
        while let Some((folder, depth)) = folders.pop() {
            for path in self.children(&folder) {
                if path.extension().is_some_and(|ending| ending == "jsonl") {
                    let agent = listed(path, &main.project, &mut self.seen);
                    self.survey.files.extend(agent.map(|agent| SessionFile {
                        session_id: main.session_id.clone(),
                        role: match agent.role {
                            FileRole::Main => FileRole::Journal,
                            role => role,
                        },
                        ..agent
                    }));
                } else if depth < 4 && path.is_dir() {
                    folders.push((path, depth + 1));
                }
            }
        }
    }

    /// Old releases put agent files beside the main ones, where only their lines say whose they
    /// are.
    fn old_agents(&mut self, main: &SessionFile) {
        let (Some(folder), Some(id)) = (main.path.parent(), main.session_id.as_deref()) else {
            return;
        };
        for path in self.children(folder) {
            if stem(&path).starts_with("agent-")
                && path.extension().is_some_and(|ending| ending == "jsonl")
                && session_in(&path).as_deref() == Some(id)
            {
                let agent = listed(path, &main.project, &mut self.seen);
                self.survey.files.extend(agent.map(|agent| SessionFile {
                    session_id: main.session_id.clone(),
                    ..agent
                }));
            }
        }
    }

    fn children(&mut self, folder: &Path) -> Vec<PathBuf> {
        children(folder).unwrap_or_else(|error| {
            self.survey.unreadable.push(Unreadable::new(folder, &error));
            Vec::new()
        })
    }
}

/// The session that the first line of a file names.
fn session_in(path: &Path) -> Option<String> {
    let mut lines = Lines::new(std::fs::File::open(path).ok()?);
    let line = lines.next_line().ok()??;
    let line = std::str::from_utf8(line.raw).ok()?;
    let id = Members::read(line)?.string("sessionId")?;
    is_session_id(&id).then(|| id.into_owned())
}

/// A file, unless it is none, was seen before, or went away meanwhile.
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

/// The entries of a folder by name; none when it is not there.
fn children(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What was met already, whatever its path.
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
