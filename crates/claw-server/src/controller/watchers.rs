//! Those who look at a session, each at its own pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rusty_claw::BoxFuture;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use crate::event::{SessionEvent, TextDelta};
use crate::log::{EventLog, weight};
use crate::sink::{Delivery, Dialect, EventSink};

/// How many events are read from the log at once for somebody who joins late.
const PAGE: usize = 64;

/// The sinks of one session.
///
/// What waits for a sink is bounded by how much may be waiting before lines of the CLI are read
/// on. What the owner itself says (prompts, inputs, lifecycle) is queued at once: there are few of
/// these, and an answer must not wait for a slow reader. Text that is still being written is left
/// out while a sink is half behind; the whole message brings it.
#[derive(Debug)]
pub(super) struct Watchers {
    limit: usize,
    open: Vec<Watcher>,
    room: Arc<Notify>,
    panicked: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Watcher {
    queue: mpsc::UnboundedSender<Said>,
    waiting: Arc<AtomicUsize>,
    task: JoinHandle<()>,
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
    fn weight(&self) -> usize {
        match self {
            Self::Event(event) => weight(event),
            Self::Delta(delta) => delta.text.len() + 64,
        }
    }
}

impl Watchers {
    /// Nobody, with this many bytes for each that comes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            open: Vec::new(),
            room: Arc::new(Notify::new()),
            panicked: Arc::default(),
        }
    }

    /// Somebody comes. The log has events up to `latest`.
    pub(super) fn add(
        &mut self,
        session_id: i64,
        latest: u64,
        log: Arc<dyn EventLog>,
        listener: Box<dyn Listener>,
    ) {
        let (queue, said) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let forwarder = Forwarder {
            session_id,
            listener,
            said,
            waiting: Arc::clone(&waiting),
            limit: self.limit,
            room: Arc::clone(&self.room),
            panicked: Arc::clone(&self.panicked),
        };
        let task = tokio::spawn(forwarder.run(log, latest));
        self.open.push(Watcher {
            queue,
            waiting,
            task,
        });
    }

    /// Whether all of them can take more.
    pub(super) fn have_room(&mut self) -> bool {
        self.open.retain(|watcher| !watcher.queue.is_closed());
        let limit = self.limit;
        let has_room = |watcher: &Watcher| watcher.waiting.load(Ordering::Acquire) < limit;
        self.open.iter().all(has_room)
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
            let waiting = watcher.waiting.load(Ordering::Acquire);
            if matches!(said, Said::Delta(_)) && waiting > self.limit / 2 {
                continue;
            }
            watcher.waiting.fetch_add(weight, Ordering::AcqRel);
            // One that is gone is let go of when room is looked for.
            let _ = watcher.queue.send(said.clone());
        }
    }

    /// Nothing more will be said. Waits until all have got everything, for so long; says how many
    /// have not.
    pub(super) async fn finish(&mut self, limit: Duration) -> usize {
        let mut tasks = Vec::new();
        for Watcher { queue, task, .. } in self.open.drain(..) {
            drop(queue);
            tasks.push(task);
        }
        let until = tokio::time::Instant::now() + limit;
        let mut behind = 0;
        for mut task in tasks {
            if tokio::time::timeout_at(until, &mut task).await.is_err() {
                task.abort();
                behind += 1;
            }
        }
        behind
    }

    /// How many have panicked.
    pub(super) fn panicked(&self) -> usize {
        self.panicked.load(Ordering::Acquire)
    }

    /// Lets go of those that are behind: they can catch up from the log. Says how many.
    pub(super) fn leave_behind(&mut self) -> usize {
        let before = self.open.len();
        let limit = self.limit;
        self.open.retain(|watcher| {
            let keeps_up = watcher.waiting.load(Ordering::Acquire) < limit;
            if !keeps_up {
                watcher.task.abort();
            }
            keeps_up
        });
        before - self.open.len()
    }
}

/// Turns what is said into messages, and brings them to one sink.
struct Forwarder {
    session_id: i64,
    listener: Box<dyn Listener>,
    said: mpsc::UnboundedReceiver<Said>,
    waiting: Arc<AtomicUsize>,
    limit: usize,
    room: Arc<Notify>,
    panicked: Arc<AtomicUsize>,
}

impl Forwarder {
    async fn run(mut self, log: Arc<dyn EventLog>, latest: u64) {
        if self.catch_up(log.as_ref(), latest).await == Delivery::Taken {
            drop(log);
            while let Some(said) = self.said.recv().await {
                let delivery = self.listener.bring(&said).await;
                let weight = said.weight();
                let before = self.waiting.fetch_sub(weight, Ordering::AcqRel);
                if before >= self.limit && before - weight < self.limit {
                    self.room.notify_one();
                }
                if delivery == Delivery::Closed {
                    break;
                }
            }
        }
    }

    async fn catch_up(&mut self, log: &dyn EventLog, latest: u64) -> Delivery {
        let mut seen = self.listener.sequence();
        while seen < latest {
            let page = match log.read(self.session_id, seen, PAGE).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::warn!(%error, "a reader who joined late misses what came before");
                    return Delivery::Taken;
                }
            };
            let Some(last) = page.last() else { break };
            seen = last.sequence;
            for event in page {
                if self.listener.bring(&Said::Event(event)).await == Delivery::Closed {
                    return Delivery::Closed;
                }
            }
        }
        Delivery::Taken
    }
}

/// A sink that is gone must not hold anybody up, however it went: it may have panicked.
impl Drop for Forwarder {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.panicked.fetch_add(1, Ordering::AcqRel);
        }
        self.said.close();
        self.room.notify_one();
    }
}

/// One who listens: a dialect, and a sink that takes its messages.
pub(super) trait Listener: Send {
    fn bring<'a>(&'a mut self, said: &'a Said) -> BoxFuture<'a, Delivery>;

    /// The sequence of the last event that it has seen.
    fn sequence(&self) -> u64;
}

/// A sink that is spoken to in a dialect.
pub(super) struct Spoken<D, S> {
    pub(super) dialect: D,
    pub(super) sink: S,
}

impl<D: Dialect, S: EventSink<D::Message>> Listener for Spoken<D, S> {
    fn bring<'a>(&'a mut self, said: &'a Said) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            let mut messages = Vec::new();
            match said {
                Said::Event(event) => self.dialect.event(event, &mut messages),
                Said::Delta(delta) => self.dialect.delta(delta, &mut messages),
            }
            for message in messages {
                if self.sink.send(message).await == Delivery::Closed {
                    return Delivery::Closed;
                }
            }
            Delivery::Taken
        })
    }

    fn sequence(&self) -> u64 {
        self.dialect.sequence()
    }
}
