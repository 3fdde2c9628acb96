//! The log itself: nothing is lost, doubled, torn, reordered or stale.

use std::collections::{HashMap, HashSet};

use super::{Case, Report, Rule};
use crate::bodies::APPLY;
use crate::history::{Call, Id, Nanos, Operation, Outcome, Reply};

/// The attempts to append a batch.
struct Batch<'a> {
    first: &'a Operation,
    epoch: u64,
    expected: u64,
    ids: &'a [Id],
    acked: Option<u64>,
    is_unknown: bool,
}

fn batches<'a>(case: &Case<'a>) -> Vec<Batch<'a>> {
    let mut batches: Vec<Batch<'_>> = Vec::new();
    let mut indexes = HashMap::new();
    for operation in &case.operations {
        let Call::Append {
            epoch,
            expected,
            ids,
            ..
        } = &operation.call
        else {
            continue;
        };
        // A command that an earlier owner tried to apply is in another batch of this owner.
        let index = *indexes.entry((*epoch, ids)).or_insert_with(|| {
            batches.push(Batch {
                first: operation,
                epoch: *epoch,
                expected: *expected,
                ids,
                acked: None,
                is_unknown: false,
            });
            batches.len() - 1
        });
        match &operation.outcome {
            Outcome::Ok(Reply::Appended { last }) => batches[index].acked = Some(*last),
            Outcome::Unknown(_) => batches[index].is_unknown = true,
            _ => {}
        }
    }
    batches
}

pub(super) fn check(case: &Case<'_>, report: &mut Report<'_>) {
    let events = &case.state.events;
    let end = case
        .operations
        .last()
        .map_or(0, |operation| operation.start);
    for (event, number) in events.iter().zip(1..) {
        if event.sequence != number {
            let detail = format!(
                "event {number} of the log has the number {}",
                event.sequence
            );
            report.add(Rule::Gap, end, detail);
            break;
        }
    }
    if case.state.last != events.len() as u64 {
        let detail = format!("{} events, the last is {}", events.len(), case.state.last);
        report.add(Rule::Gap, end, detail);
    }

    let batches = batches(case);
    let mut appended: HashMap<Id, Nanos> = HashMap::new();
    for batch in &batches {
        appended.extend(batch.ids.iter().map(|id| (*id, batch.first.start)));
    }
    let mut places: HashMap<Id, usize> = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        let Some(at) = appended.get(&event.id) else {
            let detail = format!("no writer appended {event:?}");
            report.add(Rule::Doubled, end, detail);
            continue;
        };
        if let Some(earlier) = places.insert(event.id, index) {
            let detail = format!("{event:?} is also event {}", earlier + 1);
            report.add(Rule::Doubled, *at, detail);
        }
    }
    for batch in &batches {
        check_batch(case, batch, &places, report);
    }
    check_claims(case, report);
}

fn check_batch(
    case: &Case<'_>,
    batch: &Batch<'_>,
    places: &HashMap<Id, usize>,
    report: &mut Report<'_>,
) {
    let at = batch.first.end.unwrap_or(batch.first.start);
    let Batch {
        epoch,
        expected,
        ids,
        ..
    } = batch;
    let what = format!(
        "the append of {} events after {expected} in epoch {epoch}",
        ids.len()
    );
    let stored = case.state.events.iter().skip(*expected as usize);
    let stored: Vec<Id> = stored
        .take(ids.len())
        .filter(|event| event.epoch == *epoch)
        .map(|event| event.id)
        .collect();
    let is_stored = stored == *ids;
    // A command may be in the log by a batch of another owner.
    let own = || ids.iter().filter(|id| **id & APPLY == 0);
    let found = own().filter(|id| places.contains_key(id)).count();
    if let Some(last) = batch.acked {
        if last != expected + ids.len() as u64 {
            report.add(Rule::Lost, at, format!("{what} got the number {last}"));
        }
        if !is_stored {
            let is_there = found == own().count() && found > 0;
            let rule = if is_there { Rule::Torn } else { Rule::Lost };
            let detail = format!("{what} was acknowledged: {ids:?}, stored is {stored:?}");
            report.add(rule, at, detail);
        }
    } else if !batch.is_unknown && (is_stored || found > 0) {
        let detail = format!("{what} was refused with {:?}", batch.first.outcome);
        report.add(Rule::RefusedStored, at, detail);
    } else if !is_stored && found > 0 {
        let detail = format!("{what} is stored in parts: {ids:?}, stored is {stored:?}");
        report.add(Rule::Torn, at, detail);
    }
}

/// Checks that each claim divides the log, and that epochs rise.
fn check_claims(case: &Case<'_>, report: &mut Report<'_>) {
    let mut claims = Vec::new();
    for operation in &case.operations {
        if let (Call::Claim { .. }, Outcome::Ok(Reply::Claimed { epoch, last, .. })) =
            (&operation.call, &operation.outcome)
        {
            claims.push((*epoch, *last, operation));
        }
    }
    for (epoch, last, operation) in &claims {
        let at = operation.end.unwrap_or(operation.start);
        if *epoch > case.state.epoch {
            let detail = format!(
                "the last epoch is {}, claimed was {epoch}",
                case.state.epoch
            );
            report.add(Rule::Epoch, at, detail);
        }
        let is_wrong =
            |event: &&crate::history::Seen| (event.sequence <= *last) != (event.epoch < *epoch);
        if let Some(event) = case.state.events.iter().find(is_wrong) {
            let detail = format!("epoch {epoch} was claimed after event {last}, but {event:?}");
            report.add(Rule::Stale, at, detail);
        }
    }
    let valid: HashSet<u64> = claims.iter().map(|(epoch, ..)| *epoch).collect();
    let mut events = case.state.events.iter();
    if let Some(event) = events.find(|event| !valid.contains(&event.epoch)) {
        let at = claims.last().map_or(0, |(_, _, operation)| operation.start);
        report.add(
            Rule::Stale,
            at,
            format!("no claim has the epoch of {event:?}"),
        );
    }
    // In the order of their ends: a claim that began after the end of another has a higher epoch.
    let mut ended: Vec<_> = claims
        .iter()
        .map(|(epoch, _, operation)| (operation.end.unwrap_or(Nanos::MAX), *epoch))
        .collect();
    ended.sort_unstable();
    let mut highest = 0;
    let mut next = ended.iter().peekable();
    let mut seen = HashMap::new();
    for (epoch, _, operation) in &claims {
        while let Some((_, epoch)) = next.next_if(|(end, _)| *end < operation.start) {
            highest = highest.max(*epoch);
        }
        if *epoch <= highest {
            let detail = format!("epoch {epoch} was claimed after epoch {highest}");
            report.add(Rule::Epoch, operation.start, detail);
        }
        if seen.insert(*epoch, operation).is_some() {
            let detail = format!("epoch {epoch} was claimed twice");
            report.add(Rule::Epoch, operation.start, detail);
        }
    }
    // An append that began after a claim must be of its epoch or a later one, unless it repeats one
    // without a result, which may be in the log before the claim. That it is not behind the claim
    // is checked above.
    let mut next = ended.iter().peekable();
    let (mut highest, mut unknown) = (0, HashSet::new());
    for operation in &case.operations {
        while let Some((_, epoch)) = next.next_if(|(end, _)| *end < operation.start) {
            highest = highest.max(*epoch);
        }
        let Call::Append { epoch, ids, .. } = &operation.call else {
            continue;
        };
        if matches!(operation.outcome, Outcome::Unknown(_)) {
            unknown.insert((*epoch, ids));
        }
        if matches!(operation.outcome, Outcome::Ok(_))
            && *epoch < highest
            && !unknown.contains(&(*epoch, ids))
        {
            let detail = format!("an append of epoch {epoch} was accepted after epoch {highest}");
            report.add(Rule::Stale, operation.start, detail);
        }
    }
}
