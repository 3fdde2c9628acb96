//! Calls that wait for an answer without a process.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{Variants, World, bash, call};
use rusty_claw::hook::{Hook, HookOutput, PreToolUseInput};
use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::sessions::{Parked, ProjectKey, SessionLibrary};
use rusty_claw::{Json, Options, Session};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::stage::{Stage, done, options, pause, session_file, soon};

/// How a call that was parked is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Decision {
    Allow,
    Edit,
    Deny,
}
use Decision::{Allow, Deny, Edit};

pub(crate) async fn figure() -> Figure {
    Variants::new()
        .add("permission, allowed", permission(Allow, false))
        .add("permission, edited", permission(Edit, false))
        .add("permission, denied", permission(Deny, false))
        .add("permission, allowed elsewhere", permission(Allow, true))
        .add("permission, edited elsewhere", permission(Edit, true))
        .add("permission, denied elsewhere", permission(Deny, true))
        .add("question, answered", question(Allow, false))
        .add("question, declined", question(Deny, false))
        .add("question, answered elsewhere", question(Allow, true))
        .add("plan, approved", plan(Allow, false))
        .add("plan, rejected", plan(Deny, false))
        .add("plan, approved elsewhere", plan(Allow, true))
        .add("the first of three parallel calls", first_of_three())
        .add("a call after one with a result", second_of_three())
        .add("killed while the allowed call ran", ran_already())
        .figure(
            "a call killed while it waited, parked, and asked again by a bare resume",
            "the same call and input, no model call before the answer, the right effect",
        )
        .await
}

/// Options with a handler that sends the requests, and leaves them without an answer.
fn waiting(options: Options) -> (Options, mpsc::UnboundedReceiver<PermissionAsk>) {
    let (sender, asked) = mpsc::unbounded_channel();
    let options = options.can_use_tool(move |ask: PermissionAsk| {
        let _ = sender.send(ask);
        std::future::pending::<PermissionAnswer>()
    });
    (options, asked)
}

/// A session that was killed while it asked.
struct Killed {
    world: World,
    id: String,
    /// The requests, oldest first.
    asks: Vec<PermissionAsk>,
    mode: PermissionMode,
}

impl Killed {
    /// Sends a prompt, waits for this many requests, and kills the CLI.
    async fn after(
        turns: impl IntoIterator<Item = Turn>,
        mode: PermissionMode,
        count: usize,
    ) -> Result<Self> {
        let world = World::with(turns).await?;
        let (options, mut asked) = waiting(options(&world).permission_mode(mode.clone()));
        let stage = Stage::start(world, options).await?;
        let _turn = stage.session.send("go").await?;
        let mut asks = Vec::new();
        while asks.len() < count {
            let ask = soon("a request", asked.recv()).await?;
            asks.push(ask.context("nothing was asked")?);
        }
        let id = id_of(&stage.session)?;
        let ids: Vec<&str> = asks.iter().map(|ask| &**ask.tool_use_id()).collect();
        written(&stage.world, &id, &ids, &[]).await?;
        stage.session.kill().await;
        let calls = |it: &PermissionAsk| it.tool_use_id().to_string();
        asks.sort_by_key(calls);
        Ok(Self {
            world: stage.world,
            id,
            asks,
            mode,
        })
    }

    /// Parks the first call that was asked for.
    fn park(&self) -> Result<()> {
        park(&self.world, &self.id, &self.asks[0], &self.mode)
    }

    /// Moves the session to another home, with a model that answers with these turns.
    async fn moved(self, turns: impl IntoIterator<Item = Turn>) -> Result<Self> {
        let world = World::with(turns).await?;
        let text = session_file(&self.world, &self.id)?;
        let key = ProjectKey::of_dir(world.project());
        let folder = world.config().join("projects").join(key.as_str());
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{}.jsonl", self.id)), text)?;
        Ok(Self { world, ..self })
    }

    /// Resumes without writing anything, checks what is asked for, and answers it.
    async fn resume(
        self,
        set: impl FnOnce(Options) -> Options,
        answer: impl Fn(&PermissionAsk) -> PermissionAnswer + Send + Sync + 'static,
    ) -> Result<Stage> {
        let before = self.world.message_requests().len();
        let (sender, mut asked) = mpsc::unbounded_channel();
        let options = options(&self.world)
            .permission_mode(self.mode)
            .resume(self.id.as_str())
            .can_use_tool(move |ask: PermissionAsk| {
                let (reply, answer) = oneshot::channel();
                let _ = sender.send((ask, reply));
                async {
                    answer
                        .await
                        .unwrap_or_else(|_| PermissionAnswer::deny("Nobody"))
                }
            });
        let stage = Stage::start(self.world, set(options)).await?;
        let (ask, reply) = soon("the request", asked.recv())
            .await?
            .context("nothing was asked")?;
        ensure!(stage.requests().len() == before, "the model was called");
        ensure!(ask.tool_use_id() == self.asks[0].tool_use_id());
        ensure!(ask.tool_name() == self.asks[0].tool_name());
        let value = |ask: &PermissionAsk| ask.input().to_value();
        ensure!(value(&ask) == value(&self.asks[0]), "{:?}", ask.input());
        let _ = reply.send(answer(&ask));
        stage.until("a result", |it| it["type"] == "result").await?;
        ensure!(asked.try_recv().is_err(), "another call was asked for");
        ensure!(stage.requests().len() == before + 1);
        Ok(stage)
    }
}

fn id_of(session: &Session) -> Result<String> {
    let id = session.session_id();
    Ok(id.context("the session has no id")?.to_string())
}

/// Waits until the session file has these calls, and results of those: the CLI writes it later than
/// it asks.
async fn written(world: &World, id: &str, calls: &[&str], results: &[&str]) -> Result<()> {
    let library = SessionLibrary::open(world.config());
    let is_written = || {
        library.calls(id).is_ok_and(|file| {
            let has = |call: &&str| file.last_reply.iter().any(|one| one.id == **call);
            calls.iter().all(has) && results.iter().all(|call| file.has_result(call))
        })
    };
    let waiting = async {
        while !is_written() {
            pause(20).await;
        }
    };
    soon("the session file has the calls", waiting).await
}

fn park(world: &World, id: &str, ask: &PermissionAsk, mode: &PermissionMode) -> Result<()> {
    let library = SessionLibrary::open(world.config());
    let calls = library.calls(id)?;
    let mut reply = calls.last_reply.iter();
    let call = reply.find(|call| call.id == **ask.tool_use_id());
    let call = call.context("the file does not have the call")?;
    let parked = library.park(id, call, mode.as_str())?;
    ensure!(parked == Parked::Appended);
    ensure!(library.park(id, call, mode.as_str())? == Parked::AlreadyThere);
    Ok(())
}

/// Runs a call with one request to its end.
async fn answered(
    asking: Turn,
    mode: PermissionMode,
    is_elsewhere: bool,
    answer: impl Fn(&PermissionAsk) -> PermissionAnswer + Send + Sync + 'static,
) -> Result<Stage> {
    let turns = [asking].into_iter().chain((!is_elsewhere).then(done));
    let mut killed = Killed::after(turns, mode, 1).await?;
    killed.park()?;
    if is_elsewhere {
        killed = killed.moved([done()]).await?;
    }
    killed.resume(|options| options, answer).await
}

async fn permission(decision: Decision, is_elsewhere: bool) -> Result<String> {
    let stage = answered(
        bash("a", "touch original"),
        PermissionMode::Default,
        is_elsewhere,
        move |_| match decision {
            Allow => PermissionAnswer::allow(),
            Edit => {
                let edited = json!({"command": "touch edited"});
                PermissionAnswer::allow_with(Json::from_value(&edited))
            }
            Deny => PermissionAnswer::deny("Not on my watch"),
        },
    )
    .await?;
    match decision {
        Allow => stage.files(&["original"], &["edited"])?,
        Edit => stage.files(&["edited"], &["original"])?,
        Deny => {
            stage.files(&[], &["original", "edited"])?;
            stage.told("a", "Not on my watch")?;
        }
    }
    stage.end().await;
    Ok("asked again, one model call after the answer".to_owned())
}

async fn question(decision: Decision, is_elsewhere: bool) -> Result<String> {
    let option = |label: &str| json!({"label": label, "description": "d"});
    let asking = call(
        "a",
        "AskUserQuestion",
        json!({"questions": [{
            "question": "Which color?", "header": "Color", "multiSelect": false,
            "options": [option("Red"), option("Blue")],
        }]}),
    );
    let stage = answered(
        asking,
        PermissionMode::Default,
        is_elsewhere,
        move |ask| match ask.kind() {
            AskKind::Question(question) if decision == Allow => question
                .answer([("Which color?", "Blue")])
                .unwrap_or_else(|error| PermissionAnswer::deny(error.to_string())),
            _ => PermissionAnswer::deny("Not on my watch"),
        },
    )
    .await?;
    let wanted = if decision == Allow {
        "Blue"
    } else {
        "Not on my watch"
    };
    stage.told("a", wanted)?;
    stage.end().await;
    Ok(format!("asked again, the model was told {wanted:?}"))
}

async fn plan(decision: Decision, is_elsewhere: bool) -> Result<String> {
    let asking = call("a", "ExitPlanMode", json!({"plan": "# Plan\n1. Do it\n"}));
    let stage = answered(
        asking,
        PermissionMode::Plan,
        is_elsewhere,
        move |ask| match ask.kind() {
            AskKind::Plan(plan) if decision == Allow => plan.approve(None),
            _ => PermissionAnswer::deny("Not on my watch"),
        },
    )
    .await?;
    let result = stage.tool_result("a")?;
    ensure!(result.failed == (decision == Deny), "{}", result.text);
    stage.end().await;
    Ok("asked again, the model was told".to_owned())
}

/// Three calls that are asked for at the same time.
async fn first_of_three() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let mut asking = Turn::empty();
    for name in ["p1", "p2", "p3"] {
        std::fs::write(folder.path().join(name), format!("text of {name}"))?;
        let input = json!({"file_path": path(name)});
        asking = asking.tool_use(format!("toolu_{name}"), "Read", input);
    }
    let killed = Killed::after([asking, done()], PermissionMode::Default, 3).await?;
    killed.park()?;
    let allow = |_: &PermissionAsk| PermissionAnswer::allow();
    let stage = killed.resume(|options| options, allow).await?;
    stage.told("p1", "text of p1")?;
    ensure!(stage.tool_result("p2").is_err() && stage.tool_result("p3").is_err());
    stage.end().await;
    Ok("only the first came back; the model saw one result".to_owned())
}

/// Three calls that are asked for one after the other, of which the first has a result.
async fn second_of_three() -> Result<String> {
    let mut asking = Turn::empty();
    for name in ["w1", "w2", "w3"] {
        let input = json!({"command": format!("touch {name}"), "description": "make it"});
        asking = asking.tool_use(format!("toolu_{name}"), "Bash", input);
    }
    let world = World::with([asking, done()]).await?;
    let (sender, mut asked) = mpsc::unbounded_channel();
    let options = options(&world).can_use_tool(move |ask: PermissionAsk| {
        let is_first = &**ask.tool_use_id() == "toolu_w1";
        let _ = sender.send(ask);
        async move {
            if !is_first {
                std::future::pending::<()>().await;
            }
            PermissionAnswer::allow()
        }
    });
    let stage = Stage::start(world, options).await?;
    let _turn = stage.session.send("go").await?;
    soon("a request", asked.recv()).await?;
    let second = soon("a request", asked.recv()).await?;
    let id = id_of(&stage.session)?;
    written(&stage.world, &id, &["toolu_w2"], &["toolu_w1"]).await?;
    stage.session.kill().await;
    let killed = Killed {
        world: stage.world,
        id,
        asks: vec![second.context("nothing was asked")?],
        mode: PermissionMode::Default,
    };
    killed.park()?;
    let allow = |_: &PermissionAsk| PermissionAnswer::allow();
    let stage = killed.resume(|options| options, allow).await?;
    stage.files(&["w1", "w2"], &["w3"])?;
    ensure!(!stage.tool_result("w1")?.failed && !stage.tool_result("w2")?.failed);
    stage.end().await;
    Ok("the first kept its result, the second came back, the third did not".to_owned())
}

/// The parked line brings back a call that was allowed and killed while it ran.
async fn ran_already() -> Result<String> {
    let asking = bash("a", "echo ran >> runs; sleep 300");
    let killed = Killed::after([asking, done()], PermissionMode::Default, 1).await?;
    killed.park()?;
    let Killed { world, id, .. } = killed;
    let resumed = |world: &World| {
        options(world)
            .resume(id.as_str())
            .can_use_tool(|_: PermissionAsk| async { PermissionAnswer::allow() })
    };
    let first = resumed(&world);
    let stage = Stage::start(world, first).await?;
    let runs = stage.world.project().join("runs");
    soon("the command runs", exists(&runs)).await?;
    stage.session.kill().await;

    let denied = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&denied);
    let hook = Hook::pre_tool_use(move |input: PreToolUseInput, _| {
        let is_it = input.tool_use_id.as_str() == "toolu_a";
        count.fetch_add(usize::from(is_it), Ordering::Relaxed);
        async move {
            if is_it {
                HookOutput::deny("It may have run already")
            } else {
                HookOutput::none()
            }
        }
    });
    let second = resumed(&stage.world).hook(hook);
    let stage = Stage::start(stage.world, second).await?;
    stage.until("a result", |it| it["type"] == "result").await?;
    stage.told("a", "It may have run already")?;
    ensure!(denied.load(Ordering::Relaxed) == 1);
    let text = std::fs::read_to_string(&runs)?;
    ensure!(text == "ran\n", "{text:?}");
    stage.end().await;
    Ok("the hook denied it, it ran once".to_owned())
}

async fn exists(path: &Path) {
    let has_line = || std::fs::read_to_string(path).is_ok_and(|text| text.ends_with('\n'));
    while !has_line() {
        pause(20).await;
    }
}
