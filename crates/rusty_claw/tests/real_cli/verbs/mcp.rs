//! MCP servers: a real one on stdio, under a name that no tool name can contain.

use anyhow::{Context, Result, ensure};
use claw_testkit::real_cli::{eventually, real_cli};
use rusty_claw::control::messages::{McpConnection, McpServerStatus};
use rusty_claw::{Json, Map, Session};
use serde_json::json;

use super::{Verbs, verb};
use crate::stage::{Stage, lab};

const SERVER: &str = "the lab";

pub(super) async fn run(verbs: &mut Verbs) -> Result<()> {
    let stage = Stage::open([], |o| o.strict_mcp_config(true)).await?;
    let session = &stage.session;
    verb(verbs, "mcp_set_servers", async {
        let servers: Map<_> = [(SERVER, lab())].into_iter().collect();
        let answer = session.mcp_set_servers(servers).await?;
        let is_added = answer.added == [SERVER] && answer.errors.is_empty();
        ensure!(is_added, "{answer:?}");
        Ok("the server was added")
    })
    .await;
    verb(verbs, "mcp_status", async {
        let tools = connected(session).await?.tools.unwrap_or_default();
        ensure!(tools.iter().any(|tool| tool.name == "echo"), "{tools:?}");
        Ok(format!("connected, with {} tools", tools.len()))
    })
    .await;
    let echo = async |text: &str| -> Result<()> {
        let arguments = Json::from_value(&json!({"text": text}));
        let answer = session.mcp_call(SERVER, "echo", arguments).await?;
        ensure!(answer.content.text().contains(text), "{answer:?}");
        Ok(())
    };
    verb(verbs, "mcp_call", async {
        echo("straight").await?;
        Ok("the tool's own answer")
    })
    .await;
    verb(verbs, "mcp_read_resource", async {
        let answer = session.mcp_read_resource(SERVER, "ui://lab/view").await?;
        let first = answer.contents.first();
        let text = first.and_then(|part| part.text.as_deref());
        ensure!(text == Some("a note"));
        Ok("the resource's text")
    })
    .await;
    verb(verbs, "mcp_toggle", async {
        session.mcp_toggle(SERVER, false).await?;
        ensure!(status(session).await?.status == McpConnection::Disabled);
        ensure!(echo("off").await.is_err(), "a server that is off answers");
        session.mcp_toggle(SERVER, true).await?;
        connected(session).await?;
        echo("on").await?;
        Ok("off, its tools cannot be called; on, they can")
    })
    .await;
    verb(verbs, "mcp_reconnect", async {
        let before = children(session)?;
        session.mcp_reconnect(SERVER).await?;
        echo("again").await?;
        let after = children(session)?;
        ensure!(!before.is_empty() && before != after);
        Ok("the server is another process, and answers")
    })
    .await;
    verb(verbs, "mcp_set_servers", async {
        let answer = session.mcp_set_servers(Map::default()).await?;
        ensure!(answer.removed == [SERVER]);
        ensure!(status(session).await.is_err(), "it is still listed");
        Ok("and removed")
    })
    .await;
    stage.end().await;
    Ok(())
}

async fn status(session: &Session) -> Result<McpServerStatus> {
    let servers = session.mcp_status().await?.mcp_servers;
    let server = servers.into_iter().find(|server| server.name == SERVER);
    server.context("the server is not listed")
}

async fn connected(session: &Session) -> Result<McpServerStatus> {
    eventually("the server is connected", async || {
        let server = status(session).await?;
        anyhow::Ok(Some(server).filter(|it| it.status == McpConnection::Connected))
    })
    .await
}

/// The server's processes.
fn children(session: &Session) -> Result<Vec<String>> {
    let pid = session.pid().context("the CLI has no process")?;
    let program = real_cli().lab;
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let children = std::fs::read_to_string(task?.path().join("children"))?;
        let is_server = |child: &&str| {
            let command = std::fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
            command.starts_with(program.as_os_str().as_encoded_bytes())
        };
        let servers = children.split_whitespace().filter(is_server);
        found.extend(servers.map(str::to_owned));
    }
    Ok(found)
}
