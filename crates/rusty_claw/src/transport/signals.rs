//! Sends signals to processes by pid. Does nothing except on Unix.

#[cfg(unix)]
mod system {
    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
    };

    fn number(pid: u32) -> Option<Pid> {
        // Zero and negative numbers mean groups or all processes: never pass those to the system.
        i32::try_from(pid)
            .ok()
            .filter(|&pid| pid > 1)
            .and_then(Pid::from_raw)
    }

    /// Sends SIGTERM to a child that was not waited for yet, so that the pid is its own.
    pub(crate) fn terminate(pid: u32) -> bool {
        number(pid).is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok())
    }

    /// Sends SIGTERM to a process if `is_meant` holds. Returns whether it was sent.
    pub(crate) fn terminate_if(pid: u32, is_meant: impl Fn() -> bool) -> bool {
        signal_if(pid, Signal::TERM, is_meant)
    }

    /// Sends SIGKILL to a process if `is_meant` holds. Returns whether it was sent.
    pub(crate) fn kill_if(pid: u32, is_meant: impl Fn() -> bool) -> bool {
        signal_if(pid, Signal::KILL, is_meant)
    }

    /// A pid can be reused at any moment, a descriptor cannot: `is_meant` is called after it was
    /// opened, and so checks the process that gets the signal.
    #[cfg(target_os = "linux")]
    fn signal_if(pid: u32, signal: Signal, is_meant: impl Fn() -> bool) -> bool {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

        let Some(pid) = number(pid) else { return false };
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) => is_meant() && pidfd_send_signal(process, signal).is_ok(),
            Err(Errno::SRCH) => false,
            // An old kernel, or no free descriptor.
            Err(_) => is_meant() && kill_process(pid, signal).is_ok(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn signal_if(pid: u32, signal: Signal, is_meant: impl Fn() -> bool) -> bool {
        number(pid).is_some_and(|pid| is_meant() && kill_process(pid, signal).is_ok())
    }

    /// Sends SIGKILL to a process group.
    pub(crate) fn kill_group(leader: u32) -> bool {
        number(leader).is_some_and(|pid| kill_process_group(pid, Signal::KILL).is_ok())
    }

    /// Whether a process with this pid exists, of any user, including zombies.
    pub(crate) fn exists(pid: u32) -> bool {
        // Process 1 always exists, and is the host in many containers.
        pid == 1 || number(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
    }

    /// Whether a process group has members.
    pub(crate) fn group_exists(leader: u32) -> bool {
        number(leader).is_some_and(|pid| test_kill_process_group(pid) != Err(Errno::SRCH))
    }
}

#[cfg(not(unix))]
mod system {
    pub(crate) fn terminate(_pid: u32) -> bool {
        false
    }

    pub(crate) fn terminate_if(_pid: u32, _is_meant: impl Fn() -> bool) -> bool {
        false
    }

    pub(crate) fn kill_if(_pid: u32, _is_meant: impl Fn() -> bool) -> bool {
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
