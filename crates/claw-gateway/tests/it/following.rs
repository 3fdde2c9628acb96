//! Resumability on stores: sessions are appended while clients read and follow them, and clients
//! that are cut off end up with the same messages as one that stayed.

use std::sync::Arc;
use std::time::Duration;

use claw_server::{
    EventLog, Fence, Follower, LogError, MobileProjection, PageLimit, Sequenced, SequencedMessage,
    SessionEvent, SessionId, UiProjection,
};
use claw_store::ClaimReason;
use claw_testkit::figure::{Figure, record};
use futures_util::StreamExt as _;
use tokio::sync::{mpsc, watch};

use crate::laws::project;
use crate::phone::{Client, same};
use crate::random::Random;
use crate::reconnecting::Resumable;
use crate::recorded::{self, Item};
use crate::stores::{self, Row};
use crate::unsteady::Unsteady;
use crate::{cases, generator};

/// The sessions that are written at the same time.
const AT_ONCE: usize = 16;
/// How many of a hundred appends are lost, and of how many the reply.
const FAILURES: usize = 10;
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(100);

/// What the cases contained.
#[derive(Default)]
struct Tally {
    events: u64,
    appends: u64,
    failures: u64,
    pages: u64,
    returns: u64,
}

/// The followers of a process, which keep projections for all their clients.
struct Followers {
    ui: Arc<Follower<UiProjection>>,
    mobile: Arc<Follower<MobileProjection>>,
}

impl Followers {
    fn new(log: impl EventLog) -> Self {
        let log: Arc<dyn EventLog> = Arc::new(log);
        let ui = Follower::new(Arc::clone(&log), |_| UiProjection::new(1));
        let mobile = Follower::new(log, |_| MobileProjection::new("sess_1"));
        Self {
            ui: Arc::new(ui),
            mobile: Arc::new(mobile),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_stores_resume_anywhere() {
    let mut sessions: Vec<(String, Vec<Item>)> = Vec::new();
    // A plain test has a time limit.
    let step = cases(1, 10) as usize;
    let recorded = recorded::all().into_iter().step_by(step);
    sessions.extend(recorded.map(|session| (session.name, session.items)));
    let generated = 0..cases(500, 100);
    sessions.extend(generated.map(|seed| (format!("seed {seed}"), generator::session(seed))));
    let mut figures = Vec::new();
    for row in stores::with_servers().await {
        figures.push(figure(&row, &sessions).await);
    }
    record("laws", figures);
}

async fn figure(row: &Row, sessions: &[(String, Vec<Item>)]) -> Figure {
    let followers = [
        Followers::new(row.log()),
        Followers::new(row.log_elsewhere()),
    ];
    let checks = sessions.iter().enumerate().map(|(number, (name, items))| {
        let check = check(row, &followers, items, number as u64);
        async move {
            let checked = tokio::time::timeout(TIMEOUT, check).await;
            let checked = checked.unwrap_or_else(|_| Err(format!("not within {TIMEOUT:?}")));
            checked.map_err(|fault| format!("{name}: {fault}"))
        }
    });
    let checks = futures_util::stream::iter(checks).buffer_unordered(AT_ONCE);
    let checked: Vec<Result<Tally, String>> = checks.collect().await;
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    for checked in checked {
        match checked {
            Err(fault) => faults.push(fault),
            Ok(one) => {
                tally.events += one.events;
                tally.appends += one.appends;
                tally.failures += one.failures;
                tally.pages += one.pages;
                tally.returns += one.returns;
            }
        }
    }
    let count = sessions.len() as u64;
    Figure::new(
        format!("resumability on {}: clients that are cut off and resume from the store, while it is written", row.name),
        "0 lost, 0 doubled",
    )
    .measured(
        format!("{} of {count} sessions differ; {} returns", faults.len(), tally.returns),
        faults.is_empty() && tally.returns > count && tally.failures > count / 4,
    )
    .note(format!(
        "{} events in {} appends, of which {} were reported as failed, before or after they took effect, and repeated; {} pages of random size",
        tally.events, tally.appends, tally.failures, tally.pages
    ))
    .note("In each session four clients follow, in two dialects and over two handles of the store: those that stay, and those that are cut off after random messages and resume from their cursor.")
    .list("faults", faults)
}

/// Writes a session while clients read and follow it.
async fn check(
    row: &Row,
    followers: &[Followers; 2],
    items: &[Item],
    seed: u64,
) -> Result<Tally, String> {
    let mut random = Random::new(seed);
    let session = stores::create(row.store.as_ref()).await;
    let log = row.log();
    let epoch = stores::claim(&log, session, ClaimReason::Open).await;
    let log = Unsteady::new(log, FAILURES, seed);
    let events: Vec<Arc<SessionEvent>> = items
        .iter()
        .filter_map(|item| item.event().cloned().map(Arc::new))
        .collect();
    let [here, elsewhere] = followers;
    let mut others = [(); 5].map(|()| Random::new(random.next()));
    let [first, second, third, fourth, fifth] = &mut others;
    let (appends, pages, stayed, stayed_elsewhere, returns, more_returns) = tokio::join!(
        write(&*log, session, epoch, items, &mut random),
        read(&*log, session, &events, first),
        client(&here.ui, session, items, second, false),
        client(&elsewhere.mobile, session, items, third, false),
        client(&elsewhere.ui, session, items, fourth, true),
        client(&here.mobile, session, items, fifth, true),
    );
    stayed?;
    stayed_elsewhere?;
    let stored = row.log_elsewhere().read(session, 0, PageLimit::ALL).await;
    if stored.map_err(words)? != events {
        return Err("another process reads other events".to_owned());
    }
    Ok(Tally {
        events: events.len() as u64,
        appends: appends?,
        failures: log.failures(),
        pages: pages?,
        returns: returns? + more_returns?,
    })
}

fn words(error: LogError) -> String {
    error.to_string()
}

/// Appends the events in batches of random size, and publishes the deltas. Repeats an append until
/// it succeeds. Returns the number of calls.
async fn write(
    log: &dyn EventLog,
    session: SessionId,
    epoch: u64,
    items: &[Item],
    random: &mut Random,
) -> Result<u64, String> {
    let (mut appends, mut expected_last, mut rest) = (0, 0, items);
    while !rest.is_empty() {
        let (batch, after) = rest.split_at((1 + random.below(40)).min(rest.len()));
        rest = after;
        let events: Vec<_> = batch
            .iter()
            .filter_map(|item| item.event().cloned().map(Arc::new))
            .collect();
        let fence = Fence {
            epoch,
            expected_last,
        };
        while !events.is_empty() {
            appends += 1;
            match log.append(session, fence, &events).await {
                Ok(()) => break,
                Err(error) if error.is_temporary() => {}
                Err(error) => return Err(words(error)),
            }
        }
        expected_last += events.len() as u64;
        if random.chance(40) {
            tokio::time::sleep(Duration::from_millis(random.below(4) as u64)).await;
        }
        for item in batch {
            if let Item::Delta(delta) = item {
                log.live(session, &Arc::new(delta.clone()));
            }
        }
    }
    Ok(appends)
}

/// Reads the events in pages of random size until it has all. Returns the number of pages.
async fn read(
    log: &dyn EventLog,
    session: SessionId,
    events: &[Arc<SessionEvent>],
    random: &mut Random,
) -> Result<u64, String> {
    let (mut count, mut seen) = (0, 0);
    while seen < events.len() {
        let limit = PageLimit::events(1 + random.below(60));
        let limit = match random.chance(50) {
            true => limit.bytes(random.below(30_000)),
            false => limit,
        };
        let page = log.read(session, seen as u64, limit).await.map_err(words)?;
        let wanted = limit.page(events[seen..].iter().cloned());
        // More may be appended at any time, but what is there is the next part.
        if !wanted.starts_with(&page) {
            return Err(format!("a page after {seen} with {limit:?} differs"));
        }
        if page.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        seen += page.len();
        count += 1;
    }
    Ok(count)
}

/// Follows a session to the message with the last cursor, and compares.
async fn client<D: Resumable + Clone>(
    follower: &Arc<Follower<D>>,
    session: SessionId,
    items: &[Item],
    random: &mut Random,
    is_cut: bool,
) -> Result<u64, String> {
    let (_, end) = watch::channel(last_cursor::<D>(items));
    let (client, returns) = follow(follower, session, end, random, is_cut).await?;
    shows::<D>(&client, items)?;
    Ok(returns)
}

/// Fails if a client does not show a session.
pub(crate) fn shows<D: Resumable>(
    client: &Client<D::Message>,
    items: &[Item],
) -> Result<(), String> {
    let all = project::<D>(items);
    let all: Vec<&D::Message> = all.iter().collect();
    same(client, &all).map_err(|fault| format!("{}: {fault}", D::NAME))
}

/// Follows a session from the start until the cursor is at the end, which may be set later. Returns
/// the number of times that it was cut off.
pub(crate) async fn follow<D: Resumable + Clone>(
    follower: &Arc<Follower<D>>,
    session: SessionId,
    mut end: watch::Receiver<u64>,
    random: &mut Random,
    is_cut: bool,
) -> Result<(Client<D::Message>, u64), String> {
    let mut client = Client::new();
    let (mut returns, mut patience) = (0, 8);
    while client.after < *end.borrow() {
        let (sink, mut connection) = mpsc::channel(1 + random.below(20));
        let following = tokio::spawn({
            let (follower, after) = (Arc::clone(follower), client.cut());
            async move { follower.follow(session, after, sink).await }
        });
        // A client that is always cut off at the same message makes no progress.
        patience -= 1;
        let mut messages = match is_cut && patience > 0 {
            true => random.below(40),
            false => usize::MAX,
        };
        while messages > 0 && client.after < *end.borrow() {
            let message = tokio::select! {
                message = connection.recv() => message,
                Ok(()) = end.changed() => continue,
            };
            let Some(message) = message else {
                let why = following.await;
                return Err(format!("{}: the connection ended: {why:?}", D::NAME));
            };
            client.take(message);
            messages -= 1;
        }
        returns += u64::from(client.after < *end.borrow());
        following.abort();
        if random.chance(20) {
            tokio::time::sleep(Duration::from_millis(random.below(10) as u64)).await;
        }
    }
    Ok((client, returns))
}

/// The cursor of the last message.
pub(crate) fn last_cursor<D: Resumable>(items: &[Item]) -> u64 {
    let mut dialect = Sequenced::new(D::fresh(), 0);
    let mut messages: Vec<SequencedMessage<D::Message>> = Vec::new();
    for item in items.iter().filter(|item| item.event().is_some()) {
        item.send_to(&mut dialect, &mut messages);
    }
    messages.last().map_or(0, |message| message.after)
}
