//! Decides what happens to a session. Does no I/O.

use std::time::Duration;

use claw_store::{ClaimReason, NodeRef, SessionRow, SessionState};

/// The delays before a session that failed is started again.
const FIRST_DELAY: Duration = Duration::from_millis(200);
const LAST_DELAY: Duration = Duration::from_secs(10);
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The CLI did not start.
    NotStarted,
    /// The CLI ended unexpectedly. If the log failed as well, it may have queued inputs.
    Lost { has_queued: bool },
    /// It was put to sleep, perhaps with queued inputs in its log.
    Asleep { has_queued: bool },
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

/// Decides from how a run ended, and whether commands or queued inputs wait.
pub(super) fn next_step(end: End, has_work: bool, is_leaving: bool) -> NextStep {
    match end {
        End::Closed => NextStep::Release(SessionState::Ended),
        End::ClaimLost => NextStep::Abandon,
        _ if is_leaving && has_work => NextStep::Abandon,
        _ if has_work => NextStep::Restart,
        _ => NextStep::Release(SessionState::Asleep),
    }
}

/// Returns the delay before a session is started after this many failures.
pub(super) fn delay(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => LAST_DELAY.min(FIRST_DELAY * 2_u32.saturating_pow(failures - 1)),
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
        let has_queued = false;
        let (slept, lost) = (End::Asleep { has_queued }, End::Lost { has_queued });
        for (end, has_work, is_leaving, expected) in [
            (lost, false, false, &asleep),
            (lost, true, false, &NextStep::Restart),
            (lost, true, true, &NextStep::Abandon),
            (End::NotStarted, true, false, &NextStep::Restart),
            (slept, false, true, &asleep),
            (slept, true, true, &NextStep::Abandon),
            (End::Closed, true, true, &ended),
            (End::ClaimLost, true, false, &NextStep::Abandon),
        ] {
            let step = next_step(end, has_work, is_leaving);
            assert_eq!(step, *expected, "{end:?} {has_work} {is_leaving}");
        }
    }

    #[test]
    fn delays_rise_to_ten_seconds() {
        let delays = [0, 1, 2, 3, 6, 7, u32::MAX].map(|failures| delay(failures).as_millis());
        assert_eq!(delays, [0, 200, 400, 800, 6_400, 10_000, 10_000]);
    }
}
