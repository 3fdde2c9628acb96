//! Plain turns: what the model can say and how it stops.

use serde_json::json;

use super::super::scenario::Scenario;
use super::super::script::{blocks, call, say, text_block, thinking, tool};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new("text_basic", "initialize and one text turn")
            .api([blocks([
                thinking("A greeting, so greet back."),
                text_block("Hello there."),
            ])
            .chunks(4)])
            .init()
            .ask("Say hello")
            .keep_sessions()
            .quick(),
        Scenario::new("text_partial", "the same with stream events")
            .partial()
            .api([blocks([
                thinking("A greeting, so greet back."),
                text_block("Hello there, friend."),
            ])
            .chunks(4)])
            .init()
            .ask_as(1, "Say hello")
            .quick(),
        Scenario::new(
            "text_two_turns",
            "two turns in one process, the second with a prompt of blocks",
        )
        .api([say("First."), say("Second.")])
        .init()
        .ask_as(1, "one")
        .ask_as(2, json!([{"type": "text", "text": "two"}]))
        .keep_sessions(),
        Scenario::new(
            "text_no_initialize",
            "a prompt without initialize; initialize afterwards, twice",
        )
        .api([say("Hi.")])
        .ask("hello")
        .init()
        .init(),
        Scenario::new(
            "text_tool_loop",
            "text and a tool call in one message, then the answer",
        )
        .partial()
        .file("/home/user/project/note.txt", "one line\n")
        .api([
            blocks([
                text_block("I will look."),
                tool("t1", "Read", json!({"file_path": "note.txt"})),
            ])
            .chunks(3),
            call(
                "t2",
                "Bash",
                json!({"command": "cat note.txt", "description": "show the note"}),
            ),
            say("It has one line."),
        ])
        .init()
        .ask("What is in the note?"),
    ]
}
