//! Results of tools.

use std::collections::BTreeMap;

use rusty_claw::Json;
use rusty_claw::mcp::{
    IntoToolResult, Structured, TextResource, ToolContent, ToolError, ToolResult,
};
use rusty_claw::serde_json::{self, Value, json};

fn given(result: impl IntoToolResult) -> Value {
    serde_json::to_value(result.into_tool_result()).unwrap()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn failure(said: &str) -> Value {
    let mut failure = text(said);
    failure["isError"] = true.into();
    failure
}

#[test]
fn plain_values_are_text() {
    assert_eq!(given("so"), text("so"));
    assert_eq!(given(String::from("so")), text("so"));
    assert_eq!(given(-3), text("-3"));
    assert_eq!(given(true), text("true"));
    assert_eq!(given(()), json!({"content": []}));
}

#[test]
fn structured_content_is_an_object_and_text() {
    assert_eq!(
        given(Structured(BTreeMap::from([("sum", 5)]))),
        json!({
            "content": [{"type": "text", "text": r#"{"sum":5}"#}],
            "structuredContent": {"sum": 5},
        })
    );
    assert_eq!(
        given(Structured([1, 2])),
        json!({
            "content": [{"type": "text", "text": r#"{"result":[1,2]}"#}],
            "structuredContent": {"result": [1, 2]},
        })
    );
    assert_eq!(
        given(Structured(BTreeMap::from([([1], 5)]))),
        failure("The tool's result could not be written as JSON: key must be a string")
    );
}

#[test]
fn a_result_has_pieces_of_every_kind() {
    let result = ToolResult::image("aGk=", "image/png")
        .with(ToolContent::Audio {
            data: "aGk=".to_owned(),
            mime_type: "audio/wav".into(),
        })
        .with(ToolContent::ResourceLink {
            uri: "file:///a".to_owned(),
            name: "a".to_owned(),
            description: Some("A file".to_owned()),
            mime_type: Some("text/plain".into()),
        })
        .with(ToolContent::Resource {
            resource: TextResource {
                uri: "note:///1".to_owned(),
                text: "hi".to_owned(),
                mime_type: Some("text/plain".into()),
            },
        })
        .with_meta("host/color", &Json::from_text_value("red"))
        .failed();
    assert_eq!(
        given(result),
        json!({
            "content": [
                {"type": "image", "data": "aGk=", "mimeType": "image/png"},
                {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
                {
                    "type": "resource_link",
                    "uri": "file:///a",
                    "name": "a",
                    "description": "A file",
                    "mimeType": "text/plain",
                },
                {
                    "type": "resource",
                    "resource": {"uri": "note:///1", "mimeType": "text/plain", "text": "hi"},
                },
            ],
            "isError": true,
            "_meta": {"host/color": "red"},
        })
    );
}

#[derive(Debug)]
struct Outer(std::num::ParseIntError);

impl std::fmt::Display for Outer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no number")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn errors_are_failed_calls_with_all_their_causes() {
    let fails = || -> Result<i64, ToolError> { Ok("x".parse::<i64>().map_err(Outer)?) };
    assert_eq!(
        given(fails()),
        failure("no number: invalid digit found in string")
    );
    assert_eq!(given(Err::<(), _>("plain text")), failure("plain text"));
    assert_eq!(given(Ok::<_, ToolError>(1)), text("1"));
}
