//! Paths against rules: as text, and as the file that they lead to.
//!
//! Both readings must be covered. A tool may tidy `a/../b` as text before it opens it, or hand it
//! to the system, which follows links first; whichever it does, the answer holds.

use std::path::{Component, Path, PathBuf};

use super::Verdict;

/// How many links are followed before a path counts as a circle, as on Linux.
const LINKS: usize = 40;

/// Where a tool works: what relative paths and `~` mean.
#[derive(Debug, Clone)]
pub struct Surroundings {
    folder: PathBuf,
    home: Option<PathBuf>,
}

impl Surroundings {
    /// A session that works in this folder, which must be absolute: else nothing is covered.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            home: None,
        }
    }

    /// What `~` stands for; without it no path and no rule that begins with `~` means anything.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// The path from the root, not yet tidied; None when it means nothing.
    fn absolute(&self, path: &str) -> Option<PathBuf> {
        let absolute = match path.strip_prefix('~') {
            Some("") => self.home.clone()?,
            Some(rest) => self
                .home
                .as_ref()?
                .join(rest.strip_prefix('/')?.trim_start_matches('/')),
            None => self.folder.join(path),
        };
        absolute.is_absolute().then_some(absolute)
    }
}

/// A rule for a file tool.
#[derive(Debug, Clone)]
pub(super) struct PathRule {
    tool: String,
    pattern: String,
}

impl PathRule {
    pub(super) fn new(tool: &str, pattern: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            pattern: pattern.to_owned(),
        }
    }

    /// Whether a tidy path from the root is covered.
    fn covers(&self, path: &[&str], surroundings: &Surroundings) -> bool {
        let Some(pattern) = self.names(surroundings) else {
            return false;
        };
        let names: Vec<&str> = pattern.iter().map(String::as_str).collect();
        matches_names(&names, path)
    }

    /// The pattern's names from the root; None for one that climbs or means nothing here.
    fn names(&self, surroundings: &Surroundings) -> Option<Vec<String>> {
        let pattern = surroundings.absolute(&self.pattern)?;
        let mut names = Vec::new();
        for part in pattern.components() {
            match part {
                Component::RootDir | Component::CurDir => {}
                Component::Normal(name) => names.push(name.to_str()?.to_owned()),
                Component::ParentDir | Component::Prefix(_) => return None,
            }
        }
        // `dir/` is a folder, and no file is covered by it.
        (!names.is_empty() && !self.pattern.ends_with('/')).then_some(names)
    }
}

/// Whether both readings of the path are covered by rules for the tool.
pub(super) fn judge(
    rules: &[PathRule],
    tool: &str,
    path: &str,
    surroundings: &Surroundings,
) -> Verdict {
    if path.is_empty() || path.contains('\0') || path.trim() != path {
        return Verdict::ask("the path is empty, or has blanks or a NUL at an end");
    }
    let Some(absolute) = surroundings.absolute(path) else {
        return Verdict::ask(format!("`{path}` does not say which file it means"));
    };
    let covered = |names: &[&str]| {
        let mut rules = rules.iter().filter(|rule| rule.tool == tool);
        rules.any(|rule| rule.covers(names, surroundings))
    };
    let Some(text) = tidied(&absolute) else {
        return Verdict::ask(format!("`{path}` is not text or climbs above the root"));
    };
    if !covered(&text.iter().map(String::as_str).collect::<Vec<_>>()) {
        return Verdict::ask(format!("no rule covers {tool} of `{path}`"));
    }
    let Some(real) = real(&absolute).and_then(|real| tidied(&real)) else {
        return Verdict::ask(format!("where `{path}` leads cannot be told"));
    };
    if !covered(&real.iter().map(String::as_str).collect::<Vec<_>>()) {
        return Verdict::ask(format!(
            "`{path}` leads to `/{}`, which no rule covers",
            real.join("/")
        ));
    }
    Verdict::Covered
}

/// Names from the root, `..` taken away together with the name before it.
fn tidied(path: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_str()?.to_owned()),
            Component::ParentDir => {
                names.pop()?;
            }
            Component::Prefix(_) => return None,
        }
    }
    Some(names)
}

/// The file that the system opens: links followed, `..` taken from where a link leads. Of what is
/// not there yet, the part that is there is resolved, and the rest added.
fn real(path: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::from("/");
    let mut left: Vec<PathBuf> = pieces(path);
    let mut links = 0;
    while let Some(piece) = left.pop() {
        match piece.components().next() {
            Some(Component::ParentDir) => {
                // Above a folder that is not there the system finds nothing, but a tool may.
                resolved.pop();
            }
            Some(Component::RootDir) => resolved = PathBuf::from("/"),
            Some(Component::Normal(name)) => {
                let next = resolved.join(name);
                match std::fs::symlink_metadata(&next) {
                    Ok(found) if found.file_type().is_symlink() => {
                        links += 1;
                        if links > LINKS {
                            return None;
                        }
                        left.extend(pieces(&std::fs::read_link(&next).ok()?));
                    }
                    Ok(_) => resolved = next,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => resolved = next,
                    Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                        resolved = next;
                    }
                    // What cannot be looked at may be a link to anywhere.
                    Err(_) => return None,
                }
            }
            _ => {}
        }
    }
    Some(resolved)
}

/// The pieces of a path, the first one last.
fn pieces(path: &Path) -> Vec<PathBuf> {
    let mut pieces: Vec<PathBuf> = path
        .components()
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect();
    pieces.reverse();
    pieces
}

/// `*` is any part of one name, `**` any number of names.
fn matches_names(pattern: &[&str], path: &[&str]) -> bool {
    // For each beginning of the path, whether the names of the pattern so far match it.
    let mut so_far: Vec<bool> = (0..=path.len()).map(|length| length == 0).collect();
    for name in pattern {
        let mut with_name = Vec::with_capacity(so_far.len());
        let mut before = false;
        for (length, &matched) in so_far.iter().enumerate() {
            let reached = if *name == "**" {
                matched || with_name.last().copied().unwrap_or(false)
            } else {
                let part = length.checked_sub(1).and_then(|last| path.get(last));
                before && part.is_some_and(|part| matches_name(name, part))
            };
            with_name.push(reached);
            before = matched;
        }
        so_far = with_name;
    }
    so_far.last().copied().unwrap_or(false)
}

/// Letter for letter, but for stars.
fn matches_name(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = pattern.rsplit_once('*').map(|(_, last)| last) else {
        return rest.is_empty();
    };
    let Some(mut rest) = rest.strip_suffix(last) else {
        return false;
    };
    // What stands between stars is found from the left, each as early as it can be.
    let between: Vec<&str> = parts.collect();
    for part in between.iter().take(between.len().saturating_sub(1)) {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}
