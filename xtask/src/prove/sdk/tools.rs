//! Tools of this program, called by the real CLI.

mod running;

use anyhow::{Result, ensure};
use claw_testkit::Turn;
use rusty_claw::mcp::{McpServer, NoArguments, Structured, Tool, ToolError, ToolResult, tool};
use serde_json::{Value, json};

use super::super::figure::Figure;
use super::stage::{self, Stage, call};
use super::tap::Tap;
use super::variants::Variants;
use super::{Inputs, World};
use crate::cli_package::CliPackage;

/// A PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let figure = inputs.runtime.block_on(async {
        Variants::new(inputs)
            .add("#[tool], text", attribute)
            .add("closure with state, text", closure)
            .add("image", image)
            .add("structured", structured)
            .add("a result that is a failure", failure)
            .add("Err", error)
            .add("a panic", panic)
            .add("arguments that do not fit", bad_arguments)
            .add("two calls at once", running::overlap)
            .add("progress", running::progress)
            .add("cancelled by an interrupt", running::cancelled)
            .add("a result of 1 MB", large)
            .add("no handshake, thanks to the manifest", no_handshake)
            .figure(
                "in-process tools: called and obeyed, on the real CLI",
                "all",
            )
            .await
    });
    Ok(vec![figure])
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

/// Calls one tool of a server once, and gives what the model was told.
async fn called(
    cli: CliPackage,
    server: McpServer,
    tool: &str,
    arguments: Value,
) -> Result<stage::ToolResult> {
    let world = World::new(&cli).await?;
    let name = format!("mcp__{}__{tool}", server.name());
    world
        .api
        .turn(call("t", &name, arguments))
        .turn(Turn::text("Called."));
    let options = world.options().mcp_server(server).allowed_tools([name]);
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let result = stage.tool_result("t")?;
    stage.end().await;
    Ok(result)
}

/// A server of one closure that takes nothing.
fn one<R: rusty_claw::mcp::IntoToolResult + Send + 'static>(
    name: &'static str,
    give: impl Fn() -> R + Send + Sync + 'static,
) -> McpServer {
    let tool = Tool::new(name, "For tests.", move |_: NoArguments| {
        let given = give();
        async move { given }
    });
    McpServer::new("kit").tool(tool)
}

async fn attribute(cli: CliPackage) -> Result<String> {
    let server = McpServer::new("kit").tool(add);
    let told = called(cli, server, "add", json!({"a": 2, "b": 40})).await?;
    ensure!(
        told.text == "42" && !told.failed,
        "the model was told {:?}",
        told.text
    );
    Ok("the model read 42".to_owned())
}

async fn closure(cli: CliPackage) -> Result<String> {
    let state = "what only this program knows".to_owned();
    let told = called(cli, one("know", move || state.clone()), "know", json!({})).await?;
    ensure!(
        told.text == "what only this program knows",
        "the model was told {:?}",
        told.text
    );
    Ok("the model read the program's own state".to_owned())
}

async fn image(cli: CliPackage) -> Result<String> {
    let server = one("draw", || {
        ToolResult::text("A pixel:").with_image(PIXEL, "image/png")
    });
    let told = called(cli, server, "draw", json!({})).await?;
    let parts = told.block["content"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let source = parts
        .iter()
        .find(|part| part["type"] == "image")
        .map(|part| &part["source"]);
    ensure!(
        source.is_some_and(|source| source["media_type"] == "image/png"
            && source["data"].as_str().is_some_and(|data| !data.is_empty())),
        "the model was told {}",
        told.block
    );
    ensure!(
        told.text.contains("A pixel:"),
        "the text is missing: {}",
        told.block
    );
    Ok("the model got text and image".to_owned())
}

async fn structured(cli: CliPackage) -> Result<String> {
    let server = one("measure", || Structured(json!({"height": 7, "unit": "m"})));
    let told = called(cli, server, "measure", json!({})).await?;
    let read: Value = serde_json::from_str(&told.text).unwrap_or_default();
    ensure!(
        read == json!({"height": 7, "unit": "m"}),
        "the model was told {:?}",
        told.text
    );
    Ok("the model read the value as JSON".to_owned())
}

async fn failure(cli: CliPackage) -> Result<String> {
    let server = one("fail", || {
        ToolResult::error("Nothing there; try elsewhere.")
    });
    let told = called(cli, server, "fail", json!({})).await?;
    ensure!(
        told.failed && told.text.contains("Nothing there; try elsewhere."),
        "the model was told {}",
        told.block
    );
    Ok("the model read the failure".to_owned())
}

async fn error(cli: CliPackage) -> Result<String> {
    let server = McpServer::new("kit").tool(divide);
    let told = called(cli, server, "divide", json!({"a": 1, "b": 0})).await?;
    ensure!(
        told.failed && told.text.contains("The divisor is 0; give another."),
        "the model was told {}",
        told.block
    );
    Ok("the model read the error".to_owned())
}

async fn panic(cli: CliPackage) -> Result<String> {
    let server = McpServer::new("kit").tool(break_down);
    let told = called(cli, server, "break_down", json!({})).await?;
    ensure!(
        told.failed && told.text.contains("broke down") && !told.text.contains("on purpose"),
        "the model was told {}",
        told.block
    );
    Ok("the model read that the tool broke down, and the session went on".to_owned())
}

async fn bad_arguments(cli: CliPackage) -> Result<String> {
    let server = McpServer::new("kit").tool(add);
    let told = called(cli, server, "add", json!({"a": 2, "b": "many"})).await?;
    ensure!(
        told.failed && told.text.contains("do not fit") && told.text.contains('b'),
        "the model was told {}",
        told.block
    );
    Ok(format!("the model read {:?}", told.text))
}

async fn large(cli: CliPackage) -> Result<String> {
    const LENGTH: usize = 1 << 20;
    let world = World::new(&cli).await?;
    world
        .api
        .turn(call("t", "mcp__kit__flood", json!({})))
        .turn(Turn::text("Called."));
    let server = one("flood", || {
        format!("{}the end", "abcdefg ".repeat(LENGTH / 8))
    });
    let options = world
        .options()
        .mcp_server(server)
        .allowed_tools(["mcp__kit"]);
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let told = stage.tool_result("t")?;
    let read = if told.text.len() > LENGTH {
        told.text.clone()
    } else {
        // The CLI puts what is too long for the model into a file, and tells it where.
        let path = told
            .text
            .split_whitespace()
            .map(|word| word.trim_end_matches(['.', ',', ')']))
            .find(|word| word.starts_with('/') && std::path::Path::new(word).is_file());
        path.map(std::fs::read_to_string)
            .transpose()?
            .unwrap_or_default()
    };
    let first: String = told.text.chars().take(200).collect();
    ensure!(
        read.len() >= LENGTH && read.contains("the end"),
        "of {LENGTH} bytes {} arrived; the model was told {first:?}",
        read.len()
    );
    stage.end().await;
    Ok(format!(
        "{} bytes arrived; the model read {} of them",
        read.len(),
        told.text.len()
    ))
}

async fn no_handshake(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(call("t", "mcp__kit__add", json!({"a": 1, "b": 1})))
        .turn(Turn::text("Called."));
    let options = world
        .options()
        .mcp_server(McpServer::new("kit").tool(add))
        .allowed_tools(["mcp__kit"]);
    let tap = Tap::default();
    let printed = tap.printed.clone();
    let stage = Stage::start_on(tap, world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    ensure!(
        stage.tool_result("t")?.text == "2",
        "the tool was not called"
    );
    stage.end().await;
    let methods: Vec<String> = printed
        .lines()
        .iter()
        .filter(|line| line["request"]["subtype"] == "mcp_message")
        .filter_map(|line| {
            line["request"]["message"]["method"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    ensure!(methods == ["tools/call"], "the CLI sent {methods:?}");
    Ok("all that the CLI sent to the server was tools/call".to_owned())
}
