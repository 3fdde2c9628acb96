//! What came of prompts and tools: yes or no, well or not.

use std::collections::BTreeSet;

use claw_server::event::{
    Fact, Interaction, InteractionAnswer, InteractionId, InteractionKind, Lifecycle,
    LifecycleState, SessionEvent,
};
use claw_server::{
    InteractionOutcome, Json, MobileMessage, MobileProjection, ToolFailure, UiMessage, UiProjection,
};
use serde_json::{Value, json};

use crate::laws::project;
use crate::played::{play, result};
use crate::recorded::{self, Item};
use crate::rows;

fn items(facts: Vec<Fact>) -> Vec<Item> {
    let events = (1..).zip(facts);
    let events = events.map(|(sequence, fact)| SessionEvent::new(sequence, 1, 0, fact));
    events.map(Item::Event).collect()
}

/// The outcome of a prompt, which must be the same in both dialects.
fn outcome(facts: Vec<Fact>) -> InteractionOutcome {
    let items = items(facts);
    let ui = project::<UiProjection>(&items);
    let ui = ui.into_iter().find_map(|message| match message {
        UiMessage::InteractionResolved { outcome, .. } => outcome,
        _ => None,
    });
    let phone = project::<MobileProjection>(&items);
    let phone = phone.into_iter().find_map(|message| match message {
        MobileMessage::RequestResolved(said) => said.outcome,
        _ => None,
    });
    assert_eq!(ui, phone);
    ui.expect("it is resolved")
}

fn asked(kind: &str) -> Fact {
    let (id, kind) = (InteractionId::new("p"), InteractionKind::from(kind));
    Fact::InteractionOpened(Interaction::new(id, kind, Json::default()))
}

fn answered(answer: &str) -> Fact {
    let answer = Json::from_text(answer).unwrap();
    Fact::InteractionAnswered(InteractionAnswer::new(InteractionId::new("p"), answer))
}

/// The kind of an interaction, its answer and the outcome. The CLI does not act on an answer that it
/// cannot read.
const ANSWERS: &str = r#"
Permission | {"behavior":"allow"} | Allowed
Permission | {"behavior":"deny","message":"Only look"} | Denied
Plan | {"behavior":"allow"} | Allowed
Plan | {"behavior":"deny","message":"Only look"} | Denied
Question | {"behavior":"allow"} | Answered
Question | {"behavior":"deny","message":"Only look"} | Denied
Elicitation | {"action":"accept","content":{"name":"Ada"}} | Answered
Elicitation | {"action":"decline"} | Denied
Elicitation | {"action":"cancel"} | Denied
Dialog | {"behavior":"completed","result":"retry"} | Answered
Dialog | {"behavior":"cancelled"} | Denied
Permission | "yes" | Denied
Permission | {"subtype":"error","error":"no handler"} | Denied
"#;

#[test]
fn an_answer_is_a_yes_or_a_no_by_what_was_asked() {
    for [kind, answer, expected] in rows(ANSWERS) {
        let facts = vec![asked(kind), answered(answer)];
        assert_eq!(outcome(facts).as_str(), expected, "{kind}: {answer}");
    }
}

#[test]
fn an_interaction_without_an_answer_has_an_outcome_too() {
    let id = || InteractionId::new("p");
    let allowed = || answered(r#"{"behavior":"allow"}"#);
    let lost = Fact::Lifecycle(Lifecycle::new(LifecycleState::Lost));
    let permission = || asked("Permission");
    let expired = vec![permission(), Fact::InteractionExpired(id())];
    let withdrawn = vec![permission(), Fact::InteractionWithdrawn(id())];
    // The interactions of a lost process have ended, and their ids may be reused.
    let again = vec![asked("Question"), lost, permission(), allowed()];
    for (facts, expected) in [
        (expired, "Expired"),
        (withdrawn, "Withdrawn"),
        // A rule decided without a request.
        (vec![allowed()], "Allowed"),
        (again, "Allowed"),
    ] {
        assert_eq!(outcome(facts.clone()).as_str(), expected, "{facts:?}");
    }
}

/// The reported failures are those that an independent reader finds in the lines, and the calls
/// without a result.
#[test]
fn every_tool_that_failed_in_a_recording_is_told() {
    let mut count = 0;
    for session in recorded::all() {
        let mut wanted = BTreeSet::new();
        for item in &session.items {
            if let Item::Event(event) = item
                && let Fact::Message(raw) = &event.fact
                && let Ok(line) = serde_json::from_slice::<Value>(raw.as_bytes())
            {
                let blocks = line["message"]["content"].as_array().into_iter().flatten();
                let failed = blocks.filter(|block| {
                    // A tool of the API has a code instead.
                    block["is_error"] == true || block["content"]["error_code"].is_string()
                });
                wanted
                    .extend(failed.map(|block| block["tool_use_id"].as_str().unwrap().to_owned()));
            }
        }
        let mut told = BTreeSet::new();
        for message in project::<UiProjection>(&session.items) {
            if let UiMessage::ToolFailed {
                tool_use_id,
                failure: ToolFailure::Error,
                ..
            } = message
            {
                told.insert(tool_use_id);
            }
        }
        assert_eq!(told, wanted, "{}", session.name);
        count += told.len();
    }
    assert!(count > 20, "{count}");
}

/// The CLI does not run calls that are reported as denied, and interprets answers as we do.
#[test]
fn what_was_denied_in_a_recording_was_not_done() {
    let (mut no, mut yes) = (0, 0);
    for session in recorded::all() {
        let messages = project::<UiProjection>(&session.items);
        let failed = |call: &str| {
            messages.iter().any(
                |one| matches!(one, UiMessage::ToolFailed { tool_use_id, .. } if tool_use_id == call),
            )
        };
        for message in &messages {
            let UiMessage::InteractionResolved {
                interaction_id,
                outcome,
                ..
            } = message
            else {
                continue;
            };
            let name = &session.name;
            match outcome.as_ref().expect("it is said") {
                InteractionOutcome::Denied if interaction_id.starts_with("toolu_") => {
                    no += 1;
                    assert!(failed(interaction_id), "{name}: {interaction_id}");
                }
                InteractionOutcome::Allowed => {
                    yes += 1;
                    assert_ne!(name, "perm_malformed_replies");
                }
                _ => {}
            }
        }
    }
    assert!(no > 8 && yes > 20, "{no} {yes}");
}

#[test]
fn tools_of_the_api_fail_with_a_code() {
    let call =
        |id: &str| json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}});
    let line = json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [
        call("a"), call("b"),
        {"type": "web_search_tool_result", "tool_use_id": "a", "content": []},
        {"type": "web_search_tool_result", "tool_use_id": "b",
            "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}},
    ]}});
    let line = Fact::message(line.to_string().as_str());
    let failed: Vec<_> = project::<UiProjection>(&items(vec![line]))
        .into_iter()
        .filter_map(|message| match message {
            UiMessage::ToolFailed { tool_use_id, .. } => Some(tool_use_id),
            _ => None,
        })
        .collect();
    assert_eq!(failed, ["b"]);
}

/// The stop reasons of the turns in lines of the CLI.
fn stops(lines: &[Value]) -> Vec<String> {
    let stops = project::<UiProjection>(&play(0, lines));
    let stops = stops.into_iter().filter_map(|message| match message {
        UiMessage::Complete { stop_reason, .. } => Some(stop_reason.as_str().to_owned()),
        _ => None,
    });
    stops.collect()
}

#[test]
fn no_turn_is_complete_at_a_tool_pause() {
    let called = json!({"type": "assistant", "message": {"id": "m1", "role": "assistant",
        "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}]}});
    let paused = json!({"type": "stream_event", "event": {"type": "message_delta",
        "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}});
    let stopped = json!({"type": "stream_event", "event": {"type": "message_stop"}});
    let pause = [called, paused, stopped, result(None, "t", "a")];
    assert_eq!(stops(&pause), [""; 0], "the turn goes on");
    // The turn has ended, regardless of the model's last stop reason.
    for (subtype, stop, wanted) in [
        ("success", "end_turn", "EndTurn"),
        ("success", "tool_use", "EndTurn"),
        ("error_during_execution", "tool_use", "Error"),
        ("success", "max_tokens", "MaxTokens"),
    ] {
        let is_error = subtype != "success";
        let result = json!({"type": "result", "subtype": subtype, "is_error": is_error,
            "result": "", "stop_reason": stop});
        let lines = [&pause[..], &[result]].concat();
        assert_eq!(stops(&lines), [wanted], "{subtype} {stop}");
    }
}
