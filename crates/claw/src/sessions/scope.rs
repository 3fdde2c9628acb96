//! The options that all commands share, and the files that they select.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use claw_transcript::{FileRole, SessionFile, SessionLibrary, Unreadable, real_place};

use crate::printer::style;
use crate::words;

/// The library, and whether to print JSON.
#[derive(Debug, Clone, Args)]
pub(crate) struct Scope {
    /// The folder of Claude Code's files [default: ~/.claude].
    // Raw text, because an empty variable counts as unset.
    #[arg(long, global = true, env = "CLAUDE_CONFIG_DIR", value_name = "DIR",
          value_parser = clap::builder::OsStringValueParser::new())]
    config_dir: Option<OsString>,
    /// Only sessions of this directory and the other worktrees of its repository.
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "here")]
    dir: Option<PathBuf>,
    /// Only sessions of the current directory.
    #[arg(long, global = true)]
    here: bool,
    /// Print JSON for programs.
    #[arg(long, global = true)]
    pub(super) json: bool,
}

impl Scope {
    /// Opens the session library.
    pub(super) fn library(&self) -> anyhow::Result<SessionLibrary> {
        let library = match self.config_dir.as_ref().filter(|dir| !dir.is_empty()) {
            Some(dir) => SessionLibrary::open(PathBuf::from(dir)),
            None => SessionLibrary::from_env()?,
        };
        let dir = match (&self.dir, self.here) {
            (Some(dir), _) => Some(dir.clone()),
            (None, true) => Some(std::env::current_dir()?),
            (None, false) => None,
        };
        Ok(match dir {
            Some(dir) => library.in_dir(dir),
            None => library,
        })
    }
}

/// The folder of claw's own files.
#[derive(Debug, Clone, Args)]
pub(super) struct OwnFolder {
    /// The folder for claw's own marks [default: claw in the user's data folder].
    #[arg(long, env = "CLAW_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl OwnFolder {
    /// The folder; `None` if the environment does not name the user's data folder.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        if let Some(folder) = &self.data_dir {
            return Some(folder.clone());
        }
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = |below: &str| Some(PathBuf::from(set("HOME")?).join(below));
        let data = match set("XDG_DATA_HOME") {
            Some(folder) => Some(PathBuf::from(folder)),
            None if cfg!(windows) => set("APPDATA").map(PathBuf::from),
            None if cfg!(target_os = "macos") => home("Library/Application Support"),
            None => home(".local/share"),
        };
        data.map(|data| data.join("claw"))
    }
}

/// The files of the library, of sessions, or at the given paths.
pub(super) fn files(
    library: &SessionLibrary,
    names: &[String],
) -> anyhow::Result<Vec<SessionFile>> {
    Ok(files_and_unread(library, names)?.0)
}

/// The files of one session, the main file first.
pub(super) fn files_of(library: &SessionLibrary, name: &str) -> anyhow::Result<Vec<SessionFile>> {
    let mut files = files(library, &[name.to_owned()])?;
    files.sort_by_key(|file| file.companions().is_none());
    Ok(files)
}

/// The main files of sessions; files of subagents only if nothing else is given.
pub(super) fn main_files(
    library: &SessionLibrary,
    names: &[String],
) -> anyhow::Result<Vec<SessionFile>> {
    let mut files = files(library, names)?;
    if names.is_empty() || files.iter().any(|file| file.role == FileRole::Main) {
        files.retain(|file| file.role == FileRole::Main);
    }
    Ok(files)
}

/// Like [`files`], with the number of folders and links that could not be read.
pub(super) fn files_and_unread(
    library: &SessionLibrary,
    names: &[String],
) -> anyhow::Result<(Vec<SessionFile>, usize)> {
    if names.is_empty() {
        let survey = library.survey()?;
        say_unreadable(&survey.unreadable);
        return Ok((survey.files, survey.unreadable.len()));
    }
    let mut files = Vec::new();
    for name in names {
        if name.ends_with(".jsonl") || Path::new(name).is_file() {
            let main = SessionFile::at(name)?;
            files.extend(main.agents()?);
            files.push(main);
        } else {
            files.extend(library.session_files(&resolve_one(library, name)?)?);
        }
    }
    Ok((files, 0))
}

/// Rejects files that hold no session, because there is nothing to show.
pub(super) fn must_hold_a_session(files: &[SessionFile]) -> anyhow::Result<()> {
    for file in files.iter().filter(|file| file.role == FileRole::Main) {
        file.must_hold_a_session()?;
    }
    Ok(())
}

/// Reports what could not be read, so that the output does not look complete.
pub(super) fn say_unreadable(unreadable: &[Unreadable]) {
    let warn = style::WARN;
    for Unreadable { path, error, .. } in unreadable {
        let path = words::shown(path);
        anstream::eprintln!("{warn}not read{warn:#}: {path}: {error}");
    }
}

/// Reports project folders that cannot be listed, and returns their number. For commands that do
/// not use [`SessionLibrary::survey`].
pub(super) fn say_unlisted(library: &SessionLibrary) -> usize {
    let mut unlisted = 0;
    let Ok(projects) = std::fs::read_dir(library.projects_dir()) else {
        return 0;
    };
    for project in projects.flatten() {
        let path = project.path();
        if let Err(error) = std::fs::read_dir(&path)
            && error.kind() == std::io::ErrorKind::PermissionDenied
        {
            let (warn, path) = (style::WARN, words::shown(&path));
            anstream::eprintln!("{warn}not read{warn:#}: {path}: {error}");
            unlisted += 1;
        }
    }
    unlisted
}

/// The id of the one session that an id or a prefix of an id names.
///
/// # Errors
/// There is no such session, the prefix is ambiguous, or the session is in several projects.
pub(super) fn resolve_one(library: &SessionLibrary, name: &str) -> anyhow::Result<String> {
    let id = resolve(library, name)?;
    let mut mains = library.files()?;
    mains.retain(|file| file.role == FileRole::Main && file.session_id.as_ref() == Some(&id));
    if mains.len() > 1 {
        let paths = mains.iter().map(|file| words::shown(&file.path));
        anyhow::bail!(
            "session {id} is in {} projects: give one of these files, or the directory of the \
             project with --dir\n  {}",
            mains.len(),
            paths.collect::<Vec<_>>().join("\n  ")
        );
    }
    Ok(id)
}

/// Resolves an id or a prefix of an id.
pub(super) fn resolve(library: &SessionLibrary, name: &str) -> anyhow::Result<String> {
    let mut ids: Vec<String> = Vec::new();
    for file in library.files()? {
        let Some(id) = file.session_id else { continue };
        if id == name {
            return Ok(id);
        }
        if id.starts_with(name) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    match &ids[..] {
        [only] => Ok(only.clone()),
        [] => {
            say_unlisted(library);
            anyhow::bail!(
                "no session {name:?} under {}: see `claw sessions list`",
                library.projects_dir().display()
            )
        }
        many => anyhow::bail!(
            "{} sessions begin with {name:?}: give more of the id\n  {}",
            many.len(),
            many.join("\n  ")
        ),
    }
}

/// Rejects an output path inside the CLI's folder.
pub(super) fn refuse_inside(output: &Path, config_dir: &Path) -> anyhow::Result<()> {
    if real_place(output)?.starts_with(real_place(config_dir)?) {
        anyhow::bail!(
            "{} is in the folder of Claude Code: choose another path",
            output.display()
        );
    }
    Ok(())
}
