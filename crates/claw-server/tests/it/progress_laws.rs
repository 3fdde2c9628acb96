//! What holds for the progress of every session.

use std::collections::BTreeMap;

use claw_server::event::Fact;
use serde_json::Value;

use super::recorded::Item;

/// What the progress of sessions comes to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many updates there were.
    pub(crate) updates: u64,
    /// How many went back, by the reason they gave.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// The number of updates with an estimate.
    pub(crate) estimates: u64,
}

/// Checks that an update has a regression if and only if it reports less progress, follows the
/// message that it is derived from, and belongs to its turn. Reads the updates from JSON, so that
/// the comparison does not use the code under test.
pub(crate) fn goes_on(items: &[Item], tally: &mut Tally) -> Result<(), String> {
    let mut known = BTreeMap::<(String, String), Value>::new();
    let mut before: Option<(Option<u64>, bool)> = None;
    for item in items {
        let Item::Event(event) = item else { continue };
        let Fact::Progress(update) = &event.fact else {
            let opens = matches!(event.fact, Fact::Message(_));
            before = Some((event.turn, opens));
            continue;
        };
        tally.updates += 1;
        if let Some((turn, true)) = before
            && turn != event.turn
        {
            return Err(format!(
                "{} is of another turn than its message",
                update.subject
            ));
        }
        let now = serde_json::to_value(update).map_err(|error| error.to_string())?;
        let confidence = now["confidence"].as_f64().ok_or("no confidence")?;
        let is_read = ["Prose", "ToolOutput"].contains(&now["source"].as_str().unwrap_or_default());
        if !(0.0..=1.0).contains(&confidence) || (!is_read && confidence != 1.0) {
            return Err(format!("{now} is {confidence} sure"));
        }
        if now["left_ms"].is_number() {
            tally.estimates += 1;
        }
        let lane = now["lane"]["tool_use_id"].as_str();
        let lane = lane.or(now["lane"]["task_id"].as_str()).unwrap_or("main");
        let subject = now["subject"].as_str().unwrap_or_default();
        let key = (lane.to_owned(), subject.to_owned());
        if let Some(last) = known.get(&key) {
            match (is_back(last, &now), now["regression"].as_str()) {
                (true, None) => return Err(format!("{now} goes back behind {last} for no reason")),
                (false, Some(reason)) => {
                    return Err(format!("{now} is not behind {last}, and says {reason}"));
                }
                (true, Some(reason)) => {
                    *tally.reasons.entry(reason.to_owned()).or_default() += 1;
                }
                (false, None) => {}
            }
        } else if now["regression"].is_string() {
            return Err(format!("{now} is the first of its subject and goes back"));
        }
        known.insert(key, now);
    }
    Ok(())
}

fn is_back(last: &Value, now: &Value) -> bool {
    let is_over = |update: &Value| {
        ["Completed", "Failed", "Stopped"].contains(&update["state"].as_str().unwrap_or_default())
    };
    let less = |member: &str| match (last[member].as_f64(), now[member].as_f64()) {
        (Some(before), Some(now)) => now < before,
        _ => false,
    };
    (is_over(last) && !is_over(now)) || ["percent", "done", "tool_uses"].into_iter().any(less)
}
