//! Reads all files with several threads and settles what was found.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::ledger::Ledger;
use super::pack::{DRAWERS, Drawers};
use super::report::Progress;
use super::scan::{Counts, Depth, Watched, Worker};
use super::settle::{self, Message, Span};
use super::sighting::Sighting;
use super::tables::{Name, Renumbering, Tables};
use crate::files::{SessionFile, Unreadable};
use crate::tree::Fate;

/// How to read.
pub(super) struct Plan<'a> {
    pub(super) files: &'a [SessionFile],
    pub(super) depth: Depth,
    pub(super) threads: Option<NonZero<usize>>,
    pub(super) progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Only messages with these keys, line by line.
    pub(super) watch: Option<&'a HashSet<u64>>,
}

/// What all threads found.
pub(super) struct Gathered {
    pub(super) tables: Tables,
    drawers: Vec<(Drawers, Renumbering)>,
    pub(super) spans: Vec<Span>,
    pub(super) ledgers: Vec<Ledger>,
    pub(super) counts: Counts,
    pub(super) not_live: HashMap<(u32, u64), Fate>,
    pub(super) watched: Vec<Watched>,
    pub(super) unreadable: Vec<Unreadable>,
    /// Which session has unmarked copies of another's messages.
    pub(super) copied: BTreeSet<(Name, Name)>,
}

/// Reads all files. The largest come first, and whoever is done takes the next.
pub(super) fn gather(plan: &Plan<'_>) -> Gathered {
    let mut order: Vec<usize> = (0..plan.files.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(plan.files[at].len));
    let next = AtomicUsize::new(0);
    let done = AtomicU64::new(0);
    let total = plan.files.iter().map(|file| file.len).sum();
    let unreadable = Mutex::new(Vec::new());
    let work = || {
        let mut worker = Worker::default();
        let mut lines = None;
        let watched = |key| plan.watch.is_some_and(|keys| keys.contains(&key));
        let watch: Option<&dyn Fn(u64) -> bool> = match plan.watch {
            Some(_) => Some(&watched),
            None => None,
        };
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file = &plan.files[at];
            let index = u32::try_from(at).unwrap_or(u32::MAX);
            let progress = |bytes| {
                let done = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
                if let Some(progress) = plan.progress {
                    progress(Progress { done, total });
                }
            };
            let read = worker.read(index, file, plan.depth, watch, &mut lines, &progress);
            if let Err(error) = read
                && let Ok(mut unreadable) = unreadable.lock()
            {
                unreadable.push(Unreadable::new(&file.path, &error));
            }
        }
        worker
    };
    let threads = plan
        .threads
        .or_else(|| std::thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZero::get).min(plan.files.len());
    let workers = if threads < 2 {
        vec![work()]
    } else {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let joined = threads.into_iter().map(|thread| {
                // A thread that panicked had a bug, which is not to be hidden.
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.collect()
        })
    };
    let mut unreadable = unreadable.into_inner().unwrap_or_default();
    unreadable.sort_by(|a: &Unreadable, b| a.path.cmp(&b.path));
    combine(workers, plan.files.len(), unreadable)
}

fn combine(workers: Vec<Worker>, files: usize, unreadable: Vec<Unreadable>) -> Gathered {
    let mut gathered = Gathered {
        tables: Tables::default(),
        drawers: Vec::new(),
        spans: vec![Span::default(); files],
        ledgers: Vec::new(),
        counts: Counts::default(),
        not_live: HashMap::new(),
        watched: Vec::new(),
        unreadable,
        copied: BTreeSet::new(),
    };
    for worker in workers {
        let renumbering = gathered.tables.absorb(worker.tables);
        for (file, span) in worker.spans {
            gathered.spans[file as usize] = span;
        }
        gathered.ledgers.extend(worker.ledgers);
        gathered.counts.add(worker.counts);
        gathered.not_live.extend(worker.not_live);
        gathered
            .watched
            .extend(worker.watched.into_iter().map(|mut watched| {
                renumbering.apply(&mut watched.sighting);
                watched
            }));
        gathered.drawers.push((worker.drawers, renumbering));
    }
    gathered.ledgers.sort_by_key(|ledger| ledger.file);
    gathered
        .watched
        .sort_by_key(|watched| (watched.sighting.key, watched.file, watched.offset));
    gathered
}

impl Gathered {
    /// Calls back once for each message. What was kept of it is let go on the way.
    pub(super) fn for_each_message(&mut self, mut each: impl FnMut(&Tables, Message)) {
        let mut sightings: Vec<Sighting> = Vec::new();
        let mut messages = Vec::new();
        for drawer in 0..DRAWERS {
            for (drawers, renumbering) in &mut self.drawers {
                drawers.take(drawer, &self.tables, renumbering, &mut sightings);
            }
            sightings.sort_unstable_by_key(|sighting| sighting.key);
            for same in sightings.chunk_by(|a, b| a.key == b.key) {
                let groups = settle::settle(same, &self.tables, &self.spans, &mut messages);
                if same.len() > 1 {
                    note_copies(same, &groups, &messages, &self.tables, &mut self.copied);
                }
                for message in messages.drain(..) {
                    each(&self.tables, message);
                }
            }
            sightings.clear();
        }
    }
}

/// Notes which sessions have copies of other sessions' messages without a mark on them.
fn note_copies(
    same: &[Sighting],
    groups: &[usize],
    messages: &[Message],
    tables: &Tables,
    copied: &mut BTreeSet<(Name, Name)>,
) {
    let session = |place: u32| tables.places.get(place as usize).map(|place| place.session);
    for (sighting, group) in same.iter().zip(groups) {
        let home = messages
            .get(*group)
            .and_then(|message| session(message.place));
        if let (Some(copy), Some(home)) = (session(sighting.place), home)
            && copy != home
            && !sighting.marks.forked
        {
            copied.insert((copy, home));
        }
    }
}

/// The path of a file by its index.
pub(super) fn path_of(files: &[SessionFile], index: u32) -> PathBuf {
    let file = files.get(index as usize);
    file.map(|file| file.path.clone()).unwrap_or_default()
}
