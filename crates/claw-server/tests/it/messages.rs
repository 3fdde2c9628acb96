//! The JSON of each message, and of those of a newer server.

use std::collections::HashMap;
use std::fmt::Debug;

use claw_server::{
    ControllerInputPayload, MobileMessage, Operation, PermissionLevel, QuestionType, Role,
    StopReason, TargetType, TurnId, UiMessage, UnknownCause, UnknownMessage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::{json_of, rows, testdata};

/// The examples of a file in `testdata/server/messages`, each of which is written as it was read.
/// The snapshot shows their members.
fn examples<T>(file: &str) -> Vec<T>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = std::fs::read_to_string(testdata("server/messages").join(file)).unwrap();
    let read = |line| {
        let value = serde_json::from_str(line).unwrap();
        assert_eq!(json_of(&value), line);
        value
    };
    let values: Vec<T> = text.lines().map(read).collect();
    let shown: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    insta::assert_snapshot!(file, shown.join("\n"));
    values
}

#[test]
fn each_ui_message_has_its_name_as_the_only_key() {
    for message in examples::<UiMessage>("ui.jsonl") {
        let name = message.name();
        let tree = serde_json::to_value(&message).unwrap();
        let keys: Vec<&String> = tree.as_object().expect("an object").keys().collect();
        assert_eq!(keys, [name]);
        let session = (name != "Error").then_some(1);
        assert_eq!(message.session_id(), session, "{name}");
        // Without its members it is of a new shape, and not of a new type.
        let kept = unknown(&format!(r#"{{"{name}":{{}}}}"#));
        assert_eq!(
            (kept.name.as_str(), kept.cause),
            (name, UnknownCause::NewShape)
        );
    }
}

#[test]
fn each_mobile_message_is_flat_and_has_its_type() {
    for message in examples::<MobileMessage>("mobile.jsonl") {
        assert!(!matches!(message, MobileMessage::Unknown(_)), "{message:?}");
        let tree = serde_json::to_value(&message).unwrap();
        assert_eq!(tree["type"], message.name());
    }
    // The type may be at any position.
    let text = r#"{"content":"Done.","conversationId":"sess_1","type":"claude_response"}"#;
    let message: MobileMessage = serde_json::from_str(text).unwrap();
    assert_eq!(message.name(), "claude_response");
    assert!(matches!(message, MobileMessage::ClaudeResponse(said) if said.content == "Done."));
}

/// Reads a message that is kept as it came.
fn unknown(text: &str) -> UnknownMessage {
    let message: UiMessage = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(serde_json::to_string(&message).unwrap(), text);
    match message {
        UiMessage::Unknown(unknown) => unknown,
        known => panic!("{text} was read as {known:?}"),
    }
}

/// Messages of a newer server: the text, its name, whether its type is new, and its session.
/// Numbers that do not fit and the order of members are kept too. The name of the variant for
/// unknown messages is not a known name.
const NEW_UI_MESSAGES: &str = r#"
{"Confetti":{"session_id":7,"b":1.500,"a":123456789012345678901234567890}} | Confetti | NewType | 7
"Heartbeat" | Heartbeat | NewType |
{"Confetti":null} | Confetti | NewType |
{"Unknown":{"name":"x"}} | Unknown | NewType |
{"TextChunk":{"text":"Hello"}} | TextChunk | NewShape |
{"TextChunk":{"text":"Hello","session_id":"one"}} | TextChunk | NewShape |
{"Display":{"content":"half: \ud83d","session_id":1}} | Display | NewShape | 1
{} |  | NewShape |
{"Error":1,"System":2} |  | NewShape |
{"\ud83d":1} |  | NewShape |
"#;

const NEW_MOBILE_MESSAGES: &str = r#"
{"type":"confetti","z":1.50,"a":[]} | confetti | NewType
{"type":"claude_response","content":["Done."]} | claude_response | NewShape
{"type":"progress_update"} | progress_update | NewShape
{"type":7} |  | NewShape
{} |  | NewShape
"#;

#[test]
fn a_message_of_a_newer_server_is_kept() {
    for [text, name, cause, session] in rows(NEW_UI_MESSAGES) {
        let kept = unknown(text);
        assert_eq!((kept.name.as_str(), kept.raw.text()), (name, text));
        assert_eq!(format!("{:?}", kept.cause), cause, "{text}");
        let kept = UiMessage::Unknown(kept);
        assert_eq!(kept.session_id(), session.parse().ok(), "{text}");
    }
    let depth = 10_000;
    let deep = format!(r#"{{"Deep":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(unknown(&deep).name, "Deep");
    for [text, name, cause] in rows(NEW_MOBILE_MESSAGES) {
        let message: MobileMessage = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        assert_eq!(message.name(), name, "{text}");
        let MobileMessage::Unknown(kept) = message else {
            panic!("{text} was read as {message:?}");
        };
        assert_eq!(format!("{:?}", kept.cause), cause, "{text}");
    }
}

/// Messages with new members or without optional ones, and how they are written.
const OTHER_VERSIONS: &str = r#"
{"Display":{"content":"x","session_id":1,"format":"markdown"}} | {"Display":{"content":"x","session_id":1}}
{"Error":{"message":"x"}} | {"Error":{"message":"x","session_id":null}}
{"InteractionResolved":{"interaction_id":"p","resolution":"Answered","session_id":1}} | {"InteractionResolved":{"interaction_id":"p","resolution":"Answered","outcome":null,"by":null,"batch":null,"session_id":1}}
"#;

#[test]
fn a_message_of_another_version_is_read() {
    for [text, written] in rows(OTHER_VERSIONS) {
        let message: UiMessage = serde_json::from_str(text).unwrap();
        assert_eq!(json_of(&message), written);
    }
    let text = r#"{"type":"request_resolved","requestId":"p","resolution":"Answered","conversationId":"s"}"#;
    let message: MobileMessage = serde_json::from_str(text).unwrap();
    assert_matches!(message, MobileMessage::RequestResolved(said) if said.outcome.is_none());
    let text = r#"{"type":"tool_operation","toolUseId":"t","toolName":"X","operation":"teleport","target":"x","state":"started","conversationId":"s"}"#;
    let message: MobileMessage = serde_json::from_str(text).unwrap();
    assert_matches!(message, MobileMessage::ToolOperation(tool) if tool.operation == Operation::Other);
}

#[test]
fn text_that_is_no_message_is_an_error() {
    for text in ["7", "null", "[]", "true", "{", ""] {
        assert!(serde_json::from_str::<UiMessage>(text).is_err(), "{text}");
        assert!(
            serde_json::from_str::<MobileMessage>(text).is_err(),
            "{text}"
        );
    }
    assert!(serde_json::from_str::<MobileMessage>(r#""claude_response""#).is_err());
    let error = serde_json::from_str::<UiMessage>("[1]").unwrap_err();
    assert!(error.to_string().contains("only key, not [1]"), "{error}");
}

#[test]
fn input_may_have_metadata() {
    let turn = TurnId::new_user_turn(u64::MAX);
    let mut payload = ControllerInputPayload::data(-1, "Hello", turn);
    insta::assert_snapshot!(json_of(&payload), @r#"{"session_id":-1,"content":"Hello","turn_id":{"role":"User","sequence":18446744073709551615}}"#);
    payload.metadata = Some(HashMap::from([("tags".to_owned(), json!(["a", null]))]));
    insta::assert_snapshot!(json_of(&payload), @r#"{"session_id":-1,"content":"Hello","turn_id":{"role":"User","sequence":18446744073709551615},"metadata":{"tags":["a",null]}}"#);
    let text =
        r#"{"session_id":1,"content":"","turn_id":{"role":"User","sequence":1},"metadata":null}"#;
    let payload: ControllerInputPayload = serde_json::from_str(text).unwrap();
    assert_eq!(payload.metadata, None);
}

/// Checks that each of these names is a known value, and that another name is kept.
fn check_names<T>(known: &str, keep: fn(String) -> T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + for<'a> From<&'a str>,
{
    for name in known.split(' ') {
        assert_ne!(T::from(name), keep(name.to_owned()));
        assert_eq!(json_of(&T::from(name)), format!("{name:?}"));
    }
    assert_eq!(json_of(&keep("Other".to_owned())), r#""Other""#);
    assert!(serde_json::from_str::<T>("{}").is_err());
}

#[test]
fn the_json_of_a_name_is_the_name() {
    let stops = "EndTurn MaxTokens StopSequence ToolUse Refusal PauseTurn Interrupted Error";
    check_names(stops, StopReason::Unknown);
    check_names("Path Domain Command Tool", TargetType::Unknown);
    check_names("Read Write Execute Admin", PermissionLevel::Unknown);
    check_names("SingleChoice MultiChoice FreeText", QuestionType::Unknown);
    check_names("User Assistant", Role::Unknown);
    assert_eq!(format!("{:>8}|", StopReason::EndTurn), " EndTurn|");
    assert_eq!(Role::Unknown("Tool".to_owned()).to_string(), "Tool");
}
