//! Signals to processes by number. Everywhere but on Unix these do nothing.

#[cfg(unix)]
mod system {
    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
    };

    fn number(pid: u32) -> Option<Pid> {
        // Zero and negative numbers mean groups or everybody: never reach the system with those.
        i32::try_from(pid)
            .ok()
            .filter(|&pid| pid > 1)
            .and_then(Pid::from_raw)
    }

    /// SIGTERM. Whether there was somebody to get it.
    pub(crate) fn terminate(pid: u32) -> bool {
        number(pid).is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok())
    }

    /// SIGKILL. Whether there was somebody to get it.
    pub(crate) fn kill(pid: u32) -> bool {
        number(pid).is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
    }

    /// SIGKILL to a process group.
    pub(crate) fn kill_group(leader: u32) -> bool {
        number(leader).is_some_and(|pid| kill_process_group(pid, Signal::KILL).is_ok())
    }

    /// Whether there is a process with this number, also one of another user, also a zombie.
    pub(crate) fn exists(pid: u32) -> bool {
        number(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
    }

    /// Whether anybody is left in a process group.
    pub(crate) fn group_exists(leader: u32) -> bool {
        number(leader).is_some_and(|pid| test_kill_process_group(pid) != Err(Errno::SRCH))
    }
}

#[cfg(not(unix))]
mod system {
    pub(crate) fn terminate(_pid: u32) -> bool {
        false
    }

    pub(crate) fn kill(_pid: u32) -> bool {
        false
    }

    pub(crate) fn kill_group(_leader: u32) -> bool {
        false
    }

    pub(crate) fn exists(_pid: u32) -> bool {
        false
    }

    pub(crate) fn group_exists(_leader: u32) -> bool {
        false
    }
}

pub(crate) use system::*;
