//! Nothing is left running: kills that reach everything a CLI started, and a sweep for what a
//! killed host left behind.
//!
//! Everything a CLI starts carries its mark (see [`ChildProcess`](super::ChildProcess)). Only Linux
//! shows one process's environment to another of the same user; elsewhere a kill reaches the
//! CLI's process group and a sweep finds nothing.

use super::mark::Mark;
use super::proc_table::{self, Marked};
use super::signals;

/// A fork can run ahead of a kill, but not often.
const MOST_PASSES: usize = 16;

/// Kills every process that carries `mark`, until none is left that was not killed.
///
/// A process that got SIGKILL starts nothing any more, so a pass that finds nobody new is the
/// last.
pub(super) fn kill_marked(mark: &Mark) {
    let this = std::process::id();
    let mut killed: Vec<u32> = Vec::new();
    for _ in 0..MOST_PASSES {
        let carries = |found: &Marked| {
            found.pid != this
                && !killed.contains(&found.pid)
                && found.marks.iter().any(|carried| carried.id == mark.id)
        };
        let new = proc_table::marked(carries);
        if new.is_empty() {
            break;
        }
        for found in new {
            signals::kill(found.pid);
            killed.push(found.pid);
        }
    }
}

/// Notes that a child may live longer than this process.
pub(super) fn set_free(_mark: &Mark) {}
