//! Tool calls and results in content blocks, including tools that the API runs.

use rusty_claw_protocol::messages::{ContentBlock, ToolInput};
use rusty_claw_protocol::{Json, Str};
use serde::Serialize;

/// The id, the tool name and the input of a block that begins a call.
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

#[derive(Debug)]
pub(super) struct CallResult {
    pub(super) id: Str,
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// The result in a block that ends a call.
pub(super) fn result(block: &ContentBlock) -> Option<CallResult> {
    Some(match block {
        ContentBlock::ToolResult {
            tool_use_id,
            content,
            is_error,
            ..
        } => CallResult {
            id: tool_use_id.clone(),
            text: content.to_text().into_owned(),
            is_error: *is_error,
        },
        ContentBlock::McpToolResult(result) => CallResult {
            id: result.tool_use_id.clone(),
            text: result.content.to_text().into_owned(),
            is_error: result.is_error,
        },
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

/// A result without text, as JSON. It is an error if it has an `error_code`.
fn ended(id: &Str, content: &impl Serialize) -> CallResult {
    let json = Json::from_serialize(content).unwrap_or_default();
    CallResult {
        id: id.clone(),
        text: json.text().to_owned(),
        is_error: json.get("error_code").is_some(),
    }
}
