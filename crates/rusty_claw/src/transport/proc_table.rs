//! Reads the process table under `/proc`, on Linux only.

use std::path::PathBuf;

use super::host_process::{Host, behind_name, start_time_in};
use super::mark::{Mark, NOTES_VARIABLE, VARIABLE};

/// A process that carries a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) pid: u32,
    /// Its marks, the innermost first; never empty.
    pub(crate) marks: Vec<Mark>,
    /// The folder in which the host of the innermost mark records released children.
    pub(crate) notes: Option<PathBuf>,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::*;

#[cfg(not(target_os = "linux"))]
pub(crate) use nothing::*;

#[cfg(target_os = "linux")]
mod linux {
    use std::fmt::Write as _;
    use std::fs::{self, File};
    use std::io::{self, Read as _};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use memchr::memmem::Finder;

    use super::super::signals;
    use super::{
        Host, Mark, Marked, VARIABLE, is_dead, marks_in, notes_in, parent_in, start_time_in,
    };

    /// Finds every process that carries a mark and whose environment this process may read.
    ///
    /// Processes that end meanwhile are skipped. Zombies have no environment.
    pub(crate) fn marked() -> Vec<Marked> {
        let mut found = Vec::new();
        let Ok(entries) = fs::read_dir("/proc") else {
            return found;
        };
        let variable = Finder::new(VARIABLE);
        let mut environment = Environment::default();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let Ok(bytes) = environment.read(pid) else {
                continue;
            };
            if variable.find(bytes).is_none() {
                continue;
            }
            let marks = marks_in(bytes);
            if !marks.is_empty() {
                let notes = notes_in(bytes);
                found.push(Marked { pid, marks, notes });
            }
        }
        found
    }

    pub(crate) fn marks_of(pid: u32) -> Vec<Mark> {
        let mut environment = Environment::default();
        environment.read(pid).map(marks_in).unwrap_or_default()
    }

    /// Reads environments into a reused buffer.
    #[derive(Default)]
    struct Environment {
        path: String,
        bytes: Vec<u8>,
    }

    impl Environment {
        fn read(&mut self, pid: u32) -> io::Result<&[u8]> {
            const STEP: usize = 32 << 10;

            self.path.clear();
            let _ = write!(self.path, "/proc/{pid}/environ");
            // No `fs::read`: it queries the size first, which is always zero here.
            let mut file = File::open(&self.path)?;
            let mut filled = 0;
            loop {
                if self.bytes.len() - filled < STEP {
                    self.bytes.resize(filled + STEP, 0);
                }
                let room = self.bytes.len() - filled;
                let count = file.read(&mut self.bytes[filled..])?;
                filled += count;
                // The kernel fills the buffer, so a short read is the end. Fewer calls make a sweep
                // cheaper.
                if count < room {
                    return Ok(&self.bytes[..filled]);
                }
            }
        }
    }

    /// The resident memory of a process, in bytes.
    pub(crate) fn resident_memory(pid: u32) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    }

    /// The parent of a process, and whether the process is a session leader.
    pub(crate) fn parent_of(pid: u32) -> Option<(u32, bool)> {
        parent_in(&fs::read(format!("/proc/{pid}/stat")).ok()?, pid)
    }

    /// The file of the program that a process runs.
    pub(crate) fn program_of(pid: u32) -> Option<std::path::PathBuf> {
        fs::read_link(format!("/proc/{pid}/exe")).ok()
    }

    /// Returns whether standard input and output are `/dev/null` or closed, as for a daemon.
    /// Standard error may be a log.
    pub(crate) fn is_detached(pid: u32) -> bool {
        [0, 1].iter().all(
            |stream| match fs::read_link(format!("/proc/{pid}/fd/{stream}")) {
                Ok(target) => target == Path::new("/dev/null"),
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            },
        )
    }

    /// Whether a host is alive. If that is unknown, it counts as alive.
    pub(crate) fn lives(host: Host) -> bool {
        if !signals::exists(host.pid) {
            return false;
        }
        let Ok(stat) = fs::read(format!("/proc/{}/stat", host.pid)) else {
            // It is hidden, or ended just now: the next sweep will find out.
            return true;
        };
        let same = start_time_in(&stat).is_none_or(|started| started == host.started);
        same && !(is_dead(&stat) && is_alone(host.pid))
    }

    /// Whether a process has only its first thread. If the first thread ended, the process looks
    /// dead, but is not while it has others.
    fn is_alone(pid: u32) -> bool {
        fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|threads| threads.count() <= 1)
    }

    /// The PID namespace of this process; containers have their own. Zero if unknown.
    pub(crate) fn pid_space() -> u64 {
        let Ok(link) = fs::read_link("/proc/self/ns/pid") else {
            return 0;
        };
        let name = link.to_string_lossy();
        let number = name.trim_start_matches("pid:[").trim_end_matches(']');
        number.parse().unwrap_or_default()
    }

    /// Whether a file belongs to the user of this process.
    pub(crate) fn is_of_this_user(file: &fs::Metadata) -> bool {
        fs::metadata("/proc/self").is_ok_and(|this| this.uid() == file.uid())
    }

    /// Whether a process was started with this path in its environment or on its command line. If
    /// that is unknown, one was.
    pub(crate) fn is_mentioned(path: &Path) -> bool {
        let Ok(entries) = fs::read_dir("/proc") else {
            return true;
        };
        let path = Finder::new(path.as_os_str().as_bytes());
        entries.flatten().any(|entry| {
            let is_process = entry
                .file_name()
                .to_str()
                .is_some_and(|name| name.parse::<u32>().is_ok());
            is_process
                && ["environ", "cmdline"].iter().any(|file| {
                    fs::read(entry.path().join(file)).is_ok_and(|text| path.find(&text).is_some())
                })
        })
    }

    /// Whether a process belongs to this user and to the same PID and time namespaces, so that the
    /// host in its mark can be compared with the processes here.
    pub(crate) fn is_ours(pid: u32) -> bool {
        let owner = |process: &str| fs::metadata(format!("/proc/{process}")).map(|it| it.uid());
        let space = |process: &str, kind: &str| {
            fs::read_link(format!("/proc/{process}/ns/{kind}")).map_err(|error| error.kind())
        };
        let process = pid.to_string();
        let same_owner = match (owner("self"), owner(&process)) {
            (Ok(this), Ok(other)) => this == other,
            _ => false,
        };
        let same_pids = match (space("self", "pid"), space(&process, "pid")) {
            (Ok(this), Ok(other)) => this == other,
            _ => false,
        };
        // A kernel without time namespaces has no such link.
        let same_time = space("self", "time") == space(&process, "time");
        same_owner && same_pids && same_time
    }
}

#[cfg(not(target_os = "linux"))]
mod nothing {
    use super::{Host, Mark, Marked};

    pub(crate) fn marked() -> Vec<Marked> {
        Vec::new()
    }

    pub(crate) fn marks_of(_pid: u32) -> Vec<Mark> {
        Vec::new()
    }

    pub(crate) fn resident_memory(_pid: u32) -> Option<u64> {
        None
    }

    pub(crate) fn parent_of(_pid: u32) -> Option<(u32, bool)> {
        None
    }

    pub(crate) fn program_of(_pid: u32) -> Option<std::path::PathBuf> {
        None
    }

    pub(crate) fn is_detached(_pid: u32) -> bool {
        false
    }

    pub(crate) fn lives(_host: Host) -> bool {
        true
    }

    pub(crate) fn is_ours(_pid: u32) -> bool {
        false
    }

    pub(crate) fn pid_space() -> u64 {
        0
    }

    pub(crate) fn is_of_this_user(_file: &std::fs::Metadata) -> bool {
        false
    }

    pub(crate) fn is_mentioned(_path: &std::path::Path) -> bool {
        true
    }
}

/// A variable in an environment block: `name=value` entries that end with a NUL byte.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn variable_in<'a>(environment: &'a [u8], name: &str) -> Option<&'a str> {
    environment
        .split(|&byte| byte == 0)
        .filter_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
        .find_map(|value| std::str::from_utf8(value).ok())
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn marks_in(environment: &[u8]) -> Vec<Mark> {
    let value = variable_in(environment, VARIABLE).unwrap_or_default();
    Mark::parse_all(value).collect()
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn notes_in(environment: &[u8]) -> Option<PathBuf> {
    variable_in(environment, NOTES_VARIABLE).map(PathBuf::from)
}

/// Fields 4 and 6: the parent, and whether the process is a session leader.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn parent_in(stat: &[u8], pid: u32) -> Option<(u32, bool)> {
    let mut fields = behind_name(stat).skip(4 - 3);
    let parent = fields.next()?.parse().ok()?;
    let session: u32 = fields.nth(1)?.parse().ok()?;
    Some((parent, session == pid))
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn is_dead(stat: &[u8]) -> bool {
    matches!(behind_name(stat).next(), Some("Z" | "X" | "x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_any_name() {
        let stat = b"42 (a) b (c) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2";
        assert_eq!(start_time_in(stat), Some(98765));
        assert!(!is_dead(stat));
        assert!(is_dead(b"42 (a) S) Z 1"));
        assert_eq!(start_time_in(b"42 (a) S 1"), None);
        assert_eq!(parent_in(stat, 42), Some((1, true)));
        assert_eq!(parent_in(stat, 43), Some((1, false)));
        assert_eq!(parent_in(b"42 (a) S 1", 42), None);
        assert_eq!(start_time_in(b""), None);
    }

    #[test]
    fn only_the_variable_itself_is_a_mark() {
        let mark = Mark::new();
        let with = |name: &str| format!("A=1\0{name}={mark}\0B=2\0").into_bytes();
        assert_eq!(marks_in(&with(VARIABLE)), std::slice::from_ref(&mark));
        assert_eq!(marks_in(&with("X_RUSTY_CLAW_CUSTODY")), []);
        assert_eq!(marks_in(&with("RUSTY_CLAW_CUSTODY_X")), []);
        assert_eq!(marks_in(b""), []);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_lives_and_one_that_started_at_another_time_does_not() {
        let this = Host::this();
        assert!(this.started > 0);
        assert!(lives(this));
        assert!(is_ours(this.pid));
        let earlier = Host {
            started: this.started - 1,
            ..this
        };
        assert!(!lives(earlier));
        assert!(!lives(Host {
            pid: i32::MAX as u32,
            started: 1
        }));
        assert_eq!(super::super::host_process::start_time(u32::MAX), None);
    }
}
