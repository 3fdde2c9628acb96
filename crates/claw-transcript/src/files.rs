//! All files of a library.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::TranscriptError;
use crate::library::{SessionLibrary, is_absent};
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

    /// The files of the subagents beside a main file, in the CLI's present layout, by path.
    ///
    /// # Errors
    /// Their folder is there but cannot be read.
    pub fn agents(&self) -> Result<Vec<Self>, TranscriptError> {
        let mut agents = Vec::new();
        agent_files(self, &mut Seen::default(), &mut agents)?;
        agents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(agents)
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
    /// a symbolic link, is given once.
    ///
    /// # Errors
    /// The folder of projects, or one of them, cannot be read.
    pub fn files(&self) -> Result<Vec<SessionFile>, TranscriptError> {
        let mut seen = Seen::default();
        let mut files = Vec::new();
        // Real folders first, so that a link to one gives it under its own name.
        let mut places = self.places()?;
        places.sort_by_key(|place| (place.path.is_symlink(), place.path.clone()));
        for place in places {
            let key = place.path.file_name().unwrap_or_default();
            let key = ProjectKey::of_folder(key.to_string_lossy().into_owned());
            folder_files(&place.path, &key, &mut seen, &mut files)?;
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// The files of one session: the main file, then those of its subagents in the CLI's present
    /// layout, by path.
    ///
    /// # Errors
    /// There is no such session, or its folder cannot be read.
    pub fn session_files(&self, session_id: &str) -> Result<Vec<SessionFile>, TranscriptError> {
        let found = self.find(session_id)?;
        let main = SessionFile::at(found.path)?;
        let mut files = main.agents()?;
        files.insert(0, main);
        Ok(files)
    }
}

fn folder_files(
    folder: &Path,
    project: &ProjectKey,
    seen: &mut Seen,
    files: &mut Vec<SessionFile>,
) -> Result<(), TranscriptError> {
    if !seen.first(folder) {
        return Ok(());
    }
    for path in children(folder)? {
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let Some(file) = listed(path, project, seen) else {
            continue;
        };
        let session = file.role == FileRole::Main;
        files.push(file.clone());
        if session {
            agent_files(&file, seen, files)?;
        }
    }
    // The folder of a session whose main file is gone still holds what was spent.
    for path in children(folder)? {
        let main = path.with_extension("jsonl");
        if path.extension().is_none() && !main.exists() && path.join("subagents").is_dir() {
            let gone = SessionFile {
                session_id: Some(stem(&path)),
                path: main,
                project: project.clone(),
                role: FileRole::Main,
                len: 0,
                modified: SystemTime::UNIX_EPOCH,
            };
            agent_files(&gone, seen, files)?;
        }
    }
    Ok(())
}

/// The subagents' files beside a main file, workflows' ones in folders of their own.
fn agent_files(
    main: &SessionFile,
    seen: &mut Seen,
    files: &mut Vec<SessionFile>,
) -> Result<(), TranscriptError> {
    let Some(folder) = main.companions() else {
        return Ok(());
    };
    let mut folders = vec![(folder.join("subagents"), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for path in children(&folder)? {
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                let agent = listed(path, &main.project, seen);
                files.extend(agent.map(|agent| SessionFile {
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
    Ok(())
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
fn children(folder: &Path) -> Result<Vec<PathBuf>, TranscriptError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(TranscriptError::io("list", folder)(error)),
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
#[derive(Default)]
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
