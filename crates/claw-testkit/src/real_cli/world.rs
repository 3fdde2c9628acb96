//! An isolated home for the CLI, with a scripted model.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::real_cli;
use crate::{ApiRequest, ScriptedApi, Turn};

/// An empty home, a project folder and a scripted model.
#[derive(Debug)]
pub struct World {
    folder: tempfile::TempDir,
    binary: PathBuf,
    /// The model.
    pub api: ScriptedApi,
}

impl World {
    /// Creates the folders and starts the API.
    ///
    /// # Panics
    /// If the CLI is not installed: see [`real_cli`].
    pub async fn new() -> io::Result<Self> {
        let binary = real_cli().binary;
        let folder = tempfile::tempdir()?;
        for name in ["home", "config", "project", "tmp"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self {
            folder,
            binary,
            api: ScriptedApi::start().await?,
        })
    }

    /// A world with a model that answers with these turns.
    pub async fn with(turns: impl IntoIterator<Item = Turn>) -> io::Result<Self> {
        let world = Self::new().await?;
        for turn in turns {
            world.api.turn(turn);
        }
        Ok(world)
    }

    /// The folder that contains all others.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The working directory of sessions.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The configuration folder, which contains the session files.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// The CLI.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The whole environment of a CLI: nothing of this machine but its programs.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let folder = |name: &str| self.folder.path().join(name).into_os_string();
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", folder("home")),
            ("TMPDIR", folder("tmp")),
            ("CLAUDE_CODE_TMPDIR", folder("tmp")),
            ("CLAUDE_CONFIG_DIR", self.config().into_os_string()),
            ("ANTHROPIC_BASE_URL", self.api.uri().into()),
            ("ANTHROPIC_API_KEY", "sk-ant-of-no-use".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("DISABLE_TELEMETRY", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
        ]
    }

    /// The CLI as a command in the project folder, with [`World::environment`].
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .env_clear()
            .envs(self.environment())
            .current_dir(self.project());
        command
    }

    /// The requests for messages that reached the model.
    pub fn message_requests(&self) -> Vec<ApiRequest> {
        let mut requests = self.api.requests();
        requests.retain(|request| request.path == "/v1/messages");
        requests
    }

    /// The body of the last request for a message, as text.
    pub fn last_request(&self) -> String {
        let last = self.message_requests().pop();
        last.map(|request| request.body.to_string())
            .unwrap_or_default()
    }

    /// The result of a tool call in the last request that has it.
    ///
    /// # Errors
    /// If no request has one.
    pub fn tool_result(&self, id: &str) -> io::Result<ToolResult> {
        ToolResult::of(&self.message_requests(), id)
    }

    /// Whether a file is in the project.
    pub fn has_file(&self, name: &str) -> bool {
        self.project().join(name).exists()
    }
}

/// A tool result that the model received.
#[derive(Debug)]
pub struct ToolResult {
    /// Its texts, joined by newlines.
    pub text: String,
    /// Whether it is marked as an error.
    pub failed: bool,
    /// The whole block.
    pub block: Value,
}

impl ToolResult {
    /// The result of a tool call in the last of these requests that has it.
    ///
    /// # Errors
    /// If none has it.
    pub fn of(requests: &[ApiRequest], id: &str) -> io::Result<Self> {
        let blocks = requests
            .iter()
            .rev()
            .flat_map(|request| request.messages().iter().rev())
            .filter_map(|message| message["content"].as_array())
            .flatten();
        let mut results = blocks.filter(|block| block["tool_use_id"] == *id);
        let block = results
            .next()
            .ok_or_else(|| io::Error::other(format!("the model received no result of {id}")))?;
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

/// The `PATH` of this process without the folders that hold a CLI.
pub fn path_without_cli() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join("claude").exists());
    std::env::join_paths(folders).unwrap_or_default()
}

/// A model's answer that is one tool call, with the id `toolu_<id>`.
pub fn call(id: &str, tool: &str, input: Value) -> Turn {
    Turn::empty().tool_use(format!("toolu_{id}"), tool, input)
}

/// A model's answer that is one shell command, with the id `toolu_<id>`.
pub fn bash(id: &str, command: &str) -> Turn {
    let input = json!({"command": command, "description": "run it"});
    call(id, "Bash", input)
}
