//! The name of a project's folder.

use std::fmt;
use std::path::Path;

use crate::error::TranscriptError;

/// The number of UTF-16 units of a path that the CLI keeps before it appends a hash.
pub(crate) const KEPT_UNITS: usize = 200;

/// The name of the folder under `projects/` with the sessions of a working directory.
///
/// The CLI derives it from the real path: every UTF-16 unit that is not an ASCII letter or digit
/// becomes `-`, so an emoji becomes two. A key longer than 200 units is truncated and gets a hash
/// of the whole path. Different paths can have the same key (`/a/b` and `/a-b`), so a key does not
/// identify a directory; the `cwd` in the lines does.
///
/// ```
/// use claw_transcript::ProjectKey;
///
/// assert_eq!(ProjectKey::of_path("/home/me/my.project").as_str(), "-home-me-my-project");
/// assert_eq!(ProjectKey::of_path("/home/me/🦀").as_str(), "-home-me---");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectKey(String);

impl ProjectKey {
    /// The key of a working directory. Symbolic links are resolved first, as in the CLI; a path
    /// that does not exist is used as it is.
    pub fn of_dir(dir: impl AsRef<Path>) -> Self {
        Self::of_path(&real_path(dir.as_ref()))
    }

    /// The key of a path that is already resolved. Does not access the file system.
    pub fn of_path(path: &str) -> Self {
        let cut = dashed(path);
        if cut.len() <= KEPT_UNITS {
            return Self(cut);
        }
        // All characters are ASCII: one byte is one unit.
        Self(format!("{}-{}", &cut[..KEPT_UNITS], base36(hash(path))))
    }

    /// The name that a user set in `CLAUDE_CODE_PROJECT_DIR_NAME`.
    ///
    /// # Errors
    /// Returns an error if the CLI would ignore the name: it accepts 1 to 64 ASCII letters, digits,
    /// `_` and `-`, but no name that Windows reserves.
    pub fn named(name: &str) -> Result<Self, TranscriptError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=64).contains(&name.len()) && name.bytes().all(plain) && !is_reserved(name) {
            Ok(Self(name.to_owned()))
        } else {
            Err(TranscriptError::BadProjectName {
                name: name.to_owned(),
            })
        }
    }

    /// The key of an existing folder under `projects/`, of any name.
    pub(crate) fn of_folder(name: String) -> Self {
        Self(name)
    }

    /// The folder's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part of a truncated key before its hash. Older releases used another hash, so folders
    /// are also searched for by this prefix.
    pub(crate) fn cut_prefix(&self) -> Option<&str> {
        (self.0.len() > KEPT_UNITS).then(|| &self.0[..=KEPT_UNITS])
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The path with every unit outside of `[A-Za-z0-9]` replaced by `-`, not truncated.
pub(crate) fn dashed(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else {
            out.extend(std::iter::repeat_n('-', c.len_utf16()));
        }
    }
    out
}

/// The real path as the CLI sees it. Invalid UTF-8 becomes U+FFFD; the CLI does not start in such
/// directories, so they have no key.
pub(crate) fn real_path(dir: &Path) -> String {
    let real = std::fs::canonicalize(dir)
        .or_else(|_| std::path::absolute(dir))
        .unwrap_or_else(|_| dir.to_path_buf());
    composed(&real.to_string_lossy())
}

/// Composes the path on macOS, where file systems return decomposed names, as the CLI does.
pub(crate) fn composed(path: &str) -> String {
    if cfg!(target_os = "macos") {
        use unicode_normalization::UnicodeNormalization as _;
        return path.nfc().collect();
    }
    // Windows resolves to verbatim paths, which other programs do not write.
    path.strip_prefix(r"\\?\").unwrap_or(path).to_owned()
}

/// The string hash with multiplier 31 over UTF-16 units, as an absolute value.
fn hash(path: &str) -> u32 {
    let hash = path.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    });
    hash.unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

fn is_reserved(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let numbered = |prefix: &str| {
        lower
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    matches!(&*lower, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}
