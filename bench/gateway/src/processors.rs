//! The use of processors and memory.

use std::fmt;

use claw_testkit::processes::cpu_time;

use crate::Failure;

/// The ticks of /proc in a second, the same on every Linux.
const TICKS: f64 = 100.0;

/// Processor time since the start of the machine or the process, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Snapshot {
    gateway: f64,
    clients: f64,
    busy: f64,
    waiting: f64,
    total: f64,
}

/// The shares of all processors between two snapshots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    pub(crate) gateway: f64,
    clients: f64,
    others: f64,
    pub(crate) idle: f64,
    waiting: f64,
}

impl Snapshot {
    pub(crate) fn take(gateway: u32) -> Result<Self, Failure> {
        let seconds = |ticks: u64| ticks as f64 / TICKS;
        let stat = std::fs::read_to_string(format!("/proc/{gateway}/stat"))?;
        // The name may contain spaces.
        let fields = stat.rsplit_once(')').ok_or("no name in /proc/PID/stat")?.1;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let field = |index: usize| {
            let value = fields.get(index).and_then(|field| field.parse().ok());
            value.map(seconds).ok_or("a field of /proc/PID/stat")
        };
        let all = std::fs::read_to_string("/proc/stat")?;
        let all = all.lines().next().unwrap_or_default();
        let all: Vec<f64> = all
            .split_whitespace()
            .skip(1)
            .take(8)
            .map(|field| seconds(field.parse().unwrap_or(0)))
            .collect();
        let [user, nice, system, idle, waiting, interrupts, soft, stolen] = all[..] else {
            return Err("/proc/stat is too short".into());
        };
        let busy = user + nice + system + interrupts + soft + stolen;
        Ok(Self {
            gateway: field(11)? + field(12)?,
            clients: cpu_time().as_secs_f64(),
            busy,
            waiting,
            total: busy + idle + waiting,
        })
    }

    pub(crate) fn until(self, later: Self) -> Shares {
        let total = later.total - self.total;
        let share = |from: f64, to: f64| (to - from) / total;
        let (gateway, clients) = (
            share(self.gateway, later.gateway),
            share(self.clients, later.clients),
        );
        let (busy, waiting) = (
            share(self.busy, later.busy),
            share(self.waiting, later.waiting),
        );
        Shares {
            gateway,
            clients,
            others: busy - gateway - clients,
            idle: 1.0 - busy - waiting,
            waiting,
        }
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| share * 100.0;
        write!(
            f,
            "processor time: gateway {:.0} %, clients {:.0} %, CLIs and everything else {:.0} %, waiting for the disk {:.0} %, idle {:.0} % of {} cores",
            percent(self.gateway),
            percent(self.clients),
            percent(self.others),
            percent(self.waiting),
            percent(self.idle),
            std::thread::available_parallelism().map_or(0, usize::from),
        )
    }
}

/// Returns the resident memory of a process in MiB: now, and the most so far.
pub(crate) fn resident_mib(process: u32) -> Result<(f64, f64), Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let size = line.and_then(|line| line.split_whitespace().next());
        let size: Option<f64> = size.and_then(|size| size.parse().ok());
        size.map(|kib| kib / 1024.0)
            .ok_or("no memory in /proc/PID/status")
    };
    Ok((field("VmRSS:")?, field("VmHWM:")?))
}
