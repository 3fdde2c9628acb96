//! What a server is refused for before a session starts.

use std::time::Duration;

use rusty_claw::Json;
use rusty_claw::mcp::{McpServer, NoArguments, Tool};
use rusty_claw::serde_json::{self, json};

fn named(name: &str) -> Tool {
    Tool::new(name, "Does nothing.", |_: NoArguments| async {})
}

#[test]
fn says_what_is_wrong_and_what_to_do() {
    let long = "x".repeat(128);
    let list = Tool::new("list", "Takes a list.", |_: Vec<u8>| async {});
    let typeless = Tool::with_schema("any", "Takes anything.", json!({}), |_: Json| async {});
    let cases = [
        (
            McpServer::new("my server"),
            "the MCP server name \"my server\" is not usable: use one or more letters, digits, \
             `_` and `-`, and no `__`"
                .to_owned(),
        ),
        (
            McpServer::new("my__server"),
            "the MCP server name \"my__server\" is not usable: use one or more letters, digits, \
             `_` and `-`, and no `__`"
                .to_owned(),
        ),
        (
            McpServer::new(""),
            "the MCP server name \"\" is not usable: use one or more letters, digits, `_` and \
             `-`, and no `__`"
                .to_owned(),
        ),
        (
            McpServer::new("s").tool(named("a.b")),
            "the tool name \"a.b\" of MCP server `s` is not usable: use one or more letters, \
             digits, `_` and `-`"
                .to_owned(),
        ),
        (
            McpServer::new("s").tool(named(&long)),
            format!(
                "the tool name `mcp__s__{long}` has more than 128 characters: shorten the \
                 server's or the tool's"
            ),
        ),
        (
            McpServer::new("s").tool(named("a")).tool(named("a")),
            "MCP server `s` has two tools named `a`: rename one".to_owned(),
        ),
        (
            McpServer::new("s").tool(list),
            "the arguments of tool `list` of MCP server `s` are not an object: take a struct with \
             named fields, write `#[arg]` before a single argument that is none, or give a schema \
             with \"type\": \"object\""
                .to_owned(),
        ),
        (
            McpServer::new("s").tool(typeless),
            "the arguments of tool `any` of MCP server `s` are not an object: take a struct with \
             named fields, write `#[arg]` before a single argument that is none, or give a schema \
             with \"type\": \"object\""
                .to_owned(),
        ),
    ];
    for (server, expected) in cases {
        assert_eq!(server.check().unwrap_err().to_string(), expected);
    }
    let good = McpServer::new("my-server_2")
        .tool(named("a"))
        .tool(named("B-1_c"));
    assert_eq!(good.check(), Ok(()));
}

#[test]
fn a_time_limit_goes_beside_the_manifest() {
    assert_eq!(McpServer::new("s").options(), None);
    let options = McpServer::new("s")
        .call_timeout(Duration::from_secs(90))
        .options();
    assert_eq!(
        serde_json::to_value(options).unwrap(),
        json!({"timeout": 90_000})
    );
}
