//! Every event, and what happens to those of a newer server.

use claw_server::{
    AskUserQuestionsRequest, PermissionLevel, PermissionRequest, Question, QuestionType,
    StopReason, TargetType, TurnId, UiMessage, UnknownCause, UnknownMessage,
};
use serde_json::json;

use crate::json_of;

fn permission(target_type: TargetType, target: &str, level: PermissionLevel) -> PermissionRequest {
    PermissionRequest {
        target_type,
        target: target.to_owned(),
        level,
        description: format!("Use {target}"),
        reason: Some("The task needs it".to_owned()),
        recursive: true,
    }
}

/// One of each, built by literal as the document prints them.
fn all() -> Vec<UiMessage> {
    vec![
        UiMessage::TextChunk {
            text: "Hello".to_string(),
            session_id: 1,
            turn_id: TurnId::new_assistant_turn(1),
        },
        UiMessage::ToolExecuting {
            tool_use_id: "toolu_1".to_string(),
            tool_name: "read_file".to_string(),
            input: json!({"path": "notes.md", "limit": 10}),
            session_id: 1,
        },
        UiMessage::ToolCompleted {
            tool_use_id: "toolu_1".to_string(),
            result: "# Notes\n".to_string(),
            session_id: 1,
        },
        UiMessage::Complete {
            session_id: 1,
            turn_id: TurnId::new_assistant_turn(1),
            stop_reason: StopReason::EndTurn,
        },
        UiMessage::PermissionRequired {
            tool_use_id: "toolu_2".to_string(),
            request: permission(TargetType::Command, "cargo test", PermissionLevel::Execute),
            session_id: 1,
        },
        UiMessage::BatchPermissionRequired {
            batch_id: "batch_1".to_string(),
            requests: vec![
                permission(TargetType::Path, "/srv", PermissionLevel::Read),
                permission(TargetType::Domain, "example.org", PermissionLevel::Admin),
            ],
            session_id: 1,
        },
        UiMessage::UserInteractionRequired {
            tool_use_id: "toolu_3".to_string(),
            request: AskUserQuestionsRequest {
                questions: vec![Question {
                    id: "toolu_3:0".to_string(),
                    text: "What is it called?".to_string(),
                    question_type: QuestionType::FreeText,
                    options: None,
                    required: false,
                }],
            },
            session_id: 1,
        },
        UiMessage::TokenUpdate {
            input_tokens: 1200,
            output_tokens: 34,
            session_id: 1,
        },
        UiMessage::Error {
            message: "overloaded".to_string(),
            session_id: None,
        },
        UiMessage::System {
            message: "compacted".to_string(),
            session_id: Some(1),
        },
        UiMessage::Display {
            content: "Total cost: $0.00".to_string(),
            session_id: 1,
        },
        UiMessage::CommandComplete {
            command: "/cost".to_string(),
            session_id: 1,
        },
    ]
}

fn unknown(text: &str) -> UnknownMessage {
    let event: UiMessage = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
    match event {
        UiMessage::Unknown(unknown) => unknown,
        known => panic!("{text} was read as {known:?}"),
    }
}

#[test]
fn each_has_the_documented_json() {
    let lines: Vec<String> = all().iter().map(json_of).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_name_is_the_only_key_and_the_session_is_found() {
    for event in all() {
        let tree = serde_json::to_value(&event).unwrap();
        let keys: Vec<&String> = tree.as_object().expect("an object").keys().collect();
        assert_eq!(keys, [event.name()]);
        let expected = if event.name() == "Error" {
            None
        } else {
            Some(1)
        };
        assert_eq!(event.session_id(), expected, "{}", event.name());
    }
}

#[test]
fn an_event_of_a_newer_server_is_kept() {
    // Numbers that we would round and the order of members are part of what is kept.
    let text = r#"{"Confetti":{"session_id":7,"b":1.500,"a":123456789012345678901234567890}}"#;
    let kept = unknown(text);
    assert_eq!(kept.name, "Confetti");
    assert_eq!(kept.cause, UnknownCause::NewType);
    assert_eq!(kept.raw.text(), text);
    assert_eq!(UiMessage::Unknown(kept).session_id(), Some(7));

    assert_eq!(unknown(r#""Heartbeat""#).name, "Heartbeat");
    assert_eq!(unknown(r#"{"Confetti":null}"#).name, "Confetti");
    // Our own variant's name is nothing that a server may say and be understood.
    let named_so = unknown(r#"{"Unknown":{"name":"x"}}"#);
    assert_eq!(named_so.cause, UnknownCause::NewType);
}

#[test]
fn a_known_event_of_a_new_shape_is_kept() {
    for text in [
        r#"{"TextChunk":{"text":"Hello","session_id":"one"}}"#,
        r#"{"TextChunk":{"text":"Hello"}}"#,
        r#"{"Display":{"content":"half a pair: \ud83d","session_id":1}}"#,
    ] {
        let kept = unknown(text);
        assert_eq!(kept.cause, UnknownCause::NewShape, "{text}");
        assert!(text.contains(&kept.name) && !kept.name.is_empty(), "{text}");
    }
    for text in ["{}", r#"{"Error":1,"System":2}"#, r#"{"\ud83d":1}"#] {
        let kept = unknown(text);
        assert_eq!(
            (kept.name.as_str(), kept.cause),
            ("", UnknownCause::NewShape)
        );
        assert_eq!(UiMessage::Unknown(kept).session_id(), None);
    }
}

#[test]
fn each_known_name_without_its_members_is_a_new_shape_and_not_a_new_type() {
    for event in all() {
        let kept = unknown(&format!(r#"{{"{}":{{}}}}"#, event.name()));
        assert_eq!(kept.cause, UnknownCause::NewShape, "{}", event.name());
    }
}

#[test]
fn deep_nesting_is_kept_too() {
    let depth = 10_000;
    let text = format!(r#"{{"Deep":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(unknown(&text).name, "Deep");
}

#[test]
fn new_members_of_a_known_event_do_not_hide_it() {
    let text = r#"{"Display":{"content":"x","session_id":1,"format":"markdown"}}"#;
    let event: UiMessage = serde_json::from_str(text).unwrap();
    assert_eq!(
        event,
        UiMessage::Display {
            content: "x".to_string(),
            session_id: 1
        }
    );
}

#[test]
fn optional_members_may_be_missing() {
    let event: UiMessage = serde_json::from_str(r#"{"Error":{"message":"x"}}"#).unwrap();
    assert_eq!(event.name(), "Error");
    assert!(matches!(
        event,
        UiMessage::Error {
            session_id: None,
            ..
        }
    ));
}

#[test]
fn what_is_no_event_at_all_is_an_error() {
    for text in ["7", "null", "[]", "true", "{", ""] {
        assert!(serde_json::from_str::<UiMessage>(text).is_err(), "{text}");
    }
    let error = serde_json::from_str::<UiMessage>("[1]").unwrap_err();
    assert!(error.to_string().contains("only key, not [1]"), "{error}");
}
