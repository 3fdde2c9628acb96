//! The use of processors.

use std::fmt;

use anyhow::{Result, bail};
use claw_testkit::processes::cpu_time;

use crate::process::cpu_seconds;

/// The ticks of /proc in a second, the same on every Linux.
const TICKS: f64 = 100.0;

/// Processor time: in seconds since the start, or as shares of all processors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Processors {
    gateway: f64,
    clients: f64,
    busy: f64,
    waiting: f64,
    pub(super) idle: f64,
}

impl Processors {
    /// Reads the times until now.
    pub(super) fn read(gateway: u32) -> Result<Self> {
        let all = std::fs::read_to_string("/proc/stat")?;
        let all = all.lines().next().unwrap_or_default().split_whitespace();
        let seconds = |field: &str| field.parse::<f64>().unwrap_or(0.0) / TICKS;
        let all = all.skip(1).take(8).map(seconds);
        let [user, nice, system, idle, waiting, interrupts, soft, stolen] =
            all.collect::<Vec<f64>>()[..]
        else {
            bail!("/proc/stat is too short");
        };
        Ok(Self {
            gateway: cpu_seconds(gateway)?,
            clients: cpu_time().as_secs_f64(),
            busy: user + nice + system + interrupts + soft + stolen,
            waiting,
            idle,
        })
    }

    /// Returns the shares since earlier times.
    pub(super) fn since(self, before: Self) -> Self {
        let total = |times: Self| times.busy + times.waiting + times.idle;
        let share = |of: fn(Self) -> f64| (of(self) - of(before)) / (total(self) - total(before));
        Self {
            gateway: share(|times| times.gateway),
            clients: share(|times| times.clients),
            busy: share(|times| times.busy),
            waiting: share(|times| times.waiting),
            idle: share(|times| times.idle),
        }
    }
}

impl fmt::Display for Processors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.busy - self.gateway - self.clients;
        let shares = [self.gateway, self.clients, others, self.waiting, self.idle];
        let [gateway, clients, others, waiting, idle] = shares.map(|share| share * 100.0);
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        write!(
            f,
            "processor time: gateway {gateway:.0} %, clients {clients:.0} %, CLIs and everything else {others:.0} %, waiting for the disk {waiting:.0} %, idle {idle:.0} % of {cores} cores"
        )
    }
}
