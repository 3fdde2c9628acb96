//! Invariants of every session, even if deltas were lost.

use std::collections::BTreeMap;
use std::fmt::Debug;

use claw_server::event::{Fact, LifecycleState, TurnEnding};
use claw_server::{
    Dialect, MobileMessage, MobileProjection, NO_TOOL_RESULT, OperationState, UiMessage,
    UiProjection,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::random::Random;
use super::recorded::{Item, events_only};
use crate::phone::shown_text;

/// A dialect that the laws are checked on.
pub(crate) trait Tested:
    Dialect<Message: PartialEq + Debug> + Serialize + DeserializeOwned
{
    const NAME: &'static str;
    fn fresh() -> Self;
}

impl Tested for UiProjection {
    const NAME: &'static str = "ui";

    fn fresh() -> Self {
        Self::new(1)
    }
}

impl Tested for MobileProjection {
    const NAME: &'static str = "mobile";

    fn fresh() -> Self {
        Self::new("sess_1")
    }
}

/// The messages of a dialect for a session.
pub(crate) fn project<D: Tested>(items: &[Item]) -> Vec<D::Message> {
    let mut messages = Vec::new();
    let mut projection = D::fresh();
    for item in items {
        item.send_to(&mut projection, &mut messages);
    }
    messages
}

/// Checks that a projection that is saved and restored at random positions sends the same messages,
/// and sends nothing for repeated events. Returns the number of positions.
pub(crate) fn resumes<D: Tested>(items: &[Item], random: &mut Random) -> Result<u64, String> {
    let whole = project::<D>(items);
    let mut messages = Vec::new();
    let mut projection = D::fresh();
    let mut splits = 0;
    let often = 1 + random.below(60);
    for (at, item) in items.iter().enumerate() {
        if random.chance(often) {
            splits += 1;
            let state = serde_json::to_string(&projection).map_err(|error| error.to_string())?;
            projection = serde_json::from_str(&state).map_err(|error| error.to_string())?;
            let said = messages.len();
            let again = at - random.below(at + 1).min(8);
            for seen in items[again..at]
                .iter()
                .filter(|item| item.event().is_some())
            {
                seen.send_to(&mut projection, &mut messages);
            }
            if messages.len() != said {
                return Err(format!("{}: split at {at}: events count twice", D::NAME));
            }
        }
        item.send_to(&mut projection, &mut messages);
    }
    let (name, count) = (D::NAME, messages.len());
    match messages.iter().zip(&whole).find(|(a, b)| a != b) {
        Some((message, wanted)) => Err(format!("{name}: {message:?}, not {wanted:?}")),
        None if count == whole.len() => Ok(splits),
        None => Err(format!("{name}: {count} messages, not {}", whole.len())),
    }
}

/// Whatever deltas were lost, doubled or late, and also when none came: the text that a client
/// shows is the text that is stored. And nothing is taken back but what the agent took back.
pub(crate) fn shows_what_is_stored(items: &[Item], random: &mut Random) -> Result<(), String> {
    let stored = stored_text(items)?;
    let is_smooth = !items.iter().any(takes_back);
    for (how, items) in [
        ("all deltas", items.to_vec()),
        ("no deltas", events_only(items)),
        ("some deltas", disturbed(items, random)),
    ] {
        let messages = project::<UiProjection>(&items);
        let shown = shown_text(&messages)?;
        if shown != stored {
            return Err(format!("{how}: shown {shown:?}, stored {stored:?}"));
        }
        let retracted = |message: &UiMessage| matches!(message, UiMessage::TextRetracted { .. });
        if is_smooth && messages.iter().any(retracted) {
            return Err(format!("{how}: text was taken back that counts"));
        }
    }
    Ok(())
}

/// Checks that a phone shows the stored text of each turn after retractions. Not for sessions in
/// which a command of the CLI prints something: a phone shows that as a response.
pub(crate) fn phone_shows_what_is_stored(items: &[Item]) -> Result<u64, String> {
    let mut turns = BTreeMap::<u64, String>::new();
    let mut responses = Vec::new();
    let mut retracted = 0;
    for message in project::<MobileProjection>(items) {
        match message {
            MobileMessage::ClaudeResponse(response) => responses.push(response.content),
            MobileMessage::ResponseRetracted(gone) => {
                retracted += 1;
                let place = responses
                    .len()
                    .checked_sub(gone.responses_after as usize + 1);
                let place = place.ok_or("a response is retracted that was never sent")?;
                responses.remove(place);
            }
            MobileMessage::TurnComplete(over) => {
                turns.insert(over.turn, std::mem::take(&mut responses).concat());
            }
            _ => {}
        }
    }
    turns.retain(|_, text| !text.is_empty());
    let stored = stored_text(items)?;
    if turns != stored {
        return Err(format!("phone: shown {turns:?}, stored {stored:?}"));
    }
    Ok(retracted)
}

/// Whether text that was sent may have to be taken back: a stream broke, a process was lost or
/// stopped, or another model was asked.
fn takes_back(item: &Item) -> bool {
    match item {
        Item::Delta(delta) => delta.retracted,
        Item::Event(event) => match &event.fact {
            Fact::Lifecycle(lifecycle) => lifecycle.state == LifecycleState::Lost,
            Fact::TurnEnded(ended) => ended.ending != TurnEnding::Succeeded,
            Fact::Message(raw) => {
                let text = raw.to_text();
                text.contains("retracted_message_uuids") || text.contains("supersedes")
            }
            _ => false,
        },
    }
}

/// The items with deltas lost, doubled and moved behind what came after them.
pub(crate) fn disturbed(items: &[Item], random: &mut Random) -> Vec<Item> {
    let mut placed: Vec<(usize, usize, Item)> = Vec::new();
    for (place, item) in items.iter().enumerate() {
        if item.event().is_some() {
            placed.push((place * 2, place, item.clone()));
            continue;
        }
        let copies = match random.below(10) {
            0 | 1 => 0,
            2 | 3 => 2,
            _ => 1,
        };
        for _ in 0..copies {
            let is_late = random.chance(25);
            let late = if is_late { random.below(24) } else { 0 };
            placed.push((place * 2 + late, place, item.clone()));
        }
    }
    placed.sort_by_key(|(to, from, _)| (*to, *from));
    placed.into_iter().map(|(_, _, item)| item).collect()
}

/// The answers in the events, by turn, as read by an independent reader.
fn stored_text(items: &[Item]) -> Result<BTreeMap<u64, String>, String> {
    let mut lines: Vec<(u64, String, String)> = Vec::new();
    for item in items {
        let Item::Event(event) = item else { continue };
        let Fact::Message(raw) = &event.fact else {
            continue;
        };
        let Ok(line) = serde_json::from_slice::<Value>(raw.as_bytes()) else {
            continue;
        };
        let mut gone: Vec<&Value> = Vec::new();
        for list in ["retracted_message_uuids", "supersedes"] {
            gone.extend(line[list].as_array().into_iter().flatten());
        }
        lines.retain(|(_, uuid, _)| !gone.iter().any(|gone| *gone == uuid));
        let is_answer = line["type"] == "assistant"
            && line["parent_tool_use_id"].is_null()
            && line["error"].is_null()
            && line["is_api_error_message"] != true
            && line["local_command_source"].is_null()
            && line["local_command_run"].is_null()
            && line["local_command_outcome"].is_null();
        if !is_answer {
            continue;
        }
        let turn = event.turn.ok_or("an answer outside of turns")?;
        let uuid = line["uuid"].as_str().unwrap_or_default().to_owned();
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            if block["type"] == "text" {
                let text = block["text"].as_str().unwrap_or_default();
                lines.push((turn, uuid.clone(), text.to_owned()));
            }
        }
    }
    let mut turns = BTreeMap::<u64, String>::new();
    for (turn, _, text) in lines {
        turns.entry(turn).or_default().push_str(&text);
    }
    turns.retain(|_, text| !text.is_empty());
    Ok(turns)
}

/// What a session comes to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The turns of the ledger.
    pub(crate) turns: u64,
    /// The tools that were called.
    pub(crate) tools: u64,
    /// Those that never answered.
    pub(crate) unanswered: Vec<String>,
}

/// Checks in both dialects that every turn has one `Complete` with nothing of its answer after it,
/// that every started tool ends once, and that a failure is reported right before the end.
pub(crate) fn is_whole(items: &[Item]) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut wanted = BTreeMap::<u64, u64>::new();
    for item in items {
        if let Item::Event(event) = item
            && matches!(event.fact, Fact::TurnStarted(_))
            && let Some(turn) = event.turn
        {
            wanted.insert(turn, 1);
        }
    }
    tally.turns = wanted.len() as u64;
    let mut completes = BTreeMap::<u64, u64>::new();
    let mut running = BTreeMap::<String, String>::new();
    let mut failed = None;
    let mut failures = 0;
    for message in project::<UiProjection>(items) {
        if let Some(failed) = failed.take()
            && !matches!(&message, UiMessage::ToolCompleted { tool_use_id, .. } if *tool_use_id == failed)
        {
            return Err(format!("{failed} failed and has no end"));
        }
        match message {
            UiMessage::ToolFailed { tool_use_id, .. } => {
                failures += 1;
                failed = Some(tool_use_id);
            }
            UiMessage::Complete { turn_id, .. } => {
                *completes.entry(turn_id.sequence).or_default() += 1;
            }
            UiMessage::TextChunk { turn_id, .. } if completes.contains_key(&turn_id.sequence) => {
                return Err(format!("text behind the end of turn {}", turn_id.sequence));
            }
            UiMessage::ToolExecuting {
                tool_use_id,
                tool_name,
                ..
            } => {
                tally.tools += 1;
                if running.insert(tool_use_id.clone(), tool_name).is_some() {
                    return Err(format!("{tool_use_id} began twice"));
                }
            }
            UiMessage::ToolCompleted {
                tool_use_id,
                result,
                ..
            } => {
                let Some(tool) = running.remove(&tool_use_id) else {
                    return Err(format!("{tool_use_id} ended and had not begun"));
                };
                if result == NO_TOOL_RESULT {
                    tally.unanswered.push(format!("{tool} {tool_use_id}"));
                }
            }
            _ => {}
        }
    }
    if completes != wanted {
        return Err(format!("turns {wanted:?} have the ends {completes:?}"));
    }
    if !running.is_empty() {
        return Err(format!("{running:?} never ended"));
    }
    let (mut over, mut open, mut told) = (0, 0_i64, 0);
    for message in project::<MobileProjection>(items) {
        match message {
            MobileMessage::TurnComplete(_) => over += 1,
            MobileMessage::ToolOperation(tool) if tool.state == OperationState::Started => {
                open += 1;
            }
            MobileMessage::ToolOperation(tool) => {
                open -= 1;
                told += u64::from(tool.failed);
            }
            _ => {}
        }
    }
    if (over, open, told) != (tally.turns, 0, failures) {
        return Err(format!(
            "mobile: {over} turns over, {open} tools open, {told} of {failures} failed"
        ));
    }
    Ok(tally)
}
