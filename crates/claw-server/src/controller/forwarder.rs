//! Brings what is said to one sink.

use std::sync::Arc;

use rusty_claw::BoxFuture;
use tokio::sync::mpsc;

use super::pace::Pace;
use super::watchers::Said;
use super::watching::{Ending, WatchEnd};
use crate::event::SessionEvent;
use crate::log::{EventLog, PageLimit};
use crate::sink::{Delivery, Dialect, EventSink};

/// How much is read from the log at once for somebody who joins late, and held until the sink has
/// taken it.
pub(super) const PAGE: PageLimit = PageLimit::events(64).bytes(256 * 1024);

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
        self.pace.gone();
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
            pace.gives();
            let delivery = self.sink.send(message).await;
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
