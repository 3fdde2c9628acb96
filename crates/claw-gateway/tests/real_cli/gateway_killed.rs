//! A gateway of the real CLI that is killed at random points of a turn and started again. Its
//! clients keep their cursors, and send and answer all the while.

mod driving;
mod outcomes;
mod process;
mod proxy;
mod screens;
#[allow(dead_code, reason = "the tests of claw use the rest")]
mod stage;

use std::sync::Arc;
use std::time::Duration;

use claw_gateway::client::Client;
use claw_gateway::{Devices, Scope, SessionSpec};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use tokio::sync::watch;
use tokio::time::timeout;

use self::driving::{plan, streamed};
use self::outcomes::Outcomes;
use self::process::{Process, Setup};
use self::proxy::Proxy;
use self::screens::Target;
use self::stage::{Observed, Stage, TIMEOUT};
use crate::killed::{Cli, is_alone};
use crate::place::{Place, tenant};
use crate::random::Random;

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
            tally.in_turn >= kills && !outcomes.lost.is_empty() && tally.losses > 0,
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
            outcomes.turns - outcomes.lost.len(),
            outcomes.lost.len(),
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

    let stage = Stage::start(&world, target, plan, &mut random);
    let mut tally = Tally::default();
    loop {
        reach_a_point(&stage.observed, &stage.sent, &mut random).await;
        let in_turn = stage.observed.borrow().in_turn;
        gateway.kill(&proxy).await;
        stage
            .observed
            .send_modify(|observed| observed.in_turn = false);
        tally.kills += 1;
        tally.in_turn += u64::from(in_turn);
        gateway = Process::start(&setup, &proxy).await;
        if tally.in_turn >= kills {
            break;
        }
        assert!(tally.kills < 4 * kills + 20, "few turns begin: {tally:?}");
    }

    let log = place.log().await;
    let finished = stage.finish(&log, &mut random).await;
    tally.inputs = finished.keys.len();
    (tally.losses, tally.cursors) = (finished.losses, finished.cursors);
    tally.outcomes = Outcomes::check(&finished.events, &finished.keys, &world);
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
