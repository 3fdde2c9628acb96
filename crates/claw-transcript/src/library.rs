//! The folder that holds all sessions.

mod locate;
mod worktrees;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;
use crate::project_key::ProjectKey;

pub(crate) use locate::{Found, is_session_id};

/// The sessions of one config folder.
///
/// Opening reads nothing. Every function looks at the disk anew, so a library can live as long as
/// the program while the CLI works in the same folder. All functions block; call them from a
/// thread that may.
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
    /// The folder name a user chose for whatever project the CLI runs in.
    named: Option<ProjectKey>,
    scope: Option<Scope>,
}

/// The directory that a library is narrowed to.
#[derive(Debug, Clone)]
struct Scope {
    /// Its real path, as text.
    dir: String,
    worktrees: bool,
}

/// A folder of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Project {
    /// The folder's name.
    pub key: ProjectKey,
    /// The folder.
    pub path: PathBuf,
}

impl SessionLibrary {
    /// The library in a config folder, such as `/home/me/.claude`. The folder need not exist yet.
    pub fn open(config_dir: impl Into<PathBuf>) -> Self {
        Self {
            config_dir: config_dir.into(),
            named: None,
            scope: None,
        }
    }

    /// The library that a CLI started in this environment would use: `CLAUDE_CONFIG_DIR`, or else
    /// `.claude` in the home folder. As with the CLI, `CLAUDE_CODE_PROJECT_DIR_NAME` counts only
    /// beside `CLAUDE_CONFIG_DIR`.
    ///
    /// # Errors
    /// Neither `CLAUDE_CONFIG_DIR` nor `HOME` is set.
    pub fn from_env() -> Result<Self, TranscriptError> {
        Self::from_vars(|name| std::env::var_os(name))
    }

    /// [`SessionLibrary::from_env`] for an environment that is not this process's own, such as the
    /// one a child is started with.
    ///
    /// # Errors
    /// Neither `CLAUDE_CONFIG_DIR` nor `HOME` (on Windows `USERPROFILE`) is set.
    pub fn from_vars(var: impl Fn(&str) -> Option<OsString>) -> Result<Self, TranscriptError> {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        if let Some(config_dir) = set("CLAUDE_CONFIG_DIR") {
            let mut library = Self::open(config_dir);
            // A name that the CLI would not take is ignored, by it and here.
            library.named = set("CLAUDE_CODE_PROJECT_DIR_NAME")
                .and_then(|name| ProjectKey::named(name.to_str()?).ok());
            return Ok(library);
        }
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = set(home).ok_or(TranscriptError::NoConfigDir)?;
        Ok(Self::open(Path::new(&home).join(".claude")))
    }

    /// Says that the CLI runs with `CLAUDE_CODE_PROJECT_DIR_NAME`: sessions of every directory are
    /// then also in this folder.
    pub fn project_named(mut self, key: ProjectKey) -> Self {
        self.named = Some(key);
        self
    }

    /// Only sessions of this working directory, and of the other worktrees of its git repository.
    /// All functions then look nowhere else.
    pub fn in_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.scope = Some(Scope {
            dir: crate::project_key::real_path(dir.as_ref()),
            worktrees: true,
        });
        self
    }

    /// After [`SessionLibrary::in_dir`]: that directory alone.
    pub fn without_worktrees(mut self) -> Self {
        if let Some(scope) = &mut self.scope {
            scope.worktrees = false;
        }
        self
    }

    /// The config folder.
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// The folder that holds the projects' folders.
    pub fn projects_dir(&self) -> PathBuf {
        self.config_dir.join("projects")
    }

    /// The folder in which the CLI keeps sessions of this working directory.
    pub fn project_of(&self, dir: impl AsRef<Path>) -> Project {
        let key = self
            .named
            .clone()
            .unwrap_or_else(|| ProjectKey::of_dir(dir));
        self.project(key)
    }

    /// All folders of sessions, by name. A library where the CLI never ran has none.
    ///
    /// # Errors
    /// The folder is there but cannot be read.
    pub fn projects(&self) -> Result<Vec<Project>, TranscriptError> {
        let dir = self.projects_dir();
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(TranscriptError::io("list", &dir)(error)),
        };
        let mut projects = Vec::new();
        for entry in entries {
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

/// Whether the system said that there is no such file or folder.
pub(crate) fn is_absent(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
}
