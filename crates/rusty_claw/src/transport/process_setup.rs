//! Prepares a new process between fork and exec: the only unsafe code of the project.
//!
//! `pre_exec` is unsafe because its closure runs in a copy of this process that has only one
//! thread: a lock that another thread held at the fork stays locked for ever. So this closure takes
//! no lock, does not allocate and does not panic; it makes two system calls.
#![expect(
    unsafe_code,
    reason = "a process can ask to die with its parent only by itself, between fork and exec"
)]

use std::io;

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use tokio::process::Command;

/// Makes the child receive SIGTERM when the thread that spawns it ends, and so also when this
/// process ends for any reason.
///
/// SIGTERM and not SIGKILL: the CLI's shells have their own sessions, and only the CLI can end all
/// of them.
pub(super) fn die_with_parent(command: &mut Command) {
    let host = getpid();
    // SAFETY: `ask` is async-signal-safe. It makes system calls through rustix, which neither
    // locks nor allocates there, and builds its error from a number, which allocates nothing.
    unsafe {
        command.pre_exec(move || ask(host));
    }
}

fn ask(host: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    // A parent that died before the line above sends no signal: this process has another parent now
    // and must not continue.
    if getppid() == Some(host) {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(
            rustix::io::Errno::SRCH.raw_os_error(),
        ))
    }
}
