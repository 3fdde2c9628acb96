//! Which processes are there, by what they carry in their environment.
//!
//! A mark is handed on to every child, whatever group, session or parent it gets, so no SDK can
//! hide a process that it leaves behind.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// The variable by which processes of a run are found.
pub(crate) const RUN: &str = "CLAW_FAULT_RUN";

/// The processes that carry one of these settings (`NAME=beginning of the value`).
pub(crate) fn carrying(settings: &[String]) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let carries = |pid: &u32| {
        // A process that is gone, or of somebody else, has none that we can see.
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

/// What a process was started with, for people.
pub(crate) fn command_line(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    line.chars().take(80).collect()
}

/// Kills processes; a negative number is a process group. One that is gone already is fine.
pub(crate) fn kill(targets: &[i64]) -> Result<()> {
    for target in targets {
        Command::new("kill")
            .args(["-KILL", "--", &target.to_string()])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("kill did not start")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_by_its_mark_and_gone_when_it_was_killed() {
        let mark = format!("{RUN}={}", uuid::Uuid::new_v4());
        let (name, value) = mark.split_once('=').unwrap();
        let mut child = Command::new("sleep")
            .arg("60")
            .env(name, value)
            .spawn()
            .unwrap();
        let settings = [mark.clone()];
        // The mark shows once the child has become another program.
        let begin = std::time::Instant::now();
        while carrying(&settings) != [child.id()] {
            assert!(begin.elapsed().as_secs() < 10, "the child was not found");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(command_line(child.id()).contains("sleep"));
        kill(&[i64::from(child.id())]).unwrap();
        child.wait().unwrap();
        assert_eq!(carrying(&settings), [0u32; 0]);
    }
}
