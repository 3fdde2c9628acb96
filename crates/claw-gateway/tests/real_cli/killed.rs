//! Owners of a session of the real CLI that are killed at random points. The next owner has
//! everything that they acknowledged, once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{Fact, InputId};
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, EventLog, Input, PageLimit, SessionEvent, SessionId, SessionSetup, UiMessage,
};
use claw_store::ClaimReason;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{World, bash};
use claw_testkit::{Match, Turn, processes};
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acts::{Clients, repeat, text};
use crate::front_end::FrontEnd;
use crate::history::History;
use crate::owner::{self, Done, Owner, Point, report};
use crate::place::{self, Place, TENANT};
use crate::random::Random;
use crate::tally::Tally;

/// The inputs of an owner for which the model has a turn with a call.
const INPUTS: u64 = 40;
/// Commands for which the CLI asks.
const COMMANDS: [&str; 3] = ["touch one", "touch two", "mkdir -p three"];
/// The longest pause between inputs.
const PAUSE: Duration = Duration::from_millis(600);
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What an owner is to do.
#[derive(Debug, Serialize, Deserialize)]
struct Setup {
    place: Place,
    session: String,
    cli: Cli,
    seed: u64,
}

/// How the CLI is started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cli {
    binary: PathBuf,
    pub(crate) folder: PathBuf,
    environment: Vec<(String, OsString)>,
}

impl Cli {
    pub(crate) fn of(world: &World) -> Self {
        let environment = world.environment().into_iter();
        Self {
            binary: world.binary().to_owned(),
            folder: world.project(),
            environment: environment
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }

    pub(crate) fn options(&self) -> Options {
        let options = Options::new()
            .cli_path(&self.binary)
            .cwd(&self.folder)
            .env_clear()
            .permission_mode(PermissionMode::Default);
        let environment = self.environment.iter();
        environment.fold(options, |options, (name, value)| options.env(name, value))
    }

    fn setup(&self, session: SessionId, epoch: u64) -> SessionSetup {
        SessionSetup::new(self.options())
            .tenant(TENANT)
            .folder(&self.folder)
            .reopen(session)
            .epoch(epoch)
    }
}

pub(crate) async fn figure(place: &Place, kills: u64) -> Figure {
    let run = tokio::spawn(session(place.clone(), kills)).await;
    let name = format!(
        "controller of the real CLI killed by SIGKILL at random points and opened again on the \
         same log, on {}",
        place.name()
    );
    Tally::figure(name, kills, vec![run.map_err(|error| error.to_string())])
}

/// Runs a session whose owners are killed.
async fn session(place: Place, kills: u64) -> Tally {
    let world = World::new().await.unwrap();
    world.api.fallback(Turn::text("Done."));
    // The points differ from run to run.
    let seed = u64::from(std::process::id()) + place.name().len() as u64;
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let session = place::create(place.open().await.as_ref()).await;
    let mut done = Vec::new();
    let mut epoch = 0;
    for life in 0..kills {
        // The epochs of the owner and of the next one.
        for epoch in epoch + 1..=epoch + 2 {
            plan(&world, epoch, &mut random);
        }
        let setup = Setup {
            place: place.clone(),
            session: session.to_string(),
            cli: Cli::of(&world),
            seed: seed + life,
        };
        let delay = Duration::from_millis(random.below(2_000) as u64);
        let point = match random.chance(15) {
            true => Point::Time(delay),
            false => Point::Operations(1 + random.below(15), delay),
        };
        let killed = tokio::task::spawn_blocking(move || {
            Owner::start("killed::an_owner_runs_until_it_is_killed", &setup).kill(point)
        });
        let killed = killed.await.unwrap();
        tally.kills += 1;
        tally.early += u64::from(killed.is_empty());
        done.extend(killed);
        epoch = next(&place, &world, session, &mut done, &mut tally).await;
    }
    let events = place.log().await.read(session, 0, PageLimit::ALL).await;
    let events = events.unwrap();
    tally.count(&events, &done);
    tally.prompted_twice = prompted_twice(&world, &events);
    is_alone(&world).await;
    tally
}

/// The model calls a tool for most inputs.
fn plan(world: &World, epoch: u64, random: &mut Random) {
    let keys = (0..INPUTS).map(|number| format!("in-{epoch}-{number}"));
    for key in keys.chain([format!("next-{epoch}")]) {
        if random.chance(80) {
            let command = COMMANDS[random.below(COMMANDS.len())];
            let call = bash(&key.replace('-', "_"), command);
            world
                .api
                .turn(call.when(Match::new().last_user_text(text(&key))));
        }
    }
}

/// The process that is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_runs_until_it_is_killed() {
    let Some(setup) = owner::setup::<Setup>() else {
        return;
    };
    let session: SessionId = setup.session.parse().unwrap();
    let log = Arc::new(setup.place.log().await);
    let epoch = place::claim(&log, session, ClaimReason::Takeover).await;
    let controller = Controller::builder().log(log).build();
    let (front, sink) = FrontEnd::holding(1024);
    let opened = controller.open(setup.cli.setup(session, epoch).sink(sink));
    opened.await.unwrap();
    report(&Done::Opened { epoch });
    let clients = Clients {
        controller,
        session,
        epoch,
        pause: PAUSE,
    };
    clients.act(front, setup.seed).await;
}

/// Opens the session after a kill: repeats what was acknowledged, lets the inputs that wait and one
/// more run to their end, and goes to sleep. Returns the epoch.
async fn next(
    place: &Place,
    world: &World,
    session: SessionId,
    done: &mut Vec<Done>,
    tally: &mut Tally,
) -> u64 {
    let log = Arc::new(place.log().await);
    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let history = History::read(&events);
    history.has(done);
    tally.redelivered += history.waiting.len();
    tally.withdrawn += history.open.len();
    let epoch = place::claim(&log, session, ClaimReason::Takeover).await;
    let controller = Controller::builder().log(log.clone()).build();
    let (mut front, sink) = FrontEnd::holding(1024);
    let setup = Cli::of(world).setup(session, epoch).sink(sink);
    controller.open(setup).await.unwrap();
    repeat(&controller, session, &history).await;
    let key = format!("next-{epoch}");
    let input = Input::text(session, &text(&key)).key(&key);
    let receipt = controller.input(input).await.unwrap();
    let id = receipt.id.as_str().to_owned();
    done.push(Done::Input { key, id });
    let answers = async {
        loop {
            let message = front.next().await.expect("the session goes on");
            if let UiMessage::PermissionRequired { tool_use_id, .. } = message {
                let key = format!("answer-{tool_use_id}");
                let response = PermissionResponse::allow().key(&key).by(&key);
                let registry = controller.permissions();
                let answered = registry.respond(session, &tool_use_id, response);
                answered.await.unwrap();
                let call = tool_use_id;
                done.push(Done::Answer { call, key });
            }
        }
    };
    let after = events.last().map_or(0, |event| event.sequence);
    let processed = tokio::time::timeout(TIMEOUT, processed(&*log, session, after, &receipt.id));
    tokio::select! {
        () = answers => {}
        processed = processed => processed.expect("the input is processed in time"),
    }
    let closed = controller
        .sleep(session, Duration::from_secs(10))
        .await
        .unwrap();
    assert_eq!(closed.log_error, None);
    assert_eq!(closed.cut_off_turn, None, "{closed:?}");
    epoch
}

/// Waits until the log says that an input is processed.
async fn processed(log: &dyn EventLog, session: SessionId, mut after: u64, input: &InputId) {
    loop {
        let events = log.read(session, after, PageLimit::ALL).await.unwrap();
        let is_end = |fact: &Fact| matches!(fact, Fact::InputProcessed(id) if id == input);
        if events.iter().any(|event| is_end(&event.fact)) {
            return;
        }
        after = events.last().map_or(after, |event| event.sequence);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Returns how many inputs are in the conversation twice. Fails if it does not have all that were
/// processed: then a CLI has begun another one.
fn prompted_twice(world: &World, events: &[Arc<SessionEvent>]) -> usize {
    let requests = world.message_requests();
    let requests = requests.iter();
    let longest = requests.max_by_key(|request| request.messages().len());
    let conversation = Value::from(longest.expect("a request").messages()).to_string();
    let mut keys = BTreeMap::new();
    let mut twice = 0;
    for event in events {
        match &event.fact {
            Fact::InputAccepted(input) => {
                keys.insert(&input.id, input.key.clone().expect("inputs have keys"));
            }
            Fact::InputProcessed(id) => {
                let count = conversation.matches(&text(&keys[id])).count();
                assert!(count > 0, "{} is not in {conversation}", keys[id]);
                twice += usize::from(count > 1);
            }
            _ => {}
        }
    }
    twice
}

/// The CLIs of killed owners have ended.
pub(crate) async fn is_alone(world: &World) {
    let mark = format!("CLAUDE_CONFIG_DIR={}", world.config().display());
    let ended = async {
        while !processes::carrying(std::slice::from_ref(&mark)).is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let ended = tokio::time::timeout(TIMEOUT, ended).await;
    ended.expect("a CLI outlives its session");
}
