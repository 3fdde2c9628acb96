//! Tools that take their time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::mcp::{McpServer, NoArguments, Tool, ToolContext};
use serde_json::json;
use tokio::sync::mpsc;

use super::super::World;
use super::super::stage::{PATIENCE, Stage, call};
use super::super::tap::Tap;
use crate::cli_package::CliPackage;

pub(super) async fn overlap(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let both = Turn::empty()
        .tool_use("toolu_s", "mcp__kit__rest", json!({}))
        .tool_use("toolu_t", "mcp__kit__rest", json!({}));
    world.api.turn(both).turn(Turn::text("Rested."));
    let times = Arc::new(Mutex::new(Vec::<(Instant, Instant)>::new()));
    let kept = Arc::clone(&times);
    let rest = Tool::new("rest", "Takes half a second.", move |_: NoArguments| {
        let kept = Arc::clone(&kept);
        async move {
            let began = Instant::now();
            tokio::time::sleep(Duration::from_millis(500)).await;
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((began, Instant::now()));
            "rested"
        }
    });
    let options = world
        .options()
        .mcp_server(McpServer::new("kit").tool(rest.read_only(true)))
        .allowed_tools(["mcp__kit"]);
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    for id in ["s", "t"] {
        ensure!(
            stage.tool_result(id)?.text == "rested",
            "{id} gave something else"
        );
    }
    let times = times.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let [(first, first_end), (second, second_end)] = times.as_slice() else {
        anyhow::bail!("{} calls came", times.len());
    };
    let together = (*first_end.min(second_end)).saturating_duration_since(*first.max(second));
    ensure!(
        together > Duration::from_millis(50),
        "one came after the other"
    );
    stage.end().await;
    Ok(format!(
        "both ran for {} ms at the same time",
        together.as_millis()
    ))
}

pub(super) async fn progress(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(call("t", "mcp__kit__work", json!({})))
        .turn(Turn::text("Worked."));
    let work = Tool::new(
        "work",
        "Takes two steps.",
        |context: ToolContext, _: NoArguments| async move {
            let wanted = context.progress_token().is_some();
            context.progress(1.0, Some(2.0), "half-way");
            tokio::time::sleep(Duration::from_millis(300)).await;
            context.progress(2.0, Some(2.0), "there");
            format!("progress wanted: {wanted}")
        },
    );
    let options = world
        .options()
        .mcp_server(McpServer::new("kit").tool(work))
        .allowed_tools(["mcp__kit"]);
    let tap = Tap::default();
    let printed = tap.printed.clone();
    let stage = Stage::start_on(tap, world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let told = stage.tool_result("t")?.text;
    ensure!(
        told == "progress wanted: true",
        "the model was told {told:?}"
    );
    let lines = printed.lines();
    stage.end().await;
    let refused = lines
        .iter()
        .find(|line| line["response"]["subtype"] == "error");
    ensure!(refused.is_none(), "the CLI refused: {refused:?}");
    let accepted = lines
        .iter()
        .filter(|line| {
            line["type"] == "control_response" && line["response"]["subtype"] == "success"
        })
        .count();
    // One is the reply to `initialize`.
    ensure!(accepted == 3, "the CLI acknowledged {accepted} requests");
    Ok("the CLI asked for it and acknowledged both notifications".to_owned())
}

pub(super) async fn cancelled(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(call("t", "mcp__kit__wait", json!({})))
        .turn(Turn::text("Hello again."));
    let (tell, mut told) = mpsc::unbounded_channel();
    let wait = Tool::new(
        "wait",
        "Waits for ever.",
        move |context: ToolContext, _: NoArguments| {
            let tell = tell.clone();
            let token = context.cancellation().clone();
            async move {
                let _ = tell.send("called");
                tokio::spawn(async move {
                    token.cancelled().await;
                    let _ = tell.send("cancelled");
                });
                std::future::pending::<String>().await
            }
        },
    );
    let options = world
        .options()
        .mcp_server(McpServer::new("kit").tool(wait))
        .allowed_tools(["mcp__kit"]);
    let stage = Stage::start(world, options).await?;
    let turn = stage.session.send("go").await?;
    let mut next = async |what: &str| {
        let heard = tokio::time::timeout(PATIENCE, told.recv()).await;
        let heard = heard
            .ok()
            .flatten()
            .with_context(|| format!("never {what}"))?;
        ensure!(heard == what, "{heard} and not {what}");
        Ok(())
    };
    next("called").await?;
    stage.session.interrupt().await?;
    next("cancelled").await?;
    let outcome = tokio::time::timeout(PATIENCE, turn.outcome())
        .await
        .context("the turn has no outcome")?;
    ensure!(outcome.name() == "interrupted", "the turn {outcome}");
    let again = stage.ask("and now?").await?;
    ensure!(
        again.text() == Some("Hello again."),
        "the next turn {again}"
    );
    stage.end().await;
    Ok("the tool's context was cancelled, the turn interrupted, the session usable".to_owned())
}
