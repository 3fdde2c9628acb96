//! Interactions: one winner, and everyone got the same one.

use std::collections::{HashMap, HashSet};

use super::{Case, Report, Rule};
use crate::history::{Call, Id, Nanos, Outcome, Reply, State};

pub(super) fn check(case: &Case<'_>, report: &mut Report<'_>) {
    let finals: HashMap<Id, State> = case.state.interactions.iter().copied().collect();
    let end = case
        .operations
        .last()
        .map_or(0, |operation| operation.start);
    if finals.len() != case.state.interactions.len() || finals.contains_key(&0) {
        let detail = format!("listed twice or damaged: {:?}", case.state.interactions);
        report.add(Rule::Winner, end, detail);
    }
    let mut answers: HashSet<(Id, Id)> = HashSet::new();
    let mut opened: HashMap<Id, Nanos> = HashMap::new();
    for operation in &case.operations {
        let at = operation.end.unwrap_or(operation.start);
        let (interaction, seen) = match (&operation.call, &operation.outcome) {
            (Call::OpenInteraction { interaction, .. }, Outcome::Ok(_)) => {
                opened.entry(*interaction).or_insert(at);
                if !finals.contains_key(interaction) {
                    let detail = format!("the interaction {interaction} is lost");
                    report.add(Rule::Winner, at, detail);
                }
                continue;
            }
            (
                Call::Answer {
                    interaction,
                    answer,
                    ..
                },
                outcome,
            ) => {
                answers.insert((*interaction, *answer));
                let state = match outcome {
                    Outcome::Ok(Reply::Won) => State::Answered(*answer),
                    Outcome::Ok(Reply::Lost(winner)) => State::Answered(*winner),
                    Outcome::Ok(Reply::State(state)) => *state,
                    Outcome::Failed(_) => {
                        // Operations are in the order in which they began.
                        if opened
                            .get(interaction)
                            .is_some_and(|end| *end < operation.start)
                        {
                            let detail = format!("the open interaction {interaction} is gone");
                            report.add(Rule::Winner, at, detail);
                        }
                        continue;
                    }
                    _ => continue,
                };
                (interaction, state)
            }
            (Call::CloseInteraction { interaction, .. }, Outcome::Ok(Reply::State(state))) => {
                (interaction, *state)
            }
            _ => continue,
        };
        if finals.get(interaction) != Some(&seen) {
            let detail = format!(
                "{:?} of {interaction} got {seen:?}, but it ended as {:?}",
                operation.call,
                finals.get(interaction)
            );
            report.add(Rule::Winner, at, detail);
        }
    }
    for (interaction, state) in &finals {
        if let State::Answered(winner) = state
            && !answers.contains(&(*interaction, *winner))
        {
            let detail = format!("no client gave the answer {winner} to {interaction}");
            report.add(Rule::Winner, end, detail);
        }
    }
}
