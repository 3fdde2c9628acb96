//! Hosts that come and go while the real CLI keeps running.

mod holder;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{TIMEOUT, Variants, World};
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::{Detached, MessageStream, Options, Session};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::holder::Holder;
use crate::stage::{options, pause, session_file, soon};

pub(crate) async fn figure() -> Figure {
    Variants::new()
        .add("the host lets go", lets_go())
        .add("the host dies", dies())
        .figure(
            "a session attached to again at an offset, a prompt open, on the real CLI",
            "prompt asked again, outcome told, no message lost or doubled",
        )
        .await
}

/// A model with two subagents: one asks for a permission, the other works meanwhile.
async fn scripted() -> Result<World> {
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
    Ok(World::with([
        Turn::text("Alpha is made.").matching(move |request| {
            of("ALPHA task")(request) && request.body.to_string().contains("tool_result")
        }),
        Turn::empty()
            .tool_use("toolu_a", "Bash", touch)
            .matching(of("ALPHA task")),
        Turn::text("Beta is done.")
            .delay(Duration::from_millis(2500))
            .matching(of("BETA task")),
        Turn::text("Two of them.")
            .tool_use("toolu_g1", "Agent", agent("ALPHA task"))
            .tool_use("toolu_g2", "Agent", agent("BETA task")),
        Turn::text("Both are done."),
    ])
    .await?)
}

/// Options with a handler that sends the ids of calls, and answers if `answers` is set.
fn asking(world: &World, answers: bool) -> (Options, mpsc::UnboundedReceiver<String>) {
    let (sender, asked) = mpsc::unbounded_channel();
    let options = options(world).permission_mode(PermissionMode::Default);
    let options = options.can_use_tool(move |ask: PermissionAsk| {
        let _ = sender.send(ask.tool_use_id().to_string());
        async move {
            if !answers {
                std::future::pending::<()>().await;
            }
            PermissionAnswer::allow()
        }
    });
    (options, asked)
}

/// A host that does not answer a request.
struct First {
    session: Session,
    messages: MessageStream,
    /// The id of the running turn.
    turn: String,
    /// The call of the request.
    asked: String,
}

async fn first_host(
    holder: Arc<Holder>,
    (options, mut asked): (Options, mpsc::UnboundedReceiver<String>),
) -> Result<First> {
    let (session, messages) = Session::start_on(holder.connect(0), options).await?;
    let turn = session.send("go").await?.id().to_owned();
    let asked = soon("a request", asked.recv()).await?;
    Ok(First {
        session,
        messages,
        turn,
        asked: asked.context("nothing was asked")?,
    })
}

/// Reads until nothing comes for a second.
async fn read(messages: &mut MessageStream) -> Vec<Value> {
    let wait = Duration::from_secs(1);
    let mut all = Vec::new();
    while let Ok(Some(received)) = tokio::time::timeout(wait, messages.next_message()).await {
        all.extend(serde_json::from_slice(received.raw.as_bytes()));
    }
    all
}

/// Waits until the CLI has printed a message while no host was attached; returns the bytes.
async fn continued(holder: &Holder, since: usize) -> Result<usize> {
    let is_beta = |line: &Value| {
        line["type"] == "user" && line["message"].to_string().contains("Beta is done.")
    };
    let printed = async {
        while !holder.lines().iter().any(is_beta) {
            pause(20).await;
        }
    };
    soon("the CLI continues", printed).await?;
    let more = holder.printed().saturating_sub(since);
    ensure!(more > 0, "the CLI printed nothing while no host was there");
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
    let (options, mut asked) = asking(&world, true);
    let transport = holder.connect(from.offset);
    let mut attached = Session::attach(transport, options, from).await?;
    let turn = attached.turns.pop().context("no turn was open")?;
    let outcome = soon("the outcome", turn.outcome()).await?;
    ensure!(outcome.text() == Some("Both are done."));
    ensure!(asked.recv().await.as_deref() == Some(asked_before));
    ensure!(asked.try_recv().is_err(), "the prompt was asked twice");
    ensure!(world.has_file("alpha"), "the allowed call did not run");
    let session_id = attached.session.session_id().context("no session id")?;
    attached.session.close().await;
    let exit = soon("the end of the CLI", holder.exited()).await??;
    ensure!(exit.is_success(), "the CLI: {exit}");
    let read_after = read(&mut attached.messages).await;
    let counts = (read_before.len(), read_after.len());
    read_before.extend(read_after);
    let mut printed = holder.lines();
    printed.retain(|line| {
        let kind = line["type"].as_str().unwrap_or_default();
        !kind.starts_with("control_") && kind != "keep_alive"
    });
    ensure!(
        read_before == printed,
        "{counts:?} read, not {}",
        printed.len()
    );
    // The model's messages in the session file are among them.
    let file = session_file(&world, &session_id)?;
    let entries: Vec<Value> = crate::stage::lines(file.as_bytes());
    let mut replies = entries
        .iter()
        .filter(|it| it["type"] == "assistant")
        .peekable();
    ensure!(replies.peek().is_some(), "the session file has no reply");
    let missing = replies.find(|reply| !printed.iter().any(|it| it["uuid"] == reply["uuid"]));
    ensure!(missing.is_none(), "not among the messages: {missing:?}");
    Ok(format!(
        "{} + {} messages read, each of {} printed once; {unheard} bytes printed while no host was attached; asked again, the turn {outcome}",
        counts.0,
        counts.1,
        printed.len()
    ))
}

async fn lets_go() -> Result<String> {
    let world = scripted().await?;
    let holder = Holder::new();
    let mut first = first_host(Arc::clone(&holder), asking(&world, false)).await?;
    let from = first.session.detach().await?;
    let printed = holder.printed();
    ensure!(from.open_turns == [first.turn.as_str()]);
    ensure!(from.open_calls.len() == 1);
    let before = read(&mut first.messages).await;
    let unheard = continued(&holder, printed).await?;
    second_host(world, &holder, from, &first.asked, before, unheard).await
}

async fn dies() -> Result<String> {
    let world = scripted().await?;
    let holder = Holder::new();
    let (asking, held) = (asking(&world, false), Arc::clone(&holder));
    // A host with its own runtime, which ends at once without closing anything.
    let host = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Runtime::new()?;
        let left = runtime.block_on(async {
            let mut first = first_host(held, asking).await?;
            // It has handled the first message only.
            let received = first.messages.next_message().await.context("no message")?;
            let before = vec![serde_json::from_slice(received.raw.as_bytes())?];
            let offset = first.messages.offset();
            anyhow::Ok((first, before, offset))
        });
        runtime.shutdown_background();
        left
    });
    let (first, before, offset) = tokio::time::timeout(2 * TIMEOUT, host).await???;
    let unheard = continued(&holder, holder.printed()).await?;
    let mut from = Detached::at(offset);
    from.open_turns = vec![first.turn.as_str().into()];
    second_host(world, &holder, from, &first.asked, before, unheard).await
}
