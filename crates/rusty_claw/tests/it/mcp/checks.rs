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
    let server = || McpServer::new("s");
    let cases = [
        McpServer::new("my server"),
        McpServer::new("my__server"),
        McpServer::new(""),
        server().tool(named("a.b")),
        server().tool(named(&long)),
        server().tool(named("a")).tool(named("a")),
        server().tool(list),
        server().tool(typeless),
    ];
    let errors = cases.map(|server| server.check().unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"));
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
