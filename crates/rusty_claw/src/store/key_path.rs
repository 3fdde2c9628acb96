//! Maps store keys to file paths and back.

use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::key::SessionKey;

/// The maximum length of a name: file systems allow 255 bytes, and a suffix is added.
const LONGEST_NAME: usize = 240;
/// Suffixes that [`SessionKey::file`] adds to the last name of a key.
const ENDINGS: [&str; 2] = [".jsonl", ".meta.json"];
/// The maximum depth of a subpath. The CLI's own have two to four names.
const DEEPEST_SUBPATH: usize = 12;

impl SessionKey {
    /// Checks that every part can be a file name on all supported systems. A store that maps keys
    /// to paths calls this first, so that no key leads out of its folder.
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

    /// Returns the key of one of the CLI's session files.
    ///
    /// `projects` is the CLI's `projects` folder, spelled as the CLI spells it.
    ///
    /// # Errors
    /// The file is not below the folder, is not a session's, or has a name that is invalid in a
    /// key.
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
        // As text, not as `Path`: forms that `Path` normalizes (`a//b`, `a/./b`) are not what the
        // CLI prints, so they are rejected.
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
            // The whole path is more helpful than the one name.
            Err(StoreError::BadKey { why, .. }) => Err(refused(why)),
            checked => checked.map(|()| key),
        }
    }

    /// The file of this key below the CLI's `projects` folder, with this suffix.
    ///
    /// # Errors
    /// The key cannot be a path.
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
