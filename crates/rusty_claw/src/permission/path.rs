//! Paths: as text, and resolved to the file that the system opens.
//!
//! An allow must cover both. A tool may normalize `a/../b` as text before it opens it, or pass it
//! to the system, which follows links first; the answer is valid in both cases.

use super::glob::{Glob, PathGlob};
use super::path_context::PathContext;
use super::plain_path::{PlainPath, real, tidied};

/// The maximum length of a path in bytes, as on Linux.
const LONGEST_PATH: usize = 4096;

impl PathContext {
    /// Returns the path as text and resolved, or the reason for failure. Reads links from the file
    /// system.
    pub(super) fn readings(&self, path: &str) -> Result<Readings, String> {
        if path.is_empty() || path.trim() != path || path.contains(char::is_control) {
            return Err(
                "the path is empty, or has spaces at an end or control characters".to_owned(),
            );
        }
        if path.len() > LONGEST_PATH {
            return Err(format!("the path is longer than {LONGEST_PATH} bytes"));
        }
        // These are file names, unless something expands them.
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

/// The possible meanings of a path.
#[derive(Debug)]
pub(super) struct Readings {
    /// The text, where `..` removes the name before it.
    pub(super) text: PlainPath,
    /// The file that the system opens; `None` if it cannot be determined.
    pub(super) real: Option<PlainPath>,
    /// The number of files and folders that were looked up.
    pub(super) looked: usize,
}

/// Why patterns do not cover a path.
#[derive(Debug)]
pub(super) enum Uncovered {
    Text,
    /// The file that the system opens cannot be determined.
    Unknown,
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

    /// Returns whether the text or the resolved path matches a pattern, could match, or is unknown.
    /// Ignores case, as some file systems do.
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

/// A pattern with its working directory.
#[derive(Debug)]
pub(super) struct PlacedGlob {
    written: Glob,
    /// The pattern relative to the real path of the working directory, if that is reached through a
    /// link. Links below it are not followed: the model can create links there.
    led: Glob,
    /// The working directory, and its real path.
    folder: PlainPath,
    led_to: PlainPath,
}

impl PlacedGlob {
    /// Returns `None` if the pattern cannot be resolved.
    pub(super) fn new(glob: &PathGlob, path_context: &PathContext) -> Option<Self> {
        let written = glob.placed(path_context)?;
        let folder = path_context.folder().cloned().unwrap_or_default();
        let led_to = real(folder.names()).0.unwrap_or_default();
        let led = match led_to.names().is_empty() {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path_context: &PathContext, path: &str) -> Option<String> {
        let readings = path_context.readings(path).ok()?;
        Some(readings.text.to_text())
    }

    #[test]
    fn a_path_is_read_in_its_surroundings() {
        let around = PathContext::new("/no-such/w").home("/no-such/me");
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
        let nowhere = PathContext::new("relative");
        assert_eq!(text(&nowhere, "a"), None);
        assert_eq!(text(&nowhere, "~/a"), None);
        assert_eq!(text(&nowhere, "/a"), Some("/a".to_owned()));
    }
}
