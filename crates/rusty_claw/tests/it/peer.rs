//! The other end of a session, played by a test line by line.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusty_claw::transport::{Connection, Custody, Exit, Launch, Stop, Transport};
use rusty_claw::{BoxFuture, MessageStream, Options, Session, SessionError, StartError, Turn};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
    ReadHalf, WriteHalf,
};

/// A transport to a test.
pub(crate) struct ToPeer {
    stream: DuplexStream,
    pub(crate) custody: NoProcess,
}

/// Custody of a CLI that is a part of the test.
#[derive(Default)]
pub(crate) struct NoProcess {
    /// How often it has cleaned up.
    pub(crate) cleaned: Arc<AtomicUsize>,
    /// Whether it ends with the host, so that it cannot be released.
    pub(crate) is_bound: bool,
}

impl Custody for NoProcess {
    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        Box::pin(std::future::pending())
    }

    fn stop(&mut self, _how: Stop) {}

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        self.cleaned.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::ready(()))
    }

    fn release(&mut self) -> Result<(), SessionError> {
        if self.is_bound {
            return Err(SessionError::NotReleased);
        }
        Ok(())
    }
}

impl Transport for ToPeer {
    fn open(self: Box<Self>, _: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        let mut connection = over(self.stream);
        connection.custody = Box::new(self.custody);
        Box::pin(std::future::ready(Ok(connection)))
    }
}

/// A connection over any stream.
pub(crate) fn over(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Connection {
    let (reader, writer) = tokio::io::split(stream);
    Connection {
        reader: Box::new(reader),
        writer: Box::new(writer),
        custody: Box::new(NoProcess::default()),
    }
}

/// What a CLI would do, done by a test.
pub(crate) struct Peer {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    pub(crate) fn pair() -> (ToPeer, Self) {
        let (host, cli) = tokio::io::duplex(64 << 10);
        let custody = NoProcess::default();
        let transport = ToPeer {
            stream: host,
            custody,
        };
        (transport, Self::of(cli))
    }

    /// A peer at the end of a stream.
    pub(crate) fn of(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        let reader = BufReader::new(reader);
        Self { reader, writer }
    }

    /// A session that is ready, and its other end.
    pub(crate) async fn session(options: Options) -> (Session, MessageStream, Self) {
        let (transport, mut peer) = Self::pair();
        let (started, ()) = tokio::join!(Session::start_on(transport, options), async {
            peer.answer_initialize().await;
        });
        let (session, messages) = started.expect("the peer answers");
        (session, messages, peer)
    }

    pub(crate) async fn answer_initialize(&mut self) -> Value {
        let request = self.read().await;
        assert_eq!(request["request"]["subtype"], "initialize");
        let reply = json!({"claude_code_version": "2.1.325", "hook_on_failure_supported": true});
        self.succeed(&request, reply).await;
        request
    }

    /// The next line from the host.
    pub(crate) async fn read(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.expect("readable");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The next line from the host; nothing when the host has closed its end.
    pub(crate) async fn read_or_end(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line).await {
            Ok(0) => None,
            _ => Some(serde_json::from_str(&line).expect("JSON")),
        }
    }

    /// The next line of a kind; others are passed over.
    pub(crate) async fn read_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let value = self.read().await;
            if wanted(&value) {
                return value;
            }
        }
    }

    pub(crate) async fn write(&mut self, value: Value) {
        self.write_raw(format!("{value}\n").as_bytes()).await;
    }

    pub(crate) async fn write_raw(&mut self, bytes: &[u8]) {
        self.try_write(bytes).await.expect("writable");
    }

    /// Fails when the host has closed its end.
    pub(crate) async fn try_write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.writer.write_all(bytes).await
    }

    pub(crate) async fn succeed(&mut self, request: &Value, response: Value) {
        let response = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": response,
        }});
        self.write(response).await;
    }

    /// Sends a prompt, and reads it at this end.
    pub(crate) async fn prompt(&mut self, session: &Session, prompt: &str) -> (Turn, Value) {
        let (turn, prompt) = tokio::join!(session.send(prompt), self.read());
        (turn.expect("sent"), prompt)
    }

    /// The receipt of a prompt.
    pub(crate) async fn lifecycle(&mut self, id: impl serde::Serialize, state: &str) {
        self.write(json!({"type": "command_lifecycle", "command_uuid": id, "state": state}))
            .await;
    }

    pub(crate) async fn session_state(&mut self, state: &str) {
        self.write(json!({"type": "system", "subtype": "session_state_changed", "state": state}))
            .await;
    }

    /// Text of the model.
    pub(crate) async fn say(&mut self, text: &str) {
        self.write(json!({"type": "assistant", "message": {"role": "assistant",
            "content": [{"type": "text", "text": text}]}}))
            .await;
    }

    /// A short answer to a prompt.
    pub(crate) async fn answer_prompt(&mut self, prompt: &Value) {
        let id = prompt["uuid"].as_str().expect("prompts have ids");
        for state in ["queued", "started"] {
            self.lifecycle(id, state).await;
        }
        self.say("Hello!").await;
        self.write(result(id)).await;
        self.lifecycle(id, "completed").await;
    }

    /// Whether the host has closed its end.
    pub(crate) async fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest).await.is_ok()
    }
}

pub(crate) fn result(id: &str) -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": "Hello!",
        "session_id": "5e5e", "total_cost_usd": 0.5, "terminal_reason": "completed",
        "user_message_uuid": id, "user_message_uuids": [id]})
}
