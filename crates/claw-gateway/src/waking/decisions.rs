//! Decides what happens to a session. Does no I/O.

use std::time::Duration;

use claw_store::{ClaimReason, InteractionId, NodeRef, SessionRow, SessionState};

/// The longest delay before a session that failed is started again, in units of the first one.
const LAST_DELAY: u32 = 50;
/// A run of at least this duration does not count as a failed start.
const STEADY: Duration = Duration::from_secs(10);
/// After this many failed starts in a row, the pending commands fail. Before the last of them, the
/// delay was the longest one.
const MAX_STARTS: u32 = 8;

/// The owner of a session, from the view of this process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This process has claimed it.
    Here,
    /// Another process owns it. If that process is dead, the session is taken over.
    Elsewhere,
    /// It has no owner, or its owner is an earlier process of this node.
    Free(ClaimReason),
    Ended,
}

pub(super) fn place(node: &NodeRef, claimed: Option<u64>, row: &SessionRow) -> Place {
    if row.state == SessionState::Ended {
        return Place::Ended;
    }
    let Some(owner) = &row.owner else {
        return Place::Free(ClaimReason::Open);
    };
    if claimed == Some(owner.epoch) {
        return Place::Here;
    }
    // A later incarnation has replaced this process, and this one must not fence it.
    let is_own = owner.node.node == node.node && owner.node.incarnation <= node.incarnation;
    match is_own {
        true => Place::Free(ClaimReason::Takeover),
        false => Place::Elsewhere,
    }
}

/// How a run of a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// The CLI was not started: the store failed, or the gateway shuts down.
    NotStarted,
    /// The CLI did not start.
    StartFailed { reason: String },
    /// The CLI failed to start too often, and the log has no queued inputs.
    GivenUp { reason: String },
    /// The CLI ended unexpectedly. If the log failed as well, it may have queued inputs.
    Lost { has_queued: bool, reason: String },
    /// It was put to sleep, perhaps with queued inputs in its log.
    Asleep { has_queued: bool },
    /// A call waits for an answer without a process.
    Parked {
        /// The interaction that must be answered.
        interaction: InteractionId,
        /// How its last process ended.
        reason: String,
    },
    /// It was closed.
    Closed,
    /// Another process owns it, or it was deleted.
    ClaimLost,
}

/// What happens to a session after a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    Release(SessionState),
    /// The store keeps the owner, so that another process or the next one takes the session over.
    Abandon,
    Restart,
}

/// Decides what follows from the end of a run, and whether commands or queued inputs are pending.
pub(super) fn next_step(end: &End, has_work: bool, is_leaving: bool) -> NextStep {
    match end {
        End::Closed => NextStep::Release(SessionState::Ended),
        End::ClaimLost => NextStep::Abandon,
        _ if is_leaving && has_work => NextStep::Abandon,
        _ if has_work => NextStep::Restart,
        _ => NextStep::Release(SessionState::Asleep),
    }
}

/// The failures of a session in a row.
#[derive(Debug, Default)]
pub(super) struct Failures {
    count: u32,
    /// Number of starts after which no command was applied.
    starts: u32,
    reason: String,
}

impl Failures {
    /// Records how a run ended, how long it took, and whether it has applied commands.
    pub(super) fn record(&mut self, end: &End, ran: Duration, has_applied: bool) {
        let is_short = ran < STEADY;
        let failed_start = match end {
            End::StartFailed { reason } => Some(reason),
            End::Lost { reason, .. } | End::Parked { reason, .. } if is_short && !has_applied => {
                Some(reason)
            }
            _ => None,
        };
        let is_failure = matches!(
            end,
            End::NotStarted | End::StartFailed { .. } | End::Lost { .. } | End::Parked { .. }
        );
        self.count = match is_failure && is_short {
            true => self.count + 1,
            false => 0,
        };
        match failed_start {
            Some(reason) => {
                self.starts += 1;
                self.reason.clone_from(reason);
            }
            None if *end == End::NotStarted => {}
            None => self.starts = 0,
        }
    }

    /// Returns why the last start failed.
    pub(super) fn reason(&self) -> Option<&str> {
        (self.starts > 0).then_some(self.reason.as_str())
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.starts >= MAX_STARTS
    }

    /// Returns the delay before the next start. `first` is that after one failure.
    pub(super) fn delay(&self, first: Duration) -> Duration {
        delay(first, self.count)
    }
}

fn delay(first: Duration, failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => first.saturating_mul(LAST_DELAY.min(2_u32.saturating_pow(failures - 1))),
    }
}

#[cfg(test)]
mod tests {
    use claw_store::{NodeId, Owner, Revision, SessionKey, TenantId};

    use super::*;

    fn node(name: &str, incarnation: u64) -> NodeRef {
        let node = NodeId::new(name).unwrap();
        NodeRef { node, incarnation }
    }

    #[test]
    fn only_free_sessions_are_claimed() {
        let row = |state, owner: Option<NodeRef>| SessionRow {
            key: SessionKey::new(
                TenantId::new("ada").unwrap(),
                claw_store::SessionId::random(),
            ),
            number: 1,
            revision: Revision(1),
            state,
            owner: owner.map(|node| Owner { node, epoch: 5 }),
            epoch: 5,
            last: 0,
            attributes: bytes::Bytes::new(),
        };
        let awake = |owner| row(SessionState::Awake, Some(owner));
        let (open, takeover) = (
            Place::Free(ClaimReason::Open),
            Place::Free(ClaimReason::Takeover),
        );
        for (row, claimed, expected) in [
            (row(SessionState::New, None), None, &open),
            (row(SessionState::Asleep, None), Some(4), &open),
            (row(SessionState::Ended, None), None, &Place::Ended),
            (awake(node("one", 2)), Some(5), &Place::Here),
            // It was claimed by this process, which has no owner for it.
            (awake(node("one", 2)), None, &takeover),
            (awake(node("one", 1)), None, &takeover),
            (awake(node("one", 3)), None, &Place::Elsewhere),
            (awake(node("two", 1)), None, &Place::Elsewhere),
            (awake(node("two", 1)), Some(4), &Place::Elsewhere),
        ] {
            let found = place(&node("one", 2), claimed, &row);
            assert_eq!(found, *expected, "{row:?} {claimed:?}");
        }
    }

    #[test]
    fn sessions_with_commands_are_started_again_or_left_to_others() {
        let (asleep, ended) = (
            NextStep::Release(SessionState::Asleep),
            NextStep::Release(SessionState::Ended),
        );
        let slept = End::Asleep { has_queued: false };
        let lost = lost();
        let reason = String::new();
        let given_up = End::GivenUp { reason };
        for (end, has_work, is_leaving, expected) in [
            (&lost, false, false, &asleep),
            (&lost, true, false, &NextStep::Restart),
            (&lost, true, true, &NextStep::Abandon),
            (&End::NotStarted, true, false, &NextStep::Restart),
            (&given_up, false, false, &asleep),
            (&given_up, true, false, &NextStep::Restart),
            (&slept, false, true, &asleep),
            (&slept, true, true, &NextStep::Abandon),
            (&End::Closed, true, true, &ended),
            (&End::ClaimLost, true, false, &NextStep::Abandon),
        ] {
            let step = next_step(end, has_work, is_leaving);
            assert_eq!(step, *expected, "{end:?} {has_work} {is_leaving}");
        }
    }

    fn lost() -> End {
        let reason = "lost".to_owned();
        let has_queued = false;
        End::Lost { has_queued, reason }
    }

    #[test]
    fn starts_that_fail_in_a_row_are_counted() {
        let failed = || End::StartFailed {
            reason: "broken".to_owned(),
        };
        let mut failures = Failures::default();
        for _ in 1..MAX_STARTS {
            failures.record(&failed(), Duration::ZERO, false);
            // The store fails in between, which is not the fault of the CLI.
            failures.record(&End::NotStarted, Duration::ZERO, false);
        }
        assert!(!failures.are_too_many());
        assert_eq!(failures.reason(), Some("broken"));
        failures.record(&lost(), Duration::ZERO, false);
        assert!(failures.are_too_many());
        assert_eq!(failures.reason(), Some("lost"));
        let parked = End::Parked {
            interaction: InteractionId::new("toolu_1").unwrap(),
            reason: "killed".to_owned(),
        };
        failures.record(&parked, STEADY, true);
        assert_eq!((failures.reason(), failures.count), (None, 0));
        failures.record(&parked, Duration::ZERO, false);
        assert_eq!((failures.reason(), failures.count), (Some("killed"), 1));
        for (ran, has_applied) in [(Duration::ZERO, true), (STEADY, false)] {
            failures.record(&failed(), Duration::ZERO, false);
            failures.record(&lost(), ran, has_applied);
            assert_eq!(failures.reason(), None, "{ran:?} {has_applied}");
        }
    }

    #[test]
    fn delays_rise_to_ten_seconds() {
        let first = Duration::from_millis(200);
        let delays = [0, 1, 2, 3, 6, MAX_STARTS - 1, u32::MAX];
        let delays = delays.map(|failures| delay(first, failures).as_millis());
        assert_eq!(delays, [0, 200, 400, 800, 6_400, 10_000, 10_000]);
    }
}
