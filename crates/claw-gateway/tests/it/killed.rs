//! Owners of sessions that are killed at random points. The next owner has everything
//! that they acknowledged, once.

use std::sync::Arc;
use std::time::Duration;

use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, EventLog as _, Input, PageLimit, SessionId, UiMessage, UiProjection,
};
use claw_store::ClaimReason;
use claw_testkit::figure::{Figure, record};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::acts::{Clients, repeat, text};
use crate::front_end::{FrontEnd, TIMEOUT};
use crate::history::History;
use crate::laws::is_whole;
use crate::owner::{self, Done, Owner, Point, report};
use crate::peer::Peer;
use crate::place::{self, Place, TENANT};
use crate::random::Random;
use crate::reconnecting::{from_the_log, reconnects};
use crate::recorded::Item;
use crate::sessions;
use crate::tally::Tally;
use crate::{cases, stores};

/// The lives of each session.
const LIVES: u64 = 10;
/// The sessions that run at the same time, in one store.
const AT_ONCE: usize = 3;
/// The conversation of the scripted CLI.
const CONVERSATION: &str = "5e5e";
const COMMANDS: [&str; 4] = ["make", "make test", "cargo build", "npm run lint"];

/// What an owner is to do.
#[derive(Debug, Serialize, Deserialize)]
struct Setup {
    place: Place,
    session: String,
    seed: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_owner_is_killed() {
    let (file, _folder) = Place::sqlite();
    let mut figures = vec![figure(&file).await];
    if stores::has_servers() {
        let (place, _servers) = Place::jetstream().await;
        figures.push(figure(&place).await);
    }
    record("killed", figures);
}

async fn figure(place: &Place) -> Figure {
    let kills = cases(100, 10);
    let sessions = kills.div_ceil(LIVES).max(AT_ONCE as u64);
    let lives = kills.div_ceil(sessions);
    let runs = (0..sessions).map(|number| {
        let place = place.clone();
        async move {
            let run = tokio::spawn(session(place, number, lives)).await;
            run.map_err(|error| format!("session {number}: {error}"))
        }
    });
    let runs = futures_util::stream::iter(runs).buffer_unordered(AT_ONCE);
    let runs: Vec<Result<Tally, String>> = runs.collect().await;
    let name = format!(
        "controller killed by SIGKILL at random points and opened again on the same log, on {}",
        place.name()
    );
    Tally::figure(name, kills, runs)
}

/// Runs a session whose owners are killed.
async fn session(place: Place, number: u64, lives: u64) -> Tally {
    // The points differ from run to run.
    let mut random = Random::new(u64::from(std::process::id()) + number);
    let mut tally = Tally::default();
    let session = place::create(place.open().await.as_ref()).await;
    let (mut done, mut left) = (Vec::new(), Vec::new());
    for life in 0..lives {
        let setup = Setup {
            place: place.clone(),
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
        let next = Next::open(&place, session, &done, &mut tally).await;
        left.extend(next.check(life, &mut done, &mut random).await);
    }
    let log = place.log().await;
    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    tally.count(&events, &done);
    let items = events.iter().map(|event| Item::Event((**event).clone()));
    let items: Vec<Item> = items.collect();
    is_whole(&items).unwrap();
    reconnects::<UiProjection>(&items, &mut random, 4, from_the_log).unwrap();
    tally
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
    let (_, front, peer) = sessions::open(&controller, |setup| {
        let setup = setup.tenant(TENANT).folder("/srv/app");
        setup.reopen(session).epoch(epoch)
    })
    .await;
    report(&Done::Opened { epoch });
    let clients = Clients {
        controller,
        session,
        epoch,
        pause: Duration::from_millis(20),
    };
    tokio::join!(
        play(peer, epoch, Random::new(setup.seed)),
        clients.act(front, setup.seed),
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
    async fn open(place: &Place, session: SessionId, done: &[Done], tally: &mut Tally) -> Self {
        let log = Arc::new(place.log().await);
        let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
        let history = History::read(&events);
        history.has(done);
        tally.redelivered += history.waiting.len();
        tally.withdrawn += history.open.len();
        let epoch = place::claim(&log, session, ClaimReason::Takeover).await;
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
        repeat(&self.controller, self.session, &self.history).await;
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
