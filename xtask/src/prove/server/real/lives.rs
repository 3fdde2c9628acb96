//! How sessions end, and how they go on.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_server::event::{LifecycleState, PromptId};
use claw_server::prompts::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerError, EventLog, Input, MemoryLog, PageLimit, SessionClosed,
    SessionEvent, SessionSetup,
};
use claw_testkit::Turn;

use super::front_end::FrontEnd;
use super::stage::{GRACE, PATIENCE, Stage, asked, asking, world};
use super::stops::LONG;
use super::story;
use crate::cli_package::CliPackage;
use crate::prove::sdk::{World, bash, processes};

/// Kills the CLI of a world, and whatever it has started.
fn kill(world: &World) -> Result<()> {
    let mark = format!("CLAUDE_CONFIG_DIR={}", world.config().display());
    let pids = processes::carrying(&[mark]);
    ensure!(!pids.is_empty(), "there is no process to kill");
    let pids: Vec<i64> = pids.into_iter().map(i64::from).collect();
    processes::kill(&pids)
}

pub(super) async fn killed(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch made")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    stage.say("later").await?;
    stage.phone.asked("toolu_a").await?;
    let ended = {
        let (controller, session) = (stage.controller.clone(), stage.session);
        tokio::spawn(async move { controller.ended(session).await })
    };
    tokio::time::sleep(Duration::from_millis(50)).await;
    kill(&stage.world)?;
    let closed = tokio::time::timeout(PATIENCE, ended).await???;
    ensure!(
        closed.state == LifecycleState::Lost
            && closed.cut_off_turn == Some(1)
            && closed.withdrawn == [PromptId::new("toolu_a")]
            && closed.unsent.len() == 1
            && closed.cli_session_id.is_some(),
        "the report says {closed:?}"
    );
    stage.lawful().await?;
    let seen = stage.phone.seen();
    ensure!(
        seen.iter()
            .filter(|line| line.starts_with("complete"))
            .count()
            == 1
            && seen.contains(&"complete 1 Error".to_owned())
            && seen.contains(&"Withdrawn toolu_a".to_owned())
            && seen.contains(&"ran toolu_a".to_owned()),
        "a front end saw {seen:?}"
    );
    let story = stage.story().await?;
    ensure!(
        story.ends_with(&[
            "asked toolu_a".to_owned(),
            "withdrawn toolu_a".to_owned(),
            "lost".to_owned(),
            "turn 1 ended: ProcessLost".to_owned(),
        ]),
        "the log says {story:?}"
    );
    let inputs = story::inputs(&stage.events().await?);
    ensure!(
        inputs.contains(&"indeterminate go".to_owned())
            && inputs.contains(&"failed later".to_owned()),
        "the log says {inputs:?}"
    );
    let yes = PermissionResponse::allow();
    let registry = stage.controller.permissions();
    let late = registry.respond(stage.session, "toolu_a", yes).await;
    ensure!(late == Err(AnswerRefused::NoSession), "told {late:?}");
    ensure!(stage.controller.sessions().is_empty(), "it is still listed");
    ensure!(!stage.made("made"), "it ran");
    Ok(format!(
        "one end, prompt withdrawn, reported: {}",
        closed.reason
    ))
}

pub(super) async fn graceful(cli: CliPackage) -> Result<String> {
    let turns = [
        bash("a", "touch begun; sleep 1.5 && touch done"),
        Turn::text("Done."),
    ];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("go").await?;
    stage.answer("toolu_a", PermissionResponse::allow()).await?;
    stage.until_made("begun").await?;
    let closing = {
        let controller = stage.controller.clone();
        tokio::spawn(async move { controller.shutdown(GRACE).await })
    };
    let refusal = async {
        loop {
            let late = Input::text(stage.session, "one more");
            match stage.controller.input(late).await {
                Err(error) => return error,
                Ok(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let refused = refusal.await;
    ensure!(
        matches!(refused, ControllerError::ShuttingDown),
        "a late input was told {refused:?}"
    );
    let closed = only(closing.await?)?;
    ensure!(stage.made("done"), "the tool was cut off");
    ensure!(
        closed.state == LifecycleState::Closed && closed.cut_off_turn.is_none(),
        "the report says {closed:?}"
    );
    stage.lawful().await?;
    ensure!(
        stage.phone.text() == "Done.",
        "the answer is {:?}",
        stage.phone.text()
    );
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    Ok(format!(
        "the turn ran to its end, a late input was refused, closed by {:?}",
        closed.closed_by
    ))
}

pub(super) async fn cut_off(cli: CliPackage) -> Result<String> {
    let stage = Stage::open(world(&cli, [bash("a", LONG)]).await?).await?;
    stage.say("go").await?;
    stage.answer("toolu_a", PermissionResponse::allow()).await?;
    stage.until_made("begun").await?;
    let closed = stage.shut(Duration::from_millis(300)).await?;
    ensure!(
        closed.state == LifecycleState::Closed && closed.turns == 1,
        "the report says {closed:?}"
    );
    let stop = stage.completed(1).await?;
    ensure!(stop == "Interrupted", "the turn ended as {stop}");
    ensure!(!stage.made("done"), "the tool ran to its end");
    Ok(format!(
        "what took longer was stopped, with one end: cut off {:?}, closed by {:?}",
        closed.cut_off_turn, closed.closed_by
    ))
}

fn only(mut closed: Vec<Arc<SessionClosed>>) -> Result<Arc<SessionClosed>> {
    ensure!(closed.len() == 1, "{} sessions ended", closed.len());
    closed.pop().context("no session ended")
}

/// A session that goes on in a second controller.
struct Resumed {
    controller: Controller,
    log: Arc<MemoryLog>,
    session: i64,
    front: FrontEnd,
}

impl Resumed {
    async fn open(
        world: &World,
        session: i64,
        history: &[Arc<SessionEvent>],
        cli_session: &str,
    ) -> Result<Self> {
        let log = Arc::new(MemoryLog::keeping(64 << 20));
        let controller = Controller::builder()
            .log(Arc::clone(&log) as Arc<dyn EventLog>)
            .build();
        let (front, sink) = FrontEnd::new();
        let history = history.iter().map(|event| (**event).clone());
        let setup = SessionSetup::new(asking(world).resume(cli_session))
            .id(session)
            .folder(world.project())
            .history(history)
            .sink(sink);
        let opened = controller.open(setup).await?;
        ensure!(opened == session, "it is called {opened} now");
        Ok(Self {
            controller,
            log,
            session,
            front,
        })
    }

    async fn end(self) -> Result<Vec<Arc<SessionEvent>>> {
        only(self.controller.shutdown(GRACE).await)?;
        self.front.over().await?;
        Ok(self.log.read(self.session, 0, PageLimit::ALL).await?)
    }
}

/// The second log goes on where the first one ended, as another owner.
fn follows(first: &[Arc<SessionEvent>], second: &[Arc<SessionEvent>]) -> Result<()> {
    let (Some(last), Some(next)) = (first.last(), second.first()) else {
        anyhow::bail!("a log is empty");
    };
    ensure!(
        next.sequence == last.sequence + 1 && next.epoch > last.epoch,
        "event {} of epoch {} is followed by {} of {}",
        last.sequence,
        last.epoch,
        next.sequence,
        next.epoch
    );
    let whole: Vec<Arc<SessionEvent>> = first.iter().chain(second).cloned().collect();
    story::lawful(&whole, &[])
}

pub(super) async fn resumed(cli: CliPackage) -> Result<String> {
    let turns = [Turn::text("I will remember 7."), Turn::text("It was 7.")];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    let keyed = Input::text(stage.session, "Remember 7").key("k1");
    stage.controller.input(keyed).await?;
    stage.completed(1).await?;
    let closed = stage.shut(GRACE).await?;
    let cli_session = closed.cli_session_id.as_deref().context("it has no id")?;
    let history = stage.events().await?;
    let second = Resumed::open(&stage.world, stage.session, &history, cli_session).await?;
    let again = Input::text(stage.session, "Remember 7").key("k1");
    let again = second.controller.input(again).await?;
    ensure!(again.is_repeat, "the same input was taken again");
    let ask = Input::text(stage.session, "What was it?");
    second.controller.input(ask).await?;
    let stop = second.front.completed(2).await?;
    ensure!(stop.as_str() == "EndTurn", "the turn ended as {stop:?}");
    let asked = asked(&stage.world);
    let last = asked.last().context("the model was not asked")?;
    let conversation = last.body["messages"].to_string();
    ensure!(
        asked.len() == 2
            && conversation.contains("Remember 7")
            && conversation.contains("I will remember 7.")
            && last.last_user_text().contains("What was it?"),
        "the model was told {conversation}"
    );
    ensure!(second.front.text() == "It was 7.", "another answer");
    let events = second.end().await?;
    follows(&history, &events)?;
    Ok(
        "turn 2 of the same log under a new owner; the model knew turn 1; the key still held"
            .into(),
    )
}

pub(super) async fn taken_over(cli: CliPackage) -> Result<String> {
    let turns = [bash("a", "touch made"), Turn::text("Here I am.")];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("first").await?;
    stage.phone.asked("toolu_a").await?;
    stage.say("second").await?;
    // What is stored when the program is lost; what it says of its own end is not in it.
    let history = stage.events().await?;
    kill(&stage.world)?;
    stage.phone.over().await?;
    let cli_session = session_file(&stage.world)?;
    let second = Resumed::open(&stage.world, stage.session, &history, &cli_session).await?;
    let stop = second.front.completed(2).await?;
    ensure!(stop.as_str() == "EndTurn", "the turn ended as {stop:?}");
    let seen = second.front.seen();
    ensure!(
        seen.first().is_some_and(|line| line == "Withdrawn toolu_a")
            && seen.contains(&"complete 1 Error".to_owned())
            && seen.ends_with(&[
                "text Here I am.".to_owned(),
                "complete 2 EndTurn".to_owned()
            ]),
        "the front end saw {seen:?}"
    );
    ensure!(!stage.made("made"), "it ran");
    let asked = asked(&stage.world);
    let last = asked.last().context("the model was not asked")?;
    ensure!(
        asked.len() == 2
            && last.last_user_text().contains("second")
            && last.body["messages"].to_string().contains("first"),
        "the model was told {}",
        last.body["messages"]
    );
    let events = second.end().await?;
    follows(&history, &events)?;
    let whole: Vec<Arc<SessionEvent>> = history.iter().chain(&events).cloned().collect();
    let inputs = story::inputs(&whole);
    ensure!(
        inputs
            == [
                "accepted first",
                "delivered first",
                "accepted second",
                "indeterminate first",
                "delivered second",
                "processed second"
            ],
        "the log says {inputs:?}"
    );
    Ok("the prompt was withdrawn, turn 1 ended once, the input that waited was delivered".into())
}

/// The conversation of the one session file that a world has.
fn session_file(world: &World) -> Result<String> {
    let mut found: Vec<PathBuf> = Vec::new();
    for project in std::fs::read_dir(world.config().join("projects"))? {
        for entry in std::fs::read_dir(project?.path())? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|name| name == "jsonl"));
    ensure!(found.len() == 1, "there are {found:?}");
    let name = found
        .pop()
        .and_then(|path| Some(path.file_stem()?.to_owned()));
    let name = name.and_then(|name| name.into_string().ok());
    name.context("the session file has no name")
}
