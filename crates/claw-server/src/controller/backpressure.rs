//! How far a sink is behind its session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::log::LogUpdate;

/// How far a sink is behind, and when it last accepted a message. Shared by the loop of the session
/// and the forwarder of the sink.
#[derive(Debug)]
pub(super) struct Backpressure {
    /// How many bytes it may be behind before the session stops reading.
    limit: usize,
    room: Arc<Notify>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// When it last accepted a message while it was full; initially when it was added.
    took_at: Instant,
}

/// Where the updates of a sink come from.
#[derive(Debug)]
enum Stage {
    CatchingUp {
        /// The sequence of the last event in the log.
        latest: u64,
        /// Bytes of the events since it was added.
        postponed: usize,
        /// Whether the sink has not accepted its current message yet.
        is_sending: bool,
    },
    Live {
        waiting: usize,
    },
}

impl Stage {
    /// Whether the sink is so far behind that the session waits if it is the sink that is slow.
    fn is_full(&self, limit: usize) -> bool {
        match self {
            Self::CatchingUp { postponed, .. } => *postponed >= limit,
            Self::Live { waiting } => *waiting >= limit,
        }
    }

    /// Whether the session waits for it. While it catches up, a slow sink blocks the session, so
    /// that the log does not drop events that it has not seen; a slow log does not.
    fn holds_up(&self, limit: usize) -> bool {
        let is_sinks_turn = match self {
            Self::CatchingUp { is_sending, .. } => *is_sending,
            Self::Live { .. } => true,
        };
        is_sinks_turn && self.is_full(limit)
    }
}

impl Backpressure {
    /// For a sink that has seen events up to `seen`, in a session that has events up to `latest`.
    pub(super) fn new(limit: usize, seen: u64, latest: u64, room: Arc<Notify>) -> Self {
        let stage = match seen < latest {
            true => Stage::CatchingUp {
                latest,
                postponed: 0,
                is_sending: false,
            },
            false => Stage::Live { waiting: 0 },
        };
        let took_at = Instant::now();
        Self {
            limit,
            room,
            state: Mutex::new(State { stage, took_at }),
        }
    }

    pub(super) fn holds_up(&self) -> bool {
        self.state().stage.holds_up(self.limit)
    }

    /// When it last accepted a message while it was full.
    pub(super) fn took_at(&self) -> Instant {
        self.state().took_at
    }

    /// Whether an update goes into its queue. If not, it reads the event from the log later, and
    /// the complete message has the text of a delta.
    pub(super) fn queues(&self, update: &LogUpdate, weight: usize) -> bool {
        match &mut self.state().stage {
            Stage::CatchingUp {
                latest, postponed, ..
            } => {
                if let LogUpdate::Event(event) = update {
                    *latest = event.sequence;
                    *postponed += weight;
                }
                false
            }
            Stage::Live { waiting } => {
                if matches!(update, LogUpdate::Delta(_)) && *waiting > self.limit / 2 {
                    return false;
                }
                *waiting += weight;
                true
            }
        }
    }

    /// Returns up to where a sink that has seen `seen` must read the log. `None` if it has caught
    /// up: from then on, updates are queued for it.
    pub(super) fn behind(&self, seen: u64) -> Option<u64> {
        let stage = &mut self.state().stage;
        match stage {
            Stage::CatchingUp { latest, .. } if seen < *latest => Some(*latest),
            Stage::CatchingUp { .. } => {
                *stage = Stage::Live { waiting: 0 };
                None
            }
            Stage::Live { .. } => None,
        }
    }

    pub(super) fn done(&self, weight: usize) {
        self.let_go_on(|state| {
            if let Stage::Live { waiting } = &mut state.stage {
                *waiting = waiting.saturating_sub(weight);
            }
        });
    }

    pub(super) fn gives(&self) {
        if let Stage::CatchingUp { is_sending, .. } = &mut self.state().stage {
            *is_sending = true;
        }
    }

    /// The sink has accepted the message. Reads the clock only if it is full.
    pub(super) fn took(&self) {
        self.let_go_on(|state| {
            if state.stage.is_full(self.limit) {
                state.took_at = Instant::now();
            }
            if let Stage::CatchingUp { is_sending, .. } = &mut state.stage {
                *is_sending = false;
            }
        });
    }

    pub(super) fn gone(&self) {
        self.room.notify_one();
    }

    /// Applies a change, and notifies if that makes room.
    fn let_go_on(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let held_up = state.stage.holds_up(self.limit);
        change(&mut state);
        if held_up && !state.stage.holds_up(self.limit) {
            self.room.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::event::{Fact, Lifecycle, LifecycleState, SessionEvent, TextDelta};

    fn event(sequence: u64) -> LogUpdate {
        let ready = Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready));
        LogUpdate::Event(Arc::new(SessionEvent::new(sequence, 1, 0, ready)))
    }

    fn has_room(room: &Notify) -> bool {
        room.notified().now_or_never().is_some()
    }

    #[test]
    fn one_that_catches_up_has_no_queue_and_holds_up_only_with_a_message_in_hand() {
        let room = Arc::new(Notify::new());
        let backpressure = Backpressure::new(100, 0, 2, Arc::clone(&room));
        assert!(!backpressure.queues(&event(3), 60));
        assert!(!backpressure.queues(&event(4), 60));
        assert!(!backpressure.holds_up(), "its log may be what is slow");
        assert_eq!(backpressure.behind(2), Some(4));
        backpressure.gives();
        assert!(backpressure.holds_up());
        assert!(!has_room(&room));
        backpressure.took();
        assert!(!backpressure.holds_up());
        assert!(has_room(&room));
        // It has caught up, and starts with an empty queue.
        assert_eq!(backpressure.behind(4), None);
        backpressure.gives();
        assert!(!backpressure.holds_up());
        assert!(backpressure.queues(&event(5), 60));
    }

    #[test]
    fn one_that_is_there_holds_up_while_too_much_waits() {
        let room = Arc::new(Notify::new());
        let backpressure = Backpressure::new(100, 2, 2, Arc::clone(&room));
        let delta = LogUpdate::Delta(Arc::new(TextDelta::new(1, "msg_1", 0, 0, "Hi")));
        assert!(backpressure.queues(&delta, 10));
        assert!(backpressure.queues(&event(3), 45));
        assert!(
            !backpressure.queues(&delta, 10),
            "the whole message brings it"
        );
        assert!(
            backpressure.queues(&event(4), 45),
            "an event is never left out"
        );
        assert!(backpressure.holds_up());
        assert!(!has_room(&room));
        backpressure.done(10);
        assert!(!backpressure.holds_up());
        assert!(has_room(&room));
    }
}
