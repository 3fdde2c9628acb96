//! Paths: as text, and as the file that they lead to.
//!
//! To allow, both readings must be covered. A tool may tidy `a/../b` as text before it opens it,
//! or hand it to the system, which follows links first; whichever it does, the answer holds.

use std::path::{Path, PathBuf};

use super::glob::{Glob, PathGlob};

/// The maximum length of a path in bytes, as on Linux.
const LONGEST_PATH: usize = 4096;

/// How many links are followed before a path counts as a circle, as on Linux.
const LINKS: usize = 40;

/// The maximum number of names to resolve, including those in links.
const MOST_NAMES: usize = 1024;

/// Where a tool works: what relative paths and `~` mean.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    folder: Option<PlainPath>,
    home: Option<PlainPath>,
}

impl Surroundings {
    /// A session that works in this folder, which must be absolute: else relative paths mean
    /// nothing, and what means nothing is not covered.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::default().in_folder(folder)
    }

    /// The same, in another folder.
    pub(super) fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = PlainPath::from_root(&folder.into());
        self
    }

    /// Whether this is the folder that relative paths count from.
    #[must_use]
    pub fn is_in(&self, folder: &Path) -> bool {
        self.folder.is_some() && self.folder == PlainPath::from_root(folder)
    }

    /// What `~` stands for; without it no path and no rule that begins with `~` means anything.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = PlainPath::from_root(&home.into());
        self
    }

    /// Where work is done.
    pub(super) fn folder(&self) -> Option<&PlainPath> {
        self.folder.as_ref()
    }

    /// What `~` stands for.
    pub(super) fn home_folder(&self) -> Option<&PlainPath> {
        self.home.as_ref()
    }

    /// Both readings of a path, or why it has none. This looks at links on the file system.
    pub(super) fn readings(&self, path: &str) -> Result<Readings, String> {
        if path.is_empty() || path.trim() != path || path.contains(char::is_control) {
            return Err(
                "the path is empty, has blanks at an end or signs that nobody sees".to_owned(),
            );
        }
        if path.len() > LONGEST_PATH {
            return Err(format!("the path is longer than {LONGEST_PATH} bytes"));
        }
        // Names of files, unless somebody expands them.
        if path.starts_with('$') || path.contains("://") || path.starts_with("file:") {
            return Err(format!("`{path}` may be an address or a variable"));
        }
        let Some(pieces) = self.pieces(path) else {
            return Err(format!("`{path}` does not say which file it means"));
        };
        let Some(text) = tidied(&pieces) else {
            return Err(format!("`{path}` climbs above the root"));
        };
        let (real, looked) = real(&pieces);
        Ok(Readings { text, real, looked })
    }

    /// The names from the root, `..` still among them; None when the path means nothing here.
    fn pieces(&self, path: &str) -> Option<Vec<String>> {
        let path = unified(path);
        let (start, rest) = if let Some(rest) = path.strip_prefix('~') {
            let below = rest.is_empty() || rest.starts_with('/');
            (self.home.as_ref().filter(|_| below)?.names.clone(), rest)
        } else if is_absolute(&path) {
            (Vec::new(), path.as_str())
        } else {
            (self.folder.as_ref()?.names.clone(), path.as_str())
        };
        Some(start.into_iter().chain(split(rest)).collect())
    }
}

/// How a call uses a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Also reads everything below the folder.
    ReadFolder,
    /// Needs a pattern that names the path if it is protected.
    Write,
}

/// What a path can mean.
#[derive(Debug)]
pub(super) struct Readings {
    /// Its text, with `..` taken away together with the name before it.
    pub(super) text: PlainPath,
    /// The file that the system opens; None when where it leads cannot be told.
    pub(super) real: Option<PlainPath>,
    /// The number of files and folders that were looked up.
    pub(super) looked: usize,
}

/// Why patterns do not cover a path.
#[derive(Debug)]
pub(super) enum Uncovered {
    Text,
    /// Where it leads cannot be told.
    Unknown,
    /// It leads to this.
    Real(PlainPath),
}

impl Readings {
    /// Checks that both readings are covered, possibly by different patterns.
    pub(super) fn check(&self, globs: &[PlacedGlob], access: Access) -> Result<(), Uncovered> {
        let covers = |glob: &Glob, folder: &PlainPath, path: &PlainPath| {
            glob.matches(path)
                && match access {
                    Access::Read => true,
                    Access::ReadFolder => glob.covers_below(),
                    Access::Write => !glob.guesses_protected(path, folder),
                }
        };
        let covers_text = |glob: &PlacedGlob| covers(&glob.written, &glob.folder, &self.text);
        if !globs.iter().any(covers_text) {
            return Err(Uncovered::Text);
        }
        match &self.real {
            None => Err(Uncovered::Unknown),
            Some(real)
                if globs
                    .iter()
                    .any(|glob| covers(&glob.led, &glob.led_to, real)) =>
            {
                Ok(())
            }
            Some(real) => Err(Uncovered::Real(real.clone())),
        }
    }

    /// Whether one of the readings fits a pattern, could, or is not known. Some disks take names
    /// for the same that differ in case.
    pub(super) fn could_fit(&self, glob: &PlacedGlob, whole_folder: bool) -> bool {
        let globs = [glob.written.caseless(), glob.led.caseless()];
        let touches = |path: &PlainPath| {
            let path = path.caseless();
            globs
                .iter()
                .any(|glob| glob.matches(&path) || whole_folder && glob.reaches_below(&path))
        };
        touches(&self.text) || self.real.as_ref().is_none_or(touches)
    }
}

/// A pattern in its surroundings.
#[derive(Debug)]
pub(super) struct PlacedGlob {
    written: Glob,
    /// In the place that the working folder leads to, should it be reached by a link. What a
    /// pattern names below it is not followed: the model can put links there.
    led: Glob,
    /// The working directory, and its real path.
    folder: PlainPath,
    led_to: PlainPath,
}

impl PlacedGlob {
    /// None for a pattern that means nothing here.
    pub(super) fn new(glob: &PathGlob, surroundings: &Surroundings) -> Option<Self> {
        let written = glob.placed(surroundings)?;
        let folder = surroundings.folder().cloned().unwrap_or_default();
        let led_to = real(&folder.names).0.unwrap_or_default();
        let led = match led_to.names.is_empty() {
            true => written.clone(),
            false => written
                .moved(&folder, &led_to)
                .unwrap_or_else(|| written.clone()),
        };
        Some(Self {
            written,
            led,
            folder,
            led_to,
        })
    }
}

/// A path from the root, without `.`, `..` and doubled separators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PlainPath {
    names: Vec<String>,
}

impl PlainPath {
    /// None when it does not begin at the root, climbs above it, or is not text.
    fn from_root(path: &Path) -> Option<Self> {
        let path = unified(path.to_str()?);
        if !is_absolute(&path) || path.contains('\0') {
            return None;
        }
        tidied(&split(&path).collect::<Vec<_>>())
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The same path for comparing without regard to case.
    fn caseless(&self) -> Self {
        Self {
            names: self.names.iter().map(|name| name.to_lowercase()).collect(),
        }
    }

    /// As text, from the root on.
    pub(super) fn to_text(&self) -> String {
        let path = self.names.join("/");
        if cfg!(windows) {
            path
        } else {
            format!("/{path}")
        }
    }
}

/// `..` taken away together with the name before it; None above the root.
fn tidied(pieces: &[String]) -> Option<PlainPath> {
    let mut names = Vec::new();
    for piece in pieces {
        if piece == ".." {
            names.pop()?;
        } else {
            names.push(piece.clone());
        }
    }
    Some(PlainPath { names })
}

/// The file that the system opens: links followed, `..` taken from where a link leads. Of what is
/// not there yet, the part that is there is resolved, and the rest added.
///
/// The CLI may run on another machine, where this machine's links mean nothing. Then a path that
/// is not there stays as it is, and one that differs is only less sure.
///
/// Also returns the number of names that were looked up.
fn real(pieces: &[String]) -> (Option<PlainPath>, usize) {
    let mut looked = 0;
    (follow(pieces, &mut looked), looked)
}

fn follow(pieces: &[String], looked: &mut usize) -> Option<PlainPath> {
    let mut found = PlainPath::default();
    let mut left: Vec<String> = pieces.iter().rev().cloned().collect();
    let mut links = 0;
    while let Some(piece) = left.pop() {
        if piece == ".." {
            // Above a folder that is not there the system finds nothing, but a tool may.
            found.names.pop();
            continue;
        }
        *looked += 1;
        if *looked > MOST_NAMES {
            return None;
        }
        found.names.push(piece);
        match std::fs::symlink_metadata(found.to_text()) {
            Ok(there) if there.file_type().is_symlink() => {
                links += 1;
                if links > LINKS {
                    return None;
                }
                let target = std::fs::read_link(found.to_text()).ok()?;
                found.names.pop();
                let target = unified(target.to_str()?);
                if is_absolute(&target) {
                    found = PlainPath::default();
                }
                let names: Vec<String> = split(&target).collect();
                left.extend(names.into_iter().rev());
            }
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) => {}
            // What cannot be looked at may be a link to anywhere.
            Err(_) => return None,
        }
    }
    Some(found)
}

/// Where backslashes separate names, slashes do too.
pub(super) fn unified(path: &str) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || cfg!(windows) && path.as_bytes().get(1) == Some(&b':')
}

/// The names of a path, without empty ones and `.`.
pub(super) fn split(path: &str) -> impl Iterator<Item = String> {
    path.split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(surroundings: &Surroundings, path: &str) -> Option<String> {
        let readings = surroundings.readings(path).ok()?;
        Some(readings.text.to_text())
    }

    #[test]
    fn a_path_is_read_in_its_surroundings() {
        let around = Surroundings::new("/no-such/w").home("/no-such/me");
        let cases = [
            ("a//./b", Some("/no-such/w/a/b")),
            ("../x", Some("/no-such/x")),
            ("~", Some("/no-such/me")),
            ("~/x", Some("/no-such/me/x")),
            ("a/~/x", Some("/no-such/w/a/~/x")),
            ("~other/x", None),
            ("/..", None),
            ("../../../x", None),
            ("", None),
            (" a", None),
            ("a\0", None),
            ("a\nb", None),
            ("$HOME/x", None),
            ("file:///etc/passwd", None),
            ("a$b", Some("/no-such/w/a$b")),
        ];
        for (path, expected) in cases {
            assert_eq!(text(&around, path).as_deref(), expected, "{path:?}");
        }
        let nowhere = Surroundings::new("relative");
        assert_eq!(text(&nowhere, "a"), None);
        assert_eq!(text(&nowhere, "~/a"), None);
        assert_eq!(text(&nowhere, "/a"), Some("/a".to_owned()));
    }
}
