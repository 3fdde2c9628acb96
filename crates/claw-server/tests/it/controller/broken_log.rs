//! Logs that panic or do not answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use claw_server::event::{Fact, LifecycleState, PromptId, SessionEvent};
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerError, EventLog, Input, LogError, MemoryLog, SessionClosed, SessionSetup,
    UiMessage,
};
use rusty_claw::{BoxFuture, Options};
use serde_json::json;
use tokio::sync::Notify;

use super::front_end::{FrontEnd, open};
use super::peer::Peer;

/// What a log does from some append on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Breaks {
    AtOnce,
    Later,
    Never,
}

/// A log that breaks when so many more appends were made.
struct Broken {
    kept: MemoryLog,
    how: Breaks,
    good: AtomicUsize,
    reads: AtomicUsize,
    goes_on: Notify,
    /// How many appends that were held up came to their end.
    done: AtomicUsize,
}

impl Broken {
    fn after(good: usize, how: Breaks) -> Arc<Self> {
        Arc::new(Self {
            kept: MemoryLog::keeping(1 << 20),
            how,
            good: AtomicUsize::new(good),
            reads: AtomicUsize::new(usize::MAX),
            goes_on: Notify::new(),
            done: AtomicUsize::new(0),
        })
    }

    fn is_good(left: &AtomicUsize) -> bool {
        let less = |left: usize| left.checked_sub(1);
        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
            .is_ok()
    }

    fn break_now(&self) {
        self.good.store(0, Ordering::SeqCst);
    }

    async fn events(&self, session: i64) -> Vec<Arc<SessionEvent>> {
        self.kept.read(session, 0, 10_000).await.unwrap()
    }

    async fn last(&self, session: i64) -> u64 {
        let events = self.events(session).await;
        events.last().map_or(0, |event| event.sequence)
    }

    async fn states(&self, session: i64) -> Vec<LifecycleState> {
        let events = self.events(session).await;
        let states = events.iter().filter_map(|event| match &event.fact {
            Fact::Lifecycle(lifecycle) => Some(lifecycle.state.clone()),
            _ => None,
        });
        states.collect()
    }
}

impl EventLog for Broken {
    fn append<'a>(
        &'a self,
        session_id: i64,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        let is_good = Self::is_good(&self.good);
        assert!(is_good || self.how != Breaks::AtOnce, "a log that breaks");
        Box::pin(async move {
            if !is_good {
                tokio::task::yield_now().await;
                assert_ne!(self.how, Breaks::Later, "a log that breaks");
                self.goes_on.notified().await;
                self.done.fetch_add(1, Ordering::SeqCst);
            }
            self.kept.append(session_id, events).await
        })
    }

    fn read(
        &self,
        session_id: i64,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        assert!(Self::is_good(&self.reads), "a log that breaks");
        self.kept.read(session_id, after, limit)
    }
}

/// A session in a turn, with a prompt open. Gives the id of the request too.
async fn asking(controller: &Controller) -> (i64, FrontEnd, Peer, String) {
    let (session, mut front, mut peer) = open(controller, |setup| setup).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    controller
        .input(Input::text(session, "Then"))
        .await
        .unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    let command = json!({"command": "rm -r x"});
    let id = peer.ask("toolu_1", "Bash", command).await;
    front.first("PermissionRequired").await;
    (session, front, peer, id)
}

/// Plays a CLI to its end. Its question gets a no, or the end comes first.
async fn to_the_end(peer: &mut Peer, id: &str) {
    while let Some(said) = peer.read().await {
        if said["response"]["request_id"] == id {
            assert_eq!(said["response"]["response"]["behavior"], "deny");
        }
        if said["request"]["subtype"] == "end_session" {
            peer.succeed(&said, json!({})).await;
            break;
        }
    }
    peer.exit(rusty_claw::transport::Exit::Code(0));
}

async fn is_reported(closed: &SessionClosed, log: &Broken, session: i64) {
    assert_eq!(closed.session_id, session);
    assert_eq!(closed.state, LifecycleState::Lost);
    let error = closed.log_error.as_ref().expect("the log broke");
    assert!(closed.reason.contains(&error.to_string()), "{closed:?}");
    assert_eq!(closed.withdrawn, [PromptId::new("toolu_1")]);
    assert_eq!((closed.cut_off_turn, closed.unsent.len()), (Some(1), 1));
    assert_eq!(closed.sequence, log.last(session).await);
}

#[tokio::test]
async fn a_log_that_panics_ends_the_session_with_a_report() {
    for how in [Breaks::AtOnce, Breaks::Later] {
        let log = Broken::after(usize::MAX, how);
        let controller = Controller::builder().log(log.clone()).build();
        let (session, mut front, mut peer, id) = asking(&controller).await;
        log.break_now();
        let input = controller.input(Input::text(session, "Also"));
        let (ended, input, ()) =
            tokio::join!(controller.ended(session), input, to_the_end(&mut peer, &id));
        assert!(matches!(input, Err(ControllerError::Log(_))), "{input:?}");
        let closed = ended.unwrap();
        is_reported(&closed, &log, session).await;
        let error = closed.log_error.as_ref().unwrap().to_string();
        assert!(error.contains("panicked"), "{error}");
        assert!(controller.sessions().is_empty());
        // Nobody is told what is not stored.
        let told = front.rest().await;
        assert!(told.iter().all(|one| one.name() != "PromptResolved"));
        let late = PermissionResponse::allow();
        let late = controller
            .permissions()
            .respond(session, "toolu_1", late)
            .await;
        assert!(late.is_err());
    }
}

#[tokio::test]
async fn a_log_that_panics_while_all_is_shut_down_leaves_no_session_out() {
    let log = Broken::after(usize::MAX, Breaks::AtOnce);
    let controller = Controller::builder().log(log.clone()).build();
    let (session, _front, mut peer, id) = asking(&controller).await;
    log.break_now();
    let (closed, ()) = tokio::join!(
        controller.shutdown(Duration::from_millis(50)),
        to_the_end(&mut peer, &id)
    );
    assert_eq!(closed.len(), 1);
    is_reported(&closed[0], &log, session).await;
}

#[tokio::test]
async fn a_log_that_never_answers_holds_up_no_shutdown() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = Controller::builder().log(log.clone()).build();
    let (session, _front, mut peer, id) = asking(&controller).await;
    log.break_now();
    // More than the session has room for while its log stands still.
    let inputs: Vec<_> = (0..50)
        .map(|number| {
            let controller = controller.clone();
            let input = Input::text(session, &format!("More {number}"));
            tokio::spawn(async move { controller.input(input).await })
        })
        .collect();
    tokio::time::pause();
    let before = tokio::time::Instant::now();
    let shutdown = async {
        let closed = controller.shutdown(Duration::from_secs(1)).await;
        (closed, before.elapsed())
    };
    let ((closed, took), ()) = tokio::join!(shutdown, to_the_end(&mut peer, &id));
    assert!(took > Duration::from_secs(6), "all of its time: {took:?}");
    assert!(took < Duration::from_secs(12), "{took:?}");
    assert_eq!(closed.len(), 1);
    is_reported(&closed[0], &log, session).await;
    let error = closed[0].log_error.as_ref().unwrap().to_string();
    assert!(error.contains("did not say"), "{error}");
    for input in inputs {
        assert!(input.await.unwrap().is_err());
    }
    // What it was given it was left to do, and nothing came behind it.
    assert_eq!(log.done.load(Ordering::SeqCst), 0);
    let before = log.last(session).await;
    log.goes_on.notify_waiters();
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(log.done.load(Ordering::SeqCst), 1);
    assert!(log.last(session).await > before);
}

#[tokio::test]
async fn a_log_that_never_answers_holds_up_nothing_when_the_controller_is_gone() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer, id) = asking(&controller).await;
    log.break_now();
    let input = Input::text(session, "More");
    let waited = tokio::time::timeout(Duration::from_millis(20), controller.input(input)).await;
    assert!(waited.is_err());
    tokio::time::pause();
    drop(controller);
    to_the_end(&mut peer, &id).await;
    front.rest().await;
}

#[tokio::test]
async fn a_slow_log_has_all_its_time_while_nobody_wants_the_session_to_end() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = Controller::builder().log(log.clone()).build();
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    log.break_now();
    tokio::time::pause();
    let slow = async {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        log.good.store(usize::MAX, Ordering::SeqCst);
        log.goes_on.notify_waiters();
    };
    let input = controller.input(Input::text(session, "Go"));
    let (input, ()) = tokio::join!(input, slow);
    input.unwrap();
    tokio::time::resume();
    let prompt = peer.prompt().await;
    assert_eq!(prompt["message"]["content"], "Go");
}

#[tokio::test]
async fn a_log_that_cannot_be_read_opens_nothing_and_ends_nothing() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    log.reads.store(0, Ordering::SeqCst);
    for id in [None, Some(7)] {
        let (transport, _peer) = Peer::pair();
        let mut setup = SessionSetup::new(Options::new()).on(transport);
        if let Some(id) = id {
            setup = setup.id(id);
        }
        let error = controller.open(setup).await.unwrap_err();
        assert!(matches!(error, ControllerError::Log(_)), "{error:?}");
        assert_eq!(controller.sessions(), [session]);
    }
    // Somebody who comes late misses what was before, and the session goes on.
    let (_late, sink) = FrontEnd::new();
    let _watching = controller.watch(session, sink).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Done").await;
    front.until_complete().await;
}

/// Waits until no session is open.
async fn all_over(controller: &Controller) {
    let over = async {
        while !controller.sessions().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let limit = Duration::from_secs(20);
    tokio::time::timeout(limit, over).await.expect("it is over");
}

/// Begins to open a session, and lets go of it after a while.
async fn given_up(controller: &Controller) -> (Peer, FrontEnd) {
    let (transport, mut peer) = Peer::pair();
    let (front, sink) = FrontEnd::new();
    let setup = SessionSetup::new(Options::new())
        .on(transport)
        .sink(sink)
        .id(1);
    tokio::select! {
        opened = controller.open(setup) => panic!("{opened:?}"),
        () = async {
            tokio::time::timeout(Duration::from_millis(50), peer.initialize()).await.ok();
            tokio::time::sleep(Duration::from_millis(50)).await;
        } => {}
    }
    (peer, front)
}

#[tokio::test]
async fn an_open_that_is_dropped_tears_no_write_and_leaves_nothing() {
    // In the first event, and in the one behind the start of the CLI.
    for good in [0, 1] {
        let log = Broken::after(good, Breaks::Never);
        let controller = Controller::builder().log(log.clone()).build();
        let (mut peer, mut front) = given_up(&controller).await;
        assert_eq!(log.done.load(Ordering::SeqCst), 0);
        assert_eq!(controller.sessions(), [1]);
        log.good.store(usize::MAX, Ordering::SeqCst);
        log.goes_on.notify_waiters();
        peer.until_closed().await;
        all_over(&controller).await;
        assert_eq!(log.done.load(Ordering::SeqCst), 1, "it was left to write");
        let mut states = log.states(1).await;
        assert_eq!(states.pop(), Some(LifecycleState::Closed), "{states:?}");
        assert_eq!(states.len(), good + 1);
        let told = front.rest().await;
        let is_state = |one: &UiMessage| one.name() == "SessionState";
        assert_eq!(told.iter().filter(|one| is_state(one)).count(), good + 2);
    }
}

#[tokio::test]
async fn an_open_that_is_dropped_ends_a_cli_that_does_not_get_ready() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = Controller::builder().log(log.clone()).build();
    let (transport, mut peer) = Peer::pair();
    let setup = SessionSetup::new(Options::new()).on(transport).id(1);
    let opening = controller.open(setup);
    let waited = tokio::time::timeout(Duration::from_millis(50), opening).await;
    assert!(waited.is_err());
    while peer.read().await.is_some() {}
    all_over(&controller).await;
    let states = [LifecycleState::Starting, LifecycleState::Closed];
    assert_eq!(log.states(1).await, states);
}

#[tokio::test]
async fn shutting_down_reports_a_session_that_is_being_opened() {
    let controller = Controller::builder().build();
    let (transport, mut peer) = Peer::pair();
    let setup = SessionSetup::new(Options::new()).on(transport);
    let opening = tokio::spawn({
        let controller = controller.clone();
        async move { controller.open(setup).await }
    });
    peer.read().await.expect("it is told to get ready");
    let closed = controller.shutdown(Duration::from_millis(20)).await;
    assert_eq!(closed.len(), 1);
    assert_eq!(closed[0].session_id, 1);
    let opened = opening.await.unwrap();
    assert!(
        matches!(opened, Err(ControllerError::ShuttingDown)),
        "{opened:?}"
    );
}
