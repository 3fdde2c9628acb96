//! Versions of the CLI.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A version of the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Version {
    /// The major version.
    pub major: u32,
    /// The minor version.
    pub minor: u32,
    /// The patch version.
    pub patch: u32,
}

/// The oldest CLI this library works with.
/// Version 2.0 introduced the control protocol that this library is built on: `initialize`,
/// permission requests and hooks over standard input and output. Older CLIs accept the flags but
/// never respond.
pub const MINIMUM_VERSION: Version = Version::new(2, 0, 0);

impl Version {
    /// Creates a version.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Parses the first word of the output of `claude --version`. Anything after the third number,
    /// such as `-beta.1`, is ignored.
    pub(crate) fn parse(printed: &str) -> Option<Self> {
        let word = printed.split_whitespace().next()?;
        let word = word.strip_prefix('v').unwrap_or(word);
        let mut parts = word.splitn(3, '.');
        let (major, minor, patch) = (parts.next()?, parts.next()?, parts.next()?);
        let digits = patch.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Self {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
            patch: digits.parse().ok()?,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_they_are_printed() {
        let cases = [
            ("2.1.325 (Claude Code)\n", Some(Version::new(2, 1, 325))),
            ("v2.0.0", Some(Version::new(2, 0, 0))),
            ("2.2.0-beta.1 (Claude Code)", Some(Version::new(2, 2, 0))),
            ("2.1", None),
            ("claude 2.1.0", None),
            ("", None),
        ];
        for (printed, version) in cases {
            assert_eq!(Version::parse(printed), version, "{printed:?}");
        }
    }

    #[test]
    fn releases_are_ordered_by_number_and_not_by_letter() {
        assert!(Version::new(2, 1, 99) < Version::new(2, 1, 325));
        assert!(Version::new(1, 99, 99) < MINIMUM_VERSION);
    }
}
