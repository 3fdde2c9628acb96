//! When lines are synced.

/// When appended lines are synced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SyncPolicy {
    /// Before an append returns: stored lines survive a loss of power. The default.
    #[default]
    EachAppend,
    /// When the system decides: stored lines survive the end of this process, but not of the
    /// machine. Many times faster.
    BySystem,
}
