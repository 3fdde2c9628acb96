//! The events of a log in words, and invariants of every log and every front end.

use std::collections::BTreeMap;
use std::sync::Arc;

use claw_server::event::Fact;
use claw_server::{SessionEvent, UiMessage};
use serde_json::Value;

use crate::front_end::FrontEnd;

/// Turns, calls with their results, interactions with their ends, and states.
pub(crate) fn story(events: &[Arc<SessionEvent>]) -> Vec<String> {
    let mut story = Vec::new();
    for event in events {
        let turn = event.turn.unwrap_or_default();
        match &event.fact {
            Fact::TurnStarted(_) => story.push(format!("turn {turn} began")),
            Fact::TurnEnded(ended) => story.push(format!("turn {turn} ended: {}", ended.ending)),
            Fact::InteractionOpened(opened) => {
                let group = match (&opened.group, opened.group_index, opened.group_size) {
                    (Some(group), Some(index), Some(size)) => {
                        format!(", {} of {size} in {group}", index + 1)
                    }
                    _ => String::new(),
                };
                story.push(format!("asked {}{group}", opened.id.as_str()));
            }
            Fact::InteractionAnswered(answer) => story.push(match &answer.by {
                Some(by) => format!("answered {} by {by}", answer.id.as_str()),
                None => format!("answered {}", answer.id.as_str()),
            }),
            Fact::InteractionExpired(id) => story.push(format!("expired {}", id.as_str())),
            Fact::InteractionWithdrawn(id) => story.push(format!("withdrawn {}", id.as_str())),
            Fact::Lifecycle(lifecycle) => story.push(lifecycle.state.as_str().to_lowercase()),
            Fact::Message(raw) => {
                let message = serde_json::from_slice(raw.as_bytes()).unwrap_or_default();
                calls(&message, &mut story);
            }
            _ => {}
        }
    }
    let lines = story.iter().map(|line| line.replace("toolu_", ""));
    lines.collect()
}

/// Tool calls and results in a line of the CLI.
fn calls(message: &Value, story: &mut Vec<String>) {
    let blocks = message["message"]["content"].as_array();
    for block in blocks.into_iter().flatten() {
        if message["type"] == "assistant" && block["type"] == "tool_use" {
            story.push(format!("called {}", block["id"].as_str().unwrap()));
        }
        if message["type"] == "user" && block["type"] == "tool_result" {
            story.push(format!("result {}", block["tool_use_id"].as_str().unwrap()));
        }
    }
}

/// The states of inputs, in order.
pub(crate) fn inputs(events: &[Arc<SessionEvent>]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut texts = BTreeMap::new();
    for event in events {
        let (state, id) = match &event.fact {
            Fact::InputAccepted(input) => {
                let text = input.content.view::<String>().unwrap_or_default();
                texts.insert(input.id.clone(), text);
                ("accepted", &input.id)
            }
            Fact::InputDelivered(id) => ("delivered", id),
            Fact::InputProcessed(id) => ("processed", id),
            Fact::InputFailed(failure) if failure.indeterminate => ("indeterminate", &failure.id),
            Fact::InputFailed(failure) => ("failed", &failure.id),
            _ => continue,
        };
        lines.push(format!("{state} {}", texts[id]));
    }
    lines
}

/// Checks the invariants of a session that is over.
pub(crate) fn check(events: &[Arc<SessionEvent>], front_ends: &[&FrontEnd]) {
    check_log(events);
    for front in front_ends {
        check_front_end(events, &front.received);
        assert_eq!(front.seen(), front_ends[0].seen());
    }
}

/// Checks that sequences have no gap, turns do not overlap, and each interaction ends once and in
/// its turn. Interactions of subagents may end in a later turn.
fn check_log(events: &[Arc<SessionEvent>]) {
    assert!(!events.is_empty());
    let follows = |pair: &[Arc<SessionEvent>]| pair[1].sequence == pair[0].sequence + 1;
    assert!(events.windows(2).all(follows), "a sequence is missing");
    let mut open = BTreeMap::new();
    let mut running = None;
    for event in events {
        let ended = match &event.fact {
            Fact::TurnStarted(_) => {
                assert_eq!(running, None, "a turn began inside of another");
                running = event.turn;
                None
            }
            Fact::TurnEnded(_) => {
                assert!(event.turn.is_some() && running == event.turn, "{event:?}");
                running = None;
                None
            }
            Fact::InteractionOpened(opened) => {
                let by_subagent = opened.request.get("agent_id").is_some();
                assert!(event.turn.is_some() || by_subagent, "{event:?}");
                open.insert(&opened.id, event.turn.filter(|_| !by_subagent));
                None
            }
            Fact::InteractionAnswered(answer)
                if answer
                    .by
                    .as_deref()
                    .unwrap_or_default()
                    .starts_with("policy") =>
            {
                None
            }
            Fact::InteractionAnswered(answer) => Some(&answer.id),
            Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => Some(id),
            _ => None,
        };
        if let Some(id) = ended {
            let turn = open.remove(id).expect("it was open");
            assert!(turn.is_none() || event.turn == turn, "{event:?}");
        }
    }
    assert!(
        open.is_empty() && running.is_none(),
        "{open:?}, {running:?}"
    );
}

/// Every turn, interaction and tool ends once at a front end, and there is no gap.
fn check_front_end(events: &[Arc<SessionEvent>], received: &[UiMessage]) {
    let count = |fits: &dyn Fn(&UiMessage) -> bool| received.iter().filter(|one| fits(one)).count();
    for event in events {
        let ends = match &event.fact {
            Fact::TurnStarted(_) => count(
                &|message| matches!(message, UiMessage::Complete { turn_id, .. } if Some(turn_id.sequence) == event.turn),
            ),
            Fact::InteractionOpened(opened) => count(
                &|message| matches!(message, UiMessage::InteractionResolved { interaction_id, .. } if interaction_id == opened.id.as_str()),
            ),
            _ => 1,
        };
        assert_eq!(ends, 1, "{event:?}");
    }
    let mut running = BTreeMap::<&String, i32>::new();
    for message in received {
        assert_ne!(message.name(), "Gap");
        match message {
            UiMessage::ToolExecuting { tool_use_id, .. } => {
                *running.entry(tool_use_id).or_insert(0) += 1;
            }
            UiMessage::ToolCompleted { tool_use_id, .. } => {
                *running.entry(tool_use_id).or_insert(0) -= 1;
            }
            _ => {}
        }
    }
    assert!(running.values().all(|count| *count == 0), "{running:?}");
}
