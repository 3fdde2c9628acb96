//! Events of a follower.

use crate::lines::Line;

/// An event of a followed file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Followed<'a> {
    /// The next line. Lines are complete, with their newline, except for the last line of a rotated
    /// file and those from [`Follower::finish`](crate::Follower::finish).
    Line(Line<'a>),
    /// The file was rotated, replaced, truncated or rewritten.
    Changed(Change),
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It was renamed, and a new file has its name. The old file was read to its end, and the new
    /// one follows from its start. Later writes to the old file are still delivered.
    Rotated,
    /// It was replaced by another file.
    Replaced {
        /// The number of delivered lines that are at the start of the file. They are not delivered
        /// again.
        kept: u64,
    },
    /// It was truncated or rewritten.
    Cut {
        /// As in [`Change::Replaced`].
        kept: u64,
    },
}

impl Change {
    /// The number of delivered lines that are still at the start of the file. Keep these, drop the
    /// others, and append the lines that follow to get the content of the file.
    pub fn kept(self) -> u64 {
        match self {
            Self::Rotated => 0,
            Self::Replaced { kept } | Self::Cut { kept } => kept,
        }
    }
}
