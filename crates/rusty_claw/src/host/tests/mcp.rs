use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::mcp::{McpServer, NoArguments, Tool, ToolContext};

fn host() -> Host {
    let slow = |context: ToolContext, _: NoArguments| async move {
        context.progress(1.0, Some(2.0), "half");
        context.cancelled().await;
        "never"
    };
    let hello = |_: NoArguments| async { "hello" };
    let mut host = Host::default();
    host.mcp_servers.add(
        McpServer::new("greeter")
            .tool(Tool::new("hello", "Says hello.", hello))
            .tool(Tool::new("slow", "Takes for ever.", slow))
            .call_timeout(Duration::from_secs(5)),
    );
    host.mcp_servers.add(McpServer::new("empty"));
    host
}

fn message(server: &str, rest: &str) -> ControlRequest {
    of_subtype(
        "mcp_message",
        &format!(r#","server_name":"{server}","message":{{"jsonrpc":"2.0"{rest}}}"#),
    )
}

#[test]
fn servers_are_declared_with_what_they_would_say() {
    let mut initialize = InitializeRequest::default();
    host().declare(&mut initialize);
    insta::assert_snapshot!(serde_json::to_string_pretty(&initialize).expect("JSON"));
}

#[tokio::test]
async fn messages_find_their_server() {
    let mut table = Table::new();
    for (server, rest) in [
        (
            "greeter",
            r#","id":1,"method":"tools/call","params":{"name":"hello","arguments":{}}"#,
        ),
        (
            "greeter",
            r#","id":2,"method":"tools/call","params":{"name":"bye"}"#,
        ),
        ("empty", r#","id":3,"method":"tools/list""#),
        ("greeter", r#","method":"notifications/initialized""#),
        ("nobody", r#","id":4,"method":"tools/list""#),
        ("nobody", r#","method":"notifications/initialized""#),
    ] {
        let answer = serve(host(), message(server, rest)).await;
        table.row(&format!("{server} {rest}"), &answer);
    }
    insta::assert_snapshot!(table.0);
}

#[tokio::test]
async fn a_withdrawn_call_ends() {
    let call = call();
    let slow = r#","id":1,"method":"tools/call","params":{"name":"slow"}"#;
    let answer = Arc::new(host()).serve(message("greeter", slow), call.clone());
    call.cancelled.cancel();
    tokio::time::timeout(Duration::from_secs(5), answer)
        .await
        .expect("the tool is not waited for");
}

#[tokio::test]
async fn progress_goes_where_the_session_says() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut host = host();
    let tell = Arc::clone(&told);
    host.mcp_servers
        .notify_with(move |message| tell.lock().expect("lock").push(message));
    let call = call();
    let slow =
        r#","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":7}}"#;
    // Another session with the same options notifies the same listener.
    let answer = Arc::new(host.clone()).serve(message("greeter", slow), call.clone());
    let answer = tokio::spawn(answer);
    while told.lock().expect("lock").is_empty() {
        tokio::task::yield_now().await;
    }
    call.cancelled.cancel();
    answer.await.expect("no panic");
    let told = told.lock().expect("lock");
    assert_eq!(told[0].server_name, "greeter");
    assert_eq!(
        told[0].message.method.as_deref(),
        Some("notifications/progress")
    );
}

#[test]
fn a_server_that_cannot_be_served_is_found() {
    assert!(host().mcp_servers.check().is_ok());
    let mut host = Host::default();
    host.mcp_servers.add(McpServer::new("not a name"));
    assert!(host.mcp_servers.check().is_err());
}
