//! Tools of this program, called by the real CLI.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{ToolResult as Received, Variants, call};
use rusty_claw::Options;
use rusty_claw::mcp::{
    IntoToolResult, McpServer, NoArguments, Structured, Tool, ToolContext, ToolError, ToolResult,
    tool,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::stage::{Stage, done, pause, soon};

/// A PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(crate) async fn figure() -> Figure {
    Variants::new()
        .add("#[tool], text", attribute())
        .add("closure with state, text", closure())
        .add("image", image())
        .add("structured", structured())
        .add("a result that is a failure", failure())
        .add("Err", error())
        .add("a panic", panic())
        .add("arguments that do not fit", bad_arguments())
        .add("two calls at once", overlap())
        .add("progress", progress())
        .add("cancelled by an interrupt", cancelled())
        .add("a result of 1 MB", large())
        .add("no handshake, thanks to the manifest", no_handshake())
        .figure(
            "in-process tools: called and obeyed, on the real CLI",
            "all",
        )
        .await
}

/// Adds two numbers.
#[tool(read_only)]
async fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Divides.
#[tool]
async fn divide(a: i64, b: i64) -> Result<i64, ToolError> {
    if b == 0 {
        return Err(ToolError::new("The divisor is 0; give another."));
    }
    Ok(a / b)
}

/// Breaks down.
#[tool]
async fn break_down() -> String {
    std::panic::resume_unwind(Box::new("on purpose"))
}

fn kit() -> McpServer {
    McpServer::new("kit")
}

/// A server with one closure that takes no arguments.
fn one<R: IntoToolResult + Send + 'static>(
    name: &'static str,
    give: impl Fn() -> R + Send + Sync + 'static,
) -> McpServer {
    kit().tool(Tool::new(name, "For tests.", move |_: NoArguments| {
        let given = give();
        async move { given }
    }))
}

/// Options with a server whose tools are all allowed.
fn serving(options: Options, server: McpServer) -> Options {
    options.mcp_server(server).allowed_tools(["mcp__kit"])
}

/// A model that calls a tool once.
fn calling(tool: &str, arguments: Value) -> [Turn; 2] {
    [call("t", &format!("mcp__kit__{tool}"), arguments), done()]
}

/// Calls a tool once; returns what the model received.
async fn called(server: McpServer, tool: &str, arguments: Value) -> Result<Received> {
    let stage = Stage::play(calling(tool, arguments), |o| serving(o, server)).await?;
    let result = stage.tool_result("t")?;
    stage.end().await;
    Ok(result)
}

/// Calls a tool that must fail with this text.
async fn fails(server: McpServer, tool: &str, arguments: Value, why: &str) -> Result<String> {
    let received = called(server, tool, arguments).await?;
    let is_right = received.failed && received.text.contains(why);
    ensure!(is_right, "the model received {}", received.block);
    Ok(received.text)
}

async fn attribute() -> Result<String> {
    let received = called(kit().tool(add), "add", json!({"a": 2, "b": 40})).await?;
    ensure!((&*received.text, received.failed) == ("42", false));
    Ok("the model read 42".to_owned())
}

async fn closure() -> Result<String> {
    let state = "what only this program knows".to_owned();
    let received = called(one("know", move || state.clone()), "know", json!({})).await?;
    ensure!(received.text == "what only this program knows");
    Ok("the model read the program's own state".to_owned())
}

async fn image() -> Result<String> {
    let draw = || ToolResult::text("A pixel:").with_image(PIXEL, "image/png");
    let Received { text, block, .. } = called(one("draw", draw), "draw", json!({})).await?;
    let parts = block["content"].as_array().context("no parts")?;
    let image = parts.iter().find(|part| part["type"] == "image");
    let source = &image.context("no image")?["source"];
    let has_data = source["data"].as_str().is_some_and(|data| !data.is_empty());
    ensure!(
        source["media_type"] == "image/png" && has_data,
        "the model received {block}"
    );
    ensure!(text.contains("A pixel:"), "the model received {block}");
    Ok("the model got text and image".to_owned())
}

async fn structured() -> Result<String> {
    let value = json!({"height": 7, "unit": "m"});
    let given = value.clone();
    let server = one("measure", move || Structured(given.clone()));
    let received = called(server, "measure", json!({})).await?;
    ensure!(serde_json::from_str::<Value>(&received.text)? == value);
    Ok("the model read the value as JSON".to_owned())
}

async fn failure() -> Result<String> {
    let why = "Nothing there; try elsewhere.";
    let server = one("fail", move || ToolResult::error(why));
    fails(server, "fail", json!({}), why).await?;
    Ok("the model read the failure".to_owned())
}

async fn error() -> Result<String> {
    let (server, why) = (kit().tool(divide), "The divisor is 0; give another.");
    fails(server, "divide", json!({"a": 1, "b": 0}), why).await?;
    Ok("the model read the error".to_owned())
}

async fn panic() -> Result<String> {
    let server = kit().tool(break_down);
    let text = fails(server, "break_down", json!({}), "broke down").await?;
    ensure!(!text.contains("on purpose"), "the model received {text:?}");
    Ok("the model read that the tool broke down, and the session went on".to_owned())
}

async fn bad_arguments() -> Result<String> {
    let arguments = json!({"a": 2, "b": "many"});
    let text = fails(kit().tool(add), "add", arguments, "do not fit: b").await?;
    Ok(format!("the model read {text:?}"))
}

async fn large() -> Result<String> {
    const LENGTH: usize = 1 << 20;
    let flood = || format!("{}the end", "abcdefg ".repeat(LENGTH / 8));
    let set = |o| serving(o, one("flood", flood));
    let stage = Stage::play(calling("flood", json!({})), set).await?;
    let text = stage.tool_result("t")?.text;
    let read = if text.len() > LENGTH {
        text.clone()
    } else {
        // The CLI writes a result that is too long for the model to a file, and names the file.
        let mut words = text
            .split_whitespace()
            .map(|word| word.trim_end_matches(['.', ',', ')']));
        let path = words.find(|word| word.starts_with('/') && Path::new(word).is_file());
        std::fs::read_to_string(path.context("the result is short and names no file")?)?
    };
    ensure!(read.len() >= LENGTH && read.contains("the end"));
    stage.end().await;
    Ok(format!(
        "{} bytes arrived; the model read {} of them",
        read.len(),
        text.len()
    ))
}

async fn no_handshake() -> Result<String> {
    let turns = calling("add", json!({"a": 1, "b": 1}));
    let stage = Stage::play(turns, |o| serving(o, kit().tool(add))).await?;
    ensure!(stage.tool_result("t")?.text == "2");
    let lines = stage.printed();
    let requests = lines.iter().map(|line| &line["request"]);
    let methods: Vec<&Value> = requests
        .filter(|request| request["subtype"] == "mcp_message")
        .map(|request| &request["message"]["method"])
        .collect();
    ensure!(methods == ["tools/call"]);
    stage.end().await;
    Ok("all that the CLI sent to the server was tools/call".to_owned())
}

async fn overlap() -> Result<String> {
    let times = Arc::new(Mutex::new(Vec::<(Instant, Instant)>::new()));
    let kept = Arc::clone(&times);
    let rest = Tool::new("rest", "Takes half a second.", move |_: NoArguments| {
        let kept = Arc::clone(&kept);
        async move {
            let began = Instant::now();
            pause(500).await;
            kept.lock().unwrap().push((began, Instant::now()));
            "rested"
        }
    });
    let both = Turn::empty()
        .tool_use("toolu_s", "mcp__kit__rest", json!({}))
        .tool_use("toolu_t", "mcp__kit__rest", json!({}));
    let set = |o| serving(o, kit().tool(rest.read_only(true)));
    let stage = Stage::play([both, done()], set).await?;
    ensure!(stage.tool_result("s")?.text == "rested");
    ensure!(stage.tool_result("t")?.text == "rested");
    stage.end().await;
    let times = times.lock().unwrap().clone();
    let [(first, first_end), (second, second_end)] = times[..] else {
        bail!("{} calls came", times.len());
    };
    let together = first_end
        .min(second_end)
        .saturating_duration_since(first.max(second));
    ensure!(together > Duration::from_millis(50));
    Ok(format!(
        "both ran for {} ms at the same time",
        together.as_millis()
    ))
}

async fn progress() -> Result<String> {
    let work = Tool::new(
        "work",
        "Takes two steps.",
        |context: ToolContext, _: NoArguments| async move {
            let wanted = context.progress_token().is_some();
            context.progress(1.0, Some(2.0), "half-way");
            pause(300).await;
            context.progress(2.0, Some(2.0), "there");
            format!("progress wanted: {wanted}")
        },
    );
    let set = |o| serving(o, kit().tool(work));
    let stage = Stage::play(calling("work", json!({})), set).await?;
    ensure!(stage.tool_result("t")?.text == "progress wanted: true");
    let lines = stage.printed();
    stage.end().await;
    let count = |subtype| {
        let answers = lines.iter().map(|line| &line["response"]["subtype"]);
        answers.filter(|found| *found == subtype).count()
    };
    // One is the reply to `initialize`.
    ensure!((count("success"), count("error")) == (3, 0));
    Ok("the CLI asked for it and acknowledged both notifications".to_owned())
}

async fn cancelled() -> Result<String> {
    let (sender, mut events) = mpsc::unbounded_channel();
    let wait = Tool::new(
        "wait",
        "Waits for ever.",
        move |context: ToolContext, _: NoArguments| {
            let sender = sender.clone();
            let token = context.cancellation().clone();
            async move {
                let _ = sender.send("called");
                tokio::spawn(async move {
                    token.cancelled().await;
                    let _ = sender.send("cancelled");
                });
                std::future::pending::<String>().await
            }
        },
    );
    let [first, _] = calling("wait", json!({}));
    let turns = [first, Turn::text("Hello again.")];
    let stage = Stage::open(turns, |o| serving(o, kit().tool(wait))).await?;
    let turn = stage.session.send("go").await?;
    ensure!(soon("a call", events.recv()).await? == Some("called"));
    stage.session.interrupt().await?;
    ensure!(soon("a signal", events.recv()).await? == Some("cancelled"));
    let outcome = soon("the outcome", turn.outcome()).await?;
    ensure!(outcome.name() == "interrupted");
    stage.ask_again().await?;
    stage.end().await;
    Ok("the tool's context was cancelled, the turn interrupted, the session usable".to_owned())
}
