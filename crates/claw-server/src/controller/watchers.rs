//! The sinks of a session, each with its own backpressure.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::backpressure::Backpressure;
use super::forwarder::{Forwarder, Listener};
use super::watching::{Ending, Watch, WatchEnd};
use crate::log::{EventLog, LogUpdate};
use crate::session_id::SessionId;

/// The sinks of one session.
///
/// The queue of a sink is bounded: at the limit, no more lines of the CLI are read. Events of the
/// controller itself (interactions, inputs, lifecycle) are queued at once: they are few, and an
/// answer must not wait for a slow reader. Deltas are skipped while a queue is more than half full;
/// the complete message has their text. A sink that joins late reads the log until it has caught
/// up, and has a queue only then. A sink that blocks the session and accepts nothing within the
/// stall limit is dropped.
#[derive(Debug)]
pub(super) struct Watchers {
    limit: usize,
    stall_limit: Option<Duration>,
    open: Vec<Watcher>,
    room: Arc<Notify>,
    /// Number of sinks that ended before they had received everything.
    behind: usize,
    panicked: usize,
}

#[derive(Debug)]
struct Watcher {
    queue: mpsc::UnboundedSender<LogUpdate>,
    backpressure: Arc<Backpressure>,
    ending: Arc<Ending>,
    task: JoinHandle<()>,
    /// Since when it has been blocking the session.
    held_up: Option<Instant>,
}

impl Watcher {
    /// When it is dropped unless it accepts something before.
    fn due(&self, limit: Duration) -> Option<Instant> {
        let since = self.held_up?.max(self.backpressure.took_at());
        since.checked_add(limit)
    }
}

impl Watchers {
    /// No sinks, with a limit in bytes for each, and on how long one may stall.
    pub(super) fn new(limit: usize, stall_limit: Option<Duration>) -> Self {
        Self {
            limit,
            stall_limit,
            open: Vec::new(),
            room: Arc::new(Notify::new()),
            behind: 0,
            panicked: 0,
        }
    }

    /// Adds a sink. The log has events up to `latest`.
    pub(super) fn add(
        &mut self,
        session_id: SessionId,
        latest: u64,
        log: Arc<dyn EventLog>,
        listener: Box<dyn Listener>,
    ) -> Watch {
        let (queue, updates) = mpsc::unbounded_channel();
        let (seen, room) = (listener.sequence(), Arc::clone(&self.room));
        let backpressure = Arc::new(Backpressure::new(self.limit, seen, latest, room));
        let ending = Arc::new(Ending::default());
        let forwarder = Forwarder {
            session_id,
            updates,
            backpressure: Arc::clone(&backpressure),
            ending: Arc::clone(&ending),
        };
        let task = tokio::spawn(forwarder.run(listener, log));
        let watch = Watch::new(Arc::clone(&ending), task.abort_handle());
        self.open.push(Watcher {
            queue,
            backpressure,
            ending,
            task,
            held_up: None,
        });
        watch
    }

    /// Whether all sinks can accept more. Drops those that have stalled for too long.
    pub(super) fn have_room(&mut self) -> bool {
        let (mut has_room, now) = (true, Instant::now());
        let stall_limit = self.stall_limit;
        self.keep(|watcher| {
            if watcher.queue.is_closed() {
                return false;
            }
            if !watcher.backpressure.holds_up() {
                watcher.held_up = None;
                return true;
            }
            watcher.held_up.get_or_insert(now);
            let due = stall_limit.and_then(|limit| watcher.due(limit));
            if due.is_some_and(|due| now >= due) {
                tracing::warn!("a sink accepts nothing and is dropped");
                return false;
            }
            has_room = false;
            true
        });
        has_room
    }

    /// Drops the sinks that are behind: they can catch up from the log.
    pub(super) fn leave_behind(&mut self) {
        self.keep(|watcher| !watcher.backpressure.holds_up());
    }

    /// Drops all other sinks. Those that are still open end as left behind.
    fn keep(&mut self, mut is_kept: impl FnMut(&mut Watcher) -> bool) {
        let mut gone = Vec::new();
        self.open.retain_mut(|watcher| {
            let is_kept = is_kept(watcher);
            if !is_kept {
                if !watcher.queue.is_closed() {
                    watcher.ending.because(WatchEnd::LeftBehind);
                    watcher.task.abort();
                }
                gone.push(Arc::clone(&watcher.ending));
            }
            is_kept
        });
        for ending in gone {
            self.count(&ending);
        }
    }

    /// When to check again for stalled sinks.
    pub(super) fn look_at(&self) -> Option<Instant> {
        let limit = self.stall_limit?;
        let due = self.open.iter().filter_map(|watcher| watcher.due(limit));
        due.min()
    }

    pub(super) fn are_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn room(&self) -> Arc<Notify> {
        Arc::clone(&self.room)
    }

    pub(super) fn publish(&mut self, update: &LogUpdate) {
        let weight = update.weight();
        for watcher in &self.open {
            if watcher.backpressure.queues(update, weight) {
                // A closed sink is removed by the next call of `have_room`.
                let _ = watcher.queue.send(update.clone());
            }
        }
    }

    /// Closes all queues, and waits up to `limit` until the sinks have received everything.
    pub(super) async fn finish(&mut self, limit: Duration) {
        let mut left = Vec::new();
        for Watcher {
            queue,
            task,
            ending,
            ..
        } in self.open.drain(..)
        {
            drop(queue);
            left.push((task, ending));
        }
        let until = Instant::now() + limit;
        for (mut task, ending) in left {
            if tokio::time::timeout_at(until, &mut task).await.is_err() {
                ending.because(WatchEnd::LeftBehind);
                task.abort();
            }
            self.count(&ending);
        }
    }

    /// Number of sinks that ended before they had received everything, without those that panicked.
    pub(super) fn behind(&self) -> usize {
        self.behind
    }

    pub(super) fn panicked(&self) -> usize {
        self.panicked
    }

    fn count(&mut self, ending: &Ending) {
        match ending.how() {
            WatchEnd::LeftBehind | WatchEnd::LogFailed(_) => self.behind += 1,
            WatchEnd::Panicked => self.panicked += 1,
            WatchEnd::SessionEnded | WatchEnd::SinkClosed | WatchEnd::Stopped => {}
        }
    }
}
