//! Finds processes by a mark in their environment.
//!
//! Every child inherits the mark, whatever group, session or parent it gets, so no process that is
//! left behind can be missed.

use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The variable that marks the processes of a run.
pub const RUN: &str = "CLAW_FAULT_RUN";

/// The processes that have one of these settings (`NAME=beginning of the value`).
pub fn carrying(settings: &[String]) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let carries = |pid: &u32| {
        // The environment of a process that is gone, or of another user, cannot be read.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|setting| {
            settings
                .iter()
                .any(|wanted| setting.starts_with(wanted.as_bytes()))
        })
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(carries)
        .collect()
}

/// The processor time that this process has used. Unlike a clock, it does not depend on the load.
#[cfg(unix)]
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.try_into().unwrap_or_default()
}

/// The first 80 characters of a process's command line.
pub fn command_line(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    line.chars().take(80).collect()
}

/// Kills processes; a negative number is a process group. Processes that are gone are ignored.
pub fn kill(targets: &[i64]) -> io::Result<()> {
    signal("KILL", targets)
}

/// Sends a signal, such as `STOP`, to processes in this order, with one call of `kill`.
pub fn signal(name: &str, targets: &[i64]) -> io::Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    Command::new("kill")
        .args(["-s", name, "--"])
        .args(targets.iter().map(i64::to_string))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn process_is_found_by_its_mark_until_it_is_killed() {
        let value = format!("processes-test-{}", std::process::id());
        let mut sleep = Command::new("sleep");
        let mut child = sleep.arg("60").env(RUN, &value).spawn().expect("sleep");
        let settings = [format!("{RUN}={value}")];
        // The mark shows once the child has become another program.
        let begin = std::time::Instant::now();
        while carrying(&settings) != [child.id()] {
            assert!(begin.elapsed().as_secs() < 10, "the child was not found");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(command_line(child.id()).contains("sleep"));
        kill(&[i64::from(child.id())]).expect("kill");
        child.wait().expect("the end of the child");
        assert_eq!(carrying(&settings), [0u32; 0]);
    }
}
