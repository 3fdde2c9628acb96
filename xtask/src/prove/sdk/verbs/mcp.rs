//! MCP servers: a real one on stdio, under a name that no tool name can hold.

use anyhow::{Context, Result, ensure};
use rusty_claw::control::messages::{McpConnection, McpServerStatus};
use rusty_claw::{Json, Map, Session};
use serde_json::json;

use super::ledger::Ledger;
use crate::cli_package::CliPackage;
use crate::prove::sdk::World;
use crate::prove::sdk::stage::{Stage, eventually, lab};

const SERVER: &str = "the lab";

pub(super) async fn run(cli: &CliPackage, ledger: &mut Ledger) -> Result<()> {
    let world = World::new(cli).await?;
    let options = world.options().strict_mcp_config(true);
    let stage = Stage::start(world, options).await?;
    let session = &stage.session;
    ledger
        .enter("mcp_set_servers", async {
            let servers: Map<_> = [(SERVER, lab()?)].into_iter().collect();
            let answer = session.mcp_set_servers(servers).await?;
            ensure!(
                answer.added == [SERVER] && answer.errors.is_empty(),
                "{answer:?}"
            );
            Ok("the server was added".to_owned())
        })
        .await;
    ledger
        .enter("mcp_status", async {
            let server = eventually("the server is connected", async || {
                Ok(Some(status(session).await?).filter(|it| it.status == McpConnection::Connected))
            })
            .await?;
            let tools = server.tools.unwrap_or_default();
            ensure!(tools.iter().any(|tool| tool.name == "echo"), "{tools:?}");
            Ok(format!("connected, with {} tools", tools.len()))
        })
        .await;
    let echo = async |text: &str| -> Result<String> {
        let arguments = Json::from_value(&json!({"text": text}));
        let answer = session.mcp_call(SERVER, "echo", arguments).await?;
        Ok(answer.content.text().to_owned())
    };
    ledger
        .enter("mcp_call", async {
            let content = echo("straight").await?;
            ensure!(content.contains("straight"), "{content}");
            Ok("the tool's own answer".to_owned())
        })
        .await;
    ledger
        .enter("mcp_read_resource", async {
            let answer = session.mcp_read_resource(SERVER, "ui://lab/view").await?;
            let text = answer
                .contents
                .first()
                .and_then(|part| part.text.as_deref());
            ensure!(text == Some("a note"), "{answer:?}");
            Ok("the resource's text".to_owned())
        })
        .await;
    ledger
        .enter("mcp_toggle", async {
            session.mcp_toggle(SERVER, false).await?;
            let off = status(session).await?.status;
            ensure!(off == McpConnection::Disabled, "it is {off:?}");
            ensure!(echo("off").await.is_err(), "a server that is off answers");
            session.mcp_toggle(SERVER, true).await?;
            eventually("it is on again", async || {
                Ok((status(session).await?.status == McpConnection::Connected).then_some(()))
            })
            .await?;
            ensure!(echo("on").await?.contains("on"), "it does not answer");
            Ok("off, its tools cannot be called; on, they can".to_owned())
        })
        .await;
    ledger
        .enter("mcp_reconnect", async {
            let before = children(session)?;
            session.mcp_reconnect(SERVER).await?;
            ensure!(echo("again").await?.contains("again"), "it does not answer");
            let after = children(session)?;
            ensure!(
                !before.is_empty() && before != after,
                "{before:?}, {after:?}"
            );
            Ok("the server is another process, and answers".to_owned())
        })
        .await;
    ledger
        .enter("mcp_set_servers", async {
            let answer = session.mcp_set_servers(Map::default()).await?;
            ensure!(answer.removed == [SERVER], "{answer:?}");
            ensure!(status(session).await.is_err(), "it is still listed");
            Ok("and removed".to_owned())
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

/// The server's processes.
fn children(session: &Session) -> Result<Vec<String>> {
    let pid = session.pid().context("the CLI has no process")?;
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let children = std::fs::read_to_string(task?.path().join("children"))?;
        for child in children.split_whitespace() {
            let command = std::fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&command).contains("--mcp-server") {
                found.push(child.to_owned());
            }
        }
    }
    Ok(found)
}
