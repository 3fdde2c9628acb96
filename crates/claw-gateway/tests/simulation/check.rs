//! Judges what was observed. Every check is a function of the history.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::record::Observed;
use crate::world::Rest;

type Log<'a> = &'a [Value];
type Check = fn(Log<'_>, &Observed) -> Result<(), String>;

/// By name.
const CHECKS: [(&str, Check); 10] = [
    ("events", events),
    ("cursors", cursors),
    ("inputs", inputs),
    ("interactions", interactions),
    ("winners", winners),
    ("runs", runs),
    ("turns", turns),
    ("unknown calls", unknown_calls),
    ("gaps", gaps),
    ("output", output),
];

/// Returns everything that is wrong.
pub(crate) fn check(rest: &Rest) -> Vec<String> {
    let record = rest.recorder.lock();
    let mut wrong = record.wrong.clone();
    for (session, log) in &rest.logs {
        let Some(seen) = record.sessions.get(session) else {
            continue;
        };
        for (name, check) in CHECKS {
            if let Err(what) = check(log, seen) {
                wrong.push(format!("{name}: {what}"));
            }
        }
    }
    wrong
}

fn ensure(is_right: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    match is_right {
        true => Ok(()),
        false => Err(what()),
    }
}

fn kind(event: &Value) -> &str {
    event["kind"].as_str().unwrap_or_default()
}

fn sequence(event: &Value) -> u64 {
    event["seq"].as_u64().unwrap_or_default()
}

/// The events of a kind.
fn of_kind<'a>(log: Log<'a>, wanted: &'static str) -> impl Iterator<Item = &'a Value> {
    log.iter().filter(move |event| kind(event) == wanted)
}

/// The id in the body of an event.
fn id(event: &Value) -> &str {
    event["body"]["id"].as_str().unwrap_or_default()
}

fn events(log: Log<'_>, _: &Observed) -> Result<(), String> {
    let mut epoch = 0;
    for (event, expected) in log.iter().zip(1..) {
        ensure(sequence(event) == expected, || {
            format!("{expected} is {event}")
        })?;
        let next = event["epoch"].as_u64().unwrap_or_default();
        ensure(next >= epoch, || format!("epoch {epoch} before {event}"))?;
        epoch = next;
    }
    Ok(())
}

/// No event is missing, doubled or reordered, or differs from the stored one.
fn cursors(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    for (number, cursor) in seen.cursors.iter().enumerate() {
        for (at, event) in cursor.iter().enumerate() {
            ensure(log.get(at) == Some(event), || {
                format!("cursor {number} has at {}: {event}", at + 1)
            })?;
        }
        ensure(cursor.len() == log.len(), || {
            format!("cursor {number} has {} of {}", cursor.len(), log.len())
        })?;
    }
    Ok(())
}

/// Every input is stored once, has one outcome, and began once if it was processed.
fn inputs(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    let mut ids = BTreeMap::new();
    for accepted in of_kind(log, "input_accepted") {
        let key = accepted["body"]["key"].as_str().unwrap_or_default();
        ensure(ids.insert(key, id(accepted)).is_none(), || {
            format!("{key} is stored twice")
        })?;
    }
    for key in &seen.accepted {
        ensure(ids.contains_key(key.as_str()), || format!("{key} is lost"))?;
    }
    for (key, input) in ids {
        let begun = seen
            .agent
            .prompts
            .iter()
            .filter(|one| *one == input)
            .count();
        let is_its = |event: &&Value| id(event) == input;
        let processed = of_kind(log, "input_processed").filter(is_its).count();
        let failed: Vec<&Value> = of_kind(log, "input_failed").filter(is_its).collect();
        ensure(processed + failed.len() == 1, || {
            format!("{key} is processed {processed} times and failed: {failed:?}")
        })?;
        let is_unknown = failed
            .iter()
            .any(|one| one["body"]["indeterminate"] == true);
        let is_possible = match (processed, is_unknown) {
            (1, _) => begun == 1,
            (_, true) => begun <= 1,
            (_, false) => begun == 0,
        };
        ensure(is_possible, || {
            format!("{key} began {begun} times, processed: {processed}, failed: {failed:?}")
        })?;
    }
    Ok(())
}

/// Every interaction is opened once and ends once.
fn interactions(log: Log<'_>, _: &Observed) -> Result<(), String> {
    let mut open = BTreeSet::new();
    let mut all = BTreeSet::new();
    for event in log {
        match kind(event) {
            "interaction_opened" => {
                ensure(all.insert(id(event)), || format!("opened twice: {event}"))?;
                open.insert(id(event));
            }
            "interaction_answered" | "interaction_expired" | "interaction_withdrawn" => {
                ensure(open.remove(id(event)), || {
                    format!("it is not open: {event}")
                })?;
            }
            _ => {}
        }
    }
    ensure(open.is_empty(), || format!("open at the end: {open:?}"))
}

/// At most one answer wins, and no other one is applied.
fn winners(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    let mut winners: BTreeMap<&str, &str> = BTreeMap::new();
    for answer in seen.answers.iter().filter(|answer| answer.has_won) {
        let earlier = winners.insert(&answer.interaction, &answer.key);
        let is_one = earlier.is_none_or(|earlier| earlier == answer.key);
        ensure(is_one, || format!("{earlier:?} and {answer:?} have won"))?;
    }
    for answered in of_kind(log, "interaction_answered") {
        let winner = winners.get(id(answered));
        let key = answered["body"]["key"].as_str();
        let is_winner = winner.is_none_or(|winner| Some(*winner) == key);
        ensure(is_winner, || format!("{winner:?} has won, not {answered}"))?;
    }
    Ok(())
}

/// A call runs at most once, with the input that was shown and allowed, after that was stored, and
/// not after it was reported as unknown.
fn runs(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    let mut calls = BTreeSet::new();
    for run in &seen.agent.runs {
        ensure(calls.insert(&run.call), || {
            format!("{} ran twice", run.call)
        })?;
        let before: Vec<&Value> = log
            .iter()
            .take_while(|event| sequence(event) <= run.after)
            .collect();
        let is_unknown = |event: &&Value| {
            let unknown = event["body"]["unknown_calls"].as_array();
            kind(event) == "lifecycle"
                && unknown.is_some_and(|calls| calls.iter().any(|call| *call == *run.call))
        };
        ensure(!before.iter().any(is_unknown), || {
            format!("{} ran after it was reported as unknown", run.call)
        })?;
        if !run.was_asked {
            continue;
        }
        let is_permitted = before.iter().any(|opened| {
            let is_its =
                kind(opened) == "interaction_opened" && opened["body"]["tool_use_id"] == *run.call;
            is_its
                && before.iter().any(|answered| {
                    let answer = &answered["body"]["answer"];
                    let edited = Some(&answer["updatedInput"]).filter(|input| input.is_object());
                    kind(answered) == "interaction_answered"
                        && id(answered) == id(opened)
                        && answer["behavior"] == "allow"
                        && *edited.unwrap_or(&opened["body"]["request"]["input"]) == run.input
                })
        });
        ensure(is_permitted, || format!("{run:?} was not allowed"))?;
    }
    Ok(())
}

/// Each turn ends once, before the next one begins.
fn turns(log: Log<'_>, _: &Observed) -> Result<(), String> {
    let mut running = None;
    for event in log {
        match kind(event) {
            "turn_started" => {
                ensure(running.is_none(), || {
                    format!("turn {running:?} runs at {event}")
                })?;
                running = Some(&event["turn"]);
            }
            "turn_ended" => {
                ensure(running.take() == Some(&event["turn"]), || {
                    format!("no turn ends: {event}")
                })?;
            }
            _ => {}
        }
    }
    ensure(running.is_none(), || {
        format!("turn {running:?} does not end")
    })
}

/// When a process is lost, the calls that were allowed and have no result are reported.
fn unknown_calls(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    let mut shown = BTreeMap::new();
    let mut allowed = BTreeSet::new();
    for event in log {
        let body = &event["body"];
        match kind(event) {
            "interaction_opened" => {
                shown.insert(id(event), body["tool_use_id"].as_str().unwrap_or_default());
            }
            "interaction_answered" if body["answer"]["behavior"] == "allow" => {
                allowed.extend(shown.get(id(event)).copied());
            }
            "message" => {
                for block in body["message"]["content"].as_array().into_iter().flatten() {
                    allowed.remove(block["tool_use_id"].as_str().unwrap_or_default());
                }
            }
            "turn_ended" => allowed.clear(),
            "lifecycle" if body["state"] == "Lost" => {
                let unknown = body["unknown_calls"].as_array();
                let is_named = |call: &&str| {
                    unknown.is_some_and(|calls| calls.iter().any(|one| *one == **call))
                        || seen.agent.results.contains(*call)
                };
                let left: Vec<&&str> = allowed.iter().filter(|call| !is_named(call)).collect();
                ensure(left.is_empty(), || {
                    format!("{left:?} may have run: {event}")
                })?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Output is lost only together with a holder.
fn gaps(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    let gaps = of_kind(log, "gap").count() as u64;
    ensure(gaps <= seen.holders_killed, || {
        format!(
            "{gaps} gaps, and {} holders were killed",
            seen.holders_killed
        )
    })
}

/// The messages of the CLIs are stored once and in order; all of them, if no holder was killed.
fn output(log: Log<'_>, seen: &Observed) -> Result<(), String> {
    let stored: Vec<&str> = of_kind(log, "message")
        .filter_map(|event| event["body"]["uuid"].as_str())
        .collect();
    let mut places = BTreeMap::new();
    for (at, uuid) in stored.iter().enumerate() {
        ensure(places.insert(*uuid, at).is_none(), || {
            format!("{uuid} is stored twice")
        })?;
    }
    for (number, life) in seen.agent.lives.iter().enumerate() {
        let at: Vec<usize> = life
            .printed
            .iter()
            .filter_map(|uuid| places.get(uuid.as_str()).copied())
            .collect();
        ensure(at.is_sorted(), || {
            format!("the output of CLI {} is reordered", number + 1)
        })?;
        let missing = life.printed.len() - at.len();
        ensure(missing == 0 || life.is_cut, || {
            format!("{missing} messages of CLI {} are lost", number + 1)
        })?;
    }
    Ok(())
}
