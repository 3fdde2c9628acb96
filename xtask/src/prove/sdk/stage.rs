//! A session of the real CLI in a world of its own, and what it has said so far.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::control::messages::McpServerConfig;
use rusty_claw::transport::Transport;
use rusty_claw::{MessageStream, Options, Session, TurnOutcome};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::World;

/// How long anything may take that the CLI does by itself.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A running session and the world it runs in.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) session: Session,
    heard: Arc<Mutex<Vec<Value>>>,
    count: watch::Receiver<usize>,
}

/// What the model was told of a call.
pub(crate) struct ToolResult {
    /// Its texts, one below the other.
    pub(crate) text: String,
    /// Whether it is marked as a failure.
    pub(crate) failed: bool,
    /// All of it, as it stood in the request.
    pub(crate) block: Value,
}

impl ToolResult {
    /// In the last request that has it.
    pub(crate) fn of(requests: &[ApiRequest], id: &str) -> Result<Self> {
        let blocks = requests
            .iter()
            .rev()
            .flat_map(|request| request.messages().iter().rev())
            .filter_map(|message| message["content"].as_array())
            .flatten();
        let mut results = blocks.filter(|block| block["tool_use_id"] == *id);
        let block = results
            .next()
            .with_context(|| format!("the model was told nothing of {id}"))?;
        let text = match &block["content"] {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part["text"].as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        };
        Ok(Self {
            text,
            failed: block["is_error"] == true,
            block: block.clone(),
        })
    }
}

impl Stage {
    pub(crate) async fn start(world: World, options: Options) -> Result<Self> {
        let (session, messages) = Session::start(options).await?;
        Ok(Self::of(world, session, messages))
    }

    pub(crate) async fn start_on(
        transport: impl Transport,
        world: World,
        options: Options,
    ) -> Result<Self> {
        let (session, messages) = Session::start_on(transport, options).await?;
        Ok(Self::of(world, session, messages))
    }

    fn of(world: World, session: Session, messages: MessageStream) -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (counted, count) = watch::channel(0);
        tokio::spawn(listen(messages, Arc::clone(&heard), counted));
        Self {
            world,
            session,
            heard,
            count,
        }
    }

    /// Sends a prompt and waits for its outcome.
    pub(crate) async fn ask(&self, prompt: &str) -> Result<TurnOutcome> {
        let turn = self.session.send(prompt).await?;
        let outcome = tokio::time::timeout(PATIENCE, turn.outcome()).await;
        outcome.with_context(|| format!("the prompt {prompt:?} has no outcome"))
    }

    /// Everything heard so far.
    pub(crate) fn heard(&self) -> Vec<Value> {
        self.heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits for a message that fits, or finds it among those heard.
    pub(crate) async fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut count = self.count.clone();
        let found = async {
            loop {
                let so_far = *count.borrow_and_update();
                if let Some(message) = self.heard().into_iter().take(so_far).find(&fits) {
                    return Some(message);
                }
                count.changed().await.ok()?;
            }
        };
        tokio::time::timeout(PATIENCE, found)
            .await
            .ok()
            .flatten()
            .with_context(|| format!("the CLI never said: {what}"))
    }

    /// Waits for a system message of this kind.
    pub(crate) async fn until_system(&self, subtype: &str) -> Result<Value> {
        self.until(subtype, |message| message["subtype"] == subtype)
            .await
    }

    /// The requests for messages that reached the model.
    pub(crate) fn asked(&self) -> Vec<ApiRequest> {
        let mut requests = self.world.api.requests();
        requests.retain(|request| request.path == "/v1/messages");
        requests
    }

    /// The last request for a message, as text.
    pub(crate) fn last_asked(&self) -> String {
        self.asked()
            .last()
            .map(|request| request.body.to_string())
            .unwrap_or_default()
    }

    /// What the model was told of a call.
    pub(crate) fn tool_result(&self, id: &str) -> Result<ToolResult> {
        ToolResult::of(&self.asked(), &format!("toolu_{id}"))
    }

    /// Whether a file is in the project.
    pub(crate) fn made(&self, name: &str) -> bool {
        self.world.project().join(name).exists()
    }

    pub(crate) async fn end(self) {
        self.session.close().await;
    }
}

async fn listen(
    mut messages: MessageStream,
    heard: Arc<Mutex<Vec<Value>>>,
    counted: watch::Sender<usize>,
) {
    while let Some(received) = messages.next_message().await {
        let message = serde_json::from_slice(received.raw.as_bytes()).unwrap_or_default();
        let count = {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.push(message);
            heard.len()
        };
        counted.send_replace(count);
    }
}

/// Asks again until there is an answer, for what the CLI does in its own time.
pub(crate) async fn eventually<T>(
    what: &str,
    mut look: impl AsyncFnMut() -> Result<Option<T>>,
) -> Result<T> {
    let found = async {
        loop {
            if let Some(found) = look().await? {
                return anyhow::Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found)
        .await
        .with_context(|| format!("it never came true: {what}"))?
}

/// A model's answer that is one tool call.
pub(crate) fn call(id: &str, tool: &str, input: Value) -> Turn {
    Turn::empty().tool_use(format!("toolu_{id}"), tool, input)
}

/// A model's answer that is one shell command.
pub(crate) fn bash(id: &str, command: &str) -> Turn {
    call(
        id,
        "Bash",
        json!({"command": command, "description": "run it"}),
    )
}

/// The stdio MCP server that this program is when asked to: see `cargo xtask record`.
pub(crate) fn lab() -> Result<McpServerConfig> {
    let program: PathBuf = std::env::current_exe().context("cannot find this program")?;
    Ok(McpServerConfig::stdio(
        program.to_string_lossy(),
        vec!["record".to_owned(), "--mcp-server".to_owned()],
    ))
}
