//! What a callback may say, and what the CLI does then.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use claw_testkit::Turn;
use rusty_claw::Json;
use rusty_claw::hook::{
    Hook, HookContext, HookEvent, HookOutput, PostToolUseInput, PreToolUseInput, StopInput,
    UserPromptSubmitInput,
};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use serde_json::json;

use crate::cli_package::CliPackage;
use crate::prove::sdk::World;
use crate::prove::sdk::check::Checks;
use crate::prove::sdk::stage::{Stage, bash};

/// How many things are looked at.
pub(super) const COUNT: usize = 22;

pub(super) async fn run(cli: &CliPackage, checks: &mut Checks) {
    checks
        .part("PreToolUse", async |checks| before(cli, checks).await)
        .await;
    checks
        .part("PostToolUse", async |checks| after(cli, checks).await)
        .await;
    checks
        .part("UserPromptSubmit and Stop", async |checks| {
            around(cli, checks).await
        })
        .await;
    checks
        .part("failing hooks", async |checks| failing(cli, checks).await)
        .await;
}

/// The shell command of a call.
fn command(input: &Json) -> String {
    let text = input.get("command").and_then(|command| command.to_text());
    text.unwrap_or_default()
}

async fn before(cli: &CliPackage, checks: &mut Checks) -> Result<()> {
    let world = World::new(cli).await?;
    world
        .api
        .turn(bash("p1", "touch denied"))
        .turn(bash("p2", "touch allowed"))
        .turn(bash("p3", "touch asked"))
        .turn(bash("p4", "echo context"))
        .turn(Turn::text("Done."));
    let decide = Hook::pre_tool_use(|input: PreToolUseInput, _| async move {
        match command(&input.tool_input).as_str() {
            "touch denied" => HookOutput::deny("hook says no"),
            "touch allowed" => {
                HookOutput::allow_with(Json::from_value(&json!({"command": "touch renamed"})))
            }
            "touch asked" => HookOutput::ask("hook wants a human"),
            _ => HookOutput::context(&HookEvent::PreToolUse, "context from before")
                .unwrap_or_else(HookOutput::none),
        }
    });
    let (fits, misfits) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let count = |counter: &Arc<AtomicUsize>| {
        let counter = Arc::clone(counter);
        move |_: PreToolUseInput, _: HookContext| {
            counter.fetch_add(1, Ordering::Relaxed);
            async { HookOutput::none() }
        }
    };
    let asked = Arc::new(Mutex::new(BTreeMap::new()));
    let asks = Arc::clone(&asked);
    let options = world
        .options()
        .hook(decide)
        .hook(Hook::pre_tool_use(count(&fits)).matching("Ba.h|Edit"))
        .hook(Hook::pre_tool_use(count(&misfits)).matching("Write"))
        .can_use_tool(move |ask: PermissionAsk| {
            let reason = ask.decision_reason().unwrap_or_default().to_owned();
            asks.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(command(ask.input()), reason);
            async { PermissionAnswer::allow() }
        });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    let told = stage.last_asked();
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
    checks.that(
        "PreToolUse deny: the tool does not run",
        !stage.made("denied"),
        &outcome,
    );
    checks.that(
        "PreToolUse deny: the model reads why",
        told.contains("hook says no"),
        &told,
    );
    checks.that(
        "PreToolUse allow with another input: that input runs",
        stage.made("renamed") && !stage.made("allowed"),
        &outcome,
    );
    checks.that(
        "PreToolUse allow: nobody is asked",
        !asked
            .keys()
            .any(|command| command.contains("renamed") || command.contains("allowed")),
        &asked,
    );
    checks.that(
        "PreToolUse ask: the permission callback is asked, with the reason",
        asked
            .get("touch asked")
            .is_some_and(|reason| reason.contains("hook wants a human")),
        &asked,
    );
    checks.that(
        "PreToolUse ask, then allowed: the tool runs",
        stage.made("asked"),
        &asked,
    );
    checks.that(
        "PreToolUse context reaches the model",
        told.contains("context from before"),
        &told,
    );
    let counts = (
        fits.load(Ordering::Relaxed),
        misfits.load(Ordering::Relaxed),
    );
    checks.that(
        "a matcher that fits is called for each, one that does not never",
        counts == (4, 0),
        counts,
    );
    stage.end().await;
    Ok(())
}

async fn after(cli: &CliPackage, checks: &mut Checks) -> Result<()> {
    let world = World::new(cli).await?;
    world
        .api
        .turn(bash("p1", "echo one"))
        .turn(bash("p2", "echo two"))
        .turn(bash("p3", "echo three"))
        .turn(bash("p4", "echo four"))
        .turn(Turn::text("Done."));
    let finished = Arc::new(AtomicBool::new(false));
    let finishing = Arc::clone(&finished);
    let hook = Hook::post_tool_use(move |input: PostToolUseInput, context| {
        let finishing = Arc::clone(&finishing);
        async move {
            match command(&input.tool_input).as_str() {
                "echo one" => HookOutput::context(&HookEvent::PostToolUse, "context from after")
                    .unwrap_or_else(HookOutput::none)
                    .with_system_message("noted by a hook"),
                "echo two" => HookOutput::replace_output(Json::from_value(&json!({
                    "stdout": "REPLACED", "stderr": "", "interrupted": false, "isImage": false,
                }))),
                "echo three" => HookOutput::block("look again"),
                _ => {
                    tokio::spawn(async move {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                        finishing.store(!context.is_cancelled(), Ordering::Relaxed);
                    });
                    HookOutput::later(Some(10_000))
                }
            }
        }
    });
    let options = world.options().allowed_tools(["Bash"]).hook(hook);
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    let told = stage.last_asked();
    checks.that(
        "PostToolUse context reaches the model",
        told.contains("context from after"),
        &told,
    );
    let shown = stage.heard().iter().any(|message| {
        message["subtype"] == "informational" && message.to_string().contains("noted by a hook")
    });
    checks.that(
        "a hook's system message is shown",
        shown,
        stage.heard().len(),
    );
    let result = |id: &str| tool_result(&stage, id);
    checks.that(
        "PostToolUse updatedToolOutput: the model sees it in place of the output",
        result("toolu_p2").is_some_and(|text| text.contains("REPLACED") && !text.contains("two")),
        result("toolu_p2"),
    );
    checks.that(
        "PostToolUse block: the model reads why",
        told.contains("look again"),
        &told,
    );
    tokio::time::sleep(Duration::from_millis(400)).await;
    checks.that(
        "PostToolUse async: the turn goes on, the hook too",
        outcome.text() == Some("Done.") && finished.load(Ordering::Relaxed),
        &outcome,
    );
    stage.end().await;
    Ok(())
}

/// What the model was given as the result of a call.
fn tool_result(stage: &Stage, id: &str) -> Option<String> {
    let asked = stage.asked();
    let messages = asked.last()?.messages().to_vec();
    messages
        .iter()
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .find(|block| block["tool_use_id"] == id)
        .map(|block| block["content"].to_string())
}

async fn around(cli: &CliPackage, checks: &mut Checks) -> Result<()> {
    let world = World::new(cli).await?;
    world
        .api
        .turn(Turn::text("Done."))
        .turn(Turn::text("Really done."));
    let prompt = Hook::user_prompt_submit(|input: UserPromptSubmitInput, _| async move {
        if input.prompt.contains("block me") {
            return HookOutput::block("prompt blocked");
        }
        HookOutput::context(&HookEvent::UserPromptSubmit, "context of the prompt")
            .unwrap_or_else(HookOutput::none)
    });
    let active = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&active);
    let stop = Hook::stop(move |input: StopInput, _| {
        seen.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(input.stop_hook_active);
        async move {
            if input.stop_hook_active {
                HookOutput::none()
            } else {
                HookOutput::block("keep going once")
            }
        }
    });
    let options = world.options().hook(prompt).hook(stop);
    let stage = Stage::start(world, options).await?;
    let first = stage.ask("go").await?;
    let asked = stage.asked();
    let told = asked
        .first()
        .map(|request| request.body.to_string())
        .unwrap_or_default();
    checks.that(
        "UserPromptSubmit context reaches the model",
        told.contains("context of the prompt"),
        &told,
    );
    let again = stage.last_asked();
    checks.that(
        "Stop block: the model goes on once, with the reason, and then stops",
        first.text() == Some("Really done.")
            && again.contains("keep going once")
            && asked.len() == 2,
        (&first, asked.len()),
    );
    let active = active
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    checks.that(
        "Stop is told that it has gone on before",
        active == [false, true],
        &active,
    );
    let blocked = stage.ask("block me").await?;
    checks.that(
        "UserPromptSubmit block: the model is not asked, the turn has an outcome",
        stage.asked().len() == 2,
        &blocked,
    );
    stage.end().await;
    Ok(())
}

async fn failing(cli: &CliPackage, checks: &mut Checks) -> Result<()> {
    /// Says when it is dropped.
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    let world = World::new(cli).await?;
    world
        .api
        .turn(bash("q1", "touch slow"))
        .turn(bash("q2", "touch panicked"))
        .turn(bash("q3", "touch erred"))
        .turn(bash("q4", "touch after"))
        .turn(Turn::text("Done."));
    let withdrawn = Arc::new(AtomicBool::new(false));
    let drops = Arc::clone(&withdrawn);
    let before = Hook::pre_tool_use(move |input: PreToolUseInput, _| {
        let drops = Arc::clone(&drops);
        async move {
            match command(&input.tool_input).as_str() {
                "touch slow" => {
                    let _dropped = Dropped(drops);
                    std::future::pending::<()>().await;
                    Ok(HookOutput::allow())
                }
                // Not `panic!`, which would print what nobody needs to read.
                "touch panicked" => std::panic::resume_unwind(Box::new("on purpose")),
                "touch erred" => Err("a hook of the proof fails on purpose"),
                _ => Ok(HookOutput::none()),
            }
        }
    })
    .timeout(Duration::from_secs(2));
    let slow_after = Hook::post_tool_use(|_, _| async {
        std::future::pending::<()>().await;
        HookOutput::none()
    })
    .timeout(Duration::from_secs(2));
    let options = world
        .options()
        .allowed_tools(["Bash"])
        .hook(before)
        .hook(slow_after);
    let stage = Stage::start(world, options).await?;
    let began = Instant::now();
    let outcome = stage.ask("go").await?;
    let took = began.elapsed();
    let result = |id: &str| tool_result(&stage, id);
    checks.that(
        "PreToolUse not done in 2 s: the tool does not run, the model reads why",
        !stage.made("slow") && result("toolu_q1").is_some_and(|text| text.contains("hook")),
        result("toolu_q1"),
    );
    checks.that(
        "a hook that is not done in time is withdrawn",
        withdrawn.load(Ordering::Relaxed),
        &outcome,
    );
    checks.that(
        "PreToolUse panics: the tool does not run, the model reads why",
        !stage.made("panicked") && result("toolu_q2").is_some_and(|text| text.contains("hook")),
        result("toolu_q2"),
    );
    checks.that(
        "PreToolUse ends in an error: the tool does not run",
        !stage.made("erred"),
        result("toolu_q3"),
    );
    checks.that(
        "PostToolUse not done in 2 s: the turn goes on",
        stage.made("after") && outcome.text() == Some("Done.") && took < Duration::from_secs(8),
        (&outcome, took),
    );
    stage.end().await;
    Ok(())
}
