//! Delivers updates to one sink.

use std::sync::Arc;

use rusty_claw::BoxFuture;
use tokio::sync::mpsc;

use super::backpressure::Backpressure;
use super::watching::{Ending, WatchEnd};
use crate::event::SessionEvent;
use crate::log::{EventLog, LogUpdate, PageLimit};
use crate::session_id::SessionId;
use crate::sink::{Delivery, Dialect, EventSink};

/// How much is read from the log at once for a sink that catches up, and held until the sink has
/// accepted it.
pub(super) const PAGE: PageLimit = PageLimit::events(64).bytes(256 * 1024);

/// Converts updates to messages and delivers them to one sink.
pub(super) struct Forwarder {
    pub(super) session_id: SessionId,
    pub(super) updates: mpsc::UnboundedReceiver<LogUpdate>,
    pub(super) backpressure: Arc<Backpressure>,
    pub(super) ending: Arc<Ending>,
}

impl Forwarder {
    /// Runs until the session or the sink is gone.
    ///
    /// In every case the listener is dropped before the end of the watch is reported.
    pub(super) async fn run(mut self, mut listener: Box<dyn Listener>, log: Arc<dyn EventLog>) {
        let end = self.deliver_all(listener.as_mut(), log).await;
        self.ending.because(end);
    }

    async fn deliver_all(
        &mut self,
        listener: &mut dyn Listener,
        log: Arc<dyn EventLog>,
    ) -> WatchEnd {
        if let Err(end) = self.catch_up(listener, log.as_ref()).await {
            return end;
        }
        drop(log);
        while let Some(update) = self.updates.recv().await {
            let delivery = listener.deliver(&update, &self.backpressure).await;
            self.backpressure.done(update.weight());
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
        while let Some(latest) = self.backpressure.behind(seen) {
            let page = log.read(self.session_id, seen, PAGE).await;
            // End the stream rather than skip events; the client can resume.
            let page = page.map_err(WatchEnd::LogFailed)?;
            let delivery = match page.last() {
                Some(last) => {
                    seen = last.sequence;
                    self.page(listener, page).await
                }
                None => {
                    let from = seen + 1;
                    seen = latest;
                    listener.deliver_gap(from, latest, &self.backpressure).await
                }
            };
            if delivery == Delivery::Closed {
                return Err(WatchEnd::SinkClosed);
            }
            // A log in memory never yields, so let other tasks run.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn page(&self, listener: &mut dyn Listener, page: Vec<Arc<SessionEvent>>) -> Delivery {
        for event in page {
            if listener
                .deliver(&LogUpdate::Event(event), &self.backpressure)
                .await
                == Delivery::Closed
            {
                return Delivery::Closed;
            }
        }
        Delivery::Taken
    }
}

/// A sink that is gone, even after a panic, must not block the session.
impl Drop for Forwarder {
    fn drop(&mut self) {
        self.updates.close();
        self.ending.gone();
        self.backpressure.gone();
    }
}

pub(super) trait Listener: Send {
    fn deliver<'a>(
        &'a mut self,
        update: &'a LogUpdate,
        backpressure: &'a Backpressure,
    ) -> BoxFuture<'a, Delivery>;

    fn deliver_gap<'a>(
        &'a mut self,
        from: u64,
        to: u64,
        backpressure: &'a Backpressure,
    ) -> BoxFuture<'a, Delivery>;

    /// The sequence of the last event that it has seen.
    fn sequence(&self) -> u64;
}

pub(super) struct DialectSink<D, S> {
    pub(super) dialect: D,
    pub(super) sink: S,
}

impl<D: Dialect, S: EventSink<D::Message>> DialectSink<D, S> {
    async fn send(&mut self, messages: Vec<D::Message>, backpressure: &Backpressure) -> Delivery {
        for message in messages {
            backpressure.gives();
            let delivery = self.sink.send(message).await;
            if delivery == Delivery::Closed {
                return Delivery::Closed;
            }
            backpressure.took();
        }
        Delivery::Taken
    }
}

impl<D: Dialect, S: EventSink<D::Message>> Listener for DialectSink<D, S> {
    fn deliver<'a>(
        &'a mut self,
        update: &'a LogUpdate,
        backpressure: &'a Backpressure,
    ) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            let mut messages = Vec::new();
            match update {
                LogUpdate::Event(event) => self.dialect.event(event, &mut messages),
                LogUpdate::Delta(delta) => self.dialect.delta(delta, &mut messages),
            }
            self.send(messages, backpressure).await
        })
    }

    fn deliver_gap<'a>(
        &'a mut self,
        from: u64,
        to: u64,
        backpressure: &'a Backpressure,
    ) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            let mut messages = Vec::new();
            self.dialect.gap(from, to, &mut messages);
            self.send(messages, backpressure).await
        })
    }

    fn sequence(&self) -> u64 {
        self.dialect.sequence()
    }
}
