//! Finds processes that write to a conversation. All functions block the thread.
//!
//! The CLI does not lock the file of a conversation, and opens it only to append. Two writers would
//! create two branches, and one of them would be lost. The CLI lists its processes in the
//! configuration folder, with the conversation of each.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// Flags of the CLI that name a conversation.
const FLAGS: [&str; 3] = ["--resume", "-r", "--session-id"];

/// A process of the CLI, in the folder `sessions` of its configuration folder.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    pid: u32,
    session_id: String,
    /// When it started, in ticks since boot.
    proc_start: Option<String>,
    /// The namespace of its id.
    pid_domain: Option<String>,
}

/// Returns the reason if another process writes to a conversation, or may do so. Blocks the thread.
///
/// `config` is the configuration folder of the CLI, `conversation` the id of the session, and `file`
/// its session file.
pub fn find_writer(config: &Path, conversation: &str, file: &Path) -> Option<String> {
    listed(config, conversation).or_else(|| running(conversation, file))
}

/// Searches the processes that the CLI has listed.
fn listed(config: &Path, conversation: &str) -> Option<String> {
    let entries = fs::read_dir(config.join("sessions")).ok()?;
    entries.flatten().find_map(|entry| {
        let path = entry.path();
        let listed: Listed = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        if !listed.session_id.eq_ignore_ascii_case(conversation) || !listed.may_run() {
            return None;
        }
        let (pid, path) = (listed.pid, path.display());
        Some(format!(
            "process {pid} has this conversation open: end it first; if it does not run, delete {path}"
        ))
    })
}

impl Listed {
    /// Whether the process runs, or cannot be seen from here.
    fn may_run(&self) -> bool {
        let Ok(own) = fs::read_link("/proc/self/ns/pid") else {
            return true;
        };
        let own = own.to_string_lossy();
        if let Some(domain) = &self.pid_domain
            && !domain.ends_with(&*own)
        {
            return true;
        }
        let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", self.pid)) else {
            return false;
        };
        // The id may have been reused. The name, in brackets, may contain any characters.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let mut fields = fields.split_ascii_whitespace();
        // A process that ended and was not waited for yet.
        if matches!(fields.next(), Some("Z" | "X")) {
            return false;
        }
        let started = fields.nth(22 - 4);
        self.proc_start.is_none() || self.proc_start.as_deref() == started
    }
}

/// Searches all processes that this user can see.
fn running(conversation: &str, file: &Path) -> Option<String> {
    // A file that was deleted has no writer, but a CLI that has it open would create it again.
    let file = file.canonicalize().ok();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes.into_iter().find_map(|process| {
        let pid = process.file_name().to_str()?.parse::<u32>().ok()?;
        let path = process.path();
        let command = fs::read(path.join("cmdline")).unwrap_or_default();
        let writes = file.as_ref().is_some_and(|file| writes(&path, file));
        (writes || names(&command, conversation))
            .then(|| format!("process {pid} has this conversation open: end it first"))
    })
}

/// Whether a command line starts the CLI with a conversation.
fn names(command: &[u8], conversation: &str) -> bool {
    let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
    let is_flag = |word: &[u8]| FLAGS.iter().any(|flag| flag.as_bytes() == word);
    let is_it = |word: &[u8]| word.eq_ignore_ascii_case(conversation.as_bytes());
    // A fork only reads the conversation.
    if words.contains(&b"--fork-session".as_slice()) {
        return false;
    }
    words.windows(2).any(|two| is_flag(two[0]) && is_it(two[1]))
        || words.iter().any(|word| {
            let at = word.iter().position(|byte| *byte == b'=');
            at.is_some_and(|at| is_flag(&word[..at]) && is_it(&word[at + 1..]))
        })
}

/// Whether a process has a file open to write.
fn writes(process: &Path, file: &Path) -> bool {
    let Ok(open) = fs::read_dir(process.join("fd")) else {
        return false;
    };
    open.flatten().any(|one| {
        fs::read_link(one.path()).is_ok_and(|target| target == file)
            && is_writable(process, &one.file_name())
    })
}

fn is_writable(process: &Path, number: &OsStr) -> bool {
    let info = fs::read_to_string(process.join("fdinfo").join(number)).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The last two bits are the access mode, 0 to read.
    flags.is_none_or(|flags| flags & 3 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";

    fn own_start() -> String {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        fields.split_ascii_whitespace().nth(19).unwrap().to_owned()
    }

    #[test]
    fn a_listed_process_is_a_writer_while_it_runs() {
        let config = tempfile::tempdir().unwrap();
        let file = config.path().join("file.jsonl");
        fs::write(&file, "").unwrap();
        let sessions = config.path().join("sessions");
        fs::create_dir(&sessions).unwrap();
        let domain = fs::read_link("/proc/self/ns/pid").unwrap();
        let domain = format!("linux:x:{}", domain.display());
        let (pid, start) = (std::process::id(), own_start());
        for (pid, id, start, domain, is_writer) in [
            (pid, ID, start.as_str(), domain.as_str(), true),
            (
                pid,
                "5e5e5e5e-0000-4000-8000-000000000002",
                &start,
                &domain,
                false,
            ),
            (pid, ID, "1", &domain, false),
            (u32::MAX, ID, &start, &domain, false),
            // A process that cannot be seen from here.
            (u32::MAX, ID, &start, "linux:x:pid:[1]", true),
        ] {
            let listed = serde_json::json!({
                "pid": pid, "sessionId": id, "procStart": start, "pidDomain": domain, "kind": "x",
            });
            fs::write(sessions.join("1.json"), listed.to_string()).unwrap();
            let found = find_writer(config.path(), ID, &file);
            assert_eq!(found.is_some(), is_writer, "{listed} {found:?}");
        }
        fs::write(sessions.join("1.json"), "{").unwrap();
        assert_eq!(find_writer(config.path(), ID, &file), None);
    }

    #[test]
    fn a_process_that_has_the_file_open_to_write_is_a_writer() {
        let config = tempfile::tempdir().unwrap();
        let file = config.path().join("file.jsonl");
        fs::write(&file, "").unwrap();
        assert_eq!(find_writer(config.path(), ID, &file), None);
        let reader = fs::File::open(&file).unwrap();
        assert_eq!(find_writer(config.path(), ID, &file), None);
        drop(reader);
        let writer = OpenOptions::new().append(true).open(&file).unwrap();
        assert!(find_writer(config.path(), ID, &file).is_some());
        drop(writer);
        assert_eq!(find_writer(config.path(), ID, &file), None);
    }

    #[test]
    fn command_lines_of_the_cli_name_a_conversation() {
        let is_named = |words: &[&str]| names(words.join("\0").as_bytes(), ID);
        let with = |flag: &str| format!("{flag}={ID}");
        assert!(is_named(&["claude", "--resume", ID]));
        assert!(is_named(&["claude", "-r", ID, "--verbose"]));
        assert!(is_named(&["claude", &with("--resume"), "--verbose"]));
        assert!(!is_named(&["claude", &with("--resume"), "--fork-session"]));
        assert!(is_named(&["node", "cli.js", &with("--session-id")]));
        // Clients name it as well.
        assert!(!is_named(&[
            "curl",
            "-d",
            &format!(r#"{{"conversation":"{ID}"}}"#)
        ]));
        assert!(!is_named(&["claw", "adopt", ID]));
        assert!(!is_named(&["claude", "--resume", "other"]));
    }
}
