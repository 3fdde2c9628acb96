//! `Debug` output contains nothing of the conversation.

use std::fmt::Debug;

use rusty_claw::control::messages::{CanUseTool, ControlRequest};
use rusty_claw::mcp::{TextResource, ToolContent, ToolResult};
use rusty_claw::messages::ContentBlock;
use rusty_claw::permission::{AskKind, PermissionAsk};
use rusty_claw::store::{Batch, BatchId};
use rusty_claw::{ClaudeCodePrompt, CustomPrompt, Detached, Json, Options, Prompt, SystemPrompt};
use serde_json::{Value, json};

const SECRET: &str = "xyzzy";

fn asks(tool: &str, input: &Value) -> CanUseTool {
    CanUseTool::new(tool, Json::from_value(input), "")
}

#[test]
fn nothing_of_the_conversation_is_printed() {
    let question = asks(
        "AskUserQuestion",
        &json!({"questions": [{"question": SECRET, "header": SECRET, "multiSelect": false,
            "options": [{"label": SECRET, "description": SECRET}]}]}),
    );
    let question = PermissionAsk::new(question).kind();
    assert!(matches!(question, AskKind::Question(_)), "{question:?}");
    let plan = asks("ExitPlanMode", &json!({"plan": SECRET}));
    let plan = PermissionAsk::new(plan).kind();
    assert!(matches!(plan, AskKind::Plan(_)), "{plan:?}");
    let mut detached = Detached::at(7);
    let open = ControlRequest::CanUseTool(Box::new(asks("Bash", &json!({"command": SECRET}))));
    detached.open_calls.push(("r1".into(), open));
    let resource = TextResource {
        uri: SECRET.to_owned(),
        mime_type: None,
        text: SECRET.to_owned(),
    };
    let result = ToolResult::structured(&[SECRET])
        .expect("JSON")
        .with_image(SECRET, "image/png")
        .with_link(SECRET, SECRET)
        .with(ToolContent::Resource {
            resource: resource.clone(),
        });
    let system: SystemPrompt = CustomPrompt::new(SECRET).changing(SECRET).into();
    let secretive: [(&str, &dyn Debug); 11] = [
        ("question", &question),
        ("plan", &plan),
        ("prompt", &Prompt::text(SECRET)),
        (
            "prompt of blocks",
            &Prompt::blocks([ContentBlock::text(SECRET)]),
        ),
        ("system prompt", &system),
        ("appended", &ClaudeCodePrompt::new().append(SECRET)),
        ("options", &Options::new().system_prompt(system.clone())),
        ("detached", &detached),
        ("tool result", &result),
        ("resource", &resource),
        (
            "batch",
            &Batch::new(
                BatchId::first(),
                vec![Json::from_value(&json!({"text": SECRET}))],
            ),
        ),
    ];
    for (name, value) in secretive {
        let printed = format!("{value:?} {value:#?}");
        assert!(!printed.contains(SECRET), "{name}: {printed}");
    }
}
