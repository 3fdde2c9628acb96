//! Asking a CLI what it is.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use super::cache::{self, Stamp};
use super::find::Program;
use super::flags::{self, HIDDEN, Takes};
use super::version::{Version, check_version};
use crate::error::StartError;
use crate::transport::{Custody as _, Exit, Launch, spawn};

/// `--help` takes half a second, on a cold disk two. One that takes longer is not the CLI.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
/// The help has 22 KB.
const MOST_READ: u64 = 1 << 20;
/// A flag that no CLI will ever have: with it at the end, a question starts nothing.
const NO_SUCH_FLAG: &str = "--rusty-claw-asks-which-flags-there-are";

/// What a CLI said about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub(super) path: PathBuf,
    pub(super) version: Option<Version>,
    /// The flags that its help lists.
    pub(super) listed: BTreeMap<String, Takes>,
    /// Flags it was asked for one by one, and whether it knows them.
    pub(super) asked: BTreeMap<String, bool>,
}

impl Probe {
    pub(super) fn nothing_known(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            version: None,
            listed: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    /// The CLI's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version; nothing when it did not say one.
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// Whether it knows a flag, as `--model`; nothing when that cannot be told.
    pub fn knows(&self, flag: &str) -> Option<bool> {
        // A program that lists no flags is not the CLI, or not one that can be asked.
        let version = self.version.filter(|_| !self.listed.is_empty())?;
        let hidden = HIDDEN
            .iter()
            .any(|(name, _, since)| *name == flag && version >= *since);
        if hidden || self.listed.contains_key(flag) {
            return Some(true);
        }
        self.asked.get(flag).copied()
    }

    pub(super) fn takes(&self, flag: &str) -> Option<Takes> {
        let hidden = HIDDEN.iter().find(|(name, ..)| *name == flag);
        self.listed
            .get(flag)
            .copied()
            .or_else(|| hidden.map(|(_, takes, _)| *takes))
    }

    /// Flags among `args` that it must be asked for.
    fn open_questions<'a>(&self, args: &'a [OsString]) -> Vec<&'a str> {
        if self.version.is_none() || self.listed.is_empty() {
            return Vec::new();
        }
        let mut used = flags::used(self, args);
        used.retain(|flag| self.knows(flag).is_none());
        used
    }
}

/// Asks the CLI for its version and its flags, or recalls what it said.
///
/// It is asked again when its file has another size or time. Flags among the arguments of `launch`
/// that its help does not list and that are not known of its release are asked for one by one, in a
/// way that starts no session. Never fails: of what does not answer, nothing is known, and then
/// nothing is refused.
///
/// Dropping the future ends the question.
pub async fn probe(program: &Program, launch: &Launch) -> Probe {
    let folder = cache::cache_folder();
    recall_or_ask(folder.as_deref(), program, launch, Freshness::Recalled).await
}

/// [`probe`] that keeps the answers in this folder instead of the user's cache folder.
///
/// Dropping the future ends the question.
pub async fn probe_in(folder: &Path, program: &Program, launch: &Launch) -> Probe {
    recall_or_ask(Some(folder), program, launch, Freshness::Recalled).await
}

/// Whether what was said earlier is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freshness {
    Recalled,
    Asked,
}

async fn recall_or_ask(
    folder: Option<&Path>,
    program: &Program,
    launch: &Launch,
    freshness: Freshness,
) -> Probe {
    let stamp = Stamp::of(program.path());
    let known = match (stamp, freshness) {
        (Some(stamp), Freshness::Recalled) => cache::recall(folder, program.path(), stamp),
        _ => None,
    };
    let mut changed = known.is_none();
    let mut probe = match known {
        Some(probe) => probe,
        None => ask(program, launch).await,
    };
    for flag in probe.open_questions(&launch.args) {
        if let Some(known) = ask_for_flag(program, launch, flag).await {
            probe.asked.insert(flag.to_owned(), known);
            changed = true;
        }
    }
    // What said nothing may do so another time.
    if changed
        && probe.version.is_some()
        && let Some(stamp) = stamp
    {
        cache::remember(folder, program.path(), stamp, &probe);
    }
    probe
}

/// Refuses a CLI that is too old, and flags it does not know. Before it does, it makes sure: a
/// file can stay the same while what it starts is another release.
pub(crate) async fn check(
    folder: Option<&Path>,
    program: &Program,
    launch: &Launch,
) -> Result<(), StartError> {
    let refusal =
        |probe: &Probe| check_version(probe).and_then(|()| flags::check_flags(probe, &launch.args));
    let recalled = recall_or_ask(folder, program, launch, Freshness::Recalled).await;
    if refusal(&recalled).is_ok() {
        return Ok(());
    }
    refusal(&recall_or_ask(folder, program, launch, Freshness::Asked).await)
}

async fn ask(program: &Program, launch: &Launch) -> Probe {
    let (version, help) = tokio::join!(
        run(program, launch, &["--version"]),
        run(program, launch, &["--help"])
    );
    let mut probe = Probe::nothing_known(program.path());
    if let Some(said) = version.filter(|said| said.exit.is_success()) {
        probe.version = Version::parse(&said.stdout);
    }
    if let Some(said) = help.filter(|said| said.exit.is_success()) {
        probe.listed = flags::listed(&said.stdout);
    }
    probe
}

/// Asks the CLI for one flag, also a hidden one, without starting a session; nothing when its
/// answer says neither yes nor no. Nothing is recalled or kept: see [`Probe::knows`] for that.
///
/// Dropping the future ends the question.
pub async fn ask_for_flag(program: &Program, launch: &Launch, flag: &str) -> Option<bool> {
    // The flag takes the first of the two impossible ones as its value, if it takes one, and the
    // second ends the run before it begins.
    let said = run(program, launch, &[flag, NO_SUCH_FLAG, NO_SUCH_FLAG]).await?;
    let unknown = |flag: &str| said.stderr.contains(&format!("unknown option '{flag}'"));
    if unknown(flag) {
        Some(false)
    } else if unknown(NO_SUCH_FLAG) || said.stderr.contains(&format!("'{flag} ")) {
        Some(true)
    } else {
        None
    }
}

struct Said {
    exit: Exit,
    stdout: String,
    stderr: String,
}

async fn run(program: &Program, launch: &Launch, args: &[&str]) -> Option<Said> {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let answer = async {
        let mut running = spawn(program, launch, &args, Stdio::null, None)
            .await
            .ok()?;
        let mut stdout = Vec::new();
        let mut reader = running.stdout.take(MOST_READ);
        reader.read_to_end(&mut stdout).await.ok()?;
        // With the pipe closed, one that goes on printing ends.
        drop(reader);
        let exit = running.custody.exited().await;
        Some(Said {
            exit,
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: running.custody.stderr_tail(),
        })
    };
    tokio::time::timeout(PATIENCE, answer).await.ok()?
}
