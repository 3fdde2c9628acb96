//! The scripted API as a program, for trying an agent without a key.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use claw_testkit::{ApiOptions, Script, ScriptedApi};

/// Serves a scripted Anthropic Messages API on loopback.
#[derive(Debug, Parser)]
#[command(name = "scripted-api", version, after_help = EXAMPLE)]
struct Arguments {
    /// The script: a JSON file with the turns of the model.
    script: PathBuf,
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0, value_name = "N")]
    port: u16,
    /// Writes every request to this file, one line of JSON each, without credentials.
    #[arg(long, value_name = "FILE.ndjson")]
    capture: Option<PathBuf>,
    /// Repeats the last turn instead of running dry.
    #[arg(long)]
    repeat_last: bool,
}

const EXAMPLE: &str = r#"EXAMPLE
  Save this as hello.json. The first request gets a tool call, the second gets the text,
  and requests that offer no tools (titles, summaries) are answered on the side:

    {"turns": [
      {"content": [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash",
         "input": {"command": "ls", "description": "List files"}}]},
      {"text": "That is all there is.", "pieces": {"chunk_chars": 8}},
      {"text": "A title", "when": {"has_tools": false}, "always": true}
    ]}

  Start it, and start the agent in another terminal with the environment it prints:

    scripted-api hello.json --port 8080

A TURN IS ONE OF
  {"text": "..."}                    a text
  {"content": [block, ...]}          blocks as the API prints them in a whole message
  {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"}}
  {"json": {"body": {...}}}          any other JSON
  {"close_without_response": true}   a closed connection
AND MAY HAVE
  usage, stop_reason, stop_sequence, stop_details, model, message_id, request_id, headers, ping,
  pieces ({"chunks": n}, {"chunk_chars": n}, {"cuts": [n, ...]}, {"raw": ["...", ...]}),
  delay_ms, delay_between_ms, cut_after, hang_after,
  sse_error_after ({"events": n, "type": "...", "message": "..."}),
  when ({path, model, last_user_text, about, body_text, tool, has_tools, stream}), always

It serves until Ctrl-C. EXIT CODES: 0 all requests had a turn, 1 the script ran dry or could
not be used, 2 the command line is wrong."#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("scripted-api: {}", with_causes(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let mut script = Script::read(&arguments.script)?;
    script.repeat_last |= arguments.repeat_last;
    let options = ApiOptions {
        port: arguments.port,
        capture: arguments.capture,
        forgets_requests: true,
    };
    let api = ScriptedApi::start_with(options).await?;
    api.script(script);

    println!(
        "Scripted API with {} turn(s) at {}",
        api.remaining(),
        api.uri()
    );
    println!("Start an agent with this environment, and a HOME and project you can throw away:");
    println!("  ANTHROPIC_BASE_URL={}", api.uri());
    println!("  ANTHROPIC_API_KEY=sk-ant-scripted");
    println!("  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1");
    println!("  DISABLE_TELEMETRY=1");
    println!("  DISABLE_AUTOUPDATER=1");
    println!("Stop with Ctrl-C.");

    stopped().await?;
    let Err(unfinished) = api.finish() else {
        eprintln!("scripted-api: every turn was asked for");
        return Ok(ExitCode::SUCCESS);
    };
    eprintln!("scripted-api: {unfinished}");
    Ok(if unfinished.ran_dry.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(unix)]
async fn stopped() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn stopped() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
