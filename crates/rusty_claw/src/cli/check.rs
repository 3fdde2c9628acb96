//! Probes a CLI for its version and flags, and checks them.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use super::cache::{self, Stamp};
use super::find::Program;
use super::flags;
use super::probe::Probe;
use super::version::Version;
use crate::cache_folder::cache_folder;
use crate::error::StartError;
use crate::transport::connection::Custody as _;
use crate::transport::exit::Exit;
use crate::transport::launch::Launch;
use crate::transport::process::{What, spawn};

/// `--help` takes half a second, two on a cold disk. A program that takes longer is not the CLI.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);
/// The limit for output; the help has 22 KB.
const MOST_READ: u64 = 1 << 20;
/// A flag that no CLI has. As the last argument it makes the CLI exit before it starts a session.
const NO_SUCH_FLAG: &str = "--rusty-claw-asks-which-flags-there-are";

/// Returns the version and flags of the CLI, from the cache or by running it.
///
/// The CLI is probed again if the size or modification time of its file has changed. Flags among
/// the arguments of `launch` that are neither in its help nor known for its release are probed one
/// by one, without starting a session. Never fails: if the CLI does not respond, nothing is known,
/// and nothing is refused.
///
/// Dropping the future ends the probe.
pub async fn probe(program: &Program, launch: &Launch) -> Probe {
    let folder = cache_folder();
    recall_or_ask(folder.as_deref(), program, launch, Freshness::Recalled).await
}

/// Like [`probe`], but caches the result in this folder instead of the user's cache folder.
///
/// Dropping the future ends the probe.
pub async fn probe_in(folder: &Path, program: &Program, launch: &Launch) -> Probe {
    recall_or_ask(Some(folder), program, launch, Freshness::Recalled).await
}

/// Whether a cached result may be used.
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
    for flag in undecided(&probe, &launch.args) {
        if let Some(known) = ask_for_flag(program, launch, flag).await {
            probe.asked.insert(flag.to_owned(), known);
            changed = true;
        }
    }
    // A CLI that did not respond is probed again next time.
    if changed
        && probe.version.is_some()
        && let Some(stamp) = stamp
    {
        cache::remember(folder, program.path(), stamp, &probe);
    }
    probe
}

/// The flags among `args` that must be probed one by one.
fn undecided<'a>(probe: &Probe, args: &'a [OsString]) -> Vec<&'a str> {
    if probe.version.is_none() || probe.listed.is_empty() {
        return Vec::new();
    }
    let mut used = flags::used(probe, args);
    used.retain(|flag| probe.knows(flag).is_none());
    used
}

/// Returns an error if the CLI is too old or does not know a flag. Probes it again before that,
/// because the file can stay the same while it starts another release.
pub(crate) async fn check(
    folder: Option<&Path>,
    program: &Program,
    launch: &Launch,
) -> Result<(), StartError> {
    let refusal = |probe: &Probe| {
        flags::check_version(probe).and_then(|()| flags::check_flags(probe, &launch.args))
    };
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

/// Probes the CLI for one flag, also a hidden one, without starting a session; `None` if the
/// response is inconclusive. The cache is not used: see [`Probe::knows`] for that.
///
/// Dropping the future ends the probe.
pub async fn ask_for_flag(program: &Program, launch: &Launch, flag: &str) -> Option<bool> {
    // If the flag takes a value, it consumes the first unknown flag, and the second one ends the
    // run before it begins.
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
        let what = What {
            program,
            prefix: &[],
            args: &args,
        };
        let mut running = spawn(what, launch, Stdio::null, None).await.ok()?;
        let mut stdout = Vec::new();
        let mut reader = running.stdout.take(MOST_READ);
        reader.read_to_end(&mut stdout).await.ok()?;
        // Closing the pipe ends a program that keeps printing.
        drop(reader);
        let exit = running.custody.exited().await;
        Some(Said {
            exit,
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: running.custody.stderr_tail(),
        })
    };
    tokio::time::timeout(TIMEOUT, answer).await.ok()?
}
