//! Those who look at a session, each at its own pace.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::forwarder::{Forwarder, Listener};
use super::pace::Pace;
use super::watching::{Ending, Watch, WatchEnd};
use crate::event::{SessionEvent, TextDelta};
use crate::log::{EventLog, weight};

/// The sinks of one session.
///
/// What waits for a sink is bounded by how much may be waiting before lines of the CLI are read
/// on. What the owner itself says (prompts, inputs, lifecycle) is queued at once: there are few of
/// these, and an answer must not wait for a slow reader. Text that is still being written is left
/// out while a sink is half behind; the whole message brings it. One who comes late reads the log
/// until it has caught up, and only then has a queue. A sink that holds up the session
/// and takes nothing at all for as long as it may is let go of.
#[derive(Debug)]
pub(super) struct Watchers {
    limit: usize,
    stall_limit: Option<Duration>,
    open: Vec<Watcher>,
    room: Arc<Notify>,
    /// How many went without having all of it.
    behind: usize,
    /// How many broke.
    panicked: usize,
}

#[derive(Debug)]
struct Watcher {
    queue: mpsc::UnboundedSender<Said>,
    pace: Arc<Pace>,
    ending: Arc<Ending>,
    task: JoinHandle<()>,
    /// Since when it holds up the session.
    held_up: Option<Instant>,
}

/// What is said to those who watch.
#[derive(Debug, Clone)]
pub(super) enum Said {
    /// It is in the log.
    Event(Arc<SessionEvent>),
    /// It is not.
    Delta(Arc<TextDelta>),
}

impl Said {
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Event(event) => weight(event),
            Self::Delta(delta) => delta.text.len() + 64,
        }
    }
}

impl Watcher {
    /// When it is let go of unless it takes something before.
    fn due(&self, limit: Duration) -> Option<Instant> {
        let since = self.held_up?.max(self.pace.took_at());
        since.checked_add(limit)
    }
}

impl Watchers {
    /// Nobody, with this many bytes for each that comes, and so long for each that takes nothing.
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

    /// Somebody comes. The log has events up to `latest`.
    pub(super) fn add(
        &mut self,
        session_id: i64,
        latest: u64,
        log: Arc<dyn EventLog>,
        listener: Box<dyn Listener>,
    ) -> Watch {
        let (queue, said) = mpsc::unbounded_channel();
        let (seen, room) = (listener.sequence(), Arc::clone(&self.room));
        let pace = Arc::new(Pace::new(self.limit, seen, latest, room));
        let ending = Arc::new(Ending::default());
        let forwarder = Forwarder {
            session_id,
            said,
            pace: Arc::clone(&pace),
            ending: Arc::clone(&ending),
        };
        let task = tokio::spawn(forwarder.run(listener, log));
        let watch = Watch::new(Arc::clone(&ending), task.abort_handle());
        self.open.push(Watcher {
            queue,
            pace,
            ending,
            task,
            held_up: None,
        });
        watch
    }

    /// Whether all of them can take more. One that took nothing for too long is let go of.
    pub(super) fn have_room(&mut self) -> bool {
        let (mut has_room, now) = (true, Instant::now());
        let stall_limit = self.stall_limit;
        self.keep(|watcher| {
            if watcher.queue.is_closed() {
                return false;
            }
            if !watcher.pace.holds_up() {
                watcher.held_up = None;
                return true;
            }
            watcher.held_up.get_or_insert(now);
            let due = stall_limit.and_then(|limit| watcher.due(limit));
            if due.is_some_and(|due| now >= due) {
                tracing::warn!("somebody who watches takes nothing, and is let go of");
                return false;
            }
            has_room = false;
            true
        });
        has_room
    }

    /// Lets go of those that are behind: they can catch up from the log.
    pub(super) fn leave_behind(&mut self) {
        self.keep(|watcher| !watcher.pace.holds_up());
    }

    /// Lets go of all others. Those that did not go by themselves are left behind.
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

    /// When to look again whether somebody took nothing for too long.
    pub(super) fn look_at(&self) -> Option<Instant> {
        let limit = self.stall_limit?;
        let due = self.open.iter().filter_map(|watcher| watcher.due(limit));
        due.min()
    }

    /// Whether nobody watches.
    pub(super) fn are_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Somebody who waits for room is told when there may be some.
    pub(super) fn room(&self) -> Arc<Notify> {
        Arc::clone(&self.room)
    }

    /// Tells all of them.
    pub(super) fn say(&mut self, said: &Said) {
        let weight = said.weight();
        for watcher in &self.open {
            if watcher.pace.queues(said, weight) {
                // One that is gone is let go of when room is looked for.
                let _ = watcher.queue.send(said.clone());
            }
        }
    }

    /// Nothing more will be said. Waits until all have got everything, for so long.
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

    /// How many went without having all of it, and did not break.
    pub(super) fn behind(&self) -> usize {
        self.behind
    }

    /// How many broke.
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
