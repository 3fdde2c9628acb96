//! What a list of lines is stored under.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use crate::Str;

/// The longest name: file systems take 255 bytes, and an ending is added.
const LONGEST_NAME: usize = 240;
/// Suffixes that [`SessionKey::file`] adds to the last name of a key.
const ENDINGS: [&str; 2] = [".jsonl", ".meta.json"];
/// The deepest subpath. The CLI's own are two to four names deep.
const DEEPEST_SUBPATH: usize = 12;

/// Names one list of lines: a session, or a file below it.
///
/// The CLI keeps a session in `projects/<project_key>/<session_id>.jsonl` and the files of its
/// subagents in `projects/<project_key>/<session_id>/<subpath>.jsonl`. A key is those names.
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
    /// The project: with the CLI, the folder it works in, written as one name.
    pub project_key: Str,
    /// The session.
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

    /// Whether every part can be a file's name on every system we know. A store that turns keys
    /// into paths asks this first, so that no key leads out of its folder.
    ///
    /// # Errors
    /// A part is empty, `.`, `..`, too long, ends in `.jsonl` or `.meta.json`, or contains a
    /// character that is not allowed in names.
    pub fn check(&self) -> Result<(), StoreError> {
        name("the project key", &self.project_key)?;
        name("the session id", &self.session_id)?;
        let Some(subpath) = &self.subpath else {
            return Ok(());
        };
        if subpath.split('/').count() > DEEPEST_SUBPATH {
            return Err(bad("the subpath", subpath, "it is too deep"));
        }
        subpath
            .split('/')
            .try_for_each(|part| name("the subpath", part))
    }

    /// The key of a file that the CLI has named.
    ///
    /// `projects` is the CLI's `projects` folder, spelled as the CLI spells it.
    ///
    /// # Errors
    /// The file is not below the folder, is not a session's, or has a name that no key can have.
    ///
    /// ```
    /// use std::path::Path;
    /// use rusty_claw::store::SessionKey;
    ///
    /// let projects = Path::new("/home/user/.claude/projects");
    /// let key = SessionKey::of_file(projects, "/home/user/.claude/projects/-p/5e5e.jsonl")?;
    /// assert_eq!(key, SessionKey::new("-p", "5e5e"));
    /// assert!(SessionKey::of_file(projects, "/home/user/.claude/projects/../x/y.jsonl").is_err());
    /// # Ok::<(), rusty_claw::store::StoreError>(())
    /// ```
    pub fn of_file(projects: &Path, file_path: &str) -> Result<Self, StoreError> {
        let refused = |why| bad("the file path", file_path, why);
        // By text, not by `Path`: what a `Path` passes over (`a//b`, `a/./b`) is not what the
        // CLI prints, so it is refused with the rest.
        let folder = projects.to_string_lossy();
        let below = file_path
            .strip_prefix(folder.trim_end_matches(is_separator))
            .and_then(|rest| rest.strip_prefix(is_separator))
            .ok_or_else(|| refused("it is not below the projects folder of the CLI"))?;
        let below = below
            .strip_suffix(".jsonl")
            .ok_or_else(|| refused("it does not end in .jsonl"))?;
        let mut names = below.split(is_separator);
        let (Some(project), Some(session)) = (names.next(), names.next()) else {
            return Err(refused("it does not name a project and a session"));
        };
        let rest: Vec<&str> = names.collect();
        let mut key = Self::new(project, session);
        if !rest.is_empty() {
            key.subpath = Some(rest.join("/").into());
        }
        match key.check() {
            // The whole path says more than the one name.
            Err(StoreError::BadKey { why, .. }) => Err(refused(why)),
            checked => checked.map(|()| key),
        }
    }

    /// Where the CLI keeps the lines of this key, below its `projects` folder, with the ending
    /// given.
    ///
    /// # Errors
    /// The key is not one that can be a path.
    pub(super) fn file(&self, projects: &Path, ending: &str) -> Result<PathBuf, StoreError> {
        self.check()?;
        let mut path = projects.join(&*self.project_key);
        match &self.subpath {
            None => path.push(format!("{}{ending}", self.session_id)),
            Some(subpath) => {
                path.push(&*self.session_id);
                let mut names = subpath.split('/').peekable();
                while let Some(name) = names.next() {
                    if names.peek().is_some() {
                        path.push(name);
                    } else {
                        path.push(format!("{name}{ending}"));
                    }
                }
            }
        }
        Ok(path)
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

fn is_separator(c: char) -> bool {
    c == '/' || (cfg!(windows) && c == '\\')
}

fn bad(part: &'static str, text: &str, why: &'static str) -> StoreError {
    let mut text: String = text.chars().take(300).collect();
    text.shrink_to_fit();
    StoreError::BadKey { part, text, why }
}

/// Ignores case: not every file system distinguishes `a.JSONL` from `a.jsonl`.
fn ends_with(name: &str, ending: &str) -> bool {
    let start = name.len().checked_sub(ending.len());
    let end = start.and_then(|start| name.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Checks one name. Stricter than Unix needs, so that a store can move between systems.
pub(super) fn name(part: &'static str, name: &str) -> Result<(), StoreError> {
    let why = if name.is_empty() {
        "a name is empty"
    } else if name == "." || name == ".." {
        "a name is . or .."
    } else if name.len() > LONGEST_NAME {
        "a name is too long"
    } else if name
        .chars()
        .any(|c| c.is_control() || matches!(c, '/' | '\\' | ':'))
    {
        "a name has a separator or a control character"
    } else if name.ends_with(['.', ' ']) {
        "a name ends in a dot or a space"
    } else if ENDINGS.iter().any(|ending| ends_with(name, ending)) {
        "a name ends in .jsonl or .meta.json, so it would collide with a session file"
    } else {
        return Ok(());
    };
    Err(bad(part, name, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_cli_have_keys_and_nothing_else_has() {
        let projects = Path::new("/home/user/.claude/projects");
        let session = SessionKey::new("-home-u-p", "5e5e");
        let table: &[(&str, Option<SessionKey>)] = &[
            ("-home-u-p/5e5e.jsonl", Some(session.clone())),
            (
                "-home-u-p/5e5e/subagents/agent-1.jsonl",
                Some(session.with_subpath("subagents/agent-1")),
            ),
            (
                "-home-u-p/5e5e/subagents/workflows/wf/journal.jsonl",
                Some(session.with_subpath("subagents/workflows/wf/journal")),
            ),
            ("-home-u-p/5e5e/x.jsonl", Some(session.with_subpath("x"))),
            ("5e5e.jsonl", None),
            (".jsonl", None),
            ("-home-u-p/.jsonl", None),
            ("-home-u-p/5e5e.json", None),
            ("-home-u-p/5e5e", None),
            ("", None),
            ("../secret/5e5e.jsonl", None),
            ("-home-u-p/../../5e5e.jsonl", None),
            ("-home-u-p/...jsonl", None),
            ("-home-u-p//5e5e.jsonl", None),
            ("-home-u-p/./5e5e.jsonl", None),
            ("-home-u-p/5e5e/subagents/../../x.jsonl", None),
            ("-home-u-p/5e\0.jsonl", None),
            ("-home-u-p/5e\n.jsonl", None),
            ("-home-u-p/c:\\5e.jsonl", None),
            ("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p.jsonl", None),
        ];
        for (below, expected) in table {
            let path = format!("/home/user/.claude/projects/{below}");
            assert_eq!(
                SessionKey::of_file(projects, &path).ok(),
                *expected,
                "{below:?}"
            );
        }
        for elsewhere in [
            "/home/user/.claude/projectsX/-home-u-p/5e5e.jsonl",
            "/home/user/.claude/-home-u-p/5e5e.jsonl",
            "-home-u-p/5e5e.jsonl",
            "/etc/passwd",
            "",
        ] {
            assert!(
                SessionKey::of_file(projects, elsewhere).is_err(),
                "{elsewhere:?}"
            );
        }
        let with_slash = Path::new("/home/user/.claude/projects/");
        assert!(
            SessionKey::of_file(
                with_slash,
                "/home/user/.claude/projects/-home-u-p/5e5e.jsonl"
            )
            .is_ok()
        );
    }

    #[test]
    fn a_key_and_its_file_lead_to_each_other() {
        let projects = Path::new("/r/projects");
        let session = SessionKey::new("-p", "5e5e");
        for key in [session.clone(), session.with_subpath("subagents/agent-1")] {
            let file = key.file(projects, ".jsonl").unwrap();
            let back = SessionKey::of_file(projects, file.to_str().unwrap()).unwrap();
            assert_eq!(back, key);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_key_leads_out_of_the_folder(
            parts in proptest::collection::vec("[a./\\\\:\\PC]{0,6}", 3),
            with_subpath in proptest::bool::ANY,
        ) {
            let mut key = SessionKey::new(parts[0].as_str(), parts[1].as_str());
            if with_subpath {
                key = key.with_subpath(parts[2].as_str());
            }
            if let Ok(file) = key.file(Path::new("/base/projects"), ".jsonl") {
                let below = file.strip_prefix("/base/projects").unwrap();
                let plain = below
                    .components()
                    .all(|part| matches!(part, std::path::Component::Normal(_)));
                proptest::prop_assert!(plain, "{}", file.display());
                proptest::prop_assert!(below.components().count() >= 2);
            }
        }
    }
}
