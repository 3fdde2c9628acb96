//! How far a sink is behind what is said.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::watchers::Said;

/// How far a sink is behind, and when it last took something: what the session's loop and the one
/// who brings messages to the sink both know of it.
#[derive(Debug)]
pub(super) struct Pace {
    /// How many bytes it may be behind before the session reads no more.
    limit: usize,
    /// Somebody who waits for room is told when there may be some.
    room: Arc<Notify>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// When it last took a message while it held the session up; before that, when it came.
    took_at: Instant,
}

/// Where what is said to a sink comes from.
#[derive(Debug)]
enum Stage {
    /// It is brought what the log has, and nothing waits in memory for it.
    CatchingUp {
        /// Up to where the log has events.
        latest: u64,
        /// How many bytes were said since it came.
        postponed: usize,
        /// Whether the sink has a message, and has not taken it yet.
        is_sending: bool,
    },
    /// It has seen all that the log had, and is brought what waits in its queue.
    Live {
        /// How many bytes those are.
        waiting: usize,
    },
}

impl Stage {
    /// Whether the sink is so far behind that the session waits when the sink is what is slow.
    fn is_full(&self, limit: usize) -> bool {
        match self {
            Self::CatchingUp { postponed, .. } => *postponed >= limit,
            Self::Live { waiting } => *waiting >= limit,
        }
    }

    /// Whether the session waits for it. While it catches up, a slow sink holds the session up, so
    /// that the log does not forget what it has not seen; a slow log does not.
    fn holds_up(&self, limit: usize) -> bool {
        let is_sinks_turn = match self {
            Self::CatchingUp { is_sending, .. } => *is_sending,
            Self::Live { .. } => true,
        };
        is_sinks_turn && self.is_full(limit)
    }
}

impl Pace {
    /// Of one that has seen the events up to a sequence, of a session that has some up to `latest`.
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

    /// Whether the session waits for it.
    pub(super) fn holds_up(&self) -> bool {
        self.state().stage.holds_up(self.limit)
    }

    /// When it last took something while it held the session up.
    pub(super) fn took_at(&self) -> Instant {
        self.state().took_at
    }

    /// Whether something that is said now goes into its queue. If not, it reads it from the log
    /// later, and text that is still being written comes with the whole message.
    pub(super) fn queues(&self, said: &Said, weight: usize) -> bool {
        match &mut self.state().stage {
            Stage::CatchingUp {
                latest, postponed, ..
            } => {
                if let Said::Event(event) = said {
                    *latest = event.sequence;
                    *postponed += weight;
                }
                false
            }
            Stage::Live { waiting } => {
                if matches!(said, Said::Delta(_)) && *waiting > self.limit / 2 {
                    return false;
                }
                *waiting += weight;
                true
            }
        }
    }

    /// Up to where the log is to be read by one that has seen so much; nothing when it has all of
    /// it, and what is said from now on waits for it in its queue.
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

    /// Something that waited in its queue is done.
    pub(super) fn done(&self, weight: usize) {
        self.let_go_on(|state| {
            if let Stage::Live { waiting } = &mut state.stage {
                *waiting = waiting.saturating_sub(weight);
            }
        });
    }

    /// The sink is given a message.
    pub(super) fn gives(&self) {
        if let Stage::CatchingUp { is_sending, .. } = &mut self.state().stage {
            *is_sending = true;
        }
    }

    /// The sink has taken the message. Nobody asks for the time unless the session waits.
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

    /// The sink is gone, and holds up nobody.
    pub(super) fn gone(&self) {
        self.room.notify_one();
    }

    /// Whoever waits for room is told when this makes some.
    fn let_go_on(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let held_up = state.stage.holds_up(self.limit);
        change(&mut state);
        if held_up && !state.stage.holds_up(self.limit) {
            self.room.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::event::{Fact, Lifecycle, LifecycleState, SessionEvent, TextDelta};

    fn event(sequence: u64) -> Said {
        let ready = Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready));
        Said::Event(Arc::new(SessionEvent::new(sequence, 1, 0, ready)))
    }

    fn has_room(room: &Notify) -> bool {
        room.notified().now_or_never().is_some()
    }

    #[test]
    fn one_that_catches_up_has_no_queue_and_holds_up_only_with_a_message_in_hand() {
        let room = Arc::new(Notify::new());
        let pace = Pace::new(100, 0, 2, Arc::clone(&room));
        assert!(!pace.queues(&event(3), 60));
        assert!(!pace.queues(&event(4), 60));
        assert!(!pace.holds_up(), "its log may be what is slow");
        assert_eq!(pace.behind(2), Some(4));
        pace.gives();
        assert!(pace.holds_up());
        assert!(!has_room(&room));
        pace.took();
        assert!(!pace.holds_up());
        assert!(has_room(&room));
        // It has all of it, and begins anew with an empty queue.
        assert_eq!(pace.behind(4), None);
        pace.gives();
        assert!(!pace.holds_up());
        assert!(pace.queues(&event(5), 60));
    }

    #[test]
    fn one_that_is_there_holds_up_while_too_much_waits() {
        let room = Arc::new(Notify::new());
        let pace = Pace::new(100, 2, 2, Arc::clone(&room));
        let delta = Said::Delta(Arc::new(TextDelta::new(1, "msg_1", 0, 0, "Hi")));
        assert!(pace.queues(&delta, 10));
        assert!(pace.queues(&event(3), 45));
        assert!(!pace.queues(&delta, 10), "the whole message brings it");
        assert!(pace.queues(&event(4), 45), "an event is never left out");
        assert!(pace.holds_up());
        assert!(!has_room(&room));
        pace.done(10);
        assert!(!pace.holds_up());
        assert!(has_room(&room));
    }
}
