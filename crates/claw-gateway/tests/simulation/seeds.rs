//! Runs seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::check::check;
use crate::world;

/// What a seed has shown.
pub(crate) struct Shown {
    pub(crate) wrong: Vec<String>,
    /// Everything that happened, with names instead of random ids.
    pub(crate) history: String,
    pub(crate) faults: BTreeMap<&'static str, u64>,
    pub(crate) events: usize,
}

/// The folder of a thread. All have names of the same length, because it is part of the output.
fn folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed));
    let number = NUMBER.with(|number| *number);
    let shm = Path::new("/dev/shm");
    let below = if shm.is_dir() {
        shm.to_owned()
    } else {
        std::env::temp_dir()
    };
    below.join(format!(
        "claw-simulation-{:010}-{number:04}",
        std::process::id()
    ))
}

/// Runs a seed on this thread.
pub(crate) fn run(seed: u64) -> Shown {
    let folder = folder();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("work")).unwrap();
    rusty_claw::runtime::simulate(world::wall_clock);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true);
    // Decides the order in which branches of `select!` are polled.
    #[cfg(tokio_unstable)]
    builder.rng_seed(tokio::runtime::RngSeed::from_bytes(&seed.to_le_bytes()));
    let runtime = builder.build().unwrap();
    let rest = runtime.block_on(world::run(seed, &folder));
    drop(runtime);
    let wrong = check(&rest);
    let _ = fs::remove_dir_all(&folder);
    let mut history = String::new();
    let record = rest.recorder.lock();
    for line in &record.story {
        history += &format!("{line}\n");
    }
    let mut events = 0;
    for (session, log) in &rest.logs {
        history += &format!("log of {session}\n");
        events += log.len();
        for event in log {
            history += &format!("{event}\n");
        }
    }
    let history = history.replace(&*folder.to_string_lossy(), "FOLDER");
    Shown {
        wrong,
        history: named(&history),
        faults: record.faults.clone(),
        events,
    }
}

/// Replaces random ids with numbers, in the order in which they occur.
fn named(text: &str) -> String {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut named, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('-') {
        let id = at
            .checked_sub(8)
            .and_then(|begin| rest.get(begin..begin + 36));
        let id = id.filter(|id| is_random_uuid(id));
        let Some(id) = id else {
            named += &rest[..=at];
            rest = &rest[at + 1..];
            continue;
        };
        let next = names.len();
        let name = names.entry(id).or_insert(next);
        named += &rest[..at - 8];
        named += &format!("id#{name}");
        rest = &rest[at + 28..];
    }
    named + rest
}

/// Whether a text is a uuid of version 4 that is not one of the simulation's own.
fn is_random_uuid(text: &str) -> bool {
    let is_uuid = text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    is_uuid && !text.contains("-0000-4000-8000-")
}

/// The results of many seeds.
#[derive(Debug, Default)]
pub(crate) struct Total {
    pub(crate) seeds: u64,
    pub(crate) events: u64,
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// The seeds that have shown a violation, with the first one of each.
    pub(crate) failed: BTreeMap<u64, String>,
}

/// Runs seeds on all cores. Ends early after some failures.
pub(crate) fn run_many(seeds: Range<u64>, skipped: &BTreeSet<u64>, most_failed: usize) -> Total {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, total) = (AtomicU64::new(seeds.start), Mutex::new(Total::default()));
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let is_done = total.lock().unwrap().failed.len() >= most_failed;
                    if seed >= seeds.end || is_done {
                        return;
                    }
                    if skipped.contains(&seed) {
                        continue;
                    }
                    let shown = run(seed);
                    let mut total = total.lock().unwrap();
                    total.seeds += 1;
                    total.events += shown.events as u64;
                    for (fault, times) in shown.faults {
                        *total.faults.entry(fault).or_default() += times;
                    }
                    if let Some(wrong) = shown.wrong.into_iter().next() {
                        eprintln!("SEED={seed}: {wrong}");
                        total.failed.insert(seed, wrong);
                    }
                }
            });
        }
    });
    total.into_inner().unwrap()
}
