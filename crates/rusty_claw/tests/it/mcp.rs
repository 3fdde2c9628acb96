//! In-process MCP servers: JSON-RPC in, JSON-RPC out, and nothing but the tools in between.

mod attribute;
mod calls;
mod checks;
mod diagnostics;
mod messages;
mod results;

use rusty_claw::control::messages::JsonRpcMessage;
use rusty_claw::mcp::{CancellationToken, McpConnection};
use rusty_claw::serde_json::{self, Value, json};

/// A message as the CLI would send it.
fn message(value: &Value) -> JsonRpcMessage {
    serde_json::from_value(value.clone()).unwrap()
}

fn tools_call(id: u64, name: &str, arguments: &Value) -> JsonRpcMessage {
    let params = json!({
        "name": name,
        "arguments": arguments,
        "_meta": { "claudecode/toolUseId": "toolu_1", "progressToken": id },
    });
    message(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

async fn handle(connection: &McpConnection, message: JsonRpcMessage) -> Value {
    let answer = connection.handle(message, CancellationToken::new()).await;
    serde_json::to_value(answer).unwrap()
}

/// The result of a call that the server did not refuse.
async fn call(connection: &McpConnection, name: &str, arguments: &Value) -> Value {
    let answer = handle(connection, tools_call(1, name, arguments)).await;
    assert_eq!(answer["error"], Value::Null);
    answer["result"].clone()
}
