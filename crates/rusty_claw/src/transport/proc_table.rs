//! What Linux tells about processes under `/proc`. Elsewhere nothing is known of them.

use super::mark::{Mark, VARIABLE};

/// A process that carries a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) pid: u32,
    /// Its marks, the innermost first; never empty.
    pub(crate) marks: Vec<Mark>,
}

/// Finds every process that carries a mark and that this process may look into.
///
/// What ends while it is looked at is passed over. Zombies carry nothing any more.
#[cfg(target_os = "linux")]
pub(crate) fn marked(only: impl Fn(&Marked) -> bool) -> Vec<Marked> {
    use std::fmt::Write as _;

    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return found;
    };
    let needle = memchr::memmem::Finder::new(VARIABLE);
    let mut environment = Vec::with_capacity(16 << 10);
    let mut path = String::with_capacity(32);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        path.clear();
        let _ = write!(path, "/proc/{pid}/environ");
        environment.clear();
        if read_into(&path, &mut environment).is_err() || needle.find(&environment).is_none() {
            continue;
        }
        let marks = marks_in(&environment);
        if marks.is_empty() {
            continue;
        }
        let marked = Marked { pid, marks };
        if only(&marked) {
            found.push(marked);
        }
    }
    found
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn marked(_only: impl Fn(&Marked) -> bool) -> Vec<Marked> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn read_into(path: &str, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Read as _;

    // No `fs::read`: it asks for the size first, which is always zero here.
    let mut file = std::fs::File::open(path)?;
    let mut filled = 0;
    loop {
        if buffer.len() - filled < 4096 {
            let more = buffer.capacity().max(buffer.len() + (16 << 10));
            buffer.resize(more, 0);
        }
        match file.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    buffer.truncate(filled);
    Ok(())
}

/// The marks in an environment as the system keeps it: `name=value`, each ended by a zero.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn marks_in(environment: &[u8]) -> Vec<Mark> {
    environment
        .split(|&byte| byte == 0)
        .filter_map(|variable| {
            variable
                .strip_prefix(VARIABLE.as_bytes())?
                .strip_prefix(b"=")
        })
        .find_map(|value| std::str::from_utf8(value).ok())
        .map(|value| Mark::parse_all(value).collect())
        .unwrap_or_default()
}

/// When a process started, in ticks since the machine did.
#[cfg(target_os = "linux")]
pub(crate) fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    start_time_in(&stat)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn start_time(_pid: u32) -> Option<u64> {
    None
}

/// Field 22. The name in field 2 may hold anything, also blanks and brackets, so the count begins
/// behind the last bracket.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn start_time_in(stat: &[u8]) -> Option<u64> {
    let behind_name = memchr::memrchr(b')', stat)? + 1;
    let field = std::str::from_utf8(stat.get(behind_name..)?)
        .ok()?
        .split_ascii_whitespace()
        .nth(22 - 3)?;
    field.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_any_name() {
        let stat = b"42 (a) b (c) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2";
        assert_eq!(start_time_in(stat), Some(98765));
        assert_eq!(start_time_in(b"42 (a) S 1"), None);
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
    fn this_process_has_a_start_time_and_a_number_never_used_has_none() {
        assert!(start_time(std::process::id()).is_some());
        assert_eq!(start_time(u32::MAX), None);
    }
}
