//! A gateway of the real CLI that is killed at random points of a turn and started again. Its
//! clients keep their cursors, and send and answer all the while.

mod driving;
mod outcomes;
mod process;
mod screens;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_gateway::client::Client;
use claw_gateway::{Devices, DialectName, Scope, SessionSpec};
use claw_server::event::{Fact, LifecycleState};
use claw_server::{
    Dialect, EventLog as _, MobileProjection, PageLimit, Sequenced, SessionEvent, UiMessage,
    UiProjection,
};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use self::driving::{answer, send, streamed};
use self::outcomes::Outcomes;
use self::process::{Process, Proxy, Setup};
use self::screens::{Read, Seen, Target, Text, follow};
use crate::killed::{Cli, is_alone};
use crate::phone::same;
use crate::place::{Place, tenant};
use crate::random::Random;

/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Random cursors from which new clients read in the end, for each client that stayed.
const CURSORS: usize = 10;
const DIALECTS: [DialectName; 4] = [
    DialectName::Events,
    DialectName::StreamJson,
    DialectName::Ui,
    DialectName::Mobile,
];

/// What a client of the events has seen.
#[derive(Debug, Default, Clone, Copy)]
struct Observed {
    frames: u64,
    /// Inputs that were processed or have failed.
    over: u64,
    /// Whether a turn runs that the present gateway has begun.
    in_turn: bool,
}

/// What a run showed.
#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    in_turn: u64,
    inputs: usize,
    losses: u64,
    cursors: usize,
    outcomes: Outcomes,
}

pub(crate) async fn figure(place: &Place, kills: u64) -> Figure {
    let run = tokio::spawn(session(place.clone(), kills)).await;
    let name = format!(
        "gateway killed by SIGKILL and restarted at random points of a turn of the real CLI, 8 \
         clients in four dialects on SSE and WebSocket, on {}",
        place.name()
    );
    let bar = "0 events lost, doubled or reordered for any cursor; 0 accepted inputs lost or \
               doubled; each turn has one truthful outcome";
    let figure = Figure::new(name, bar);
    let tally = match run {
        Ok(tally) => tally,
        Err(error) => return figure.measured(error.to_string(), false),
    };
    let Tally {
        outcomes, inputs, ..
    } = &tally;
    figure
        .measured(
            format!(
                "0 faults; {} kills, {} of them in a turn; {} events, {inputs} inputs",
                tally.kills, tally.in_turn, outcomes.events
            ),
            tally.in_turn >= kills && outcomes.lost_turns > 0 && tally.losses > 0,
        )
        .note(format!(
            "The clients lost {} connections and resumed from their own cursors; in the end each \
             has what a new client reads, except for deltas, and {} random cursors yield the rest.",
            tally.losses, tally.cursors
        ))
        .note(format!(
            "{} turns: {} completed, {} ended with the process; {} inputs were processed, {} \
             failed as possibly seen by the agent; {} interactions were answered, {} withdrawn. No \
             input is twice in the conversation that the model received.",
            outcomes.turns,
            outcomes.turns - outcomes.lost_turns,
            outcomes.lost_turns,
            outcomes.processed,
            outcomes.indeterminate,
            outcomes.answered,
            outcomes.withdrawn,
        ))
}

/// Runs a session whose gateways are killed.
async fn session(place: Place, kills: u64) -> Tally {
    let world = Arc::new(World::new().await.unwrap());
    world.api.fallback(streamed("It is done, and this is why."));
    // The points differ from run to run.
    let mut random = Random::new(u64::from(std::process::id()) + place.name().len() as u64);
    let proxy = Proxy::start().await;
    let url = format!("http://{}", proxy.address);
    let setup = Setup {
        place: place.clone(),
        cli: Cli::of(&world),
        public_url: url.clone(),
    };
    let devices = Devices::new(place.open().await);
    let added = devices.add(&tenant(), "laptop", Scope::Drive).await;
    let token = added.unwrap().1;
    let client = Client::new(&url, &token).unwrap().patience(TIMEOUT);
    let mut gateway = Process::start(&setup, &proxy).await;
    let spec = SessionSpec::new(world.project());
    let target = Target {
        session: client.create(&spec).await.unwrap().id,
        address: proxy.address,
        client,
        token,
    };

    let observed = watch::Sender::new(Observed::default());
    let ends = DIALECTS.map(|_| watch::Sender::new(u64::MAX));
    let screens = Screens::start(&target, &ends, &observed);
    let sent = watch::Sender::new(0);
    let is_last = Arc::new(Mutex::new(false));
    let sending = tokio::spawn(send(
        Arc::clone(&world),
        target.clone(),
        observed.subscribe(),
        (sent.clone(), Arc::clone(&is_last)),
        Random::new(random.next()),
    ));
    let answering = tokio::spawn(answer(target.clone(), Random::new(random.next())));

    let mut tally = Tally::default();
    loop {
        reach_a_point(&observed, &sent, &mut random).await;
        let in_turn = observed.borrow().in_turn;
        gateway.kill(&proxy).await;
        observed.send_modify(|observed| observed.in_turn = false);
        tally.kills += 1;
        tally.in_turn += u64::from(in_turn);
        gateway = Process::start(&setup, &proxy).await;
        if tally.in_turn >= kills {
            break;
        }
        assert!(tally.kills < 4 * kills + 20, "few turns begin: {tally:?}");
    }

    *is_last.lock().unwrap() = true;
    let all = timeout(TIMEOUT, sending)
        .await
        .expect("the last input is accepted");
    let all: Vec<String> = all.unwrap();
    tally.inputs = all.len();
    let mut over = observed.subscribe();
    let over = over.wait_for(|observed| observed.over >= all.len() as u64);
    let is_over = timeout(TIMEOUT, over).await.is_ok();
    assert!(
        is_over,
        "inputs without an outcome: {:?}",
        observed.borrow()
    );
    target.client.close(target.session).await.unwrap();
    let events = closed(&place, &target).await;
    answering.abort();
    for (dialect, end) in DIALECTS.into_iter().zip(&ends) {
        end.send_replace(last_cursor(dialect, &events));
    }
    let compared = screens.compare(&target, &ends, &mut random);
    let compared = timeout(TIMEOUT, compared).await;
    (tally.losses, tally.cursors) = compared.expect("the clients get everything");
    tally.outcomes = Outcomes::check(&events, &all, &world);
    gateway.kill(&proxy).await;
    is_alone(&world).await;
    tally
}

/// Waits for a random point: after some frames of a turn, soon after an input was accepted, or after
/// a time.
async fn reach_a_point(
    observed: &watch::Sender<Observed>,
    sent: &watch::Sender<u64>,
    random: &mut Random,
) {
    let delay = |random: &mut Random, most| Duration::from_millis(random.below(most) as u64);
    match random.below(100) {
        0..10 => tokio::time::sleep(delay(random, 2_000)).await,
        10..25 => {
            let before = *sent.borrow();
            let mut sent = sent.subscribe();
            let more = timeout(TIMEOUT, sent.wait_for(|count| *count > before)).await;
            more.expect("inputs are accepted").unwrap();
            tokio::time::sleep(delay(random, 30)).await;
        }
        _ => {
            let mut observed = observed.subscribe();
            let begun = timeout(TIMEOUT, observed.wait_for(|now| now.in_turn)).await;
            let reached = begun.expect("a turn begins").unwrap().frames + random.below(30) as u64;
            let more = observed.wait_for(|now| now.frames >= reached || !now.in_turn);
            let more = timeout(TIMEOUT, more).await;
            more.expect("the turn goes on").unwrap();
            tokio::time::sleep(delay(random, 60)).await;
        }
    }
}

/// Waits until the session is closed. Returns its log.
async fn closed(place: &Place, target: &Target) -> Vec<Arc<SessionEvent>> {
    let log = place.log().await;
    let closed = async {
        loop {
            let events = log.read(target.session, 0, PageLimit::ALL).await.unwrap();
            let is_end = |event: &Arc<SessionEvent>| matches!(&event.fact, Fact::Lifecycle(now) if now.state == LifecycleState::Closed);
            if events.iter().any(is_end) {
                return events;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let closed = timeout(TIMEOUT, closed).await;
    closed.expect("the session is closed")
}

/// The cursor of the last message of a log in a dialect.
fn last_cursor(dialect: DialectName, events: &[Arc<SessionEvent>]) -> u64 {
    fn of(dialect: impl Dialect, events: &[Arc<SessionEvent>]) -> u64 {
        let (mut dialect, mut messages) = (Sequenced::new(dialect, 0), Vec::new());
        for event in events {
            dialect.event(event, &mut messages);
        }
        messages.last().map_or(0, |message| message.after)
    }
    let mut lines = events.iter().rev();
    let is_line = |event: &&Arc<SessionEvent>| matches!(event.fact, Fact::Message(_));
    match dialect {
        DialectName::Ui => of(UiProjection::new(1), events),
        DialectName::Mobile => of(MobileProjection::new("session"), events),
        DialectName::StreamJson => lines.find(is_line).map_or(0, |event| event.sequence),
        _ => events.last().map_or(0, |event| event.sequence),
    }
}

/// The clients that follow through all kills: two of each dialect.
struct Screens {
    ui: Vec<tokio::task::JoinHandle<Seen<UiMessage>>>,
    others: Vec<(DialectName, tokio::task::JoinHandle<Seen<Text>>)>,
}

impl Screens {
    fn start(
        target: &Target,
        ends: &[watch::Sender<u64>; 4],
        observed: &watch::Sender<Observed>,
    ) -> Self {
        let (mut ui, mut others) = (Vec::new(), Vec::new());
        for (dialect, end) in DIALECTS.into_iter().zip(ends) {
            for is_socket in [false, true] {
                let (link, end) = (target.link(dialect, is_socket, 0), end.subscribe());
                if dialect == DialectName::Ui {
                    ui.push(tokio::spawn(follow(link, 0, end, |_| {})));
                    continue;
                }
                let observed = observed.clone();
                let is_observer = is_socket && dialect == DialectName::Events;
                let see = move |text: &str| {
                    if is_observer {
                        observed.send_modify(|observed| observe(observed, text));
                    }
                };
                others.push((dialect, tokio::spawn(follow(link, 0, end, see))));
            }
        }
        Self { ui, others }
    }

    /// Compares the clients with new ones. Returns the lost connections, and how many cursors were
    /// tried.
    async fn compare(
        self,
        target: &Target,
        ends: &[watch::Sender<u64>; 4],
        random: &mut Random,
    ) -> (u64, usize) {
        let (mut losses, mut cursors) = (0, 0);
        let end = |dialect| {
            let place = DIALECTS.iter().position(|one| *one == dialect);
            ends[place.unwrap()].subscribe()
        };
        for stayed in self.ui {
            let stayed = stayed.await.unwrap();
            losses += stayed.losses;
            let dialect = DialectName::Ui;
            cursors += read_again(&stayed, target, dialect, &end(dialect), random).await;
        }
        for (dialect, stayed) in self.others {
            let stayed = stayed.await.unwrap();
            losses += stayed.losses;
            cursors += read_again(&stayed, target, dialect, &end(dialect), random).await;
        }
        (losses, cursors)
    }
}

fn observe(observed: &mut Observed, text: &str) {
    observed.frames += 1;
    let message: Value = serde_json::from_str(text).unwrap();
    match message["event"]["kind"].as_str().unwrap_or_default() {
        "input_processed" | "input_failed" => observed.over += 1,
        "turn_started" => observed.in_turn = true,
        "turn_ended" => observed.in_turn = false,
        _ => {}
    }
}

/// Compares a client with new ones, from the start and from random cursors, on both transports.
/// Returns how many cursors were tried.
async fn read_again<M: Read>(
    stayed: &Seen<M>,
    target: &Target,
    dialect: DialectName,
    end: &watch::Receiver<u64>,
    random: &mut Random,
) -> usize {
    let read = async |is_socket, after| {
        let link = target.link(dialect, is_socket, after);
        let seen: Seen<M> = follow(link, after, end.clone(), |_| {}).await;
        assert_eq!(seen.losses, 0);
        seen.frames
    };
    let whole = read(false, 0).await;
    assert!(whole.len() > 10, "{dialect:?} has {} frames", whole.len());
    let all: Vec<&M> = whole.iter().map(|(_, message)| message).collect();
    same(&stayed.screen, &all).unwrap_or_else(|fault| panic!("{dialect:?}: {fault}"));
    for number in 0..CURSORS {
        let (after, _) = whole[random.below(whole.len())];
        // The frames after the first one that reached the cursor.
        let reached = whole.iter().position(|(one, _)| *one == after).unwrap();
        let rest = if after == 0 {
            &whole[..]
        } else {
            &whole[reached + 1..]
        };
        let resumed = read(number % 2 == 1, after).await;
        assert_eq!(resumed, rest, "{dialect:?} from {after}");
    }
    CURSORS
}
