//! Commands: delivered in order and applied once.

use std::collections::{BTreeMap, HashMap};

use super::{Case, Report, Rule};
use crate::bodies::APPLY;
use crate::history::{Call, Id, Item, Nanos, Outcome, Reply};

/// The attempts to submit a command.
#[derive(Default)]
struct Submitted {
    start: Nanos,
    /// When the first call that was acknowledged ended.
    end: Option<Nanos>,
    position: Option<u64>,
    is_new: usize,
}

pub(super) fn check(case: &Case<'_>, report: &mut Report<'_>) {
    let mut commands: HashMap<Id, Submitted> = HashMap::new();
    for operation in &case.operations {
        let Call::Submit { command, .. } = &operation.call else {
            continue;
        };
        let submitted = commands.entry(*command).or_insert_with(|| Submitted {
            start: operation.start,
            ..Submitted::default()
        });
        let Outcome::Ok(Reply::Submitted {
            position,
            is_repeat,
        }) = &operation.outcome
        else {
            continue;
        };
        submitted.end = submitted.end.min(operation.end).or(operation.end);
        submitted.is_new += usize::from(!is_repeat);
        let earlier = *submitted.position.get_or_insert(*position);
        if earlier != *position || submitted.is_new > 1 {
            let detail = format!("{command} is at {earlier} and again at {position}");
            report.add(Rule::CommandOrder, operation.start, detail);
        }
    }
    let positions = check_positions(&commands, report);
    check_delivery(case, &commands, &positions, report);
    check_applied(case, &commands, report);
}

/// Checks that positions are unique and in the order of submission. Returns them.
fn check_positions(
    commands: &HashMap<Id, Submitted>,
    report: &mut Report<'_>,
) -> BTreeMap<u64, Id> {
    let mut positions = BTreeMap::new();
    let mut known: Vec<_> = Vec::new();
    for (command, submitted) in commands {
        let (Some(position), Some(end)) = (submitted.position, submitted.end) else {
            continue;
        };
        known.push((submitted.start, end, position));
        if let Some(other) = positions.insert(position, *command) {
            let detail = format!("{command} and {other} are both at {position}");
            report.add(Rule::CommandOrder, submitted.start, detail);
        }
    }
    known.sort_unstable();
    let mut ended: Vec<_> = known
        .iter()
        .map(|(_, end, position)| (*end, *position))
        .collect();
    ended.sort_unstable();
    let mut ended = ended.into_iter().peekable();
    let mut highest = 0;
    for (start, _, position) in known {
        while let Some((_, earlier)) = ended.next_if(|(end, _)| *end < start) {
            highest = highest.max(earlier);
        }
        if position < highest {
            let detail = format!("a command got {position} after {highest} was acknowledged");
            report.add(Rule::CommandOrder, start, detail);
        }
    }
    positions
}

/// Checks that each owner got the commands that were not applied, in order and without gaps.
fn check_delivery(
    case: &Case<'_>,
    commands: &HashMap<Id, Submitted>,
    positions: &BTreeMap<u64, Id>,
    report: &mut Report<'_>,
) {
    for operation in &case.operations {
        let Call::Receive { applied, .. } = &operation.call else {
            continue;
        };
        let mut last = *applied;
        for (at, item) in &operation.items {
            let Item::Command { position, command } = item else {
                continue;
            };
            let known = commands.get(command).map(|submitted| submitted.position);
            let is_known = known.is_some_and(|known| known.is_none_or(|known| known == *position));
            if *position <= last || !is_known {
                let detail = format!("{item:?} was delivered after position {last}");
                report.add(Rule::Delivery, *at, detail);
                break;
            }
            let skipped = positions.range(last + 1..*position).next();
            if let Some((skipped, _)) = skipped {
                let detail = format!("position {skipped} was skipped before {item:?}");
                report.add(Rule::Delivery, *at, detail);
            }
            last = *position;
        }
    }
    if !case.state.is_drained {
        let at = case
            .operations
            .last()
            .map_or(0, |operation| operation.start);
        let detail = "the last owner did not receive every acknowledged command".to_owned();
        report.add(Rule::Delivery, at, detail);
    }
}

/// Checks that each acknowledged command was applied once, and all of them in order.
fn check_applied(case: &Case<'_>, commands: &HashMap<Id, Submitted>, report: &mut Report<'_>) {
    let mut times: HashMap<Id, usize> = HashMap::new();
    let mut last = 0;
    for event in case
        .state
        .events
        .iter()
        .filter(|event| event.id & APPLY != 0)
    {
        let command = event.id & !APPLY;
        *times.entry(command).or_default() += 1;
        let position = commands
            .get(&command)
            .and_then(|submitted| submitted.position);
        if position.is_some_and(|position| position < last) {
            let detail = format!("{event:?} applies position {position:?} after {last}");
            report.add(Rule::Applied, 0, detail);
        }
        last = position.unwrap_or(last);
    }
    for (command, submitted) in commands {
        let times = times.get(command).copied().unwrap_or(0);
        if times > 1 || times == 0 && submitted.position.is_some() {
            let detail = format!("the command {command} was applied {times} times");
            report.add(Rule::Applied, submitted.start, detail);
        }
    }
}
