//! Brings what is said to one sink.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusty_claw::BoxFuture;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::watchers::Said;
use super::watching::{Ending, WatchEnd};
use crate::event::SessionEvent;
use crate::log::EventLog;
use crate::sink::{Delivery, Dialect, EventSink};

/// How many events are read from the log at once for somebody who joins late.
const PAGE: usize = 64;

/// How much waits for a sink, and when it last took something.
#[derive(Debug)]
pub(super) struct Pace {
    /// How many bytes may wait before the session reads no more.
    limit: usize,
    waiting: AtomicUsize,
    /// Up to where the log has events, while the sink is still being brought what came before: then
    /// nothing waits in memory for it.
    catching_up: Mutex<Option<u64>>,
    /// How many bytes were said meanwhile.
    postponed: AtomicUsize,
    /// Whether the sink has a message, and has not taken it yet.
    is_sending: AtomicBool,
    /// Somebody who waits for room is told when there may be some.
    room: Arc<Notify>,
    begun: Instant,
    /// When it last took a message while it held the session up, in milliseconds behind `begun`.
    took_ms: AtomicU64,
}

impl Pace {
    /// Of one that has seen the events up to a sequence, of a session that has some up to `latest`.
    pub(super) fn new(limit: usize, seen: u64, latest: u64, room: Arc<Notify>) -> Self {
        Self {
            limit,
            waiting: AtomicUsize::new(0),
            catching_up: Mutex::new((seen < latest).then_some(latest)),
            postponed: AtomicUsize::new(0),
            is_sending: AtomicBool::new(false),
            room,
            begun: Instant::now(),
            took_ms: AtomicU64::new(0),
        }
    }

    /// Whether the session waits for it. While it catches up, a slow sink holds the session up, so
    /// that the log does not forget what it has not seen; a slow log does not.
    pub(super) fn holds_up(&self) -> bool {
        self.waiting.load(Ordering::Acquire) >= self.limit
            || self.postponed.load(Ordering::Acquire) >= self.limit
                && self.is_sending.load(Ordering::Acquire)
    }

    /// Whether something that is said now is read from the log later.
    pub(super) fn postpones(&self, said: &Said) -> bool {
        let mut catching_up = self.catching_up();
        let Some(latest) = &mut *catching_up else {
            return false;
        };
        if let Said::Event(event) = said {
            *latest = event.sequence;
            self.postponed.fetch_add(said.weight(), Ordering::AcqRel);
        }
        true
    }

    /// Up to where the log is to be read by one that has seen so much; nothing when it has all of
    /// it, and what is said from now on waits for it in memory.
    fn behind(&self, seen: u64) -> Option<u64> {
        let mut catching_up = self.catching_up();
        if catching_up.is_some_and(|latest| seen >= latest) {
            *catching_up = None;
            self.postponed.store(0, Ordering::Release);
        }
        *catching_up
    }

    fn catching_up(&self) -> MutexGuard<'_, Option<u64>> {
        // Nothing in here panics half way.
        let guard = self.catching_up.lock();
        guard.unwrap_or_else(PoisonError::into_inner)
    }

    /// The sink is given a message, or has taken it.
    fn sending(&self, is_sending: bool) {
        let waited = self.holds_up();
        self.is_sending.store(is_sending, Ordering::Release);
        if waited && !self.holds_up() {
            self.room.notify_one();
        }
    }

    /// Whether it is so far behind that it gets no text that is still being written.
    pub(super) fn is_half_behind(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > self.limit / 2
    }

    pub(super) fn add(&self, weight: usize) {
        self.waiting.fetch_add(weight, Ordering::AcqRel);
    }

    /// Something that waited is done.
    fn done(&self, weight: usize) {
        let before = self.waiting.fetch_sub(weight, Ordering::AcqRel);
        if before >= self.limit && before - weight < self.limit {
            self.room.notify_one();
        }
    }

    /// It took a message. Nobody asks for the time unless the session waits.
    fn took(&self) {
        if self.holds_up() {
            let millis = self.begun.elapsed().as_millis();
            let millis = u64::try_from(millis).unwrap_or(u64::MAX);
            self.took_ms.store(millis, Ordering::Release);
        }
    }

    /// When it last took something while it held the session up.
    pub(super) fn took_at(&self) -> Instant {
        let took = self.took_ms.load(Ordering::Acquire);
        self.begun + std::time::Duration::from_millis(took)
    }
}

/// Turns what is said into messages, and brings them to one sink.
pub(super) struct Forwarder {
    pub(super) session_id: i64,
    pub(super) said: mpsc::UnboundedReceiver<Said>,
    pub(super) pace: Arc<Pace>,
    pub(super) ending: Arc<Ending>,
}

impl Forwarder {
    /// Runs until the session or the sink is gone.
    ///
    /// However it ends, the listener goes first, and then this says that it is gone.
    pub(super) async fn run(mut self, mut listener: Box<dyn Listener>, log: Arc<dyn EventLog>) {
        let end = self.bring_all(listener.as_mut(), log).await;
        self.ending.because(end);
    }

    async fn bring_all(&mut self, listener: &mut dyn Listener, log: Arc<dyn EventLog>) -> WatchEnd {
        if let Err(end) = self.catch_up(listener, log.as_ref()).await {
            return end;
        }
        drop(log);
        while let Some(said) = self.said.recv().await {
            let delivery = listener.bring(&said, &self.pace).await;
            self.pace.done(said.weight());
            if delivery == Delivery::Closed {
                return WatchEnd::SinkClosed;
            }
        }
        WatchEnd::SessionEnded
    }

    async fn catch_up(
        &mut self,
        listener: &mut dyn Listener,
        log: &dyn EventLog,
    ) -> Result<(), WatchEnd> {
        let mut seen = listener.sequence();
        while let Some(latest) = self.pace.behind(seen) {
            let page = log.read(self.session_id, seen, PAGE).await;
            // A hole would be worse: whoever is told that it is over can come again.
            let page = page.map_err(WatchEnd::LogFailed)?;
            let delivery = match page.last() {
                Some(last) => {
                    seen = last.sequence;
                    self.page(listener, page).await
                }
                None => {
                    let from = seen + 1;
                    seen = latest;
                    listener.miss(from, latest, &self.pace).await
                }
            };
            if delivery == Delivery::Closed {
                return Err(WatchEnd::SinkClosed);
            }
            // A log in memory never waits, and others want to run, too.
            tokio::task::yield_now().await;
        }
        self.pace.room.notify_one();
        Ok(())
    }

    async fn page(&self, listener: &mut dyn Listener, page: Vec<Arc<SessionEvent>>) -> Delivery {
        for event in page {
            if listener.bring(&Said::Event(event), &self.pace).await == Delivery::Closed {
                return Delivery::Closed;
            }
        }
        Delivery::Taken
    }
}

/// A sink that is gone must not hold anybody up, however it went: it may have panicked.
impl Drop for Forwarder {
    fn drop(&mut self) {
        self.said.close();
        self.ending.gone();
        self.pace.room.notify_one();
    }
}

/// One who listens: a dialect, and a sink that takes its messages.
pub(super) trait Listener: Send {
    fn bring<'a>(&'a mut self, said: &'a Said, pace: &'a Pace) -> BoxFuture<'a, Delivery>;

    /// Events that the log should have are not there.
    fn miss<'a>(&'a mut self, from: u64, to: u64, pace: &'a Pace) -> BoxFuture<'a, Delivery>;

    /// The sequence of the last event that it has seen.
    fn sequence(&self) -> u64;
}

/// A sink that is spoken to in a dialect.
pub(super) struct Spoken<D, S> {
    pub(super) dialect: D,
    pub(super) sink: S,
}

impl<D: Dialect, S: EventSink<D::Message>> Spoken<D, S> {
    async fn send(&mut self, messages: Vec<D::Message>, pace: &Pace) -> Delivery {
        for message in messages {
            pace.sending(true);
            let delivery = self.sink.send(message).await;
            pace.sending(false);
            if delivery == Delivery::Closed {
                return Delivery::Closed;
            }
            pace.took();
        }
        Delivery::Taken
    }
}

impl<D: Dialect, S: EventSink<D::Message>> Listener for Spoken<D, S> {
    fn bring<'a>(&'a mut self, said: &'a Said, pace: &'a Pace) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            let mut messages = Vec::new();
            match said {
                Said::Event(event) => self.dialect.event(event, &mut messages),
                Said::Delta(delta) => self.dialect.delta(delta, &mut messages),
            }
            self.send(messages, pace).await
        })
    }

    fn miss<'a>(&'a mut self, from: u64, to: u64, pace: &'a Pace) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            let mut messages = Vec::new();
            self.dialect.gap(from, to, &mut messages);
            self.send(messages, pace).await
        })
    }

    fn sequence(&self) -> u64 {
        self.dialect.sequence()
    }
}
