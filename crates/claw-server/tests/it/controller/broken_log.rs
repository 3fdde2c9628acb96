//! Logs that panic or do not answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use claw_server::event::{Fact, InteractionId, LifecycleState, SessionEvent};
use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerError, EventLog, Input, LogError, PageLimit, SessionClosed, SessionId,
};
use serde_json::json;
use tokio::sync::Notify;

use super::front_end::{FrontEnd, open, setup, turn};
use super::hindered_log::{self, HinderedLog, Hindrance, nothing};
use super::peer::Peer;

/// What a log does from some append on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Breaks {
    AtOnce,
    Later,
    Never,
}

/// A log that breaks when so many more appends were made.
pub(super) struct Broken {
    log: Arc<HinderedLog>,
    fault: Arc<Fault>,
}

struct Fault {
    how: Breaks,
    /// How many appends are still good.
    good: AtomicUsize,
    goes_on: Notify,
    /// How many appends that were held up came to their end.
    done: AtomicUsize,
}

impl Fault {
    fn is_good(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.good
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
            .is_ok()
    }

    fn before_append(self: &Arc<Self>) -> Hindrance {
        if self.is_good() {
            return nothing();
        }
        assert_ne!(self.how, Breaks::AtOnce, "a log that breaks");
        let fault = Arc::clone(self);
        Box::pin(async move {
            tokio::task::yield_now().await;
            assert_ne!(fault.how, Breaks::Later, "a log that breaks");
            fault.goes_on.notified().await;
            fault.done.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    }
}

impl Broken {
    pub(super) fn after(good: usize, how: Breaks) -> Self {
        let log = HinderedLog::new();
        let fault = Arc::new(Fault {
            how,
            good: AtomicUsize::new(good),
            goes_on: Notify::new(),
            done: AtomicUsize::new(0),
        });
        let before = Arc::clone(&fault);
        log.before_append(move |_, _| before.before_append());
        Self { log, fault }
    }

    pub(super) fn controller(&self) -> Controller {
        Controller::builder().log(self.log.clone()).build()
    }

    fn break_now(&self) {
        self.fault.good.store(0, Ordering::SeqCst);
    }

    /// Resumes blocked calls.
    fn go_on(&self) {
        self.fault.goes_on.notify_waiters();
    }

    /// Resumes blocked calls and stops blocking.
    pub(super) fn mend(&self) {
        self.fault.good.store(usize::MAX, Ordering::SeqCst);
        self.go_on();
    }

    /// How many appends that were held up came to their end.
    pub(super) fn done(&self) -> usize {
        self.fault.done.load(Ordering::SeqCst)
    }

    async fn events(&self, session: SessionId) -> Vec<Arc<SessionEvent>> {
        let kept = &self.log.kept;
        kept.read(session, 0, PageLimit::ALL).await.unwrap()
    }

    async fn last(&self, session: SessionId) -> u64 {
        let events = self.events(session).await;
        events.last().map_or(0, |event| event.sequence)
    }

    pub(super) async fn states(&self, session: SessionId) -> Vec<LifecycleState> {
        let events = self.events(session).await;
        let states = events.iter().filter_map(|event| match &event.fact {
            Fact::Lifecycle(lifecycle) => Some(lifecycle.state.clone()),
            _ => None,
        });
        states.collect()
    }
}

/// A session in a turn, with a prompt open. Gives the id of the request too.
async fn asking(controller: &Controller) -> (SessionId, FrontEnd, Peer, String) {
    let (session, mut front, mut peer) = open(controller, |setup| setup).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    let then = Input::text(session, "Then");
    controller.input(then).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    let id = peer.bash("toolu_1", "rm -r x").await;
    front.first("PermissionRequired").await;
    (session, front, peer, id)
}

/// Plays a CLI to its end. Its question gets a no, or the end comes first.
pub(crate) async fn to_the_end(peer: &mut Peer, id: &str) {
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

async fn is_reported(closed: &SessionClosed, log: &Broken, session: SessionId) {
    assert_eq!(closed.session_id, session);
    assert_eq!(closed.state, LifecycleState::Lost);
    let error = closed.log_error.as_ref().expect("the log broke");
    assert!(closed.reason.contains(&error.to_string()), "{closed:?}");
    assert_eq!(closed.withdrawn, [InteractionId::new("toolu_1")]);
    assert_eq!((closed.cut_off_turn, closed.unsent.len()), (Some(1), 1));
    assert_eq!(closed.sequence, log.last(session).await);
}

#[tokio::test]
async fn while_a_log_panics_the_session_goes_on_and_nothing_is_shown() {
    for how in [Breaks::AtOnce, Breaks::Later] {
        let log = Broken::after(usize::MAX, how);
        let controller = log.controller();
        let (session, mut front, mut peer, id) = asking(&controller).await;
        log.break_now();
        let before = log.last(session).await;
        let yes = PermissionResponse::allow().by("phone").key("k");
        let answering = tokio::spawn({
            let (controller, yes) = (controller.clone(), yes.clone());
            async move {
                controller
                    .permissions()
                    .respond(session, "toolu_1", yes)
                    .await
            }
        });
        // The CLI is read meanwhile, and its requests are accepted.
        for _ in 0..100 {
            peer.say("Let me see").await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!answering.is_finished());
        assert_eq!(log.last(session).await, before);
        log.mend();
        answering.await.unwrap().unwrap();
        assert_eq!(peer.answered(&id).await["behavior"], "allow");
        front.first("InteractionResolved").await;
        // The same answer again gets the stored result, another one is refused.
        let registry = controller.permissions();
        registry.respond(session, "toolu_1", yes).await.unwrap();
        let other = PermissionResponse::allow().key("other");
        let refused = registry.respond(session, "toolu_1", other).await;
        assert_matches!(refused, Err(AnswerRefused::AlreadyAnswered { .. }));
        let events = log.events(session).await;
        let sequences = events.iter().map(|event| event.sequence);
        assert!(sequences.eq(1..=events.len() as u64), "dense");
        assert!(events.len() > before as usize + 100);
    }
}

/// What a client receives while the log fails for long.
#[tokio::test]
async fn a_lasting_failure_of_the_log_refuses_inputs_and_answers() {
    let full = LogError::Full {
        reason: "no space left".to_owned(),
    };
    let damaged = LogError::Damaged {
        sequence: 3,
        reason: "it is not JSON".to_owned(),
    };
    for failure in [full, LogError::unavailable("no leader"), damaged] {
        let log = HinderedLog::new();
        let controller = Controller::builder().log(log.clone()).build();
        let (session, mut front, mut peer, id) = asking(&controller).await;
        let fails = failure.clone();
        log.before_append(move |_, _| hindered_log::error(fails.clone()));
        tokio::time::pause();
        // This one waits, and makes the failure known.
        let waiting = tokio::spawn({
            let (controller, input) = (controller.clone(), Input::text(session, "More"));
            async move { controller.input(input).await }
        });
        tokio::time::sleep(Duration::from_secs(12)).await;
        let refused = controller.input(Input::text(session, "Now")).await;
        assert!(
            matches!(&refused, Err(ControllerError::Log(error)) if *error == failure),
            "{refused:?}"
        );
        let yes = PermissionResponse::allow();
        let refused = controller
            .permissions()
            .respond(session, "toolu_1", yes)
            .await;
        assert_matches!(refused, Err(AnswerRefused::NotStored { .. }));
        assert!(!waiting.is_finished());
        tokio::time::resume();
        log.before_append(|_, _| nothing());
        waiting.await.unwrap().unwrap();
        let yes = PermissionResponse::allow();
        let registry = controller.permissions();
        registry.respond(session, "toolu_1", yes).await.unwrap();
        assert_eq!(peer.answered(&id).await["behavior"], "allow");
        front.first("InteractionResolved").await;
    }
}

#[tokio::test]
async fn a_log_that_does_not_respond_refuses_inputs() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, _front, _peer) = open(&controller, |setup| setup).await;
    log.before_append(|_, _| Box::pin(std::future::pending()));
    tokio::time::pause();
    let waiting = tokio::spawn({
        let (controller, input) = (controller.clone(), Input::text(session, "More"));
        async move { controller.input(input).await }
    });
    tokio::time::sleep(Duration::from_secs(12)).await;
    let refused = controller.input(Input::text(session, "Now")).await;
    assert_matches!(
        refused,
        Err(ControllerError::Log(LogError::Unavailable { .. }))
    );
    assert!(!waiting.is_finished());
}

#[tokio::test]
async fn a_log_that_never_answers_holds_up_no_shutdown() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = log.controller();
    let (session, _front, mut peer, id) = asking(&controller).await;
    log.break_now();
    // More than the session can queue while its log is blocked.
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
    assert!(error.contains("did not confirm"), "{error}");
    for input in inputs {
        assert!(input.await.unwrap().is_err());
    }
    // What it was given it was left to do, and nothing came behind it.
    assert_eq!(log.done(), 0);
    let before = log.last(session).await;
    log.go_on();
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(log.done(), 1);
    assert!(log.last(session).await > before);
}

#[tokio::test]
async fn a_log_that_never_answers_holds_up_nothing_when_the_controller_is_gone() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = log.controller();
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
    let controller = log.controller();
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    log.break_now();
    tokio::time::pause();
    let slow = async {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        log.mend();
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
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    log.before_read(|| panic!("a log that breaks"));
    for id in [None, Some(7)] {
        let (setup, _peer) = setup();
        let setup = match id {
            Some(id) => setup.id(SessionId::from(id)),
            None => setup,
        };
        let error = controller.open(setup).await.unwrap_err();
        assert_matches!(error, ControllerError::Log(_));
        assert_eq!(controller.sessions(), [session]);
    }
    // A late front end misses earlier events, and the session continues.
    let (_late, sink) = FrontEnd::new();
    let _watching = controller.watch(session, sink).await;
    turn(&controller, session, &mut peer).await;
    front.until_complete().await;
}
