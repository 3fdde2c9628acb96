//! Identifies the process that starts children.

use std::fs;
use std::sync::LazyLock;

/// A process that starts children. The pid alone does not identify it: pids are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Host {
    pub(crate) pid: u32,
    /// Its start time, in ticks since boot; zero if unknown.
    pub(crate) started: u64,
}

impl Host {
    pub(crate) fn this() -> Self {
        static THIS: LazyLock<Host> = LazyLock::new(Host::look);
        // A fork without exec is another host with the same memory.
        if THIS.pid == std::process::id() {
            *THIS
        } else {
            Self::look()
        }
    }

    fn look() -> Self {
        let pid = std::process::id();
        let started = start_time(pid).unwrap_or_default();
        Self { pid, started }
    }
}

/// When a process started, in ticks since boot; `None` except on Linux.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    start_time_in(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Field 22; the first after the name is field 3.
pub(super) fn start_time_in(stat: &[u8]) -> Option<u64> {
    behind_name(stat).nth(22 - 3)?.parse().ok()
}

/// The fields after the name, which is in brackets and may contain anything, even brackets.
pub(super) fn behind_name(stat: &[u8]) -> impl Iterator<Item = &str> {
    let begin = memchr::memrchr(b')', stat).map_or(stat.len(), |at| at + 1);
    std::str::from_utf8(&stat[begin..])
        .unwrap_or_default()
        .split_ascii_whitespace()
}
