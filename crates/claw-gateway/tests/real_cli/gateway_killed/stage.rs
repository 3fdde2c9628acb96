//! A session that clients follow, drive and answer, and what they have in the end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_gateway::{DialectName, StoreLog};
use claw_server::event::{Fact, LifecycleState};
use claw_server::{
    Dialect, EventLog as _, MobileProjection, PageLimit, Sequenced, SessionEvent, UiMessage,
    UiProjection,
};
use claw_testkit::real_cli::World;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::driving::{Plan, answer, send};
use super::screens::{Read, Seen, Target, Text, follow};
use crate::phone::same;
use crate::random::Random;

/// Only ends a hang.
pub(super) const TIMEOUT: Duration = Duration::from_secs(180);
/// Random cursors from which new clients read in the end, for each client that stayed.
const CURSORS: usize = 10;
const DIALECTS: [DialectName; 4] = [
    DialectName::Events,
    DialectName::StreamJson,
    DialectName::Ui,
    DialectName::Mobile,
];

/// What a client of the events has seen.
#[derive(Debug, Default, Clone)]
pub(super) struct Observed {
    pub(super) frames: u64,
    /// Inputs that were processed or have failed.
    pub(super) over: u64,
    /// Whether a turn runs that the present gateway has begun.
    pub(super) in_turn: bool,
    /// How many frames of each kind: kinds of events, types of messages, and `delta`.
    kinds: BTreeMap<String, u64>,
}

impl Observed {
    pub(super) fn count(&self, kind: &str) -> u64 {
        self.kinds.get(kind).copied().unwrap_or_default()
    }

    fn see(&mut self, text: &str) {
        self.frames += 1;
        let message: Value = serde_json::from_str(text).unwrap();
        let event = &message["event"];
        let kind = event["kind"].as_str().unwrap_or("delta");
        match kind {
            "input_processed" | "input_failed" => self.over += 1,
            "turn_started" => self.in_turn = true,
            "turn_ended" => self.in_turn = false,
            _ => {}
        }
        let line = event["body"]["type"].as_str().filter(|_| kind == "message");
        *self
            .kinds
            .entry(line.unwrap_or(kind).to_owned())
            .or_default() += 1;
    }
}

/// A session that clients follow, drive and answer while processes are killed.
pub(super) struct Stage {
    pub(super) world: Arc<World>,
    pub(super) target: Target,
    pub(super) observed: watch::Sender<Observed>,
    /// How many inputs were accepted.
    pub(super) sent: watch::Sender<u64>,
    ends: [watch::Sender<u64>; 4],
    screens: Screens,
    is_last: Arc<Mutex<bool>>,
    sending: JoinHandle<Vec<String>>,
    answering: JoinHandle<()>,
}

/// What a session has in the end.
pub(super) struct Finished {
    pub(super) events: Vec<Arc<SessionEvent>>,
    /// The keys of the accepted inputs.
    pub(super) keys: Vec<String>,
    /// How many connections the clients lost.
    pub(super) losses: u64,
    /// How many cursors were tried.
    pub(super) cursors: usize,
}

impl Stage {
    /// Starts the clients. `plan` adds the turns of the model for an input.
    pub(super) fn start(
        world: &Arc<World>,
        target: Target,
        plan: Plan,
        random: &mut Random,
    ) -> Self {
        let observed = watch::Sender::new(Observed::default());
        let ends = DIALECTS.map(|_| watch::Sender::new(u64::MAX));
        let screens = Screens::start(&target, &ends, &observed);
        let sent = watch::Sender::new(0);
        let is_last = Arc::new(Mutex::new(false));
        let sending = tokio::spawn(send(
            (Arc::clone(world), plan),
            target.clone(),
            observed.subscribe(),
            (sent.clone(), Arc::clone(&is_last)),
            Random::new(random.next()),
        ));
        let answering = tokio::spawn(answer(target.clone(), Random::new(random.next())));
        Self {
            world: Arc::clone(world),
            target,
            observed,
            sent,
            ends,
            screens,
            is_last,
            sending,
            answering,
        }
    }

    /// Waits until all inputs are over, closes the session, and compares the clients with new ones.
    pub(super) async fn finish(self, log: &StoreLog, random: &mut Random) -> Finished {
        *self.is_last.lock().unwrap() = true;
        let keys = timeout(TIMEOUT, self.sending).await;
        let keys = keys.expect("the last input is accepted").unwrap();
        let mut over = self.observed.subscribe();
        let over = over.wait_for(|observed| observed.over >= keys.len() as u64);
        let is_over = timeout(TIMEOUT, over).await.is_ok();
        assert!(
            is_over,
            "inputs without an outcome: {:?}",
            self.observed.borrow()
        );
        let target = &self.target;
        target.client.close(target.session).await.unwrap();
        let events = closed(log, target).await;
        self.answering.abort();
        for (dialect, end) in DIALECTS.into_iter().zip(&self.ends) {
            end.send_replace(last_cursor(dialect, &events));
        }
        let compared = self.screens.compare(target, &self.ends, random);
        let compared = timeout(TIMEOUT, compared).await;
        let (losses, cursors) = compared.expect("the clients get everything");
        Finished {
            events,
            keys,
            losses,
            cursors,
        }
    }
}

/// Waits until the session is closed. Returns its log.
async fn closed(log: &StoreLog, target: &Target) -> Vec<Arc<SessionEvent>> {
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
    ui: Vec<JoinHandle<Seen<UiMessage>>>,
    others: Vec<(DialectName, JoinHandle<Seen<Text>>)>,
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
                        observed.send_modify(|observed| observed.see(text));
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
