//! Readers and followers: everyone gets the same log, completely and in order.

use super::{Case, Report, Rule};
use crate::history::{Call, Item, Nanos, Operation, Outcome, Reply, Seen};

/// The last acknowledged sequence at each time.
struct Acknowledged(Vec<(Nanos, u64)>);

impl Acknowledged {
    fn new(case: &Case<'_>) -> Self {
        let mut acked: Vec<_> = case.acknowledged().collect();
        acked.sort_unstable();
        let mut highest = 0;
        for (_, last) in &mut acked {
            highest = highest.max(*last);
            *last = highest;
        }
        Self(acked)
    }

    /// Returns the last sequence that was acknowledged before a time.
    fn before(&self, time: Nanos) -> u64 {
        let count = self.0.partition_point(|(end, _)| *end < time);
        count.checked_sub(1).map_or(0, |index| self.0[index].1)
    }
}

pub(super) fn check(case: &Case<'_>, report: &mut Report<'_>) {
    let acked = Acknowledged::new(case);
    for operation in &case.operations {
        match (&operation.call, &operation.outcome) {
            (Call::Read { after, limit, .. }, Outcome::Ok(Reply::Events(events))) => {
                let at = operation.end.unwrap_or(operation.start);
                check_events(
                    case,
                    *after,
                    events.iter().map(|event| (at, *event)),
                    report,
                );
                let last = after + events.len() as u64;
                let expected = acked.before(operation.start);
                if events.len() < *limit && last < expected {
                    let detail = format!(
                        "a read after {after} got {} events, but {expected} was acknowledged",
                        events.len()
                    );
                    report.add(Rule::Old, at, detail);
                }
            }
            (Call::Follow { after, .. }, _) => {
                let events = operation.items.iter().filter_map(|(at, item)| match item {
                    Item::Event(event) => Some((*at, *event)),
                    _ => None,
                });
                check_events(case, *after, events, report);
                check_follower(*after, operation, report);
            }
            _ => {}
        }
    }
}

/// Checks that events follow a cursor without gaps and are those of the log.
fn check_events(
    case: &Case<'_>,
    after: u64,
    events: impl Iterator<Item = (Nanos, Seen)>,
    report: &mut Report<'_>,
) {
    for ((at, event), number) in events.zip(after + 1..) {
        if event.sequence != number {
            let detail = format!("after {after}: {event:?} instead of event {number}");
            report.add(Rule::FollowOrder, at, detail);
            return;
        }
        let stored = case.state.events.get(number as usize - 1);
        if stored != Some(&event) {
            let detail = format!("{event:?} was received, the log has {stored:?}");
            report.add(Rule::WrongView, at, detail);
            return;
        }
    }
}

fn check_follower(after: u64, operation: &Operation, report: &mut Report<'_>) {
    let mut last = after;
    for (at, item) in &operation.items {
        match item {
            Item::Event(event) => last = event.sequence,
            Item::Head(head) if *head != last => {
                let detail = format!("the head is {head} after event {last}");
                report.add(Rule::FollowOrder, *at, detail);
            }
            Item::Stuck(stored) => {
                let detail = format!("a follower waits at {last} for event {stored}");
                report.add(Rule::Stuck, *at, detail);
            }
            _ => {}
        }
    }
}
