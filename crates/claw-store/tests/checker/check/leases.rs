//! Leases: no session is taken from a node that is alive.

use super::{Report, Rule};
use crate::history::{Call, Health, History, Item, Nanos, Outcome, Reply, Session};

/// Owners of other nodes that were found dead at the same time may be listed this much later.
const LISTED: Nanos = 2_000_000_000;

pub(super) fn check(history: &History, report: &mut Report<'_>) {
    for operation in &history.operations {
        if !matches!(operation.call, Call::Orphans { .. }) {
            continue;
        }
        for (at, item) in &operation.items {
            let Item::Orphan(session) = item else {
                continue;
            };
            report.session = Some(*session);
            if let Some(owner) = owner_at(history, *session, *at) {
                check_orphan(history, &owner, *at, report);
            }
        }
    }
    report.session = None;
}

struct Owner<'a> {
    node: &'a str,
    incarnation: u64,
    since: Nanos,
}

/// Returns the last one that claimed a session before a time.
fn owner_at(history: &History, session: Session, at: Nanos) -> Option<Owner<'_>> {
    let claims = history.session(session).filter_map(|operation| {
        let Call::Claim {
            node, incarnation, ..
        } = &operation.call
        else {
            return None;
        };
        let Outcome::Ok(Reply::Claimed { epoch, .. }) = &operation.outcome else {
            return None;
        };
        let since = operation.end.filter(|end| *end < at)?;
        let owner = Owner {
            node,
            incarnation: *incarnation,
            since,
        };
        Some((*epoch, owner))
    });
    claims
        .max_by_key(|(epoch, _)| *epoch)
        .map(|(_, owner)| owner)
}

fn check_orphan(history: &History, owner: &Owner<'_>, at: Nanos, report: &mut Report<'_>) {
    for operation in &history.operations {
        let Call::Lease {
            node,
            incarnation,
            term_ms,
        } = &operation.call
        else {
            continue;
        };
        if (node.as_str(), *incarnation) != (owner.node, owner.incarnation) {
            continue;
        }
        let term = term_ms * 1_000_000;
        // No other node can count a node as dead within 0.3 terms after it was live.
        let is_live = operation.items.iter().any(|(before, item)| match item {
            Item::Lease(Health::Live, after) => *after <= at && at < before + term * 3 / 10,
            _ => false,
        });
        let is_in_fault = history.operations.iter().any(|fault| {
            let Call::Fault { node, .. } = &fault.call else {
                return false;
            };
            let end = fault.end.unwrap_or(Nanos::MAX);
            node == owner.node && fault.start <= at && at <= end.saturating_add(term)
        });
        // A node that ended its life released its sessions.
        let is_over = operation.end.is_some_and(|end| end <= at);
        let is_new = at < owner.since + LISTED;
        if is_live && !is_new {
            let detail = format!("{} is live, but its session needs an owner", owner.node);
            report.add(Rule::Theft, at, detail);
        } else if !is_in_fault && !is_over && !is_new {
            let detail = format!(
                "{} has no fault, but its session needs an owner",
                owner.node
            );
            report.add(Rule::Theft, at, detail);
        }
    }
}
