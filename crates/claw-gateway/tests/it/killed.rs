//! Owners of sessions on SQLite that are killed at random points. The next owner has everything
//! that they acknowledged, once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::StoreLog;
use claw_server::grants::Grant;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{
    Controller, ControllerError, EventLog as _, Input, PageLimit, PermissionLevel,
    PermissionRequest, SessionId, TargetType, UiMessage, UiProjection,
};
use claw_store::{ClaimReason, SqliteOptions, SqliteStore};
use claw_testkit::figure::{Figure, record};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::cases;
use crate::front_end::{FrontEnd, TIMEOUT};
use crate::history::History;
use crate::laws::is_whole;
use crate::owner::{self, Done, Owner, Point, report};
use crate::peer::Peer;
use crate::random::Random;
use crate::reconnecting::{from_the_log, reconnects};
use crate::recorded::Item;
use crate::sessions;
use crate::stores::{self, TENANT};

/// The lives of each session.
const LIVES: u64 = 10;
/// The sessions that run at the same time, in one file.
const AT_ONCE: usize = 3;
/// The conversation of the scripted CLI.
const CONVERSATION: &str = "5e5e";
const COMMANDS: [&str; 4] = ["make", "make test", "cargo build", "npm run lint"];

/// What an owner is to do.
#[derive(Debug, Serialize, Deserialize)]
struct Setup {
    path: PathBuf,
    session: String,
    seed: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_owner_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let sessions = cases(100, 10, 10).div_ceil(LIVES).max(AT_ONCE as u64);
    let lives = cases(100, 10, 10).div_ceil(sessions);
    let runs = (0..sessions).map(|number| {
        let run = tokio::spawn(session(path.clone(), number, lives));
        async move {
            run.await
                .map_err(|error| format!("session {number}: {error}"))
        }
    });
    let runs = futures_util::stream::iter(runs).buffer_unordered(AT_ONCE);
    let runs: Vec<Result<Tally, String>> = runs.collect().await;
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    for run in runs {
        match run {
            Ok(run) => tally.add(&run),
            Err(fault) => faults.push(fault),
        }
    }
    record("killed", vec![tally.figure(faults)]);
}

#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    events: usize,
    turns: usize,
    inputs: usize,
    answers: usize,
    grants: usize,
    redelivered: usize,
    withdrawn: usize,
    /// Kills before the session was opened.
    early: u64,
    /// Inputs that two processes have received.
    prompted_twice: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.events += other.events;
        self.turns += other.turns;
        self.inputs += other.inputs;
        self.answers += other.answers;
        self.grants += other.grants;
        self.redelivered += other.redelivered;
        self.withdrawn += other.withdrawn;
        self.early += other.early;
        self.prompted_twice += other.prompted_twice;
    }

    fn figure(&self, faults: Vec<String>) -> Figure {
        let Self {
            kills,
            events,
            turns,
            inputs,
            answers,
            grants,
            ..
        } = self;
        Figure::new(
            "controller killed by SIGKILL at random points and opened again on the same log, on SQLite",
            "0 lost, 0 doubled; grants, keys, interactions and the CLI's id survive",
        )
        .measured(
            format!(
                "{} sessions at fault, {kills} kills; acknowledged: {inputs} inputs, {answers} answers, {grants} grants",
                faults.len()
            ),
            faults.is_empty() && *kills >= cases(100, 10, 10) && *inputs > 0 && *answers > 0,
        )
        .note(format!(
            "{events} events in {turns} turns; after each kill, another owner gets the keys, the answers and the grants again; {} inputs that waited were delivered by it, {} interactions that were open were withdrawn, {} kills came before the session was open",
            self.redelivered, self.withdrawn, self.early
        ))
        .note(format!(
            "{} inputs reached two processes of the CLI: the owner was killed after it had sent them and before that was stored. The CLI knows them by their id.",
            self.prompted_twice
        ))
        .list("faults", faults)
    }
}

/// Runs a session whose owners are killed.
async fn session(path: PathBuf, number: u64, lives: u64) -> Tally {
    // The points differ from run to run.
    let mut random = Random::new(u64::from(std::process::id()) + number);
    let mut tally = Tally::default();
    let session = {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await;
        stores::create(&store.unwrap()).await
    };
    let (mut done, mut left) = (Vec::new(), Vec::new());
    for life in 0..lives {
        let setup = Setup {
            path: path.clone(),
            session: session.to_string(),
            seed: number * lives + life,
        };
        let delay = Duration::from_micros(random.below(15_000) as u64);
        let point = match random.chance(15) {
            true => Point::Time(25 * delay),
            false => Point::Operations(random.below(60), delay),
        };
        let killed = tokio::task::spawn_blocking(move || {
            Owner::start("killed::an_owner_runs_until_it_is_killed", &setup).kill(point)
        });
        let killed = killed.await.unwrap();
        tally.kills += 1;
        tally.early += u64::from(killed.is_empty());
        done.extend(killed);
        let next = Next::open(&path, session, &done, &mut tally).await;
        left.extend(next.check(life, &mut done, &mut random).await);
    }
    let log = log(&path).await;
    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let history = History::read(&events);
    history.has(&done);
    tally.events += events.len();
    tally.turns += history.turns;
    let mut prompted = BTreeMap::<&str, usize>::new();
    for done in &done {
        match done {
            Done::Input { .. } => tally.inputs += 1,
            Done::Answer { .. } => tally.answers += 1,
            Done::Granted(_) => tally.grants += 1,
            Done::Prompted { id } => *prompted.entry(id).or_default() += 1,
            _ => {}
        }
    }
    tally.prompted_twice += prompted.values().filter(|count| **count > 1).count();
    let items = events.iter().map(|event| Item::Event((**event).clone()));
    let items: Vec<Item> = items.collect();
    is_whole(&items).unwrap();
    reconnects::<UiProjection>(&items, &mut random, 4, from_the_log).unwrap();
    tally
}

async fn log(path: &Path) -> StoreLog {
    let store = SqliteStore::open(path, SqliteOptions::default()).await;
    StoreLog::new(Arc::new(store.unwrap()), stores::tenant())
}

fn text(key: &str) -> String {
    format!("Do {key}")
}

fn grant(session: SessionId, target: &str) -> Grant {
    let request = PermissionRequest {
        target_type: TargetType::Tool,
        target: target.to_owned(),
        level: PermissionLevel::Execute,
        description: String::new(),
        reason: None,
        recursive: false,
    };
    Grant::for_session(&request, session)
}

/// The process that is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_runs_until_it_is_killed() {
    let Some(setup) = owner::setup::<Setup>() else {
        return;
    };
    let session: SessionId = setup.session.parse().unwrap();
    let log = Arc::new(log(&setup.path).await);
    let epoch = stores::claim(&log, session, ClaimReason::Takeover).await;
    let controller = Controller::builder().log(log).build();
    let (_, front, peer) = sessions::open(&controller, |setup| {
        let setup = setup.tenant(TENANT).folder("/srv/app");
        setup.reopen(session).epoch(epoch)
    })
    .await;
    report(&Done::Opened { epoch });
    let [first, second, third, fourth] =
        [1, 2, 3, 4].map(|part| Random::new(setup.seed * 4 + part));
    tokio::join!(
        play(peer, epoch, first),
        send(&controller, session, epoch, second),
        answer(&controller, session, front, third),
        change_grants(&controller, session, epoch, fourth),
    );
}

/// Plays a CLI that asks for a permission or two in each turn.
async fn play(mut peer: Peer, epoch: u64, mut random: Random) {
    for turn in 0.. {
        let prompt = peer.prompt().await;
        let id = prompt["uuid"].as_str().unwrap().to_owned();
        report(&Done::Prompted { id });
        peer.begin(&prompt).await;
        for _ in 0..random.below(20) {
            peer.say(&random.text(200)).await;
        }
        for place in 0..random.below(3) {
            let call = format!("toolu_{epoch}_{turn}_{place}");
            peer.calls(&call).await;
            let command = COMMANDS[random.below(COMMANDS.len())];
            let request = peer.bash(&call, command).await;
            peer.answered(&request).await;
            peer.tool_ends(&call).await;
        }
        peer.end(&prompt).await;
    }
}

/// Sends inputs, some of them twice.
async fn send(controller: &Controller, session: SessionId, epoch: u64, mut random: Random) {
    for number in 0.. {
        let key = format!("in-{epoch}-{number}");
        for _ in 0..=usize::from(random.chance(20)) {
            let input = Input::text(session, &text(&key)).key(&key);
            match controller.input(input).await {
                Ok(receipt) => {
                    let (key, id) = (key.clone(), receipt.id.as_str().to_owned());
                    report(&Done::Input { key, id });
                }
                Err(ControllerError::QueueFull { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        pause(&mut random, 20).await;
    }
}

/// Answers permissions; some answers are remembered, and some are sent twice.
async fn answer(
    controller: &Controller,
    session: SessionId,
    mut front: FrontEnd,
    mut random: Random,
) {
    while let Some(message) = front.next().await {
        let UiMessage::PermissionRequired { tool_use_id, .. } = message else {
            continue;
        };
        pause(&mut random, 4).await;
        let key = format!("answer-{tool_use_id}");
        let mut response = PermissionResponse::allow().key(&key).by(&key);
        if random.chance(10) {
            response = response.remember(Remember::Session);
        }
        for _ in 0..=usize::from(random.chance(20)) {
            let registry = controller.permissions();
            let answered = registry.respond(session, &tool_use_id, response.clone());
            answered.await.unwrap();
            let (call, key) = (tool_use_id.clone(), key.clone());
            report(&Done::Answer { call, key });
        }
    }
}

/// Adds grants, and removes some.
async fn change_grants(
    controller: &Controller,
    session: SessionId,
    epoch: u64,
    mut random: Random,
) {
    let registry = controller.permissions();
    for number in 0.. {
        let grant = grant(session, &format!("tool-{epoch}-{number}"));
        registry.grant(TENANT, grant.clone()).await.unwrap();
        report(&Done::Granted(grant.clone()));
        if random.chance(50) {
            report(&Done::Revoking(grant.clone()));
            assert!(registry.revoke(TENANT, &grant).await.unwrap());
            report(&Done::Revoked(grant));
        }
        pause(&mut random, 40).await;
    }
}

async fn pause(random: &mut Random, most_ms: usize) {
    let micros = random.below(most_ms * 1_000) as u64;
    tokio::time::sleep(Duration::from_micros(micros)).await;
}

/// The owner after one that was killed.
struct Next {
    controller: Controller,
    session: SessionId,
    front: FrontEnd,
    peer: Peer,
    /// The log as the killed owner left it.
    history: History,
}

impl Next {
    /// Checks the log, and opens the session again.
    async fn open(path: &Path, session: SessionId, done: &[Done], tally: &mut Tally) -> Self {
        let log = Arc::new(log(path).await);
        let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
        let history = History::read(&events);
        history.has(done);
        tally.redelivered += history.waiting.len();
        tally.withdrawn += history.open.len();
        let epoch = stores::claim(&log, session, ClaimReason::Takeover).await;
        assert!(events.last().is_none_or(|last| last.epoch < epoch));
        let controller = Controller::builder().log(log).build();
        let (_, front, peer) = sessions::open(&controller, |setup| {
            let setup = setup.tenant(TENANT).folder("/srv/app");
            setup.reopen(session).epoch(epoch)
        })
        .await;
        Self {
            controller,
            session,
            front,
            peer,
            history,
        }
    }

    /// Repeats what was acknowledged, goes on, and goes to sleep. Returns itself if it is left to
    /// be fenced by the next owner.
    async fn check(
        mut self,
        life: u64,
        done: &mut Vec<Done>,
        random: &mut Random,
    ) -> Option<Controller> {
        let args = self.peer.launch().unwrap().args;
        let resumed = format!("--resume={CONVERSATION}");
        let is_resumed = args.iter().any(|arg| *arg == *resumed);
        assert_eq!(is_resumed, self.history.conversation.is_some(), "{args:?}");
        self.repeat_inputs().await;
        self.repeat_answers().await;
        let grants = self.controller.permissions().grants(TENANT).await;
        let names = |grants: &[Grant]| -> BTreeSet<String> {
            grants.iter().map(|grant| grant.target.clone()).collect()
        };
        assert_eq!(names(&grants), names(&self.history.grants));
        for waiting in std::mem::take(&mut self.history.waiting) {
            let prompt = self.peer.prompt().await;
            let id = prompt["uuid"].as_str().unwrap().to_owned();
            assert_eq!(id, waiting.as_str(), "inputs are delivered in order");
            done.push(Done::Prompted { id });
            self.peer.answer(&prompt, "Yes").await;
        }
        self.go_on(life, done).await;
        if random.chance(30) {
            return Some(self.controller);
        }
        let asleep = self.controller.sleep(self.session, Duration::ZERO);
        let closed = self.peer.while_closing(asleep).await.unwrap();
        assert_eq!(closed.log_error, None);
        None
    }

    /// Inputs with the same keys are the same inputs.
    async fn repeat_inputs(&self) {
        for input in &self.history.inputs {
            let key = input.key.as_ref().unwrap();
            let again = Input::text(self.session, &text(key)).key(key);
            let receipt = self.controller.input(again).await.unwrap();
            assert_eq!((&receipt.id, receipt.is_repeat), (&input.id, true), "{key}");
        }
    }

    /// Answers with the same keys are accepted, and others are not.
    async fn repeat_answers(&self) {
        let registry = self.controller.permissions();
        let respond = async |id: &str, key: &str| {
            let response = PermissionResponse::allow().key(key).by(key);
            registry.respond(self.session, id, response).await
        };
        for (id, key) in &self.history.answered {
            assert_eq!(respond(id.as_str(), key).await, Ok(()), "{key}");
            let by = Some(key.clone());
            let refused = Err(AnswerRefused::AlreadyAnswered { by });
            assert_eq!(respond(id.as_str(), "other").await, refused, "{key}");
        }
        for id in &self.history.open {
            let refused = Err(AnswerRefused::Withdrawn);
            assert_eq!(respond(id.as_str(), "other").await, refused, "{id:?}");
        }
    }

    /// Plays a turn: what is granted is not asked for, and everything else is.
    async fn go_on(&mut self, life: u64, done: &mut Vec<Done>) {
        let key = format!("next-{life}");
        let input = Input::text(self.session, &text(&key)).key(&key);
        let receipt = self.controller.input(input).await.unwrap();
        let id = receipt.id.as_str().to_owned();
        done.push(Done::Input { key, id });
        let prompt = self.peer.prompt().await;
        self.peer.begin(&prompt).await;
        for (number, command) in COMMANDS.into_iter().enumerate() {
            let call = format!("toolu_next_{life}_{number}");
            self.peer.calls(&call).await;
            let request = self.peer.bash(&call, command).await;
            let is_granted = self.history.grants.iter().any(|one| one.target == command);
            if !is_granted {
                let is_asked = |message: &UiMessage| matches!(message, UiMessage::PermissionRequired { tool_use_id, .. } if *tool_use_id == call);
                self.front.until(is_asked).await;
                let response = PermissionResponse::allow().key(&call).by(&call);
                let registry = self.controller.permissions();
                let answered = registry.respond(self.session, &call, response);
                answered.await.unwrap();
                let (call, key) = (call.clone(), call.clone());
                done.push(Done::Answer { call, key });
            }
            assert_eq!(self.peer.answered(&request).await["behavior"], "allow");
            self.peer.tool_ends(&call).await;
        }
        self.peer.end(&prompt).await;
        tokio::time::timeout(TIMEOUT, self.front.until_complete())
            .await
            .unwrap();
    }
}
