//! Ends everything that a CLI started, and finds what a killed host left behind.
//!
//! Everything that a CLI starts carries its mark (see [`ChildProcess`](super::ChildProcess)). Only
//! Linux shows a process's environment to others of the same user; elsewhere a kill reaches only
//! the CLI's process group, and a sweep finds nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::OnceCell;

use super::host_folder;
use super::host_process::Host;
use super::mark::{Mark, VARIABLE};
use super::proc_table::{self, Marked};
use super::signals;

/// Maximum number of passes: a fork can escape a kill, but not often.
const MOST_PASSES: usize = 16;
/// How long an orphan may take to end by itself.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
const GLANCE: Duration = Duration::from_millis(20);
/// How long the record of a released child is kept at least.
const NOTE_KEPT: Duration = Duration::from_secs(60 * 60);

/// A process that a host left behind and a sweep has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orphan {
    /// The process id.
    pub pid: u32,
    /// The pid of the dead host that started it, or its parent.
    pub host: u32,
    /// Whether it was killed, because it did not end after SIGTERM.
    pub killed: bool,
}

/// Ends the processes that dead hosts left running, and returns them.
///
/// An orphan is a process of this user that carries the mark of a host for which no process with
/// the same id *and* start time exists. It receives SIGTERM and, after two seconds, SIGKILL. A
/// sweep never touches children of a living host, released children ([`Custody::release`]), daemons
/// and their children, processes of another container, and ancestors of this process.
///
/// A daemon is a session leader whose standard input and output are `/dev/null` or closed and whose
/// parent does not carry the mark, such as a tmux server or a gpg-agent that a tool started. A
/// close leaves daemons alone too.
///
/// Private files and folders of such hosts are also removed, from the folder for temporary files,
/// unless a process uses them or they were released with a child less than a day ago.
///
/// If there is nothing to end, this takes about a millisecond and does not wait.
///
/// Dropping the future leaves the rest to the next sweep.
///
/// [`Custody::release`]: super::Custody::release
pub async fn sweep() -> Vec<Orphan> {
    if crate::runtime::is_simulated() {
        return Vec::new();
    }
    let orphans = find_orphans();
    for (pid, mark) in &orphans {
        signals::terminate_if(*pid, || carries(*pid, mark));
    }
    let begin = Instant::now();
    let lives = |(pid, mark): &(u32, Mark)| carries(*pid, mark);
    while begin.elapsed() < GRACE && orphans.iter().any(lives) {
        tokio::time::sleep(GLANCE).await;
    }
    let mut ended = Vec::with_capacity(orphans.len());
    for (pid, mark) in orphans {
        let daemons = daemons(&mark);
        let killed = signals::kill_if(pid, || carries(pid, &mark));
        if killed {
            // It may have started others after SIGTERM.
            kill_marked(&mark, &daemons);
        }
        let host = mark.host.pid;
        tracing::info!(
            pid,
            host,
            killed,
            "ended an orphaned process of a dead host"
        );
        ended.push(Orphan { pid, host, killed });
    }
    // The processes that used these folders are gone now.
    let folders = || host_folder::sweep(&std::env::temp_dir());
    if tokio::task::spawn_blocking(folders).await.is_err() {
        tracing::warn!("the sweep of the folders of dead hosts failed");
    }
    ended
}

/// Calls [`sweep`] the first time it is called in this process; does nothing after that.
///
/// Meant for the start of the first session: ends what an earlier run of the same program left
/// behind before a new child starts.
pub async fn sweep_once() -> Vec<Orphan> {
    // Concurrent callers wait for it; if the caller is dropped, the next one does it.
    static SWEPT: OnceCell<()> = OnceCell::const_new();
    let mut ended = Vec::new();
    SWEPT.get_or_init(async || ended = sweep().await).await;
    ended
}

/// Returns the resident memory, in bytes, of a CLI and of all processes that carry its mark, or
/// `None` if there is no such process. Memory that processes share counts for each of them.
///
/// Only Linux shows this.
pub fn resident_memory(cli: u32) -> Option<u64> {
    let own = proc_table::resident_memory(cli)?;
    let marks = proc_table::marks_of(cli);
    let Some(mark) = marks.first() else {
        return Some(own);
    };
    let others = carrying(mark).into_iter().filter(|found| found.pid != cli);
    let others = others.filter_map(|found| proc_table::resident_memory(found.pid));
    Some(own + others.sum::<u64>())
}

fn find_orphans() -> Vec<(u32, Mark)> {
    let this = std::process::id();
    let around = Mark::parse_all(&std::env::var(VARIABLE).unwrap_or_default()).collect::<Vec<_>>();
    let mut living: Vec<(Host, bool)> = vec![(Host::this(), true)];
    let mut is_orphan = |found: &Marked| {
        let [mark, ..] = found.marks.as_slice() else {
            return false;
        };
        if found.pid == this || around.iter().any(|outer| outer.id == mark.id) {
            return false;
        }
        let known = living.iter().find(|(host, _)| *host == mark.host);
        let lives = match known {
            Some((_, lives)) => *lives,
            None => {
                let lives = proc_table::lives(mark.host);
                living.push((mark.host, lives));
                lives
            }
        };
        !lives && proc_table::is_ours(found.pid) && !is_free(found, mark)
    };
    let found = proc_table::marked();
    clear_old_notes(&found);
    let orphans = found.iter().filter(|found| is_orphan(found));
    orphans
        .filter_map(|orphan| Some((orphan.pid, orphan.marks.first()?.clone())))
        .filter(|(pid, mark)| !is_daemon(topmost(*pid, mark, &found)))
        .collect()
}

/// The topmost ancestor of a process that carries the mark, through ancestors that all carry it.
fn topmost(pid: u32, mark: &Mark, found: &[Marked]) -> u32 {
    let carries = |pid| {
        let mut found = found.iter();
        found.any(|found| found.pid == pid && found.marks.contains(mark))
    };
    let mut pid = pid;
    // Bounded, because a reused process id could form a cycle.
    for _ in found {
        match proc_table::parent_of(pid) {
            Some((parent, _)) if carries(parent) => pid = parent,
            _ => break,
        }
    }
    pid
}

/// Returns whether a process whose parent does not carry its mark is a daemon.
fn is_daemon(topmost: u32) -> bool {
    let leads_a_session = proc_table::parent_of(topmost).is_some_and(|(_, leads)| leads);
    leads_a_session && proc_table::is_detached(topmost)
}

/// Whether the process with this pid still carries `mark`.
fn carries(pid: u32, mark: &Mark) -> bool {
    proc_table::marks_of(pid).contains(mark)
}

/// The other processes that carry `mark`.
fn carrying(mark: &Mark) -> Vec<Marked> {
    let this = std::process::id();
    let mut found = proc_table::marked();
    found.retain(|found| found.pid != this && found.marks.contains(mark));
    found
}

/// Returns the daemons among the processes that carry `mark`. Call it before any of them is killed:
/// once its parent is gone, a child without input and output looks like a daemon.
pub(super) fn daemons(mark: &Mark) -> Vec<u32> {
    let found = carrying(mark);
    let pids = found.iter().map(|found| found.pid);
    pids.filter(|pid| topmost(*pid, mark, &found) == *pid && is_daemon(*pid))
        .collect()
}

/// Kills processes that carry `mark` until none is left. Daemons and their children are left alone.
///
/// A process that got SIGKILL starts nothing any more, so a pass that finds no new process is the
/// last.
pub(super) fn kill_marked(mark: &Mark, daemons: &[u32]) {
    let mut killed: Vec<u32> = Vec::new();
    for _ in 0..MOST_PASSES {
        let found = carrying(mark);
        let is_new =
            |pid: u32| !killed.contains(&pid) && !daemons.contains(&topmost(pid, mark, &found));
        let new: Vec<u32> = found
            .iter()
            .map(|found| found.pid)
            .filter(|pid| is_new(*pid))
            .collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            // A process in `exec` shows no mark for a moment: the next pass finds it.
            if signals::kill_if(pid, || carries(pid, mark)) {
                killed.push(pid);
            }
        }
    }
}

/// Sends SIGTERM to the CLI behind a launcher: the first processes below it that run another
/// program. Returns whether there is one.
pub(super) fn terminate_launched(launcher: u32, mark: &Mark) -> bool {
    let Some(program) = proc_table::program_of(launcher) else {
        return false;
    };
    let found = carrying(mark);
    let runs_it = |pid: u32| proc_table::program_of(pid).is_some_and(|other| other == program);
    let is_launched = |pid: u32| {
        let parent = proc_table::parent_of(pid).map(|(parent, _)| parent);
        !runs_it(pid) && parent.is_some_and(runs_it)
    };
    let launched = found
        .iter()
        .map(|found| found.pid)
        .filter(|pid| is_launched(*pid));
    let signalled = launched.filter(|pid| signals::terminate_if(*pid, || carries(*pid, mark)));
    signalled.count() > 0
}

/// The folder in which this process records released children. The mark of a process cannot be
/// removed.
pub(super) fn notes() -> Option<PathBuf> {
    Some(crate::cache_folder::cache_folder()?.join("released"))
}

/// Records that a child may outlive this process.
pub(super) fn set_free(mark: &Mark) {
    let written = match notes() {
        Some(folder) => fs::create_dir_all(&folder)
            .and_then(|()| fs::write(note(&folder, mark), mark.to_string())),
        None => Err(std::io::ErrorKind::NotFound.into()),
    };
    if let Err(error) = written {
        tracing::warn!(%error, "a released child cannot be noted: once this process has ended, a sweep will end it");
    }
}

fn note(folder: &Path, mark: &Mark) -> PathBuf {
    folder.join(mark.id.simple().to_string())
}

/// Returns whether a process was released. If its record cannot be checked, it counts as released.
/// Children of hosts of an earlier version do not name the folder of the records.
fn is_free(found: &Marked, mark: &Mark) -> bool {
    let folder = found.notes.clone().or_else(notes);
    folder.is_some_and(|folder| note(&folder, mark).try_exists().unwrap_or(true))
}

/// Removes the records of released children that are gone.
fn clear_old_notes(running: &[Marked]) {
    let Some(entries) = notes().and_then(|folder| fs::read_dir(folder).ok()) else {
        return;
    };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let runs = running
            .iter()
            .flat_map(|found| &found.marks)
            .any(|mark| name.to_str() == Some(&mark.id.simple().to_string()));
        let is_old = entry
            .metadata()
            .and_then(|note| note.modified())
            .is_ok_and(|noted| now.duration_since(noted).is_ok_and(|age| age > NOTE_KEPT));
        if !runs && is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}
