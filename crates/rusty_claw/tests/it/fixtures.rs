//! The four fixtures hold what the message document prints.

use std::path::Path;

use rusty_claw::messages::{ContentBlock, Message, ResultMessage, SystemMessage};

fn load(name: &str) -> Vec<Message> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(format!("{name}.ndjson"));
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
        .lines()
        .map(|line| Message::from_json(line).unwrap())
        .collect()
}

#[test]
fn a_simple_query_starts_with_init_and_succeeds() {
    let messages = load("simple_query");
    let Message::System(SystemMessage::Init {
        session_id, tools, ..
    }) = &messages[0]
    else {
        panic!("{:?}", messages[0])
    };
    assert_eq!(*session_id, "sess_001");
    assert_eq!(tools[0].description.as_deref(), Some("Run shell commands"));
    assert!(matches!(messages[1], Message::Assistant(_)));
    let Message::Result(ResultMessage::Success { usage, .. }) = &messages[2] else {
        panic!("{:?}", messages[2])
    };
    assert_eq!(usage.as_ref().map(|usage| usage.output_tokens), Some(28));
    assert_eq!(messages.len(), 3);
}

#[test]
fn a_tool_call_finds_its_result() {
    let messages = load("tool_use");
    let [_, ContentBlock::ToolUse { id, input, .. }] = messages[1].content_blocks() else {
        panic!("{:?}", messages[1])
    };
    let [ContentBlock::ToolResult { tool_use_id, .. }] = messages[2].content_blocks() else {
        panic!("{:?}", messages[2])
    };
    assert_eq!(id, tool_use_id);
    assert_eq!(
        input.get("command").and_then(|command| command.as_str()),
        Some("ls -la")
    );
    assert!(messages[4].is_final() && !messages[4].is_error());
}

#[test]
fn an_error_keeps_what_the_document_calls_extra() {
    let messages = load("error_response");
    let [Message::Result(ResultMessage::Error { error, extra, .. })] = messages.as_slice() else {
        panic!("{messages:?}")
    };
    assert!(error.ends_with("permission denied"));
    assert_eq!(extra.get("exit_code").unwrap().text(), "126");
    assert!(messages[0].is_error());
}

#[test]
fn thinking_comes_before_text() {
    let messages = load("thinking_content");
    let [
        ContentBlock::Thinking { thinking, .. },
        ContentBlock::Text { text, .. },
    ] = messages[0].content_blocks()
    else {
        panic!("{messages:?}")
    };
    assert!(thinking.starts_with("Let me analyze"));
    assert_eq!(text, "I'll list the files for you.");
}
