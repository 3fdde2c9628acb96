//! What the log says happened, and what must be true of every log and every front end.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, ensure};
use claw_server::event::{Fact, PromptId};
use claw_server::{SessionEvent, UiMessage};
use serde_json::Value;

use super::front_end::FrontEnd;

/// The events in a few words each: turns, calls and their results, prompts and their ends.
pub(super) fn story(events: &[Arc<SessionEvent>]) -> Vec<String> {
    let mut story = Vec::new();
    for event in events {
        match &event.fact {
            Fact::TurnStarted(_) => story.push(format!("turn {} began", turn(event))),
            Fact::TurnEnded(ended) => story.push(format!(
                "turn {} ended: {}",
                turn(event),
                ended.ending.as_str()
            )),
            Fact::PromptAsked(prompt) => {
                let group = match (&prompt.group, prompt.group_index, prompt.group_size) {
                    (Some(group), Some(index), Some(size)) => {
                        format!(", {} of {size} in {group}", index + 1)
                    }
                    _ => String::new(),
                };
                story.push(format!("asked {}{group}", prompt.id.as_str()));
            }
            Fact::PromptAnswered(answer) => story.push(match &answer.by {
                Some(by) => format!("answered {} by {by}", answer.id.as_str()),
                None => format!("answered {}", answer.id.as_str()),
            }),
            Fact::PromptExpired(id) => story.push(format!("expired {}", id.as_str())),
            Fact::PromptWithdrawn(id) => story.push(format!("withdrawn {}", id.as_str())),
            Fact::Lifecycle(lifecycle) => story.push(lifecycle.state.as_str().to_lowercase()),
            Fact::Message(raw) => {
                let message = serde_json::from_slice(raw.as_bytes()).unwrap_or_default();
                calls(&message, &mut story);
            }
            _ => {}
        }
    }
    story
}

fn turn(event: &SessionEvent) -> String {
    event
        .turn
        .map_or("none".to_owned(), |turn| turn.to_string())
}

/// Calls of tools and results, as the CLI printed them.
fn calls(message: &Value, story: &mut Vec<String>) {
    let blocks = message["message"]["content"].as_array();
    for block in blocks.into_iter().flatten() {
        if message["type"] == "assistant" && block["type"] == "tool_use" {
            story.push(format!("called {}", text(&block["id"])));
        }
        if message["type"] == "user" && block["type"] == "tool_result" {
            story.push(format!("result {}", text(&block["tool_use_id"])));
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("nothing")
}

/// What the log says of inputs, in order.
pub(super) fn inputs(events: &[Arc<SessionEvent>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut texts = BTreeMap::new();
    for event in events {
        let (what, id) = match &event.fact {
            Fact::InputAccepted(input) => {
                let said = input.content.view::<String>().unwrap_or_default();
                texts.insert(input.id.clone(), said);
                ("accepted", &input.id)
            }
            Fact::InputDelivered(id) => ("delivered", id),
            Fact::InputProcessed(id) => ("processed", id),
            Fact::InputFailed(failure) if failure.indeterminate => ("indeterminate", &failure.id),
            Fact::InputFailed(failure) => ("failed", &failure.id),
            _ => continue,
        };
        let said = texts.get(id).map_or("unknown", String::as_str);
        names.push(format!("{what} {said}"));
    }
    names
}

/// What must be true of a session that is over, whatever happened in it.
pub(super) fn lawful(events: &[Arc<SessionEvent>], front_ends: &[&FrontEnd]) -> Result<()> {
    log_is_lawful(events)?;
    for front in front_ends {
        front_end_is_lawful(events, &front.heard())?;
    }
    if let [first, others @ ..] = front_ends {
        for other in others {
            ensure!(
                first.seen() == other.seen(),
                "one front end saw {:?}, another {:?}",
                first.seen(),
                other.seen()
            );
        }
    }
    Ok(())
}

fn log_is_lawful(events: &[Arc<SessionEvent>]) -> Result<()> {
    ensure!(!events.is_empty(), "the log is empty");
    let follows = |pair: &[Arc<SessionEvent>]| pair[1].sequence == pair[0].sequence + 1;
    ensure!(events.windows(2).all(follows), "a sequence is left out");
    let mut open: Vec<(&PromptId, Option<u64>)> = Vec::new();
    let mut running: Option<u64> = None;
    for event in events {
        match &event.fact {
            Fact::TurnStarted(_) => {
                ensure!(running.is_none(), "a turn began inside of turn {running:?}");
                running = event.turn;
            }
            Fact::TurnEnded(_) => {
                ensure!(
                    event.turn.is_some() && running == event.turn,
                    "turn {:?} ended while {running:?} ran",
                    event.turn
                );
                running = None;
            }
            Fact::PromptAsked(prompt) => {
                // A subagent may work on behind the turn that it was called in.
                let by_subagent = prompt.request.get("agent_id").is_some();
                ensure!(
                    event.turn.is_some() || by_subagent,
                    "{} was asked outside of a turn",
                    prompt.id.as_str()
                );
                open.push((&prompt.id, event.turn.filter(|_| !by_subagent)));
            }
            Fact::PromptAnswered(answer) if answer.by.as_deref() == Some("policy") => {}
            Fact::PromptAnswered(answer) => ends(&mut open, &answer.id, event)?,
            Fact::PromptExpired(id) | Fact::PromptWithdrawn(id) => ends(&mut open, id, event)?,
            _ => {}
        }
    }
    ensure!(open.is_empty(), "prompts have no end: {open:?}");
    ensure!(running.is_none(), "turn {running:?} has no end");
    Ok(())
}

/// A prompt ends once, while the turn runs that it was asked in, unless a subagent asked.
fn ends(
    open: &mut Vec<(&PromptId, Option<u64>)>,
    id: &PromptId,
    event: &SessionEvent,
) -> Result<()> {
    let place = open.iter().position(|(open, _)| *open == id);
    let Some(place) = place else {
        anyhow::bail!("{} ended and was not open", id.as_str());
    };
    let (_, turn) = open.remove(place);
    ensure!(
        turn.is_none() || event.turn == turn,
        "{} ended after its turn",
        id.as_str()
    );
    Ok(())
}

fn front_end_is_lawful(events: &[Arc<SessionEvent>], heard: &[UiMessage]) -> Result<()> {
    let count = |fits: &dyn Fn(&UiMessage) -> bool| heard.iter().filter(|one| fits(one)).count();
    for event in events {
        match &event.fact {
            Fact::TurnStarted(_) => {
                let turn = event.turn;
                let ends = count(&|message| {
                    matches!(message, UiMessage::Complete { turn_id, .. }
                        if Some(turn_id.sequence) == turn)
                });
                ensure!(ends == 1, "turn {turn:?} has {ends} ends");
            }
            Fact::PromptAsked(prompt) => {
                let ends = count(&|message| {
                    matches!(message, UiMessage::PromptResolved { prompt_id, .. }
                        if prompt_id == prompt.id.as_str())
                });
                ensure!(
                    ends == 1,
                    "{} has {ends} ends at a front end",
                    prompt.id.as_str()
                );
            }
            _ => {}
        }
    }
    for message in heard {
        ensure!(message.name() != "Gap", "a front end has a gap");
        let UiMessage::ToolExecuting { tool_use_id, .. } = message else {
            continue;
        };
        let begins = count(&|message| {
            matches!(message, UiMessage::ToolExecuting { tool_use_id: begun, .. }
                if begun == tool_use_id)
        });
        let ends = count(&|message| {
            matches!(message, UiMessage::ToolCompleted { tool_use_id: ended, .. }
                if ended == tool_use_id)
        });
        ensure!(
            ends == begins,
            "{tool_use_id} began {begins} times and ended {ends} times"
        );
    }
    Ok(())
}
