//! Plain turns: what the model can say and how it stops.

use claw_testkit::Usage;
use serde_json::{Value, json};

use super::super::scenario::Scenario;
use super::super::script::{blocks, call, say, text_block, thinking, tool};
use super::super::sdk_mcp::PIXEL;

/// Every kind of content block in one message.
fn zoo() -> Vec<Value> {
    let found = json!([{
        "type": "web_search_result", "url": "https://example.com/", "title": "Example",
        "encrypted_content": "ZW5j", "page_age": "1 day",
    }]);
    let citation = json!({
        "type": "web_search_result_location", "url": "https://example.com/", "title": "Example",
        "cited_text": "as it says", "encrypted_index": "aWR4",
    });
    vec![
        thinking("Let me search the web for this."),
        json!({"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="}),
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "example"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found}),
        json!({"type": "text", "text": "It says so.", "citations": [citation]}),
        json!({"type": "server_tool_use", "id": "srvtoolu_2", "name": "web_search", "input": {"query": "again"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_2",
               "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}}),
        tool(
            "zoo",
            "Bash",
            json!({"command": "echo zoo", "description": "print"}),
        ),
    ]
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = turns();
    all.extend(stops());
    all.extend(extras());
    all
}

fn turns() -> Vec<Scenario> {
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
        Scenario::new("text_content_zoo", "every kind of content block")
            .api([
                blocks(zoo()).tokens(Usage::new(100, 50).server_tool_use(2, 0)),
                say("Done."),
            ])
            .init()
            .ask("go")
            .keep_sessions(),
        Scenario::new(
            "text_content_zoo_partial",
            "every kind of content block, with stream events",
        )
        .partial()
        .api([
            blocks(zoo())
                .chunks(3)
                .tokens(Usage::new(100, 50).server_tool_use(2, 0)),
            say("Done."),
        ])
        .init()
        .ask("go"),
        Scenario::new(
            "text_usage_cache_tiers",
            "usage with cache reads and both cache tiers",
        )
        .api([say("Cached.").tokens(Usage::new(7, 11).cache_creation(300, 40).cache_read(9_000))])
        .init()
        .ask("go"),
        Scenario::new(
            "text_long_turn",
            "a long text in many deltas, joined by CLAUDE_CODE_STREAM_EVENT_HOLD_MS",
        )
        .partial()
        .env("CLAUDE_CODE_STREAM_EVENT_HOLD_MS", "250")
        .api([say(&"word ".repeat(120)).chunks(60).pace(10)])
        .init()
        .ask("go")
        .long_text(),
        Scenario::new(
            "text_slow_first_byte",
            "the API takes three seconds to answer",
        )
        .partial()
        .api([say("At last.").after(3_000)])
        .init()
        .ask("go"),
    ]
}

fn stops() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "stop_max_tokens",
            "stop_reason max_tokens: the CLI continues by itself",
        )
        .api([say("First half").stop("max_tokens"), say("second half")])
        .init()
        .ask("go"),
        Scenario::new("stop_sequence", "stop_reason stop_sequence")
            .api([say("Until here").stop("stop_sequence")])
            .init()
            .ask("go"),
        Scenario::new("stop_pause_turn", "stop_reason pause_turn")
            .api([say("Pausing").stop("pause_turn")])
            .init()
            .ask("go"),
        Scenario::new("stop_empty", "a message with no content")
            .api([blocks([]), say("Now with words.")])
            .init()
            .ask("go"),
        Scenario::new(
            "stop_refusal_once",
            "one refusal: the CLI continues once by itself",
        )
        .partial()
        .api([
            say("I cannot").stop("refusal"),
            say("Something else, then."),
        ])
        .init()
        .ask("go"),
        Scenario::new(
            "stop_refusal_always",
            "a refusal every time: fallback model, then an error",
        )
        .flags("--model claude-opus-5-5")
        .api([say("I cannot help").stop("refusal").forever()])
        .init()
        .ask("go")
        .exits(1)
        .keep_sessions(),
        Scenario::new(
            "stop_refusal_dialog_cancelled",
            "request_user_dialog answered with cancelled",
        )
        .flags("--model claude-fable-5 --settings {\"switchModelsOnFlag\":false}")
        .api([say("I cannot help").stop("refusal").forever()])
        .init_with(json!({"supportedDialogKinds": ["refusal_fallback_prompt"]}))
        .ask("go")
        .exits(1),
        Scenario::new(
            "stop_refusal_dialog_completed",
            "request_user_dialog answered with retry_fallback",
        )
        .flags("--model claude-fable-5 --settings {\"switchModelsOnFlag\":false}")
        .api([say("I cannot help").stop("refusal").forever()])
        .answers(
            "request_user_dialog",
            [super::super::scenario::reply(
                json!({"behavior": "completed", "result": "retry_fallback"}),
            )],
        )
        .init_with(json!({"supportedDialogKinds": ["refusal_fallback_prompt"]}))
        .ask("go")
        .exits(1),
    ]
}

fn extras() -> Vec<Scenario> {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}});
    vec![
        Scenario::new("text_replay_state_suggestion", "replayed prompts, an image, session states, a prompt suggestion")
            .flags("--replay-user-messages --prompt-suggestions")
            .env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
            .api([say("One."), say("Two."), say("Three."), say("run the tests").when("SUGGESTION MODE").forever()])
            .init_with(json!({"promptSuggestions": true}))
            .ask_as(1, "one")
            .until_text("system/session_state_changed", "idle")
            .say_as(2, json!([{"type": "text", "text": "two"}, image]))
            .until("result")
            .until_text("system/session_state_changed", "idle")
            .ask_as(3, "three")
            .until("prompt_suggestion")
            .keep_sessions()
            .quick(),
        Scenario::new("text_session_state_sdk_host", "session states as the SDK asks for them, with start-up marks")
            .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1")
            .env("CLAUDE_CODE_SDK_READS_STARTUP_MARKS", "1")
            .env("CLAUDE_CODE_EMIT_STARTUP_TIMING", "1")
            .api([say("Hi.")])
            .init()
            .ask_as(1, "hello")
            .until_text("system/session_state_changed", "idle"),
        Scenario::new("text_file_mention", "@file in a prompt, and the same with client_composed")
            .file("/home/user/project/note.txt", "a remark\n")
            .api([say("I see the remark."), say("I see only the name.")])
            .init()
            .ask("look at @note.txt")
            .say_with("look at @note.txt", json!({"client_composed": true}))
            .until("result")
            .keep_sessions(),
        Scenario::new("text_system_prompts", "initialize with system prompts, a title and progress options")
            .api([say("Hi.")])
            .init_with(json!({
                "systemPrompt": ["You are terse."], "appendSystemPrompt": "Be kind.", "title": "A titled session",
                "agentProgressSummaries": true, "excludeDynamicSections": true, "planModeInstructions": "Plan in verse.",
            }))
            .ask("hello"),
        Scenario::new("text_wrong_session_id", "a prompt that names another session is taken all the same")
            .api([say("Hi.")])
            .init()
            .say_with("hello", json!({"session_id": "00000000-0000-4000-8000-00000000dead"}))
            .until("result"),
        Scenario::new("text_bare", "--bare, --no-session-persistence, betas and effort")
            .flags("--bare --no-session-persistence --effort high --betas context-1m-2025-08-07")
            .api([say("Hi.")])
            .init()
            .ask("hello"),
    ]
}
