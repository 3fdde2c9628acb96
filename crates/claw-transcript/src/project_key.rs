//! The name of a project's folder.

use std::fmt;
use std::path::Path;

use crate::error::TranscriptError;

/// How many UTF-16 units of a path the CLI keeps before it appends a hash.
pub(crate) const KEPT_UNITS: usize = 200;

/// The name of the folder under `projects/` that holds the sessions of one working directory.
///
/// The CLI makes it from the real path: every UTF-16 unit that is not an ASCII letter or digit
/// becomes `-`, so an emoji becomes two. A key longer than 200 units is cut there and gets a hash
/// of the whole path. Different paths can have the same key (`/a/b` and `/a-b`), so a key is where
/// to look and not who somebody is: the `cwd` in the lines says that.
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
    /// The key of a working directory: symbolic links are resolved first, as the CLI does. A
    /// directory that is not there is taken as it is written.
    pub fn of_dir(dir: impl AsRef<Path>) -> Self {
        Self::of_path(&real_path(dir.as_ref()))
    }

    /// The key of a path that is real already; touches no file system.
    pub fn of_path(path: &str) -> Self {
        let cut = dashed(path);
        if cut.len() <= KEPT_UNITS {
            return Self(cut);
        }
        // One byte is one unit: everything in it is ASCII.
        Self(format!("{}-{}", &cut[..KEPT_UNITS], base36(hash(path))))
    }

    /// The name that a user gave instead, in `CLAUDE_CODE_PROJECT_DIR_NAME`.
    ///
    /// # Errors
    /// The CLI would ignore such a name: it takes 1 to 64 ASCII letters, digits, `_` and `-`, and
    /// no name that Windows reserves.
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

    /// A folder that was found under `projects/`, whatever its name is.
    pub(crate) fn of_folder(name: String) -> Self {
        Self(name)
    }

    /// The folder's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a long key begins with, when this is one. Older releases appended another hash, so
    /// folders are also looked for by this.
    pub(crate) fn cut_prefix(&self) -> Option<&str> {
        (self.0.len() > KEPT_UNITS).then(|| &self.0[..=KEPT_UNITS])
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The path with every unit outside `[A-Za-z0-9]` replaced, uncut.
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

/// The real path as the CLI sees it. Bytes that are not UTF-8 show as U+FFFD; the CLI refuses to
/// start there, so no key is lost.
pub(crate) fn real_path(dir: &Path) -> String {
    let real = std::fs::canonicalize(dir)
        .or_else(|_| std::path::absolute(dir))
        .unwrap_or_else(|_| dir.to_path_buf());
    composed(&real.to_string_lossy())
}

/// macOS file systems hand out decomposed names; the CLI composes them there, and only there.
pub(crate) fn composed(path: &str) -> String {
    if cfg!(target_os = "macos") {
        use unicode_normalization::UnicodeNormalization as _;
        return path.nfc().collect();
    }
    // Windows resolves paths to a form that no other program writes.
    path.strip_prefix(r"\\?\").unwrap_or(path).to_owned()
}

/// The 31-multiplier string hash over UTF-16 units, without its sign.
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
