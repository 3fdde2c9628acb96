//! Events in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use rusty_claw::BoxFuture;

use super::weight::weight;
use super::{EventLog, LogError, PageLimit};
use crate::event::SessionEvent;

/// Stores the latest events of each session, for the life of the process.
///
/// Each session has a limit. Older events are dropped, and a reader that is too late for them
/// receives a [`UiMessage::Gap`](crate::UiMessage::Gap).
#[derive(Debug)]
pub struct MemoryLog {
    bytes_for_each: usize,
    sessions: Mutex<HashMap<i64, Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Arc<SessionEvent>>,
    bytes: usize,
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
            sessions: Mutex::default(),
        }
    }

    /// Drops the events of a session.
    pub fn forget(&self, session_id: i64) {
        self.sessions().remove(&session_id);
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<i64, Kept>> {
        // Nothing panics while the lock is held.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for MemoryLog {
    fn append<'a>(
        &'a self,
        session_id: i64,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        let mut sessions = self.sessions();
        let kept = sessions.entry(session_id).or_default();
        let last = kept.events.back().map_or(0, |last| last.sequence);
        if events.first().is_some_and(|first| first.sequence <= last) {
            let taken = LogError::new(format!(
                "session {session_id} has another owner, who has written up to {last}: close this one"
            ));
            return Box::pin(std::future::ready(Err(taken)));
        }
        for event in events {
            kept.bytes += weight(event);
            kept.events.push_back(Arc::clone(event));
        }
        while kept.bytes > self.bytes_for_each && kept.events.len() > 1 {
            if let Some(oldest) = kept.events.pop_front() {
                kept.bytes -= weight(&oldest);
            }
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn read(
        &self,
        session_id: i64,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        let sessions = self.sessions();
        let events = sessions.get(&session_id).map(|kept| {
            let from = kept.events.partition_point(|event| event.sequence <= after);
            limit.page(kept.events.range(from..).cloned())
        });
        Box::pin(std::future::ready(Ok(events.unwrap_or_default())))
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

    #[test]
    fn of_two_owners_the_late_one_is_refused() {
        use futures_util::FutureExt as _;
        let log = MemoryLog::default();
        let append = |event| log.append(1, &[event]).now_or_never().unwrap();
        assert!(append(event(1, 1)).is_ok());
        assert!(append(event(2, 1)).is_ok());
        let late = append(event(2, 1)).unwrap_err();
        assert!(late.to_string().contains("another owner"), "{late}");
        assert_eq!(sequences(&log, 0, 9), [1, 2]);
    }

    fn sequences(log: &MemoryLog, after: u64, limit: usize) -> Vec<u64> {
        use futures_util::FutureExt as _;
        let read = log
            .read(1, after, PageLimit::events(limit))
            .now_or_never()
            .unwrap()
            .unwrap();
        read.iter().map(|event| event.sequence).collect()
    }

    #[test]
    fn the_oldest_go_first_and_the_newest_never() {
        let log = MemoryLog::keeping(3 * weight(&event(1, 50)));
        for sequence in 1..=5 {
            drop(log.append(1, &[event(sequence, 50)]));
        }
        assert_eq!(sequences(&log, 0, 10), [3, 4, 5]);
        assert_eq!(sequences(&log, 3, 10), [4, 5]);
        assert_eq!(sequences(&log, 0, 2), [3, 4]);
        drop(log.append(1, &[event(6, 100_000)]));
        assert_eq!(sequences(&log, 0, 10), [6]);
        log.forget(1);
        assert!(sequences(&log, 0, 10).is_empty());
    }
}
