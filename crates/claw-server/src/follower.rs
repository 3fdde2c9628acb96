//! Follows sessions in any log.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;

use crate::controller::{ControllerError, WatchEnd};
use crate::log::{EventLog, LogUpdate};
use crate::sequenced::{Sequenced, SequencedMessage};
use crate::session_id::SessionId;
use crate::sink::{Delivery, Dialect, EventSink};

/// A projection is kept after this many events.
const KEEP_EVERY: u64 = 64;
/// How many projections are kept in all, and for each session.
const KEPT: usize = 1024;
const KEPT_FOR_EACH: usize = 8;

/// Sends the messages of sessions to clients from a log. The sessions may run in any process, or
/// have ended.
///
/// It keeps a few recent projections of each session. A client that reconnects starts with the
/// latest one before its cursor, or with the first event if there is none. Use one follower for all
/// clients whose dialect starts in the same state.
///
/// ```no_run
/// use claw_server::{Follower, MemoryLog, SessionId, UiProjection};
/// use std::sync::Arc;
///
/// # async fn example(log: Arc<MemoryLog>, session: SessionId) -> Result<(), Box<dyn std::error::Error>> {
/// let follower = Follower::new(log, |_| UiProjection::new(1));
/// let (sink, mut messages) = tokio::sync::mpsc::channel(64);
/// tokio::spawn(async move { follower.follow(session, 0, sink).await });
/// while let Some(sequenced) = messages.recv().await {
///     println!("{}: {}", sequenced.after, sequenced.message.name());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Follower<D> {
    log: Arc<dyn EventLog>,
    start: Box<dyn Fn(SessionId) -> D + Send + Sync>,
    /// Oldest first.
    kept: Mutex<VecDeque<(SessionId, D)>>,
}

impl<D> std::fmt::Debug for Follower<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").finish_non_exhaustive()
    }
}

impl<D: Dialect + Clone> Follower<D> {
    /// Follows sessions in a log. `start` returns a dialect in its initial state.
    pub fn new(
        log: Arc<dyn EventLog>,
        start: impl Fn(SessionId) -> D + Send + Sync + 'static,
    ) -> Self {
        Self {
            log,
            start: Box::new(start),
            kept: Mutex::default(),
        }
    }

    /// Sends a session to a sink, from a cursor on: 0 the first time, later the last one that
    /// increased; see [`SequencedMessage`]. Runs until the sink is closed, the log fails, or the
    /// log deletes the session.
    ///
    /// # Errors
    /// The cursor is ahead of the log, or the log cannot be read.
    ///
    /// If the future is dropped, the client can resume from its cursor.
    pub async fn follow(
        &self,
        session_id: SessionId,
        after: u64,
        mut sink: impl EventSink<SequencedMessage<D::Message>>,
    ) -> Result<WatchEnd, ControllerError> {
        let latest = self.log.latest(session_id).await?.sequence;
        if after > latest {
            return Err(ControllerError::AheadOfLog {
                session_id,
                after,
                latest,
            });
        }
        let dialect = self.latest_kept(session_id, after);
        let dialect = dialect.unwrap_or_else(|| (self.start)(session_id));
        let mut kept_at = dialect.sequence();
        let mut dialect = Sequenced::new(dialect, after);
        let mut updates = self.log.subscribe(session_id, dialect.sequence()).await?;
        let mut messages = Vec::new();
        while let Some(update) = updates.next().await {
            match update {
                Ok(LogUpdate::Event(event)) => dialect.event(&event, &mut messages),
                Ok(LogUpdate::Delta(delta)) => dialect.delta(&delta, &mut messages),
                Err(error) => return Ok(WatchEnd::LogFailed(error)),
            }
            for message in messages.drain(..) {
                if sink.send(message).await == Delivery::Closed {
                    return Ok(WatchEnd::SinkClosed);
                }
            }
            if dialect.sequence() >= kept_at + KEEP_EVERY && dialect.is_settled() {
                kept_at = dialect.sequence();
                self.keep(session_id, dialect.dialect().clone());
            }
        }
        Ok(WatchEnd::SessionEnded)
    }

    /// Returns the latest projection that is not ahead of a cursor.
    fn latest_kept(&self, session_id: SessionId, after: u64) -> Option<D> {
        let kept = self.kept();
        let usable = kept
            .iter()
            .filter(|(id, dialect)| *id == session_id && dialect.sequence() <= after);
        let latest = usable.max_by_key(|(_, dialect)| dialect.sequence());
        latest.map(|(_, dialect)| dialect.clone())
    }

    fn keep(&self, session_id: SessionId, dialect: D) {
        let mut kept = self.kept();
        let own = |kept: &(SessionId, D)| kept.0 == session_id;
        if kept
            .iter()
            .any(|one| own(one) && one.1.sequence() == dialect.sequence())
        {
            return;
        }
        if kept.iter().filter(|one| own(one)).count() >= KEPT_FOR_EACH {
            let mut sequences: Vec<u64> = kept
                .iter()
                .filter(|one| own(one))
                .map(|one| one.1.sequence())
                .collect();
            sequences.sort_unstable();
            let dropped = least_useful(&sequences);
            kept.retain(|one| !own(one) || one.1.sequence() != dropped);
        } else if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((session_id, dialect));
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(SessionId, D)>> {
        // Nothing panics while the lock is held, unless a dialect does.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the sequence whose projection saves the least, of rising ones. The others stay close
/// together near the end, where most clients reconnect, and far apart before.
fn least_useful(sequences: &[u64]) -> u64 {
    let newest = sequences.last().copied().unwrap_or_default();
    let before = std::iter::once(&0).chain(sequences);
    let between = sequences.iter().zip(before).zip(&sequences[1..]);
    let value = |((sequence, before), after): &((&u64, &u64), &u64)| {
        let saved = (*after - *before) as f64;
        saved / (newest - *sequence + KEEP_EVERY) as f64
    };
    let least = between.min_by(|a, b| value(a).total_cmp(&value(b)));
    least.map_or(newest, |((sequence, _), _)| *sequence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_projections_are_dense_near_the_end_and_sparse_before() {
        let mut kept = Vec::new();
        let mut keep = |sequence| {
            kept.push(sequence);
            kept.sort_unstable();
            if kept.len() > KEPT_FOR_EACH {
                let dropped = least_useful(&kept);
                kept.retain(|one| *one != dropped);
            }
            kept.clone()
        };
        for step in 1..=1000 {
            keep(step * KEEP_EVERY);
        }
        // A client that starts from the beginning passes all of them again.
        let mut last = Vec::new();
        for step in 1..=1000 {
            last = keep(step * KEEP_EVERY - 7);
        }
        let end = 1000 * KEEP_EVERY;
        for behind in [0, 2, 10, 100, 500] {
            let cursor = end - behind * KEEP_EVERY;
            let start = last.iter().rev().find(|kept| **kept <= cursor);
            let replayed = cursor - start.copied().unwrap_or(0);
            assert!(
                replayed <= (2 * behind + 4) * KEEP_EVERY,
                "{behind}: {replayed} events, {last:?}"
            );
        }
    }
}
