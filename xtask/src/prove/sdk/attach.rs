//! Hosts that come and go while the real CLI runs on.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::{Detached, MessageStream, Options, Session};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::super::figure::Figure;
use super::holder::Holder;
use super::stage::PATIENCE;
use super::variants::Variants;
use super::{Inputs, World};
use crate::cli_package::CliPackage;

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let figure = inputs.runtime.block_on(async {
        Variants::new(inputs)
            .add("the host lets go", lets_go)
            .add("the host dies", dies)
            .figure(
                "a session attached to again at an offset, a prompt open, on the real CLI",
                "prompt asked again, outcome told, no message lost or doubled",
            )
            .await
    });
    Ok(vec![figure])
}

/// Two subagents: one asks for a permission, the other works on meanwhile.
fn script(world: &World) {
    let agent = |task: &str| {
        json!({
            "description": "do it", "prompt": task,
            "subagent_type": "general-purpose", "run_in_background": false,
        })
    };
    let of = |task: &'static str| {
        move |request: &ApiRequest| {
            let first = request.messages().first().map(Value::to_string);
            first.is_some_and(|first| first.contains(task))
        }
    };
    let touch = json!({"command": "touch alpha", "description": "make it"});
    world
        .api
        .turn(Turn::text("Alpha is made.").matching(move |request| {
            of("ALPHA task")(request) && request.body.to_string().contains("tool_result")
        }))
        .turn(
            Turn::empty()
                .tool_use("toolu_a", "Bash", touch)
                .matching(of("ALPHA task")),
        )
        .turn(
            Turn::text("Beta is done.")
                .delay(Duration::from_millis(2500))
                .matching(of("BETA task")),
        )
        .turn(
            Turn::text("Two of them.")
                .tool_use("toolu_g1", "Agent", agent("ALPHA task"))
                .tool_use("toolu_g2", "Agent", agent("BETA task")),
        )
        .turn(Turn::text("Both are done."));
}

fn options(world: &World) -> Options {
    world.options().permission_mode(PermissionMode::Default)
}

/// A host that is asked and never answers.
struct First {
    session: Session,
    messages: MessageStream,
    /// The id of the turn that runs.
    turn: String,
    /// The call that it was asked about.
    asked: String,
}

async fn first_host(holder: Arc<Holder>, options: Options) -> Result<First> {
    let (tell, mut told) = mpsc::unbounded_channel();
    let options = options.can_use_tool(move |ask: PermissionAsk| {
        let _ = tell.send(ask.tool_use_id().to_string());
        async {
            std::future::pending::<()>().await;
            PermissionAnswer::allow()
        }
    });
    let (session, messages) = Session::start_on(holder.connect(0), options).await?;
    let turn = session.send("go").await?.id().to_owned();
    let asked = tokio::time::timeout(PATIENCE, told.recv()).await;
    let asked = asked.ok().flatten().context("nothing was asked")?;
    Ok(First {
        session,
        messages,
        turn,
        asked,
    })
}

/// What is to be read without waiting long.
async fn read(messages: &mut MessageStream, wait: Duration) -> Vec<Value> {
    let mut all = Vec::new();
    while let Ok(Some(received)) = tokio::time::timeout(wait, messages.next_message()).await {
        all.extend(serde_json::from_slice(received.raw.as_bytes()));
    }
    all
}

/// Waits until the CLI has printed something that nobody was there to read.
async fn goes_on(holder: &Holder, since: usize) -> Result<usize> {
    let grown = async {
        while !holder.lines().iter().any(|line| {
            line["type"] == "user" && line["message"].to_string().contains("Beta is done.")
        }) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, grown)
        .await
        .context("the CLI did not go on")?;
    let more = holder.printed().saturating_sub(since);
    ensure!(more > 0, "the CLI printed nothing while nobody was there");
    Ok(more)
}

/// The second host: attaches, is asked again, allows, and gets the outcome.
async fn second_host(
    world: World,
    holder: &Arc<Holder>,
    from: Detached,
    asked_before: &str,
    mut read_before: Vec<Value>,
    unheard: usize,
) -> Result<String> {
    let (tell, mut told) = mpsc::unbounded_channel();
    let options = options(&world).can_use_tool(move |ask: PermissionAsk| {
        let _ = tell.send(ask.tool_use_id().to_string());
        async { PermissionAnswer::allow() }
    });
    let transport = holder.connect(from.offset);
    let mut attached = Session::attach(transport, options, from).await?;
    let turn = attached.turns.pop().context("no turn was open")?;
    let outcome = tokio::time::timeout(PATIENCE, turn.outcome())
        .await
        .context("the turn has no outcome")?;
    ensure!(
        outcome.text() == Some("Both are done."),
        "the turn {outcome}"
    );
    let asked = told
        .recv()
        .await
        .context("the prompt was not asked again")?;
    ensure!(
        asked == asked_before,
        "asked about {asked}, before about {asked_before}"
    );
    ensure!(told.try_recv().is_err(), "the prompt was asked twice");
    ensure!(
        world.project().join("alpha").exists(),
        "what the second host allowed did not run"
    );
    let session_id = attached
        .session
        .session_id()
        .context("the session has no id")?;
    attached.session.close().await;
    let exit = tokio::time::timeout(PATIENCE, holder.exited())
        .await
        .context("the CLI did not end")??;
    ensure!(exit.is_success(), "the CLI: {exit}");
    let read_after = read(&mut attached.messages, Duration::from_secs(1)).await;
    let counts = (read_before.len(), read_after.len());
    read_before.extend(read_after);
    let printed: Vec<Value> = holder
        .lines()
        .into_iter()
        .filter(|line| {
            let kind = line["type"].as_str().unwrap_or_default();
            !kind.starts_with("control_") && kind != "keep_alive"
        })
        .collect();
    ensure!(
        read_before == printed,
        "{} + {} messages were read, {} printed",
        counts.0,
        counts.1,
        printed.len()
    );
    let missing = missing_of_file(&world, &session_id, &printed)?;
    ensure!(
        missing.is_empty(),
        "of the session file nobody read {missing:?}"
    );
    Ok(format!(
        "{} + {} messages read, each of {} printed once; {unheard} bytes printed with nobody there; asked again, the turn {outcome}",
        counts.0,
        counts.1,
        printed.len()
    ))
}

/// The model's messages in the session file that were not among those read.
fn missing_of_file(world: &World, session_id: &str, read: &[Value]) -> Result<Vec<String>> {
    let projects = world.config().join("projects");
    let mut missing = Vec::new();
    let mut found = 0;
    for folder in std::fs::read_dir(&projects)? {
        let file = folder?.path().join(format!("{session_id}.jsonl"));
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            if line["type"] == "assistant" {
                found += 1;
                if !read.iter().any(|message| message["uuid"] == line["uuid"]) {
                    missing.push(line["uuid"].to_string());
                }
            }
        }
    }
    ensure!(found > 0, "the session file has no message of the model");
    Ok(missing)
}

async fn lets_go(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    script(&world);
    let holder = Holder::new();
    let mut first = first_host(Arc::clone(&holder), options(&world)).await?;
    let from = first.session.detach().await?;
    let printed = holder.printed();
    ensure!(
        from.open_turns == [first.turn.as_str()],
        "open: {:?}",
        from.open_turns
    );
    ensure!(from.open_calls.len() == 1, "open: {:?}", from.open_calls);
    let before = read(&mut first.messages, Duration::from_secs(1)).await;
    let unheard = goes_on(&holder, printed).await?;
    second_host(world, &holder, from, &first.asked, before, unheard).await
}

async fn dies(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    script(&world);
    let holder = Holder::new();
    let (options, held) = (options(&world), Arc::clone(&holder));
    // A host with a runtime of its own, which goes at once and says nothing to anybody.
    let host = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let left = runtime.block_on(async {
            let mut first = first_host(held, options).await?;
            // It has taken care of the first message only.
            let mut before = Vec::new();
            if let Some(received) = first.messages.next_message().await {
                before.push(serde_json::from_slice(received.raw.as_bytes())?);
            }
            let offset = first.messages.offset();
            anyhow::Ok((first, before, offset))
        });
        runtime.shutdown_background();
        left
    });
    let (first, before, offset) = host.await??;
    let unheard = goes_on(&holder, holder.printed()).await?;
    let mut from = Detached::at(offset);
    from.open_turns = vec![first.turn.as_str().into()];
    second_host(world, &holder, from, &first.asked, before, unheard).await
}
