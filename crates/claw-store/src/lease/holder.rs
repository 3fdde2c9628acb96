//! The state of a lease, by the renewals of its own node.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use crate::node::NodeRef;
use crate::store::Store;

/// The state of a lease, as seen by its own node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeaseState {
    /// No other node can have counted it as dead.
    Live,
    /// Its renewals are late, and other nodes may soon take its sessions: suspend child processes.
    Doubt,
    /// Other nodes own its sessions, or will: kill child processes and drop all claims.
    /// This state is final.
    Dead,
}

/// Shared by the lease, its renewals and the search for orphans.
pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    pub(super) node: NodeRef,
    pub(super) term: Duration,
    pub(super) holder: Mutex<Holder>,
}

/// The renewals of a node, by its monotonic clock.
#[derive(Debug)]
pub(super) struct Holder {
    term: Duration,
    /// When the last acknowledged renewal was sent.
    good: Instant,
    last_ack: Instant,
    /// Since when all renewals have been in time.
    steady: Instant,
    is_lost: bool,
}

impl Holder {
    pub(super) fn new(term: Duration, sent: Instant, acked: Instant) -> Self {
        Self {
            term,
            good: sent,
            last_ack: acked,
            steady: acked,
            is_lost: false,
        }
    }

    /// Records an acknowledged renewal.
    pub(super) fn succeed(&mut self, sent: Instant, acked: Instant) {
        if self.state(acked) == LeaseState::Dead {
            // The child processes are killed: the lease must not become live again.
            self.is_lost = true;
            return;
        }
        if acked - self.last_ack > self.late_after() {
            self.steady = acked;
        }
        self.last_ack = acked;
        self.good = self.good.max(sent);
    }

    /// Records a renewal that failed.
    pub(super) fn fail(&mut self, now: Instant) {
        self.steady = now;
    }

    /// Records that another incarnation of the node has written the record.
    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    pub(super) fn state(&self, now: Instant) -> LeaseState {
        self.state_until(now).0
    }

    /// Returns the state, and when it changes if no renewal succeeds.
    pub(super) fn state_until(&self, now: Instant) -> (LeaseState, Instant) {
        let doubt = self.good + self.term * 7 / 10;
        let dead = self.good + 3 * self.term;
        if self.is_lost || now >= dead {
            (LeaseState::Dead, dead)
        } else if now >= doubt {
            (LeaseState::Doubt, dead)
        } else {
            (LeaseState::Live, doubt)
        }
    }

    /// Returns since when all renewals have been in time, unless one is late now.
    pub(super) fn steady_since(&self, now: Instant) -> Option<Instant> {
        let is_late = now - self.last_ack > self.late_after();
        (!is_late && !self.is_lost).then_some(self.steady)
    }

    /// Two periods without an acknowledgement.
    fn late_after(&self) -> Duration {
        self.term * 2 / 5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LeaseState::{Dead, Doubt, Live};

    /// Times are in hundredths of the term.
    enum Step {
        /// A renewal was sent at the first time and acknowledged at the second.
        Ack(u64, u64),
        Fail(u64),
        Lose,
    }
    use Step::{Ack, Fail, Lose};

    #[test]
    fn state_follows_the_sending_time_of_the_last_acknowledged_renewal() {
        let cases: &[(&[Step], u64, LeaseState, Option<u64>)] = &[
            (&[], 0, Live, Some(0)),
            (&[], 39, Live, Some(0)),
            (&[], 41, Live, None),
            (&[], 69, Live, None),
            (&[], 70, Doubt, None),
            (&[], 299, Doubt, None),
            (&[], 300, Dead, None),
            // The sending time counts, not that of the acknowledgement.
            (&[Ack(20, 60)], 89, Live, Some(60)),
            (&[Ack(20, 60)], 90, Doubt, Some(60)),
            (&[Ack(20, 21), Ack(40, 41), Ack(60, 61)], 100, Live, Some(0)),
            (&[Ack(20, 21), Fail(40), Ack(45, 46)], 50, Live, Some(40)),
            // A late renewal ends the doubt, and restarts the count.
            (&[Ack(200, 201)], 202, Live, Some(201)),
            (&[Ack(20, 21), Ack(70, 71)], 72, Live, Some(71)),
            // An acknowledgement after the end does not revive the lease.
            (&[Ack(299, 301)], 302, Dead, None),
            (&[Ack(20, 21), Lose], 22, Dead, None),
        ];
        let start = Instant::now();
        let at = |time| start + Duration::from_millis(time);
        for (number, (steps, now, state, steady)) in cases.iter().enumerate() {
            let mut holder = Holder::new(Duration::from_millis(100), start, start);
            for step in *steps {
                match *step {
                    Ack(sent, acked) => holder.succeed(at(sent), at(acked)),
                    Fail(time) => holder.fail(at(time)),
                    Lose => holder.lose(),
                }
            }
            assert_eq!(holder.state(at(*now)), *state, "case {number}");
            assert_eq!(
                holder.steady_since(at(*now)),
                steady.map(at),
                "case {number}"
            );
        }
    }
}
