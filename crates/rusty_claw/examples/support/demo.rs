//! Support code that lets the examples run without an API key.
//!
//! With a key in the environment, an example runs the real CLI with the real model. Without one, or
//! with `CLAW_DEMO=1`, it runs the real CLI in an empty home with a scripted model. If there is no
//! CLI, it runs the test kit's stand-in, which supports the same except for hooks that are not
//! about tools. A line on standard error says which. Set `CLAW_DEMO=0` if you have logged in with
//! the CLI itself.
//!
//! Your own program needs none of this: write `Options::new()` for `demo.options()`.

#![allow(dead_code, reason = "no example uses all of it")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use claw_testkit::{
    FakeScript, FakeTurn, Hook, Match, McpCall, Permission, ScriptedApi, Step, Turn,
};
use rusty_claw::sessions::SessionLibrary;
use rusty_claw::transport::Launch;
use rusty_claw::{Options, cli};
use serde_json::{Value, json};

/// Variables that let the CLI talk to a real model.
const KEYS: [&str; 4] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
];

/// The next reply of the scripted model.
pub(crate) struct Reply {
    says: Says,
    /// Replies only to a prompt that contains this text.
    to: Option<&'static str>,
}

enum Says {
    Text(String),
    Slowly(String),
    Call(&'static str, Value),
}

/// A text reply.
pub(crate) fn says(text: &str) -> Reply {
    Reply {
        says: Says::Text(text.to_owned()),
        to: None,
    }
}

/// A text reply, slow enough to be interrupted.
pub(crate) fn says_slowly(text: &str) -> Reply {
    Reply {
        says: Says::Slowly(text.to_owned()),
        to: None,
    }
}

/// A tool call; the next reply is the model's response to its result.
pub(crate) fn calls(tool: &'static str, input: Value) -> Reply {
    Reply {
        says: Says::Call(tool, input),
        to: None,
    }
}

impl Reply {
    /// Replies only to a prompt that contains this text.
    pub(crate) fn to(mut self, part: &'static str) -> Self {
        self.to = Some(part);
        self
    }
}

/// The environment of an example.
pub(crate) struct Demo {
    options: Options,
    folder: tempfile::TempDir,
    /// The configuration directory with the sessions, if it is not the user's own.
    config: Option<PathBuf>,
    /// Dropping it stops the model.
    _model: Option<mpsc::Sender<()>>,
}

/// Prepares the real model, or one that gives these replies.
pub(crate) fn model(replies: impl IntoIterator<Item = Reply>) -> Result<Demo, Box<dyn Error>> {
    start(replies.into_iter().collect(), true)
}

/// Like `model`, for what the stand-in does not support: several processes, files, subagents.
pub(crate) fn model_with_real_cli(
    replies: impl IntoIterator<Item = Reply>,
) -> Result<Demo, Box<dyn Error>> {
    start(replies.into_iter().collect(), false)
}

impl Demo {
    /// The options for new sessions.
    pub(crate) fn options(&self) -> Options {
        self.options.clone()
    }

    /// The working directory of the sessions: new and empty.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The sessions of that directory.
    pub(crate) fn library(&self) -> Result<SessionLibrary, Box<dyn Error>> {
        let library = match &self.config {
            Some(config) => SessionLibrary::open(config),
            None => SessionLibrary::from_env()?,
        };
        Ok(library.in_dir(self.folder()))
    }
}

fn start(replies: Vec<Reply>, stand_in: bool) -> Result<Demo, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    for name in ["project", "home", "config", "tmp"] {
        std::fs::create_dir(folder.path().join(name))?;
    }
    let options = Options::new().cwd(folder.path().join("project"));
    let played = match std::env::var("CLAW_DEMO").as_deref() {
        Ok("0") => false,
        Ok(_) => true,
        Err(_) => !KEYS.iter().any(|name| std::env::var_os(name).is_some()),
    };
    if !played {
        if let Err(error) = cli::find(&Launch::default()) {
            let hint = if stand_in {
                "; set CLAW_DEMO=1 to run the example without a CLI"
            } else {
                ""
            };
            return Err(format!("{error}{hint}").into());
        }
        eprintln!("example: the real CLI with the real model");
        return Ok(Demo {
            options,
            folder,
            config: None,
            _model: None,
        });
    }
    let config = folder.path().join("config");
    let options = alone(options, folder.path());
    let (options, model) = match cli::find(&Launch::default()) {
        Ok(program) => {
            let (uri, model) = serve(replies)?;
            eprintln!(
                "example: the real CLI at {} with a scripted model",
                program.path().display()
            );
            let options = options
                .cli_path(program.path())
                .env("ANTHROPIC_BASE_URL", uri)
                .env("ANTHROPIC_API_KEY", "sk-ant-scripted");
            (options, Some(model))
        }
        Err(_) if stand_in => {
            eprintln!("example: no CLI found, so its stand-in fake-claude plays the script");
            let (name, script) = fake(&replies).env()?;
            let program = claw_testkit::fake_claude_path().map_err(|error| error.to_string())?;
            (options.cli_path(program).env(name, script), None)
        }
        Err(missing) => {
            return Err(format!("this example needs the real CLI (no key): {missing}").into());
        }
    };
    Ok(Demo {
        options,
        folder,
        config: Some(config),
        _model: model,
    })
}

/// Isolates the CLI from this machine, except for `PATH`.
fn alone(options: Options, folder: &Path) -> Options {
    options
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.join("home"))
        .env("TMPDIR", folder.join("tmp"))
        .env("CLAUDE_CODE_TMPDIR", folder.join("tmp"))
        .env("CLAUDE_CONFIG_DIR", folder.join("config"))
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("DISABLE_AUTOUPDATER", "1")
}

/// Starts the scripted model on a thread of its own, so that examples without async can use it.
fn serve(replies: Vec<Reply>) -> Result<(String, mpsc::Sender<()>), Box<dyn Error>> {
    let (keep, dropped) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        let api = runtime.block_on(ScriptedApi::start());
        if let Ok(api) = &api {
            for (number, reply) in replies.into_iter().enumerate() {
                api.turn(turn(number, reply));
            }
        }
        let _ = tell.send(
            api.as_ref()
                .map(ScriptedApi::uri)
                .map_err(ToString::to_string),
        );
        // Returns when the sender is dropped.
        let _ = dropped.recv();
    });
    Ok((told.recv()??, keep))
}

fn turn(number: usize, reply: Reply) -> Turn {
    let turn = match reply.says {
        Says::Text(text) => Turn::text(text).chunk_chars(8),
        Says::Slowly(text) => Turn::text(text)
            .chunk_chars(4)
            .delay_between(Duration::from_millis(100)),
        Says::Call(tool, input) => Turn::empty().tool_use(format!("toolu_{number}"), tool, input),
    };
    match reply.to {
        Some(part) => turn.when(Match::new().body_text(part)),
        None => turn,
    }
}

/// The same script for the stand-in: a text ends a turn, a call does not.
fn fake(replies: &[Reply]) -> FakeScript {
    let mut script = FakeScript::new();
    let mut turn = FakeTurn::new();
    for reply in replies {
        match &reply.says {
            Says::Text(text) => {
                script = script.turn(std::mem::take(&mut turn).step(Step::text(text)));
            }
            Says::Slowly(text) => {
                let slow = std::mem::take(&mut turn)
                    .step(Step::text(text))
                    .step(Step::Hang);
                script = script.turn(slow);
            }
            Says::Call("StructuredOutput", input) => {
                turn.structured_output = Some(input.clone());
            }
            Says::Call(tool, input) => {
                let parts: Vec<&str> = tool.splitn(3, "__").collect();
                turn = match parts[..] {
                    ["mcp", server, name] => turn.step(McpCall {
                        server: server.to_owned(),
                        tool: name.to_owned(),
                        arguments: input.clone(),
                    }),
                    _ => turn
                        .step(Hook {
                            event: "PreToolUse".to_owned(),
                            input: json!({"tool_name": tool, "tool_input": input}),
                        })
                        .step(Permission::new(*tool, input.clone())),
                };
            }
        }
    }
    script
}
