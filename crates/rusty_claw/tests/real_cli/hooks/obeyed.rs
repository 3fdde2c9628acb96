//! What a callback may return, and what the CLI does then.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use claw_testkit::Turn;
use claw_testkit::real_cli::bash;
use rusty_claw::Json;
use rusty_claw::hook::{
    Hook, HookContext, HookEvent, HookOutput, PostToolUseInput, PreToolUseInput, StopInput,
    UserPromptSubmitInput,
};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use serde_json::json;

use crate::checks::Checks;
use crate::stage::{Stage, done, pause};

/// The shell command of a call.
fn command(input: &Json) -> String {
    let text = input.get("command").and_then(|command| command.to_text());
    text.unwrap_or_default()
}

fn context(event: &HookEvent, text: &str) -> HookOutput {
    HookOutput::context(event, text).unwrap_or_else(HookOutput::none)
}

pub(super) async fn before(checks: &mut Checks) -> Result<()> {
    let decide = Hook::pre_tool_use(|input: PreToolUseInput, _| async move {
        match command(&input.tool_input).as_str() {
            "touch denied" => HookOutput::deny("hook says no"),
            "touch allowed" => {
                HookOutput::allow_with(Json::from_value(&json!({"command": "touch renamed"})))
            }
            "touch asked" => HookOutput::ask("hook wants a human"),
            _ => context(&HookEvent::PreToolUse, "context from before"),
        }
    });
    let (fits, misfits) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let count = |counter: &Arc<AtomicUsize>| {
        let counter = Arc::clone(counter);
        Hook::pre_tool_use(move |_: PreToolUseInput, _: HookContext| {
            counter.fetch_add(1, Ordering::Relaxed);
            async { HookOutput::none() }
        })
    };
    let asked = Arc::new(Mutex::new(BTreeMap::new()));
    let asks = Arc::clone(&asked);
    let turns = [
        bash("p1", "touch denied"),
        bash("p2", "touch allowed"),
        bash("p3", "touch asked"),
        bash("p4", "echo context"),
        done(),
    ];
    let stage = Stage::open(turns, |options| {
        options
            .hook(decide)
            .hook(count(&fits).matching("Ba.h|Edit"))
            .hook(count(&misfits).matching("Write"))
            .can_use_tool(move |ask: PermissionAsk| {
                let reason = ask.decision_reason().unwrap_or_default().to_owned();
                asks.lock().unwrap().insert(command(ask.input()), reason);
                async { PermissionAnswer::allow() }
            })
    })
    .await?;
    let _ = stage.ask("go").await?;
    let made = |name| stage.world.has_file(name);
    let told = stage.world.last_request();
    let asked = asked.lock().unwrap().clone();
    let is_asked = |part: &str| asked.keys().any(|command| command.contains(part));
    let reason = asked.get("touch asked");
    let counts = [fits, misfits].map(|counter| counter.load(Ordering::Relaxed));
    for (name, holds) in [
        ("PreToolUse deny: the tool does not run", !made("denied")),
        (
            "PreToolUse deny: the model reads why",
            told.contains("hook says no"),
        ),
        (
            "PreToolUse allow with another input: that input runs",
            made("renamed") && !made("allowed"),
        ),
        (
            "PreToolUse allow: nobody is asked",
            !is_asked("renamed") && !is_asked("allowed"),
        ),
        (
            "PreToolUse ask: the permission callback is asked, with the reason",
            reason.is_some_and(|reason| reason.contains("hook wants a human")),
        ),
        ("PreToolUse ask, then allowed: the tool runs", made("asked")),
        (
            "PreToolUse context reaches the model",
            told.contains("context from before"),
        ),
        (
            "a matcher that fits is called for each, one that does not never",
            counts == [4, 0],
        ),
    ] {
        checks.that(name, holds);
    }
    stage.end().await;
    Ok(())
}

pub(super) async fn after(checks: &mut Checks) -> Result<()> {
    let finished = Arc::new(AtomicBool::new(false));
    let finishing = Arc::clone(&finished);
    let hook = Hook::post_tool_use(move |input: PostToolUseInput, hook| {
        let finishing = Arc::clone(&finishing);
        async move {
            match command(&input.tool_input).as_str() {
                "echo one" => context(&HookEvent::PostToolUse, "context from after")
                    .with_system_message("noted by a hook"),
                "echo two" => HookOutput::replace_output(Json::from_value(&json!({
                    "stdout": "REPLACED", "stderr": "", "interrupted": false, "isImage": false,
                }))),
                "echo three" => HookOutput::block("look again"),
                _ => {
                    tokio::spawn(async move {
                        pause(300).await;
                        finishing.store(!hook.is_cancelled(), Ordering::Relaxed);
                    });
                    HookOutput::later(Some(10_000))
                }
            }
        }
    });
    let turns = [
        bash("p1", "echo one"),
        bash("p2", "echo two"),
        bash("p3", "echo three"),
        bash("p4", "echo four"),
        done(),
    ];
    let stage = Stage::open(turns, |o| o.allowed_tools(["Bash"]).hook(hook)).await?;
    let outcome = stage.ask("go").await?;
    let told = stage.world.last_request();
    let is_shown = stage.heard().iter().any(|message| {
        message["subtype"] == "informational" && message.to_string().contains("noted by a hook")
    });
    let replaced = stage.tool_result("p2")?.block.to_string();
    pause(400).await;
    for (name, holds) in [
        (
            "PostToolUse context reaches the model",
            told.contains("context from after"),
        ),
        ("a hook's system message is shown", is_shown),
        (
            "PostToolUse updatedToolOutput: the model sees it in place of the output",
            replaced.contains("REPLACED") && !replaced.contains("two"),
        ),
        (
            "PostToolUse block: the model reads why",
            told.contains("look again"),
        ),
        (
            "PostToolUse async: the turn goes on, the hook too",
            outcome.text() == Some("Done.") && finished.load(Ordering::Relaxed),
        ),
    ] {
        checks.that(name, holds);
    }
    stage.end().await;
    Ok(())
}

pub(super) async fn around(checks: &mut Checks) -> Result<()> {
    let prompt = Hook::user_prompt_submit(|input: UserPromptSubmitInput, _| async move {
        if input.prompt.contains("block me") {
            return HookOutput::block("prompt blocked");
        }
        context(&HookEvent::UserPromptSubmit, "context of the prompt")
    });
    let active = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&active);
    let stop = Hook::stop(move |input: StopInput, _| {
        seen.lock().unwrap().push(input.stop_hook_active);
        async move {
            if input.stop_hook_active {
                HookOutput::none()
            } else {
                HookOutput::block("keep going once")
            }
        }
    });
    let turns = [done(), Turn::text("Really done.")];
    let stage = Stage::open(turns, |o| o.hook(prompt).hook(stop)).await?;
    let first = stage.ask("go").await?;
    let requests = stage.requests();
    let told = requests[0].body.to_string();
    checks.that(
        "UserPromptSubmit context reaches the model",
        told.contains("context of the prompt"),
    );
    checks.that(
        "Stop block: the model goes on once, with the reason, and then stops",
        first.text() == Some("Really done.")
            && stage.world.last_request().contains("keep going once")
            && requests.len() == 2,
    );
    checks.that(
        "the second Stop hook has stop_hook_active",
        *active.lock().unwrap() == [false, true],
    );
    let _ = stage.ask("block me").await?;
    checks.that(
        "UserPromptSubmit block: the model is not asked, the turn has an outcome",
        stage.requests().len() == 2,
    );
    stage.end().await;
    Ok(())
}

pub(super) async fn failing(checks: &mut Checks) -> Result<()> {
    /// Sets a flag when it is dropped.
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    let withdrawn = Arc::new(AtomicBool::new(false));
    let drops = Arc::clone(&withdrawn);
    let before = Hook::pre_tool_use(move |input: PreToolUseInput, _| {
        let drops = Arc::clone(&drops);
        async move {
            match command(&input.tool_input).as_str() {
                "touch slow" => {
                    let _dropped = Dropped(drops);
                    std::future::pending().await
                }
                // Unlike `panic!`, this prints nothing.
                "touch panicked" => std::panic::resume_unwind(Box::new("on purpose")),
                "touch erred" => Err("a hook of the proof fails on purpose"),
                _ => Ok(HookOutput::none()),
            }
        }
    });
    let slow_after = Hook::post_tool_use(|_, _| std::future::pending::<HookOutput>());
    let turns = [
        bash("q1", "touch slow"),
        bash("q2", "touch panicked"),
        bash("q3", "touch erred"),
        bash("q4", "touch after"),
        done(),
    ];
    let limit = Duration::from_secs(2);
    let stage = Stage::open(turns, |options| {
        options
            .allowed_tools(["Bash"])
            .hook(before.timeout(limit))
            .hook(slow_after.timeout(limit))
    })
    .await?;
    let began = Instant::now();
    let outcome = stage.ask("go").await?;
    let took = began.elapsed();
    let made = |name| stage.world.has_file(name);
    let names_hook = |id| stage.told(id, "hook").is_ok();
    for (name, holds) in [
        (
            "PreToolUse not done in 2 s: the tool does not run, the model reads why",
            !made("slow") && names_hook("q1"),
        ),
        (
            "a hook that is not done in time is withdrawn",
            withdrawn.load(Ordering::Relaxed),
        ),
        (
            "PreToolUse panics: the tool does not run, the model reads why",
            !made("panicked") && names_hook("q2"),
        ),
        (
            "PreToolUse ends in an error: the tool does not run",
            !made("erred"),
        ),
        (
            "PostToolUse not done in 2 s: the turn goes on",
            made("after") && outcome.text() == Some("Done.") && took < Duration::from_secs(8),
        ),
    ] {
        checks.that(name, holds);
    }
    stage.end().await;
    Ok(())
}
