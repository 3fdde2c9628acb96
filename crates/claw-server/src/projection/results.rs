//! Calls and results of tools that the API itself runs, in the blocks of an answer.

use rusty_claw_protocol::messages::{ContentBlock, ToolInput};
use rusty_claw_protocol::{Json, Str};
use serde::Serialize;

/// A block that begins a call: its id, the tool, and what the tool is given.
pub(super) fn call(block: &ContentBlock) -> Option<(&Str, Str, &ToolInput)> {
    match block {
        ContentBlock::ToolUse {
            id, name, input, ..
        } => Some((id, name.clone(), input)),
        ContentBlock::ServerToolUse(call) => Some((&call.id, call.name.clone(), &call.input)),
        ContentBlock::McpToolUse(call) => {
            let name = format!("mcp__{}__{}", call.server_name, call.name);
            Some((&call.id, name.into(), &call.input))
        }
        _ => None,
    }
}

/// A block that ends a call: which one, and with what.
pub(super) fn result(block: &ContentBlock) -> Option<(Str, String)> {
    Some(match block {
        ContentBlock::ToolResult {
            tool_use_id,
            content,
            ..
        } => (tool_use_id.clone(), content.to_text().into_owned()),
        ContentBlock::McpToolResult(result) => (
            result.tool_use_id.clone(),
            result.content.to_text().into_owned(),
        ),
        ContentBlock::WebSearchToolResult(result) => ended(&result.tool_use_id, &result.content),
        ContentBlock::WebFetchToolResult(result) => ended(&result.tool_use_id, &result.content),
        ContentBlock::CodeExecutionToolResult(result) => {
            ended(&result.tool_use_id, &result.content)
        }
        ContentBlock::BashCodeExecutionToolResult(result) => {
            ended(&result.tool_use_id, &result.content)
        }
        ContentBlock::TextEditorCodeExecutionToolResult(result) => {
            ended(&result.tool_use_id, &result.content)
        }
        ContentBlock::ToolSearchToolResult(result) => ended(&result.tool_use_id, &result.content),
        ContentBlock::AdvisorToolResult(result) => ended(&result.tool_use_id, &result.content),
        _ => return None,
    })
}

/// The result of a tool that has no text: its JSON.
fn ended(id: &Str, content: &impl Serialize) -> (Str, String) {
    let json = Json::from_serialize(content).unwrap_or_default();
    (id.clone(), json.text().to_owned())
}
