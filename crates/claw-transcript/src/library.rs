//! The config folder with all sessions.

pub(crate) mod locate;
mod recent;
mod worktrees;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;
use crate::project_key::ProjectKey;

/// The sessions of one config folder.
///
/// Opening reads nothing. Every function reads the disk again, so a library can be kept while the
/// CLI works in the same folder. All functions block; call them from a thread that may block.
///
/// ```no_run
/// use claw_transcript::{SessionFilter, SessionLibrary};
///
/// let library = SessionLibrary::from_env()?;
/// for session in library.list(&SessionFilter::new().limit(20))? {
///     println!("{}  {}", session.session_id, session.summary);
/// }
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SessionLibrary {
    config_dir: PathBuf,
    /// The folder name that the user set for all projects.
    named: Option<ProjectKey>,
    scope: Option<Scope>,
}

/// The directory that a library is restricted to.
#[derive(Debug, Clone)]
struct Scope {
    /// The real path.
    dir: String,
    worktrees: bool,
}

/// A project folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Project {
    /// The folder's name.
    pub key: ProjectKey,
    /// The folder.
    pub path: PathBuf,
}

impl SessionLibrary {
    /// Opens the library in a config folder, such as `/home/me/.claude`. The folder need not exist
    /// yet.
    pub fn open(config_dir: impl Into<PathBuf>) -> Self {
        Self {
            config_dir: config_dir.into(),
            named: None,
            scope: None,
        }
    }

    /// Opens the library that a CLI in this environment would use: `CLAUDE_CONFIG_DIR`, or else
    /// `.claude` in the home folder. As in the CLI, `CLAUDE_CODE_PROJECT_DIR_NAME` requires
    /// `CLAUDE_CONFIG_DIR`.
    ///
    /// # Errors
    /// Returns an error if neither `CLAUDE_CONFIG_DIR` nor `HOME` (on Windows `USERPROFILE`) is
    /// set.
    pub fn from_env() -> Result<Self, TranscriptError> {
        Self::from_vars(|name| std::env::var_os(name))
    }

    /// Like [`SessionLibrary::from_env`] for another environment, such as that of a child process.
    ///
    /// # Errors
    /// Returns an error if neither `CLAUDE_CONFIG_DIR` nor `HOME` (on Windows `USERPROFILE`) is
    /// set.
    pub fn from_vars(var: impl Fn(&str) -> Option<OsString>) -> Result<Self, TranscriptError> {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        if let Some(config_dir) = set("CLAUDE_CONFIG_DIR") {
            let mut library = Self::open(config_dir);
            // The CLI also ignores an invalid name.
            library.named = set("CLAUDE_CODE_PROJECT_DIR_NAME")
                .and_then(|name| ProjectKey::named(name.to_str()?).ok());
            return Ok(library);
        }
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = set(home).ok_or(TranscriptError::NoConfigDir)?;
        Ok(Self::open(Path::new(&home).join(".claude")))
    }

    /// Restricts all functions to sessions of this working directory, and of the other worktrees of
    /// its git repository.
    pub fn in_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.scope = Some(Scope {
            dir: crate::project_key::real_path(dir.as_ref()),
            worktrees: true,
        });
        self
    }

    /// Excludes the other worktrees, after [`SessionLibrary::in_dir`].
    pub fn without_worktrees(mut self) -> Self {
        if let Some(scope) = &mut self.scope {
            scope.worktrees = false;
        }
        self
    }

    /// The path of the config folder.
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// The folder that contains the project folders.
    pub fn projects_dir(&self) -> PathBuf {
        self.config_dir.join("projects")
    }

    /// The project folder of a working directory.
    pub fn project_of(&self, dir: impl AsRef<Path>) -> Project {
        let key = self
            .named
            .clone()
            .unwrap_or_else(|| ProjectKey::of_dir(dir));
        self.project(key)
    }

    /// All project folders, by name. Empty if the CLI never ran.
    ///
    /// # Errors
    /// Returns an error if the folder exists but cannot be read.
    pub fn projects(&self) -> Result<Vec<Project>, TranscriptError> {
        let dir = self.projects_dir();
        let entries = if_present(std::fs::read_dir(&dir));
        let entries = entries.map_err(TranscriptError::io("list", &dir))?;
        let mut projects = Vec::new();
        for entry in entries.into_iter().flatten() {
            let entry = entry.map_err(TranscriptError::io("list", &dir))?;
            if entry.path().is_dir() {
                let key = ProjectKey::of_folder(entry.file_name().to_string_lossy().into_owned());
                let path = entry.path();
                projects.push(Project { key, path });
            }
        }
        projects.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(projects)
    }

    fn project(&self, key: ProjectKey) -> Project {
        let path = self.projects_dir().join(key.as_str());
        Project { key, path }
    }
}

/// Returns `None` instead of the error that the file or folder does not exist.
pub(crate) fn if_present<T>(found: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match found {
        Err(error) if is_absent(&error) => Ok(None),
        found => found.map(Some),
    }
}

/// Returns whether an error means that the file or folder does not exist.
pub(crate) fn is_absent(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
}
