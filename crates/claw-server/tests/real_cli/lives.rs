//! Sessions that end, and sessions that another controller resumes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{InteractionId, LifecycleState};
use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerError, EventLog as _, Fact, Fence, Input, MemoryLog, PageLimit,
    SessionEvent, SessionId, SessionSetup,
};
use claw_testkit::real_cli::{World, bash};
use claw_testkit::{Turn, processes};

use crate::front_end::{FrontEnd, TIMEOUT};
use crate::stage::{GRACE, Stage, contains, only, options, with_log};
use crate::stops::LONG;
use crate::story;

/// Kills the CLI of a world and all its children.
fn kill(world: &World) {
    let mark = format!("CLAUDE_CONFIG_DIR={}", world.config().display());
    let pids = processes::carrying(&[mark]);
    assert!(!pids.is_empty(), "there is no process to kill");
    let pids: Vec<i64> = pids.into_iter().map(i64::from).collect();
    processes::kill(&pids).unwrap();
}

pub(crate) async fn killed() -> String {
    let mut stage = Stage::start([bash("a", "touch made")]).await;
    stage.send("later").await;
    stage.phone.asked("a").await;
    let (controller, session) = (stage.controller.clone(), stage.session);
    let ended = tokio::spawn(async move { controller.ended(session).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    kill(&stage.world);
    let closed = tokio::time::timeout(TIMEOUT, ended).await;
    let closed = closed.unwrap().unwrap().unwrap();
    assert_eq!(closed.state, LifecycleState::Lost, "{closed:?}");
    assert_eq!(closed.cut_off_turn, Some(1), "{closed:?}");
    assert_eq!(closed.withdrawn, [InteractionId::new("toolu_a")]);
    assert_eq!(closed.unsent.len(), 1, "{closed:?}");
    assert!(closed.cli_session_id.is_some(), "{closed:?}");
    stage.check().await;
    let seen = stage.phone.seen();
    assert_eq!(seen.matches("complete").count(), 1, "{seen}");
    contains(&seen, &["complete 1 Error", "Withdrawn a", "ran a"]);
    let story = stage.story().await;
    let end = "asked a, withdrawn a, lost, turn 1 ended: ProcessLost";
    assert!(story.ends_with(end), "{story}");
    let inputs = stage.inputs().await;
    contains(&inputs, &["indeterminate go", "failed later"]);
    let late = stage.respond("a", PermissionResponse::allow()).await;
    assert_eq!(late, Err(AnswerRefused::NoSession));
    assert!(stage.controller.sessions().is_empty());
    assert!(!stage.world.has_file("made"));
    format!("one end, prompt withdrawn, reported: {}", closed.reason)
}

pub(crate) async fn graceful() -> String {
    let command = "touch begun; sleep 1.5 && touch done";
    let mut stage = Stage::start([bash("a", command), Turn::text("Done.")]).await;
    stage.answer("a", PermissionResponse::allow()).await;
    stage.until_file("begun").await;
    let controller = stage.controller.clone();
    let closing = tokio::spawn(async move { controller.shutdown(GRACE).await });
    let refused = loop {
        let late = Input::text(stage.session, "one more");
        match stage.controller.input(late).await {
            Err(error) => break error,
            Ok(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    assert_matches!(refused, ControllerError::ShuttingDown);
    let closed = only(closing.await.unwrap());
    assert!(stage.world.has_file("done"), "the tool was cut off");
    assert_eq!(closed.state, LifecycleState::Closed, "{closed:?}");
    assert_eq!(closed.cut_off_turn, None, "{closed:?}");
    stage.check().await;
    assert_eq!(stage.phone.text(), "Done.");
    stage.ended(1, "EndTurn").await;
    format!(
        "the turn ran to its end, a late input was refused, closed by {:?}",
        closed.closed_by
    )
}

pub(crate) async fn cut_off() -> String {
    let mut stage = Stage::start([bash("a", LONG)]).await;
    stage.answer("a", PermissionResponse::allow()).await;
    stage.until_file("begun").await;
    let closed = stage.shut(Duration::from_millis(300)).await;
    assert_eq!(closed.state, LifecycleState::Closed, "{closed:?}");
    assert_eq!(closed.turns, 1, "{closed:?}");
    stage.ended(1, "Interrupted").await;
    assert!(!stage.world.has_file("done"), "the tool ran to its end");
    format!(
        "what took longer was stopped, with one end: cut off {:?}, closed by {:?}",
        closed.cut_off_turn, closed.closed_by
    )
}

/// A session that is resumed in a second controller.
struct Resumed {
    controller: Controller,
    log: Arc<MemoryLog>,
    session: SessionId,
    front: FrontEnd,
}

impl Resumed {
    async fn open(stage: &Stage, history: &[Arc<SessionEvent>], cli_session: &str) -> Self {
        let (log, builder) = with_log(Controller::builder());
        let controller = builder.build();
        let (front, sink) = FrontEnd::holding(1024);
        let fence = Fence {
            epoch: 1,
            expected_last: 0,
        };
        log.append(stage.session, fence, history).await.unwrap();
        let recorded = history.iter().find_map(|event| match &event.fact {
            Fact::CliSession(id) => Some(id.as_str()),
            _ => None,
        });
        assert_eq!(recorded, Some(cli_session));
        let setup = SessionSetup::new(options(&stage.world))
            .reopen(stage.session)
            .sink(sink);
        let session = controller.open(setup).await.unwrap();
        assert_eq!(session, stage.session);
        Self {
            controller,
            log,
            session,
            front,
        }
    }

    /// Closes the session. Its log continues where the history ended, with another owner. Returns
    /// the inputs of the whole log.
    async fn end(mut self, history: &[Arc<SessionEvent>]) -> String {
        only(self.controller.shutdown(GRACE).await);
        self.front.rest().await;
        let events = self.log.read(self.session, 0, PageLimit::ALL).await;
        let events = events.unwrap();
        let (before, after) = events.split_at(history.len());
        assert_eq!(before, history);
        assert!(after[0].epoch > history[0].epoch);
        story::check(&events, &[]);
        story::inputs(&events).join(", ")
    }
}

pub(crate) async fn resumed() -> String {
    let turns = [Turn::text("I will remember 7."), Turn::text("It was 7.")];
    let mut stage = Stage::open(turns).await;
    let keyed = || Input::text(stage.session, "Remember 7").key("k1");
    stage.controller.input(keyed()).await.unwrap();
    let keyed = keyed();
    stage.ended(1, "EndTurn").await;
    let closed = stage.shut(GRACE).await;
    let cli_session = closed.cli_session_id.as_deref().expect("an id");
    let history = stage.events().await;
    let mut second = Resumed::open(&stage, &history, cli_session).await;
    let again = second.controller.input(keyed).await.unwrap();
    assert!(again.is_repeat, "the same input was accepted again");
    let ask = Input::text(stage.session, "What was it?");
    second.controller.input(ask).await.unwrap();
    assert_eq!(second.front.completed(2).await.as_str(), "EndTurn");
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 2, "{prompts:?}");
    contains(&prompts[1], &["What was it?"]);
    stage.model_received(&["Remember 7", "I will remember 7."]);
    assert_eq!(second.front.text(), "It was 7.");
    second.end(&history).await;
    "turn 2 of the same log under a new owner; the model knew turn 1; the key still held".to_owned()
}

pub(crate) async fn taken_over() -> String {
    let turns = [bash("a", "touch made"), Turn::text("Here I am.")];
    let mut stage = Stage::open(turns).await;
    stage.send("first").await;
    stage.phone.asked("a").await;
    stage.send("second").await;
    // The log at the time of the loss: the events of the end are not in it.
    let history = stage.events().await;
    kill(&stage.world);
    stage.phone.rest().await;
    let cli_session = session_file(&stage.world);
    let mut second = Resumed::open(&stage, &history, &cli_session).await;
    assert_eq!(second.front.completed(2).await.as_str(), "EndTurn");
    let seen = second.front.seen();
    assert!(
        seen.starts_with("Withdrawn a, ")
            && seen.contains("complete 1 Error")
            && seen.ends_with("text Here I am., complete 2 EndTurn"),
        "{seen}"
    );
    assert!(!stage.world.has_file("made"));
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 2, "{prompts:?}");
    contains(&prompts[1], &["second"]);
    stage.model_received(&["first"]);
    assert_eq!(
        second.end(&history).await,
        "accepted first, delivered first, accepted second, indeterminate first, \
         delivered second, processed second"
    );
    "the prompt was withdrawn, turn 1 ended once, the input that waited was delivered".to_owned()
}

/// The id of the conversation: the name of the only session file.
fn session_file(world: &World) -> String {
    let projects = std::fs::read_dir(world.config().join("projects")).unwrap();
    let files = projects.flat_map(|project| std::fs::read_dir(project.unwrap().path()).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|name| name == "jsonl"));
    let name = only(files);
    name.file_stem().unwrap().to_str().unwrap().to_owned()
}
