//! Reads all files with several threads and merges the results.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};

use super::buckets::{BUCKETS, Buckets};
use super::cli_totals::CliTotals;
use super::dedup::{self, Span};
use super::group_by::GroupBy;
use super::query::UsageQuery;
use super::report::{Progress, ReadSummary};
use super::sighting::Sighting;
use super::tables::{Name, Renumbering, Tables};
use super::worker::{Depth, Watch, Watched, Worker};
use crate::files::{SessionFile, Unreadable};
use crate::lines::ReusedLines;
use crate::parallel;
use crate::tree::Liveness;

/// The results of all threads.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) tables: Tables,
    buckets: Vec<(Buckets, Renumbering)>,
    pub(super) spans: Vec<Span>,
    pub(super) cli_totals: Vec<CliTotals>,
    pub(super) summary: ReadSummary,
    pub(super) not_live: HashMap<(u32, u64), Liveness>,
    pub(super) watched: Vec<Watched>,
    /// Sessions with unmarked copies of another session's messages.
    pub(super) copied: BTreeSet<(Name, Name)>,
}

impl Gathered {
    pub(super) fn read(
        query: &UsageQuery,
        files: &[SessionFile],
        progress: Option<&(dyn Fn(Progress) + Sync)>,
        watch: Option<Watch>,
    ) -> Self {
        let depth = Depth {
            blocks: query.groups.contains(&GroupBy::Tool),
            branches: query.groups.contains(&GroupBy::Branch),
            agent_types: query.groups.contains(&GroupBy::AgentType),
            watch,
        };
        let done = AtomicU64::new(0);
        let total = files.iter().map(|file| file.len).sum();
        let threads = query
            .threads
            .or_else(|| std::thread::available_parallelism().ok());
        let workers = parallel::for_each(
            files,
            |file| file.len,
            threads.map_or(1, NonZero::get),
            <(Worker, ReusedLines)>::default,
            |(worker, lines), at, file| {
                let index = u32::try_from(at).unwrap_or(u32::MAX);
                let progress = |bytes| {
                    let done = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
                    if let Some(progress) = progress {
                        progress(Progress { done, total });
                    }
                };
                if let Err(error) = worker.read(index, file, depth, lines, &progress) {
                    let unreadable = &mut worker.summary.unreadable;
                    unreadable.push(Unreadable::new(&file.path, &error));
                }
            },
        );
        let mut gathered = Self {
            spans: vec![Span::default(); files.len()],
            ..Self::default()
        };
        for (worker, _) in workers {
            gathered.absorb(worker);
        }
        let unreadable = &mut gathered.summary.unreadable;
        unreadable.sort_by(|a, b| a.path.cmp(&b.path));
        gathered.cli_totals.sort_by_key(|totals| totals.file);
        gathered
            .watched
            .sort_by_key(|watched| (watched.sighting.key, watched.file, watched.offset));
        gathered
    }

    fn absorb(&mut self, worker: Worker) {
        let renumbering = self.tables.absorb(worker.tables);
        for (file, span) in worker.spans {
            self.spans[file as usize] = span;
        }
        self.cli_totals.extend(worker.cli_totals);
        self.summary.add(worker.summary);
        self.not_live.extend(worker.not_live);
        for mut watched in worker.watched {
            watched.sighting.renumber(&renumbering);
            self.watched.push(watched);
        }
        self.buckets.push((worker.buckets, renumbering));
    }

    /// Calls `each` once per message, and frees the sightings on the way.
    pub(super) fn for_each_message(&mut self, mut each: impl FnMut(&Tables, Sighting)) {
        let mut sightings: Vec<Sighting> = Vec::new();
        for bucket in 0..BUCKETS {
            for (buckets, renumbering) in &mut self.buckets {
                buckets.take(bucket, &self.tables, renumbering, &mut sightings);
            }
            sightings.sort_unstable_by_key(|sighting| sighting.key);
            for same in sightings.chunk_by(|a, b| a.key == b.key) {
                let (messages, groups) = dedup::dedup(same, &self.tables, &self.spans);
                self.copied
                    .extend(copies(same, &groups, &messages, &self.tables));
                for message in messages {
                    each(&self.tables, message);
                }
            }
            sightings.clear();
        }
    }
}

/// The sessions of unmarked copies, each with the session of the original.
fn copies(
    same: &[Sighting],
    groups: &[usize],
    messages: &[Sighting],
    tables: &Tables,
) -> impl Iterator<Item = (Name, Name)> {
    let session = |context: u32| Some(tables.contexts.get(context as usize)?.session);
    let pairs = same
        .iter()
        .zip(groups)
        .filter_map(move |(sighting, group)| {
            let home = session(messages.get(*group)?.context)?;
            Some((session(sighting.context)?, home)).filter(|_| !sighting.marks.forked)
        });
    pairs.filter(|(copy, home)| copy != home)
}
