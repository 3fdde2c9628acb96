//! Calls: side by side, cancelled, panicking, telling how far they are.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use rusty_claw::mcp::{
    CancellationToken, McpConnection, McpServer, NoArguments, Tool, ToolContext, tool,
};
use rusty_claw::serde_json::{self, Value, json};
use tokio::sync::{Barrier, Notify};
use tokio::time::timeout;

use super::{call, handle, message, tools_call};

#[tokio::test]
async fn calls_run_side_by_side() {
    // Each call waits for the other, so one after the other would never end.
    let both = Arc::new(Barrier::new(2));
    let meet = Tool::new("meet", "Waits for another call.", move |_: NoArguments| {
        let both = Arc::clone(&both);
        async move {
            both.wait().await;
            "met"
        }
    });
    let connection = McpServer::new("s").tool(meet).connect();
    let first = handle(&connection, tools_call(1, "meet", &json!({})));
    let second = handle(&connection, tools_call(2, "meet", &json!({})));
    let met = timeout(Duration::from_secs(10), async {
        tokio::join!(first, second)
    });
    let (first, second) = met.await.unwrap();
    assert_eq!((&first["id"], &second["id"]), (&json!(1), &json!(2)));
    assert_eq!(second["result"]["content"][0]["text"], "met");
}

/// Breaks.
#[tool]
async fn breaks(how: String) -> String {
    match how.as_str() {
        "static" => panic!("of a sudden"),
        "built" => panic!("as {how}"),
        _ => std::panic::panic_any(5),
    }
}

#[tokio::test]
async fn a_panic_is_a_failed_call() {
    let early = Tool::new("early", "Breaks before it waits.", |_: NoArguments| {
        if true {
            panic!("at once");
        }
        async {}
    });
    let connection = McpServer::new("s").tool(breaks).tool(early).connect();
    let cases = [
        ("breaks", json!({"how": "static"})),
        ("breaks", json!({"how": "built"})),
        ("breaks", json!({"how": "other"})),
        ("early", json!({})),
    ];
    for (tool, arguments) in cases {
        let result = call(&connection, tool, &arguments).await;
        // Without the panic message, which may contain a secret.
        let text = format!("The tool `{tool}` broke down");
        assert_eq!(
            result,
            json!({"content": [{"type": "text", "text": text}], "isError": true})
        );
    }
}

/// A server whose tool `wait` never ends, and a receiver that reports when it is dropped.
fn waiting() -> (
    McpConnection,
    Arc<Notify>,
    Arc<Mutex<Option<CancellationToken>>>,
) {
    struct OnDrop(Arc<Notify>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let dropped = Arc::new(Notify::new());
    let seen = Arc::new(Mutex::new(None));
    let (at_end, context_seen) = (Arc::clone(&dropped), Arc::clone(&seen));
    let wait = Tool::new(
        "wait",
        "Waits.",
        move |context: ToolContext, _: NoArguments| {
            *context_seen.lock().unwrap() = Some(context.cancellation().clone());
            let on_drop = OnDrop(Arc::clone(&at_end));
            async move {
                std::future::pending::<()>().await;
                drop(on_drop);
            }
        },
    );
    (McpServer::new("s").tool(wait).connect(), dropped, seen)
}

fn cancelled(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

#[tokio::test]
async fn the_cli_cancels_one_call() {
    let (connection, dropped, _) = waiting();
    let mut first = connection.handle(tools_call(1, "wait", &json!({})), CancellationToken::new());
    let mut second = connection.handle(tools_call(2, "wait", &json!({})), CancellationToken::new());
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none());

    assert_eq!(
        handle(&connection, message(&cancelled(&json!(1)))).await,
        Value::Null
    );
    let answer = serde_json::to_value(first.await).unwrap();
    assert_eq!(
        answer,
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "content": [{"type": "text", "text": "The call was cancelled."}],
            "isError": true,
        }})
    );
    dropped.notified().await;
    assert!(second.now_or_never().is_none(), "the other call goes on");
}

#[tokio::test]
async fn a_cancel_before_the_first_poll_counts() {
    let (connection, _, _) = waiting();
    let call = connection.handle(tools_call(1, "wait", &json!({})), CancellationToken::new());
    handle(&connection, message(&cancelled(&json!(1)))).await;
    let answer = serde_json::to_value(call.await).unwrap();
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn the_session_cancels_a_call() {
    let (connection, dropped, _) = waiting();
    let cancel = CancellationToken::new();
    let call = connection.handle(tools_call(1, "wait", &json!({})), cancel.clone());
    cancel.cancel();
    let answer = serde_json::to_value(call.await).unwrap();
    assert_eq!(answer["result"]["isError"], true);
    dropped.notified().await;
}

#[tokio::test]
async fn dropping_a_call_drops_the_tool_and_cancels_its_context() {
    let (connection, dropped, seen) = waiting();
    let mut call = connection.handle(tools_call(1, "wait", &json!({})), CancellationToken::new());
    assert!((&mut call).now_or_never().is_none());
    drop(call);
    dropped.notified().await;
    assert!(seen.lock().unwrap().as_ref().unwrap().is_cancelled());
}

#[tokio::test]
async fn sessions_of_one_server_do_not_cancel_each_other() {
    let (connection, _, _) = waiting();
    let other = connection.server().connect();
    let mut call = connection.handle(tools_call(1, "wait", &json!({})), CancellationToken::new());
    assert!((&mut call).now_or_never().is_none());
    handle(&other, message(&cancelled(&json!(1)))).await;
    assert!(call.now_or_never().is_none());
}

/// Counts until it is told to stop.
#[tool]
async fn count(context: ToolContext) -> String {
    context.cancelled().await;
    format!("stopped, {}", context.is_cancelled())
}

#[tokio::test]
async fn a_tool_that_watches_the_signal_has_the_last_word() {
    let connection = McpServer::new("s").tool(count).connect();
    let cancel = CancellationToken::new();
    let mut call = connection.handle(tools_call(1, "count", &json!({})), cancel.clone());
    assert!((&mut call).now_or_never().is_none());
    cancel.cancel();
    let answer = serde_json::to_value(call.await).unwrap();
    assert_eq!(
        answer["result"],
        json!({"content": [{"type": "text", "text": "stopped, true"}]})
    );
}

#[tokio::test]
async fn work_that_a_finished_call_left_behind_goes_on() {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let quick = Tool::new(
        "quick",
        "Ends.",
        move |context: ToolContext, _: NoArguments| {
            *keep.lock().unwrap() = Some(context);
            async {}
        },
    );
    let connection = McpServer::new("s").tool(quick).connect();
    call(&connection, "quick", &json!({})).await;
    assert!(!seen.lock().unwrap().as_ref().unwrap().is_cancelled());
}

/// Tells who calls, and how far it is.
#[tool]
async fn introspect(context: ToolContext) -> String {
    context.progress(1.0, Some(2.0), "half");
    context.progress(2.0, None, "");
    let id = context.tool_use_id().unwrap_or_default();
    format!("{} {} {id}", context.server_name(), context.tool_name())
}

#[tokio::test]
async fn a_tool_knows_its_call_and_tells_how_far_it_is() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&told);
    let connection = McpServer::new("s")
        .tool(introspect)
        .connect()
        .on_notification(move |message| {
            keep.lock()
                .unwrap()
                .push(serde_json::to_value(message).unwrap());
        });
    let result = call(&connection, "introspect", &json!({})).await;
    assert_eq!(result["content"][0]["text"], "s introspect toolu_1");
    let progress = |params: Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
    assert_eq!(
        *told.lock().unwrap(),
        [
            progress(json!({"progressToken": 1, "progress": 1.0, "total": 2.0, "message": "half"})),
            progress(json!({"progressToken": 1, "progress": 2.0})),
        ]
    );

    // Without a token, no progress is reported.
    let params = json!({"name": "introspect"});
    let silent = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answer = handle(&connection, message(&silent)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "s introspect ");
    assert_eq!(told.lock().unwrap().len(), 2);
}
