//! What came of prompts and tools: yes or no, well or not.

use std::collections::BTreeSet;
use std::path::Path;

use claw_server::event::{
    AskedPrompt, Fact, Lifecycle, LifecycleState, PromptAnswer, PromptId, PromptKind, SessionEvent,
};
use claw_server::{
    Json, MobileMessage, MobileProjection, Output, PromptOutcome, SessionLedger, ToolFailure,
    UiMessage, UiProjection,
};
use serde_json::{Value, json};

use crate::laws::project;
use crate::recorded::{self, Item};

fn items(facts: Vec<Fact>) -> Vec<Item> {
    let events = (1..).zip(facts);
    let events = events.map(|(sequence, fact)| SessionEvent::new(sequence, 1, 0, fact));
    events.map(Item::Event).collect()
}

/// What both dialects say came of a prompt, which must be the same.
fn outcome(facts: Vec<Fact>) -> PromptOutcome {
    let items = items(facts);
    let ui = project::<UiProjection>(&items);
    let ui = ui.into_iter().find_map(|message| match message {
        UiMessage::PromptResolved { outcome, .. } => outcome,
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

fn asked(kind: &PromptKind) -> Fact {
    Fact::PromptAsked(AskedPrompt::new(
        PromptId::new("p"),
        kind.clone(),
        Json::default(),
    ))
}

fn answered(answer: &Value) -> Fact {
    let answer = Json::from_value(answer);
    Fact::PromptAnswered(PromptAnswer::new(PromptId::new("p"), answer))
}

#[test]
fn an_answer_is_a_yes_or_a_no_by_what_was_asked() {
    let yes = json!({"behavior": "allow"});
    let no = json!({"behavior": "deny", "message": "Only look"});
    for (kind, answer, came) in [
        (PromptKind::Permission, &yes, PromptOutcome::Allowed),
        (PromptKind::Permission, &no, PromptOutcome::Denied),
        (PromptKind::Plan, &yes, PromptOutcome::Allowed),
        (PromptKind::Plan, &no, PromptOutcome::Denied),
        (PromptKind::Question, &yes, PromptOutcome::Answered),
        (PromptKind::Question, &no, PromptOutcome::Denied),
        (
            PromptKind::Elicitation,
            &json!({"action": "accept", "content": {"name": "Ada"}}),
            PromptOutcome::Answered,
        ),
        (
            PromptKind::Elicitation,
            &json!({"action": "decline"}),
            PromptOutcome::Denied,
        ),
        (
            PromptKind::Elicitation,
            &json!({"action": "cancel"}),
            PromptOutcome::Denied,
        ),
        (
            PromptKind::Dialog,
            &json!({"behavior": "completed", "result": "retry"}),
            PromptOutcome::Answered,
        ),
        (
            PromptKind::Dialog,
            &json!({"behavior": "cancelled"}),
            PromptOutcome::Denied,
        ),
        // What the CLI cannot read it does not do.
        (PromptKind::Permission, &json!("yes"), PromptOutcome::Denied),
        (
            PromptKind::Permission,
            &json!({"subtype": "error", "error": "no handler"}),
            PromptOutcome::Denied,
        ),
    ] {
        let facts = vec![asked(&kind), answered(answer)];
        assert_eq!(outcome(facts), came, "{kind}: {answer}");
    }
}

#[test]
fn a_prompt_without_an_answer_has_an_outcome_too() {
    let id = || PromptId::new("p");
    let asked = || asked(&PromptKind::Permission);
    let expired = vec![asked(), Fact::PromptExpired(id())];
    assert_eq!(outcome(expired), PromptOutcome::Expired);
    let withdrawn = vec![asked(), Fact::PromptWithdrawn(id())];
    assert_eq!(outcome(withdrawn), PromptOutcome::Withdrawn);
    // A rule decided, so nobody was asked.
    let by_rule = vec![answered(&json!({"behavior": "allow"}))];
    assert_eq!(outcome(by_rule), PromptOutcome::Allowed);
    // Whose process is gone asks nothing, and the same id may come again.
    let again = vec![
        self::asked(&PromptKind::Question),
        Fact::Lifecycle(Lifecycle::new(LifecycleState::Lost)),
        asked(),
        answered(&json!({"behavior": "allow"})),
    ];
    assert_eq!(outcome(again), PromptOutcome::Allowed);
}

/// What the lines say failed, in the opinion of a reader that is not ours, is what is said to have
/// failed; and of what never answered that is said, too.
#[test]
fn every_tool_that_failed_in_a_recording_is_told() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for session in recorded::all(&root).unwrap() {
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

/// The CLI does not run what we say was denied, and reads answers as we do.
#[test]
fn what_was_denied_in_a_recording_was_not_done() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut no, mut yes) = (0, 0);
    for session in recorded::all(&root).unwrap() {
        let messages = project::<UiProjection>(&session.items);
        let failed = |call: &str| {
            messages.iter().any(
                |one| matches!(one, UiMessage::ToolFailed { tool_use_id, .. } if tool_use_id == call),
            )
        };
        for message in &messages {
            let UiMessage::PromptResolved {
                prompt_id, outcome, ..
            } = message
            else {
                continue;
            };
            let name = &session.name;
            match outcome.as_ref().expect("it is said") {
                PromptOutcome::Denied if prompt_id.starts_with("toolu_") => {
                    no += 1;
                    assert!(failed(prompt_id), "{name}: {prompt_id}");
                }
                PromptOutcome::Allowed => {
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
    let mut ledger = SessionLedger::new(1);
    let mut output = Output::default();
    for line in lines {
        ledger.line(0, line.to_string().as_str(), &mut output);
    }
    let items: Vec<Item> = output.events.into_iter().map(Item::Event).collect();
    let stops = project::<UiProjection>(&items);
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
    let ran = json!({"type": "user", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"}]}});
    let pause = [called, paused, stopped, ran];
    assert_eq!(stops(&pause), [""; 0], "the turn goes on");
    // The turn is over, whatever the model's last stop reason.
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
