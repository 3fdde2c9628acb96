//! The processes below the gateways of one home. No others are looked at or killed.

use std::fs;
use std::time::Duration;

use claw_testkit::processes::{carrying, command_line};
use claw_testkit::real_cli::World;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::Instant;

/// What a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Gateway,
    Holder,
    Cli,
    /// What a CLI has started.
    Other,
}

/// A process, which is not another one that has its id later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    started: u64,
    pub(crate) role: Role,
}

impl Process {
    pub(crate) fn kill(&self) {
        if self.is_alive() {
            signal(self.pid, Signal::KILL);
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        stat(self.pid).is_some_and(|(_, started)| started == self.started)
    }

    pub(crate) fn describe(&self) -> String {
        format!("{:?} {}: {}", self.role, self.pid, command_line(self.pid))
    }

    /// The proportional set size, in KiB: pages that processes share are divided among them.
    pub(crate) fn memory(&self) -> u64 {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid));
        let rollup = rollup.unwrap_or_default();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        let number = line.and_then(|line| line.split_ascii_whitespace().next());
        number.and_then(|it| it.parse().ok()).unwrap_or_default()
    }
}

/// The processes of a home.
pub(crate) fn all(world: &World) -> Vec<Process> {
    let mark = format!("CLAUDE_CONFIG_DIR={}", world.config().display());
    let cli = world.binary().file_name();
    let streams = |arg: &&[u8]| arg.ends_with(b"stream-json");
    // A process that was just forked still has the program of its parent.
    let program = |pid: u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let args: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        let exe = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        match args.get(1) {
            Some(&b"hold") => Role::Holder,
            Some(&b"serve") => Role::Gateway,
            _ if exe.file_name() == cli && args.iter().any(streams) => Role::Cli,
            _ => Role::Other,
        }
    };
    let found = carrying(&[mark]).into_iter();
    let found = found.filter_map(|pid| {
        let (parent, started) = stat(pid)?;
        let role = match program(pid) {
            role if role == program(parent) => Role::Other,
            role => role,
        };
        Some(Process { pid, started, role })
    });
    found.collect()
}

/// The only process of a kind.
pub(crate) fn only(all: &[Process], role: Role) -> Option<Process> {
    let mut found = all.iter().filter(|one| one.role == role);
    found.next().filter(|_| found.next().is_none()).cloned()
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
    // It fails if the process has ended.
    let _ = kill_process(pid, signal);
}

/// Waits until processes are gone. Returns those that are not gone in time.
pub(crate) async fn left(mut processes: Vec<Process>, limit: Duration) -> Vec<Process> {
    let by = Instant::now() + limit;
    loop {
        processes.retain(Process::is_alive);
        if processes.is_empty() || Instant::now() >= by {
            return processes;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The parent of a process and when it has started; `None` if it is gone or is a zombie.
fn stat(pid: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some((parent, started)).filter(|_| state != "Z")
}
