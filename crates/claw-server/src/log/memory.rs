//! Events in memory.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream;
use rusty_claw::BoxFuture;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::weight::weight;
use super::{
    Checkpoint, EventLog, Fence, Latest, LogError, LogStream, LogUpdate, PageLimit, SessionList,
};
use crate::event::{Fact, SessionEvent, TextDelta};
use crate::session_id::SessionId;

/// Number of updates that a follower may be behind before it reads the log again.
const LIVE: usize = 256;
/// How much a follower reads at once.
const PAGE: PageLimit = PageLimit::events(64).bytes(256 * 1024);

/// Stores the latest events of each session, for the life of the process.
///
/// Each session has a limit. Older events are dropped, and a reader that is too late for them
/// receives a [`UiMessage::Gap`](crate::UiMessage::Gap). Clones share the events.
#[derive(Debug, Clone)]
pub struct MemoryLog {
    bytes_for_each: usize,
    sessions: Arc<Mutex<BTreeMap<SessionId, Kept>>>,
}

#[derive(Debug, Default)]
struct Kept {
    tenant: String,
    events: VecDeque<Arc<SessionEvent>>,
    bytes: usize,
    latest: Latest,
    checkpoint: Option<Checkpoint>,
    /// Set while the session has followers.
    live: Option<broadcast::Sender<LogUpdate>>,
}

impl Kept {
    /// Appends events, or finds that they were appended before.
    fn append(&mut self, fence: Fence, events: &[Arc<SessionEvent>]) -> Result<(), LogError> {
        if fence.epoch < self.latest.epoch {
            return Err(LogError::Fenced);
        }
        if fence.expected_last != self.latest.sequence {
            // Two owners may have created equal events, so only the same ones are a repeat.
            let from = self.after(fence.expected_last);
            let is_repeat = fence.expected_last < self.latest.sequence
                && self.events.len() - from == events.len()
                && std::iter::zip(self.events.range(from..), events)
                    .all(|(one, other)| Arc::ptr_eq(one, other));
            return if is_repeat {
                Ok(())
            } else {
                Err(LogError::Fenced)
            };
        }
        for event in events {
            if let Fact::Opened(opened) = &event.fact {
                self.tenant.clone_from(&opened.tenant);
            }
            self.bytes += weight(event);
            self.latest.sequence = event.sequence;
            self.events.push_back(Arc::clone(event));
            self.publish(LogUpdate::Event(Arc::clone(event)));
        }
        self.latest.epoch = fence.epoch;
        Ok(())
    }

    /// Returns the index of the first event after a sequence.
    fn after(&self, sequence: u64) -> usize {
        self.events
            .partition_point(|event| event.sequence <= sequence)
    }

    fn publish(&mut self, update: LogUpdate) {
        if self
            .live
            .as_ref()
            .is_some_and(|live| live.send(update).is_err())
        {
            self.live = None;
        }
    }
}

impl Default for MemoryLog {
    /// A log that keeps 256 KiB for each session.
    fn default() -> Self {
        Self::keeping(256 * 1024)
    }
}

impl MemoryLog {
    /// A log that keeps about this many bytes for each session, and at least one event.
    #[must_use]
    pub fn keeping(bytes_for_each: usize) -> Self {
        Self {
            bytes_for_each,
            sessions: Arc::default(),
        }
    }

    /// Drops the events of a session.
    pub fn forget(&self, session_id: SessionId) {
        self.sessions().remove(&session_id);
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, Kept>> {
        // Nothing panics while the lock is held.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn page(&self, session_id: SessionId, after: u64, limit: PageLimit) -> Vec<Arc<SessionEvent>> {
        let sessions = self.sessions();
        let page = sessions
            .get(&session_id)
            .map(|kept| limit.page(kept.events.range(kept.after(after)..).cloned()));
        page.unwrap_or_default()
    }
}

fn ready<'a, T: Send + 'a>(result: Result<T, LogError>) -> BoxFuture<'a, Result<T, LogError>> {
    Box::pin(std::future::ready(result))
}

impl EventLog for MemoryLog {
    fn append<'a>(
        &'a self,
        session_id: SessionId,
        fence: Fence,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        let mut sessions = self.sessions();
        let kept = sessions.entry(session_id).or_default();
        let appended = kept.append(fence, events);
        while kept.bytes > self.bytes_for_each && kept.events.len() > 1 {
            if let Some(oldest) = kept.events.pop_front() {
                kept.bytes -= weight(&oldest);
            }
        }
        ready(appended)
    }

    fn read(
        &self,
        session_id: SessionId,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        ready(Ok(self.page(session_id, after, limit)))
    }

    fn latest(&self, session_id: SessionId) -> BoxFuture<'_, Result<Latest, LogError>> {
        let latest = self.sessions().get(&session_id).map(|kept| kept.latest);
        ready(Ok(latest.unwrap_or_default()))
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        from: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionList, LogError>> {
        let after: Option<SessionId> = from.and_then(|from| from.parse().ok());
        let sessions = self.sessions();
        let own = sessions
            .iter()
            .filter(|(id, kept)| kept.tenant == tenant && after.is_none_or(|after| **id > after));
        let sessions: Vec<SessionId> = own.map(|(id, _)| *id).take(limit).collect();
        let next = sessions.last().filter(|_| sessions.len() == limit);
        let next = next.map(SessionId::to_string);
        ready(Ok(SessionList { sessions, next }))
    }

    fn subscribe(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> BoxFuture<'_, Result<LogStream, LogError>> {
        let live = {
            let mut sessions = self.sessions();
            let kept = sessions.entry(session_id).or_default();
            let live = kept
                .live
                .get_or_insert_with(|| broadcast::Sender::new(LIVE));
            live.subscribe()
        };
        let follower = Follower {
            log: self.clone(),
            session_id,
            seen: after,
            live,
            page: VecDeque::new(),
            is_behind: true,
        };
        let updates = stream::unfold(follower, |mut follower| async {
            let update = follower.next().await?;
            Some((Ok(update), follower))
        });
        ready(Ok(Box::pin(updates)))
    }

    fn checkpoint(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Result<Option<Checkpoint>, LogError>> {
        let sessions = self.sessions();
        let kept = sessions.get(&session_id);
        ready(Ok(kept.and_then(|kept| kept.checkpoint.clone())))
    }

    fn save_checkpoint(
        &self,
        session_id: SessionId,
        epoch: u64,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        let mut sessions = self.sessions();
        let kept = sessions.entry(session_id).or_default();
        if epoch < kept.latest.epoch {
            return ready(Err(LogError::Fenced));
        }
        kept.checkpoint = Some(checkpoint);
        ready(Ok(()))
    }

    fn live(&self, session_id: SessionId, delta: &Arc<TextDelta>) {
        if let Some(kept) = self.sessions().get_mut(&session_id) {
            kept.publish(LogUpdate::Delta(Arc::clone(delta)));
        }
    }
}

/// Reads the log until it has caught up, then receives updates as they are published.
struct Follower {
    log: MemoryLog,
    session_id: SessionId,
    seen: u64,
    live: broadcast::Receiver<LogUpdate>,
    page: VecDeque<Arc<SessionEvent>>,
    is_behind: bool,
}

impl Follower {
    async fn next(&mut self) -> Option<LogUpdate> {
        loop {
            if self.is_behind && self.page.is_empty() {
                let page = self.log.page(self.session_id, self.seen, PAGE);
                self.is_behind = !page.is_empty();
                self.page = page.into();
            }
            if let Some(event) = self.page.pop_front() {
                self.seen = event.sequence;
                return Some(LogUpdate::Event(event));
            }
            match self.live.recv().await {
                Ok(LogUpdate::Event(event)) if event.sequence <= self.seen => {}
                Ok(LogUpdate::Event(event)) if event.sequence == self.seen + 1 => {
                    self.seen = event.sequence;
                    return Some(LogUpdate::Event(event));
                }
                Ok(LogUpdate::Delta(delta)) => return Some(LogUpdate::Delta(delta)),
                Ok(LogUpdate::Event(_)) | Err(RecvError::Lagged(_)) => self.is_behind = true,
                // The log has dropped the session.
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Fact;

    fn event(sequence: u64, bytes: usize) -> Arc<SessionEvent> {
        let line = format!("\"{}\"", "x".repeat(bytes));
        Arc::new(SessionEvent::new(
            sequence,
            1,
            0,
            Fact::message(line.into_bytes()),
        ))
    }

    fn append(log: &MemoryLog, event: Arc<SessionEvent>) {
        use futures_util::FutureExt as _;
        let fence = Fence {
            epoch: 1,
            expected_last: event.sequence - 1,
        };
        let events = [event];
        let appended = log.append(SessionId::from(1), fence, &events);
        appended.now_or_never().unwrap().unwrap();
    }

    #[test]
    fn of_two_owners_the_late_one_is_refused() {
        use futures_util::FutureExt as _;
        let log = MemoryLog::default();
        let append = |epoch, event: Arc<SessionEvent>| {
            let expected_last = event.sequence - 1;
            let fence = Fence {
                epoch,
                expected_last,
            };
            let events = [event];
            let appended = log.append(SessionId::from(1), fence, &events);
            appended.now_or_never().unwrap()
        };
        append(1, event(1, 1)).unwrap();
        let second = event(2, 1);
        append(1, Arc::clone(&second)).unwrap();
        // A repeated append is stored once; another event in its slot is refused.
        append(1, second).unwrap();
        assert_eq!(append(1, event(2, 1)), Err(LogError::Fenced));
        append(2, event(3, 1)).unwrap();
        assert_eq!(append(1, event(4, 1)), Err(LogError::Fenced));
        assert_eq!(sequences(&log, 0, 9), [1, 2, 3]);
    }

    fn sequences(log: &MemoryLog, after: u64, limit: usize) -> Vec<u64> {
        use futures_util::FutureExt as _;
        let read = log
            .read(SessionId::from(1), after, PageLimit::events(limit))
            .now_or_never()
            .unwrap()
            .unwrap();
        read.iter().map(|event| event.sequence).collect()
    }

    #[test]
    fn the_oldest_go_first_and_the_newest_never() {
        let log = MemoryLog::keeping(3 * weight(&event(1, 50)));
        for sequence in 1..=5 {
            append(&log, event(sequence, 50));
        }
        assert_eq!(sequences(&log, 0, 10), [3, 4, 5]);
        assert_eq!(sequences(&log, 3, 10), [4, 5]);
        assert_eq!(sequences(&log, 0, 2), [3, 4]);
        append(&log, event(6, 100_000));
        assert_eq!(sequences(&log, 0, 10), [6]);
        log.forget(SessionId::from(1));
        assert!(sequences(&log, 0, 10).is_empty());
    }
}
