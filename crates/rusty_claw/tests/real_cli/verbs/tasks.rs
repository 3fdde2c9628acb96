//! Background shells, queued prompts, and a turn that is interrupted.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::{bash, call, eventually};
use rusty_claw::TurnOutcome;
use serde_json::json;

use super::{Verbs, verb};
use crate::stage::Stage;

const TICKER: &str = "for i in $(seq 60); do echo line $i; sleep 0.5; done";

pub(super) async fn run(verbs: &mut Verbs) -> Result<()> {
    let stage = Stage::open([], |options| {
        options
            .allowed_tools(["Bash"])
            .include_partial_messages(true)
    })
    .await?;
    stage.world.api.fallback(Turn::text("I know."));
    shells(&stage, verbs).await?;
    prompts(&stage, verbs).await;
    stage.end().await;
    Ok(())
}

async fn shells(stage: &Stage, verbs: &mut Verbs) -> Result<()> {
    let (session, api) = (&stage.session, &stage.world.api);
    let background = json!({"command": TICKER, "description": "tick", "run_in_background": true});
    api.turn(call("bg", "Bash", background))
        .turn(Turn::text("Started."));
    let outcome = stage.ask("start it").await?;
    let is_background = matches!(outcome, TurnOutcome::ContinuedInBackground { .. });
    ensure!(is_background, "{outcome}");
    let is_started = |id: &'static str| {
        move |message: &serde_json::Value| {
            message["subtype"] == "task_started" && message["tool_use_id"] == id
        }
    };
    let started = stage.until("the task", is_started("toolu_bg")).await?;
    let task = started["task_id"].as_str().context("a task without id")?;
    verb(verbs, "get_task_output", async {
        let printed = eventually("the shell prints", async || {
            let output = session.get_task_output(task).await?.output;
            anyhow::Ok(output.contains("line 2").then_some(output))
        });
        ensure!(printed.await?.starts_with("line 1\n"));
        Ok("what the background shell has printed so far")
    })
    .await;
    verb(verbs, "stop_task", async {
        session.stop_task(task).await?;
        let is_end = |message: &serde_json::Value| {
            message["subtype"] == "task_notification" && message["task_id"] == task
        };
        let end = stage.until("the end of the task", is_end).await?;
        let status = end["status"].as_str().unwrap_or_default();
        ensure!(["stopped", "killed"].contains(&status), "{end}");
        Ok(format!("the CLI says the task is {:?}", status))
    })
    .await;
    session.idle().await?;
    verb(verbs, "background_tasks", async {
        api.turn(bash("fg", TICKER)).turn(Turn::text("Moved."));
        let turn = session.send("run it").await?;
        stage.until("the tool", is_started("toolu_fg")).await?;
        let answer = session.background_running_tools(Some("toolu_fg")).await?;
        ensure!(answer.backgrounded == Some(true), "{answer:?}");
        let outcome = turn.outcome().await;
        let TurnOutcome::ContinuedInBackground { tasks, .. } = outcome else {
            bail!("the turn {outcome}");
        };
        for task in tasks {
            session.stop_task(&task).await?;
        }
        Ok("the turn goes on while its shell still runs")
    })
    .await;
    Ok(session.idle().await?)
}

async fn prompts(stage: &Stage, verbs: &mut Verbs) {
    let (session, api) = (&stage.session, &stage.world.api);
    let words = |millis| {
        let turn = Turn::text("word ".repeat(40)).chunks(20);
        turn.delay_between(Duration::from_millis(millis))
    };
    verb(verbs, "cancel_async_message", async {
        let before = api.requests().len();
        api.turn(words(50));
        let first = session.send("first").await?;
        api.arrived(before + 1).await;
        let second = session.send("CANCEL-ME").await?;
        let id = second.id().to_owned();
        let is_queued = |message: &serde_json::Value| message.to_string().contains(&id);
        stage.until("the prompt waits", is_queued).await?;
        let answer = session.cancel_async_message(&id).await?;
        ensure!(answer.cancelled, "it says that nothing was dropped");
        let outcome = second.outcome().await;
        let is_cancelled = matches!(outcome, TurnOutcome::Interrupted { report: None });
        ensure!(is_cancelled, "{outcome:?}");
        ensure!(first.outcome().await.is_success(), "the first one failed");
        let has_read = stage.world.last_request().contains("CANCEL-ME");
        ensure!(!has_read, "the model has read it");
        Ok("the waiting prompt never reaches the model; its turn is `interrupted`")
    })
    .await;
    verb(verbs, "interrupt", async {
        let before = stage.heard().len();
        api.turn(words(5).hang_after(12));
        let turn = session.send("go on for ever").await?;
        eventually("text streams", async || {
            let heard = stage.heard();
            let mut new = heard.iter().skip(before);
            let streams = new.any(|it| it["event"]["delta"]["type"] == "text_delta");
            anyhow::Ok(streams.then_some(()))
        })
        .await?;
        let receipt = session.interrupt().await?;
        ensure!(receipt.still_queued.is_empty(), "{receipt:?}");
        let outcome = turn.outcome().await;
        ensure!(outcome.name() == "interrupted");
        api.turn(Turn::text("Hello again."));
        stage.ask_again().await?;
        Ok("a streaming turn ends as `interrupted`, the next one works")
    })
    .await;
}
