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

/// Messages that the CLI may send. Notifications, responses and invalid messages have no response.
const MESSAGES: &str = r#"
{"id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"id":"text","method":"ping"}
{"id":7,"method":"tools/list","params":{"cursor":"x"}}
{"id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2.5}}}
{"id":7,"method":"tools/call","params":{"name":"nothing"}}
{"id":7,"method":"tools/call","params":{"name":"nothing","arguments":null}}
{"id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}
{"id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":"two"}}}
{"id":7,"method":"tools/call","params":{"name":"subtract"}}
{"id":7,"method":"tools/call","params":[]}
{"id":7,"method":"resources/list","params":{}}
{"method":"notifications/initialized"}
{"method":"notifications/cancelled","params":{"requestId":9}}
{"method":"notifications/cancelled"}
{"id":7,"result":{}}
{}
"#;

#[tokio::test]
async fn answers_every_message() {
    let connection = server().connect();
    let mut table = String::new();
    for line in MESSAGES.trim().lines() {
        let mut asked: Value = serde_json::from_str(line).unwrap();
        if line != "{}" {
            asked["jsonrpc"] = "2.0".into();
        }
        let answer = handle(&connection, message(&asked)).await;
        table.push_str(&format!("{line}\n    {answer}\n"));
    }
    insta::assert_snapshot!(table);
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
