//! Shells behind the conversation, prompts that wait, a turn that is stopped.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::TurnOutcome;
use serde_json::json;

use super::ledger::Ledger;
use crate::cli_package::CliPackage;
use crate::prove::sdk::World;
use crate::prove::sdk::stage::{Stage, bash, call, eventually};

pub(super) async fn run(cli: &CliPackage, ledger: &mut Ledger) -> Result<()> {
    let world = World::new(cli).await?;
    let options = world
        .options()
        .allowed_tools(["Bash"])
        .include_partial_messages(true);
    let stage = Stage::start(world, options).await?;
    shells(&stage, ledger).await?;
    prompts(&stage, ledger).await;
    stage.end().await;
    Ok(())
}

const TICKER: &str = "for i in $(seq 60); do echo line $i; sleep 0.5; done";

async fn shells(stage: &Stage, ledger: &mut Ledger) -> Result<()> {
    let session = &stage.session;
    stage.world.api.fallback(Turn::text("I know."));
    stage
        .world
        .api
        .turn(call(
            "bg",
            "Bash",
            json!({"command": TICKER, "description": "tick", "run_in_background": true}),
        ))
        .turn(Turn::text("Started."));
    let outcome = stage.ask("start it").await?;
    ensure!(
        matches!(outcome, TurnOutcome::ContinuedInBackground { .. }),
        "{outcome}"
    );
    let started = stage.until_system("task_started").await?;
    let task = started["task_id"]
        .as_str()
        .context("a task without id")?
        .to_owned();
    ledger
        .enter("get_task_output", async {
            let printed = eventually("the shell prints", async || {
                let answer = session.get_task_output(&task).await?;
                Ok(answer.output.contains("line 2").then_some(answer))
            })
            .await?;
            ensure!(printed.output.starts_with("line 1\n"), "{printed:?}");
            Ok("what the background shell has printed so far".to_owned())
        })
        .await;
    ledger
        .enter("stop_task", async {
            session.stop_task(&task).await?;
            let told = stage
                .until("the end of the task", |message| {
                    message["subtype"] == "task_notification" && message["task_id"] == task.as_str()
                })
                .await?;
            ensure!(
                told["status"] == "stopped" || told["status"] == "killed",
                "{told}"
            );
            Ok(format!("the CLI says the task is {}", told["status"]))
        })
        .await;
    session.idle().await?;
    ledger
        .enter("background_tasks", async {
            stage
                .world
                .api
                .turn(bash("fg", TICKER))
                .turn(Turn::text("Moved."));
            let turn = session.send("run it").await?;
            stage
                .until("the start of the second task", |message| {
                    message["subtype"] == "task_started" && message["tool_use_id"] == "toolu_fg"
                })
                .await?;
            let answer = session.background_running_tools(Some("toolu_fg")).await?;
            ensure!(answer.backgrounded == Some(true), "{answer:?}");
            let outcome = turn.outcome().await;
            let TurnOutcome::ContinuedInBackground { tasks, .. } = outcome else {
                anyhow::bail!("the turn {outcome}");
            };
            for task in tasks {
                session.stop_task(&task).await?;
            }
            Ok("the turn goes on while its shell still runs".to_owned())
        })
        .await;
    Ok(session.idle().await?)
}

async fn prompts(stage: &Stage, ledger: &mut Ledger) {
    let session = &stage.session;
    let endless = || {
        Turn::text("word ".repeat(40))
            .chunks(20)
            .delay_between(Duration::from_millis(5))
            .hang_after(12)
    };
    ledger
        .enter("cancel_async_message", async {
            let asked = stage.world.api.requests().len();
            stage.world.api.turn(
                Turn::text("word ".repeat(40))
                    .chunks(20)
                    .delay_between(Duration::from_millis(50)),
            );
            let first = session.send("first").await?;
            stage.world.api.arrived(asked + 1).await;
            let second = session.send("CANCEL-ME").await?;
            let id = second.id().to_owned();
            stage
                .until("the prompt waits", |message| {
                    message.to_string().contains(&id)
                })
                .await?;
            let answer = session.cancel_async_message(&id).await?;
            ensure!(answer.cancelled, "it says that nothing was dropped");
            let outcome = second.outcome().await;
            ensure!(
                matches!(outcome, TurnOutcome::Interrupted { report: None }),
                "{outcome:?}"
            );
            ensure!(
                first.outcome().await.is_success(),
                "the first prompt failed"
            );
            ensure!(
                !stage.last_asked().contains("CANCEL-ME"),
                "the model has read it"
            );
            Ok("the waiting prompt never reaches the model; its turn is `interrupted`".to_owned())
        })
        .await;
    ledger
        .enter("interrupt", async {
            let before = stage.heard().len();
            stage.world.api.turn(endless());
            let turn = session.send("go on for ever").await?;
            eventually("text streams", async || {
                let heard = stage.heard();
                Ok(heard
                    .iter()
                    .skip(before)
                    .any(|it| it["event"]["delta"]["type"] == "text_delta")
                    .then_some(()))
            })
            .await?;
            let receipt = session.interrupt().await?;
            ensure!(receipt.still_queued.is_empty(), "{receipt:?}");
            let outcome = turn.outcome().await;
            ensure!(
                matches!(outcome, TurnOutcome::Interrupted { .. }),
                "{outcome}"
            );
            stage.world.api.turn(Turn::text("Here again."));
            let next = stage.ask("still there?").await?;
            ensure!(next.text() == Some("Here again."), "{next}");
            Ok("a streaming turn ends as `interrupted`, the next one works".to_owned())
        })
        .await;
}
