//! Which release of the CLI.

use std::fmt;

use super::probe::Probe;
use crate::error::StartError;

/// A release of the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

/// The oldest CLI this library works with.
///
/// With 2.0 the CLI learned the control protocol that everything here is built on: `initialize`,
/// permission requests and hooks over standard input and output. Older ones take the flags but
/// never answer.
pub const MINIMUM_VERSION: Version = Version::new(2, 0, 0);

impl Version {
    /// A release by its numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Reads the first word of what `claude --version` prints. What follows the third number, as
    /// `-beta.1`, is passed over.
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

/// Refuses a CLI that is older than [`MINIMUM_VERSION`]. One that does not say its version is
/// given the benefit of the doubt.
///
/// # Errors
/// [`StartError::CliTooOld`].
pub fn check_version(probe: &Probe) -> Result<(), StartError> {
    match probe.version() {
        Some(found) if found < MINIMUM_VERSION => Err(StartError::CliTooOld {
            path: probe.path().to_owned(),
            found: found.to_string(),
            needed: MINIMUM_VERSION.to_string(),
        }),
        _ => Ok(()),
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
