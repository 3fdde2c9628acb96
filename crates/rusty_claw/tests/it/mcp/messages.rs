//! Every message that the CLI sends, and what it gets.

use rusty_claw::mcp::{CancellationToken, McpConnection, McpServer, NoArguments, Tool, tool};
use rusty_claw::serde_json::{self, Value, json};

use super::{handle, message};

/// Adds two numbers.
#[tool(read_only)]
async fn add(a: f64, b: f64) -> f64 {
    a + b
}

fn server() -> McpServer {
    let nothing = Tool::new("nothing", "Does nothing.", |_: NoArguments| async {});
    McpServer::new("calc")
        .version("1.2.3")
        .tool(add)
        .tool(nothing)
}

fn listed() -> Value {
    json!({"tools": [
        {
            "name": "add",
            "description": "Adds two numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": {"type": "number", "format": "double"},
                    "b": {"type": "number", "format": "double"},
                },
                "required": ["a", "b"],
            },
            "annotations": {"readOnlyHint": true},
        },
        {
            "name": "nothing",
            "description": "Does nothing.",
            "inputSchema": {"type": "object", "properties": {}},
        },
    ]})
}

fn initialized(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "calc", "version": "1.2.3"},
    })
}

fn refused(id: u64, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[tokio::test]
async fn answers_every_message() {
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let succeeded = |result: Value| json!({"jsonrpc": "2.0", "id": 7, "result": result});
    let cases = [
        (
            request(
                "initialize",
                json!({"protocolVersion": "2025-06-18", "capabilities": {}}),
            ),
            succeeded(initialized("2025-06-18")),
        ),
        (
            json!({"jsonrpc": "2.0", "id": "text", "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": "text", "result": {}}),
        ),
        (
            request("tools/list", json!({"cursor": "x"})),
            succeeded(listed()),
        ),
        (
            request(
                "tools/call",
                json!({"name": "add", "arguments": {"a": 1, "b": 2.5}}),
            ),
            succeeded(json!({"content": [{"type": "text", "text": "3.5"}]})),
        ),
        // Arguments may be missing or null when there is nothing to say.
        (
            request("tools/call", json!({"name": "nothing"})),
            succeeded(json!({"content": []})),
        ),
        (
            request("tools/call", json!({"name": "nothing", "arguments": null})),
            succeeded(json!({"content": []})),
        ),
        (
            request("tools/call", json!({"name": "add", "arguments": {"a": 1}})),
            refused(
                7,
                -32602,
                "The arguments of `add` do not fit: missing field `b`",
            ),
        ),
        (
            request(
                "tools/call",
                json!({"name": "add", "arguments": {"a": 1, "b": "two"}}),
            ),
            refused(
                7,
                -32602,
                "The arguments of `add` do not fit: b: invalid type: string \"two\", expected f64",
            ),
        ),
        (
            request("tools/call", json!({"name": "subtract"})),
            refused(
                7,
                -32602,
                "MCP server `calc` has no tool `subtract`; it has: add, nothing",
            ),
        ),
        (
            request("tools/call", json!([])),
            refused(
                7,
                -32602,
                "`tools/call` has no `name`: say which tool is meant",
            ),
        ),
        (
            request("resources/list", json!({})),
            refused(
                7,
                -32601,
                "MCP server `calc` does not know the method `resources/list`",
            ),
        ),
        // Notifications, answers and what is neither have no answer.
        (
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            Value::Null,
        ),
        (
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}),
            Value::Null,
        ),
        (
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
            Value::Null,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 7, "result": {}}),
            Value::Null,
        ),
        (json!({}), Value::Null),
    ];
    let connection = server().connect();
    for (asked, expected) in cases {
        assert_eq!(
            handle(&connection, message(&asked)).await,
            expected,
            "{asked}"
        );
    }
}

async fn answer(connection: &McpConnection, asked: &Value) -> String {
    let answer = connection
        .answer(message(asked), CancellationToken::new())
        .await;
    serde_json::to_string(&answer).unwrap()
}

#[tokio::test]
async fn gives_the_cli_an_answer_to_everything() {
    let connection = server().connect();
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!(
        answer(&connection, &ping).await,
        r#"{"mcp_response":{"jsonrpc":"2.0","id":3,"result":{}}}"#
    );
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(
        answer(&connection, &told).await,
        r#"{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{}}}"#
    );
}

#[test]
fn the_manifest_says_what_the_server_would() {
    let manifest = server().instructions("Use it.").manifest();
    let mut expected = initialized("2025-11-25");
    expected["instructions"] = "Use it.".into();
    assert_eq!(
        serde_json::to_value(manifest).unwrap(),
        json!({"initializeResult": expected, "toolsListResult": listed()})
    );
}
