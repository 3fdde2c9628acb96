//! Permissions of sessions on stores: batches, and the first answer wins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use claw_server::event::Fact;
use claw_server::interactions::AnswerRefused;
use claw_server::{Follower, Input, SessionEvent, UiProjection};
use claw_testkit::figure::{Figure, record};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use tokio::sync::watch;

use crate::batch_screen::Screen;
use crate::cases;
use crate::following::{follow, last_cursor, shows};
use crate::laws::is_whole;
use crate::random::Random;
use crate::reconnecting::{from_the_log, reconnects};
use crate::recorded::Item;
use crate::stores::{self, Row};

mod stage;

use stage::{Stage, response};

/// The sessions that run at the same time.
const AT_ONCE: usize = 16;
/// The answers that are sent at the same time, and the keys that they share.
const ANSWERERS: usize = 12;
const KEYS: usize = 6;

#[derive(Default)]
struct Tally {
    asked: usize,
    grown: usize,
    races: usize,
    failures: u64,
    returns: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_on_stores_count_once() {
    let mut figures = Vec::new();
    for row in stores::with_servers().await {
        figures.push(figure(Arc::new(row)).await);
    }
    record("answers", figures);
}

async fn figure(row: Arc<Row>) -> Figure {
    let count = cases(200, 24);
    let runs = (0..count).map(|seed| {
        let run = tokio::spawn(run(Arc::clone(&row), seed));
        async move { run.await.map_err(|error| format!("seed {seed}: {error}")) }
    });
    let runs = futures_util::stream::iter(runs).buffer_unordered(AT_ONCE);
    let runs: Vec<Result<Tally, String>> = runs.collect().await;
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    for run in runs {
        match run {
            Err(fault) => faults.push(fault),
            Ok(one) => {
                tally.asked += one.asked;
                tally.grown += one.grown;
                tally.races += one.races;
                tally.failures += one.failures;
                tally.returns += one.returns;
            }
        }
    }
    let least = count as usize;
    Figure::new(
        format!("batches and first answer wins, by a controller on {}", row.name),
        "each shown in its place, one winner, stored once",
    )
    .measured(
        format!(
            "{} of {count} sessions differ; {} permissions, {} batches that grew, {} races of {ANSWERERS} answers",
            faults.len(), tally.asked, tally.grown, tally.races
        ),
        faults.is_empty() && tally.grown >= least && tally.races >= least && tally.failures > 0,
    )
    .note(format!(
        "Each session is taken over by another process, which has the answers, the keys and what was open; {} appends failed and were repeated; {} clients were cut off and resumed.",
        tally.failures, tally.returns
    ))
    .list("faults", faults)
}

/// Answers, takes over, and answers again. Fails by panicking.
async fn run(row: Arc<Row>, seed: u64) -> Tally {
    let mut random = Random::new(seed);
    let session = stores::create(row.store.as_ref()).await;
    let (finish, end) = watch::channel(u64::MAX);
    let clients = [false, true].map(|is_cut| {
        let follower = Follower::new(Arc::new(row.log_elsewhere()), |_| UiProjection::new(1));
        let (follower, end, mut random) = (Arc::new(follower), end.clone(), Random::new(!seed));
        tokio::spawn(async move { follow(&follower, session, end, &mut random, is_cut).await })
    });
    let mut tally = Tally::default();
    // The key of the answer that counts, by call.
    let mut answered = BTreeMap::new();
    let mut stage = Stage::open(row.log(), session, seed).await;
    for step in 0..5 {
        batch(&mut stage, step, &mut random, &mut tally, &mut answered).await;
        race(&mut stage, step, &mut random, &mut tally, &mut answered).await;
    }
    stage.ask("toolu_left").await;
    stage.settle().await;
    let open: BTreeSet<String> = stage.open.keys().cloned().collect();
    tally.grown += stage.screen.grown;
    tally.failures += stage.log.failures();

    let mut next = Stage::open(row.log_elsewhere(), session, !seed).await;
    let late = stage.controller.input(Input::text(session, "Late")).await;
    assert!(late.is_err(), "the owner is fenced: {late:?}");
    for (call, key) in &answered {
        assert_eq!(next.respond(call, key).await, Ok(()), "{call}");
        let by = Some(key.clone());
        let other = next.respond(call, "other").await;
        assert_eq!(other, Err(AnswerRefused::AlreadyAnswered { by }), "{call}");
    }
    for call in &open {
        let refused = next.respond(call, "other").await;
        assert_eq!(refused, Err(AnswerRefused::Withdrawn), "{call}");
    }
    batch(&mut next, 9, &mut random, &mut tally, &mut answered).await;
    race(&mut next, 9, &mut random, &mut tally, &mut answered).await;
    let mut last = BTreeMap::new();
    for (call, id) in std::mem::take(&mut next.open) {
        assert_eq!(next.respond(&call, "last").await, Ok(()));
        last.insert(id, "last".to_owned());
        answered.insert(call, "last".to_owned());
    }
    next.received(last).await;
    next.settle().await;
    tally.grown += next.screen.grown;
    tally.failures += next.log.failures();
    let prompt = next.prompt.clone();
    next.peer.end(&prompt).await;
    let controller = next.controller.clone();
    next.peer.close(&controller, session).await;

    let events = next.events().await;
    check(&events, &answered);
    let events = events.iter().map(|event| Item::Event((**event).clone()));
    let items: Vec<Item> = events.collect();
    is_whole(&items).unwrap();
    reconnects::<UiProjection>(&items, &mut random, 4, from_the_log).unwrap();
    finish.send(last_cursor::<UiProjection>(&items)).unwrap();
    for client in clients {
        let (client, returns) = client.await.unwrap().unwrap();
        shows::<UiProjection>(&client, &items).unwrap();
        let mut screen = Screen::default();
        client
            .messages()
            .for_each(|message| screen.take(message.clone()));
        assert_eq!(screen.places(), BTreeMap::new());
        tally.returns += returns;
    }
    tally
}

/// Asks for several permissions, and answers some of them, by name or by place, or cancels one.
async fn batch(
    stage: &mut Stage,
    step: usize,
    random: &mut Random,
    tally: &mut Tally,
    answered: &mut BTreeMap<String, String>,
) {
    // While the agent writes a message, the calls that it asks for are all of this message.
    stage.peer.begins_text().await;
    for place in 0..=random.below(4) {
        stage.ask(&format!("toolu_{step}_{place}")).await;
        tally.asked += 1;
        if random.chance(30) {
            stage.settle().await;
        }
    }
    stage.settle().await;
    let mut by_batch = BTreeMap::<String, Vec<(u32, String)>>::new();
    for (call, place) in stage.places().await {
        match place {
            Some((batch, index)) => by_batch.entry(batch).or_default().push((index, call)),
            None if random.chance(70) => answer(stage, &call, step, answered).await,
            None => {}
        }
    }
    for (batch, mut places) in by_batch {
        places.retain(|_| random.chance(70));
        let key = |index: u32| format!("{batch}/{index}");
        let responses = places
            .iter()
            .map(|(index, _)| (*index, response(&key(*index))));
        let registry = stage.controller.permissions();
        let results = registry.respond_to_batch(stage.session, &batch, responses.collect());
        assert!(results.await.iter().all(Result::is_ok), "{batch}");
        let mut answers = BTreeMap::new();
        for (index, call) in places {
            answers.insert(stage.open.remove(&call).unwrap(), key(index));
            answered.insert(call, key(index));
        }
        stage.received(answers).await;
    }
    if random.chance(30)
        && let Some((_, request)) = stage.open.pop_first()
    {
        stage.peer.cancel(&request).await;
    }
    stage.settle().await;
}

async fn answer(
    stage: &mut Stage,
    call: &str,
    step: usize,
    answered: &mut BTreeMap<String, String>,
) {
    let key = format!("{call} in {step}");
    assert_eq!(stage.respond(call, &key).await, Ok(()));
    let request = stage.open.remove(call).unwrap();
    stage
        .received(BTreeMap::from([(request, key.clone())]))
        .await;
    answered.insert(call.to_owned(), key);
}

/// Sends many answers at once, some of them twice.
async fn race(
    stage: &mut Stage,
    step: usize,
    random: &mut Random,
    tally: &mut Tally,
    answered: &mut BTreeMap<String, String>,
) {
    let call = format!("toolu_{step}_race");
    stage.ask(&call).await;
    tally.asked += 1;
    tally.races += 1;
    stage.settle().await;
    let first = random.below(KEYS);
    let answers = (0..ANSWERERS).map(|number| {
        let key = format!("{call}/{}", (number + first) % KEYS);
        let (controller, session, call) = (stage.controller.clone(), stage.session, call.clone());
        tokio::spawn(async move {
            let registry = controller.permissions();
            (registry.respond(session, &call, response(&key)).await, key)
        })
    });
    let results = join_all(answers).await.into_iter().map(Result::unwrap);
    let (won, lost): (Vec<_>, Vec<_>) = results.partition(|(result, _)| result.is_ok());
    let keys: BTreeSet<String> = won.iter().map(|(_, key)| key.clone()).collect();
    let [key] = Vec::from_iter(keys).try_into().expect("one key wins");
    assert_eq!(won.len(), ANSWERERS / KEYS, "repeats of {key} are accepted");
    let by = Some(key.clone());
    let refused = Err(AnswerRefused::AlreadyAnswered { by });
    assert!(
        lost.iter().all(|(result, _)| *result == refused),
        "{lost:?}"
    );
    let request = stage.open.remove(&call).unwrap();
    stage
        .received(BTreeMap::from([(request, key.clone())]))
        .await;
    answered.insert(call, key);
}

/// Every interaction ends once, and every accepted answer is stored once.
fn check(events: &[Arc<SessionEvent>], answered: &BTreeMap<String, String>) {
    let (mut open, mut over) = (BTreeSet::new(), BTreeMap::new());
    for (event, sequence) in events.iter().zip(1..) {
        assert_eq!(event.sequence, sequence);
        let (id, key) = match &event.fact {
            Fact::InteractionOpened(opened) => {
                assert!(open.insert(opened.id.as_str()), "{event:?}");
                continue;
            }
            Fact::InteractionAnswered(answer) => (&answer.id, answer.key.clone()),
            Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => (id, None),
            _ => continue,
        };
        assert!(open.remove(id.as_str()), "{event:?}");
        over.insert(id.as_str().to_owned(), key);
    }
    assert!(open.is_empty(), "{open:?}");
    over.retain(|_, key| key.is_some());
    let answered = answered
        .iter()
        .map(|(call, key)| (call.clone(), Some(key.clone())));
    assert_eq!(over, answered.collect());
}
