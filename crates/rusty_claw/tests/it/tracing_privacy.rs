//! What is traced carries no word of prompts, answers, tool inputs or hook inputs.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rusty_claw::hook::{Hook, HookOutput};
use rusty_claw::mcp::{McpServer, Tool};
use rusty_claw::permission::PermissionAnswer;
use rusty_claw::{Json, Options};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::peer::Peer;

const SECRET: &str = "the-rosebud-secret";

/// Writes down everything, at every level.
#[derive(Default)]
struct Everything {
    written: Arc<Mutex<String>>,
    spans: AtomicU64,
}

struct Writer<'a>(&'a Mutex<String>);

impl Visit for Writer<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut written = self.0.lock().unwrap();
        write!(written, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Everything {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("rusty_claw")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let name = span.metadata().name();
        self.written
            .lock()
            .unwrap()
            .push_str(&format!("\nspan {name}"));
        span.record(&mut Writer(&self.written));
        Id::from_u64(1 + self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Writer(&self.written));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.written.lock().unwrap().push_str("\nevent");
        event.record(&mut Writer(&self.written));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_whole_session_leaves_no_word_of_it_in_the_trace() {
    let everything = Everything::default();
    let written = Arc::clone(&everything.written);
    // For this thread alone, on which the test's runtime runs everything.
    let guard = tracing::subscriber::set_default(everything);

    let tool = Tool::with_schema(
        "say",
        "Says it",
        json!({"type": "object"}),
        |_: Json| async { Err::<String, _>(std::io::Error::other(SECRET)) },
    );
    let options = Options::new()
        .append_system_prompt(SECRET)
        .env("SECRET", SECRET)
        .can_use_tool(|_ask| async { PermissionAnswer::deny(SECRET) })
        .hook(Hook::pre_tool_use(|_input, _context| async {
            Err::<HookOutput, _>(std::io::Error::other(SECRET))
        }))
        .mcp_server(McpServer::new("words").tool(tool));
    let (session, mut messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = peer.prompt(&session, SECRET).await;
    for (number, request) in [
        json!({"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t",
            "input": {"command": SECRET}}),
        json!({"subtype": "hook_callback", "callback_id": "PreToolUse#0", "input": {
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s",
            "transcript_path": "p", "cwd": "c", "tool_use_id": "t",
            "tool_input": {"command": SECRET}}}),
        json!({"subtype": "mcp_message", "server_name": "words", "message": {"jsonrpc": "2.0",
            "id": 1, "method": "tools/call",
            "params": {"name": "say", "arguments": {"word": SECRET}}}}),
        json!({"subtype": "elicitation", "mcp_server_name": "m", "message": SECRET}),
        json!({"subtype": "invented", "what": SECRET}),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("q{number}");
        peer.write(json!({"type": "control_request", "request_id": id, "request": request}))
            .await;
        let answer = peer.read().await;
        assert_eq!(answer["response"]["request_id"], id);
    }
    peer.write_raw(format!("{SECRET} is not JSON\n").as_bytes())
        .await;
    peer.write(json!({"type": "assistant", "message": {"role": "assistant",
        "content": [{"type": "text", "text": SECRET}]}}))
        .await;
    peer.answer_prompt(&prompt).await;
    assert!(turn.await.is_success());
    drop(peer);
    session.close().await;
    while messages.next().await.is_some() {}
    drop(guard);

    let written = written.lock().unwrap().clone();
    assert!(written.contains("span claude_session"), "{written}");
    assert!(written.contains("span turn"), "{written}");
    assert!(written.contains("outcome=\"succeeded\""), "{written}");
    assert!(!written.contains(SECRET), "{written}");
}
