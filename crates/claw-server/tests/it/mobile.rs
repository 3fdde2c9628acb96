//! What a phone is sent.

use claw_server::{ClaudeResponse, MobileMessage, ProgressUpdateMessage, UnknownCause};

use crate::json_of;

fn both() -> [MobileMessage; 2] {
    [
        MobileMessage::ClaudeResponse(ClaudeResponse {
            content: "Done.".to_owned(),
            conversation_id: "sess_1".to_owned(),
        }),
        MobileMessage::ProgressUpdate(ProgressUpdateMessage {
            current_step: "Running tests".to_owned(),
            completed_steps: 1,
            total_steps: 3,
            percentage: 100.0 / 3.0,
        }),
    ]
}

#[test]
fn each_has_the_documented_json() {
    let lines: Vec<String> = both().iter().map(json_of).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"type":"claude_response","content":"Done.","conversationId":"sess_1"}
    {"type":"progress_update","currentStep":"Running tests","completedSteps":1,"totalSteps":3,"percentage":33.333333333333336}
    "#);
}

#[test]
fn the_name_is_the_type() {
    for message in both() {
        let tree = serde_json::to_value(&message).unwrap();
        assert_eq!(tree["type"], message.name());
    }
}

#[test]
fn the_type_may_stand_anywhere() {
    let text = r#"{"content":"Done.","conversationId":"sess_1","type":"claude_response"}"#;
    let message: MobileMessage = serde_json::from_str(text).unwrap();
    assert_eq!(message, both()[0]);
}

#[test]
fn a_message_of_a_newer_server_is_kept() {
    for (text, name, cause) in [
        (
            r#"{"type":"confetti","z":1.50,"a":[]}"#,
            "confetti",
            UnknownCause::NewType,
        ),
        (
            r#"{"type":"claude_response","content":["Done."]}"#,
            "claude_response",
            UnknownCause::NewShape,
        ),
        (
            r#"{"type":"progress_update"}"#,
            "progress_update",
            UnknownCause::NewShape,
        ),
        (r#"{"type":7}"#, "", UnknownCause::NewShape),
        ("{}", "", UnknownCause::NewShape),
    ] {
        let message: MobileMessage = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        assert_eq!(message.name(), name, "{text}");
        let MobileMessage::Unknown(kept) = message else {
            panic!("{text} was read as {message:?}");
        };
        assert_eq!(kept.cause, cause, "{text}");
    }
}

#[test]
fn what_is_no_object_is_an_error() {
    for text in ["7", "null", "[]", r#""claude_response""#, "{"] {
        let read = serde_json::from_str::<MobileMessage>(text);
        assert!(read.is_err(), "{text}");
    }
}
