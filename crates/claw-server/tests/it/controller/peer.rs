//! A CLI that a test plays line by line.

use std::sync::Arc;
use std::time::Duration;

use claw_server::{Controller, SessionClosed, SessionId};
use rusty_claw::transport::{Exit, InMemory, InMemoryCli, Launch};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::front_end::TIMEOUT;

pub(crate) struct Peer {
    cli: BufReader<InMemoryCli>,
    requests: u64,
    /// What the CLI has printed.
    pub(crate) printed: Vec<u8>,
}

impl Peer {
    pub(crate) fn pair() -> (InMemory, Self) {
        let (host, cli) = InMemory::pair();
        let cli = BufReader::new(cli);
        let peer = Self {
            cli,
            requests: 0,
            printed: Vec::new(),
        };
        (host, peer)
    }

    /// A connection of another owner to the same CLI.
    pub(crate) fn again(&self) -> (InMemory, Self) {
        let (host, mut peer) = Self::pair();
        peer.requests = self.requests;
        peer.printed.clone_from(&self.printed);
        (host, peer)
    }

    /// Prints again what the CLI has printed since this offset.
    pub(crate) async fn repeat(&mut self, offset: u64) {
        let since = usize::try_from(offset).unwrap();
        let printed = self.printed[since..].to_vec();
        self.cli.write_all(&printed).await.expect("writable");
    }

    /// Answers an owner that attaches, and lists requests as pending.
    pub(crate) async fn attached(&mut self, pending: Value) {
        let request = self.read().await.expect("the host writes first");
        assert_eq!(request["request"]["subtype"], "initialize");
        let line = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"],
            "response": {"claude_code_version": "2.1.325", "hook_on_failure_supported": true},
            "pending_permission_requests": pending,
        }});
        self.write(line).await;
    }

    /// What the host has started the CLI with.
    pub(crate) fn launch(&self) -> Option<Launch> {
        self.cli.get_ref().launch()
    }

    pub(crate) async fn initialize(&mut self) {
        let request = self.read().await.expect("the host writes first");
        assert_eq!(request["request"]["subtype"], "initialize");
        let reply = json!({"claude_code_version": "2.1.325", "hook_on_failure_supported": true});
        self.succeed(&request, reply).await;
    }

    /// The next line from the host; `None` after it has closed its end.
    pub(crate) async fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(TIMEOUT, self.cli.read_line(&mut line)).await;
        match read.expect("the host writes within the limit") {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(serde_json::from_str(&line).expect("hosts write JSON")),
        }
    }

    /// The next line that fits; others are skipped.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let value = self.read().await.expect("the host closed its end");
            if is_it(&value) {
                return value;
            }
        }
    }

    /// The next prompt.
    pub(crate) async fn prompt(&mut self) -> Value {
        self.until(|value| value["type"] == "user").await
    }

    /// The answer to a request of [`Peer::ask`].
    pub(crate) async fn answered(&mut self, request_id: &str) -> Value {
        let answer = self
            .until(|value| {
                value["type"] == "control_response" && value["response"]["request_id"] == request_id
            })
            .await;
        answer["response"]["response"].clone()
    }

    pub(crate) async fn write(&mut self, value: Value) {
        let line = format!("{value}\n");
        self.printed.extend_from_slice(line.as_bytes());
        self.cli.write_all(line.as_bytes()).await.expect("writable");
    }

    pub(crate) async fn succeed(&mut self, request: &Value, response: Value) {
        let line = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": response,
        }});
        self.write(line).await;
    }

    /// Begins a turn.
    pub(crate) async fn begin(&mut self, prompt: &Value) {
        for state in ["queued", "started"] {
            self.lifecycle(prompt, state).await;
        }
        let line = json!({"type": "system", "subtype": "init", "session_id": "5e5e",
            "tools": [], "mcp_servers": [], "user_message_uuids": [prompt["uuid"]]});
        self.write(line).await;
    }

    async fn lifecycle(&mut self, prompt: &Value, state: &str) {
        let line = json!({"type": "command_lifecycle",
            "command_uuid": prompt["uuid"], "state": state});
        self.write(line).await;
    }

    pub(crate) async fn say(&mut self, text: &str) {
        let line = json!({"type": "assistant", "message": {"role": "assistant",
            "content": [{"type": "text", "text": text}]}});
        self.write(line).await;
    }

    /// Ends a turn.
    pub(crate) async fn end(&mut self, prompt: &Value) {
        let line = json!({"type": "result", "subtype": "success", "is_error": false, "result": "",
            "session_id": "5e5e", "total_cost_usd": 0.5, "terminal_reason": "completed",
            "user_message_uuid": prompt["uuid"], "user_message_uuids": [prompt["uuid"]]});
        self.write(line).await;
        self.lifecycle(prompt, "completed").await;
    }

    /// A whole turn.
    pub(crate) async fn answer(&mut self, prompt: &Value, text: &str) {
        self.begin(prompt).await;
        self.say(text).await;
        self.end(prompt).await;
    }

    /// Asks for permission, and returns the id of the request.
    pub(crate) async fn ask(&mut self, tool_use_id: &str, tool: &str, input: Value) -> String {
        self.request(
            json!({"subtype": "can_use_tool", "tool_name": tool, "input": input,
            "tool_use_id": tool_use_id}),
        )
        .await
    }

    /// Asks for permission to run a command, and returns the id of the request.
    pub(crate) async fn bash(&mut self, tool_use_id: &str, command: &str) -> String {
        let input = json!({"command": command});
        self.ask(tool_use_id, "Bash", input).await
    }

    /// Sends another request, and returns the id of the request.
    pub(crate) async fn request(&mut self, request: Value) -> String {
        self.requests += 1;
        let id = format!("ask-{}", self.requests);
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        self.write(line).await;
        id
    }

    /// Cancels a request.
    pub(crate) async fn cancel(&mut self, request_id: &str) {
        let line = json!({"type": "control_cancel_request", "request_id": request_id});
        self.write(line).await;
    }

    /// Confirms requests until the host ends the session.
    pub(crate) async fn until_closed(&mut self) {
        while let Some(request) = self.read().await {
            if request["type"] == "control_request" {
                let ends = request["request"]["subtype"] == "end_session";
                self.succeed(&request, json!({})).await;
                if ends {
                    break;
                }
            }
        }
        self.exit(Exit::Code(0));
    }

    /// Exits; the host can still read what was written before.
    pub(crate) fn exit(&mut self, exit: Exit) {
        let (host, gone) = InMemory::pair();
        drop(host);
        let cli = std::mem::replace(&mut self.cli, BufReader::new(gone));
        cli.into_inner().exit(exit);
    }

    /// Plays the end of a session that is closed without grace.
    pub(crate) async fn close(
        &mut self,
        controller: &Controller,
        session: SessionId,
    ) -> Arc<SessionClosed> {
        let closing = controller.close(session, Duration::ZERO);
        self.while_closing(closing).await.unwrap()
    }

    pub(crate) async fn while_closing<T>(&mut self, closing: impl Future<Output = T>) -> T {
        let (closed, ()) = tokio::join!(closing, self.until_closed());
        closed
    }
}

/// Streamed text and tools.
impl Peer {
    async fn streams(&mut self, event: Value) {
        let line = json!({"type": "stream_event", "api_message_id": "msg_1", "event": event});
        self.write(line).await;
    }

    pub(crate) async fn begins_text(&mut self) {
        let message = json!({"id": "msg_1", "role": "assistant", "content": []});
        let line = json!({"type": "message_start", "message": message});
        self.streams(line).await;
        let block = json!({"type": "text", "text": ""});
        let line = json!({"type": "content_block_start", "index": 0, "content_block": block});
        self.streams(line).await;
    }

    pub(crate) async fn writes(&mut self, text: &str) {
        let delta = json!({"type": "text_delta", "text": text});
        let line = json!({"type": "content_block_delta", "index": 0, "delta": delta});
        self.streams(line).await;
    }

    pub(crate) async fn says_block(&mut self, block: Value) {
        let message = json!({"id": "msg_1", "role": "assistant", "content": [block]});
        let line = json!({"type": "assistant", "message": message});
        self.write(line).await;
    }

    pub(crate) async fn notes(&mut self) {
        let line = json!({"type": "system", "subtype": "informational", "content": "hm"});
        self.write(line).await;
    }

    pub(crate) async fn calls(&mut self, id: &str) {
        let call =
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}});
        self.says_block(call).await;
    }

    pub(crate) async fn tool_ends(&mut self, id: &str) {
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "done"});
        let line = json!({"type": "user", "message": {"role": "user", "content": [result]}});
        self.write(line).await;
    }
}
