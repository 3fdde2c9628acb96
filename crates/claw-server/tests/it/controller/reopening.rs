//! Sessions that another owner continues from the log.

use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{Fact, LifecycleState};
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{Controller, EventLog as _, Input, LogError, MemoryLog, PageLimit, SessionSetup};
use rusty_claw_protocol::Json;

use super::front_end::{go, open, turn};
use super::hindered_log::{HinderedLog, error, nothing};
use super::kinds;

#[tokio::test]
async fn grants_keys_and_the_conversation_survive_their_owner() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&first, |setup| setup.folder("/srv/app")).await;
    let input = || Input::text(session, "Go").key("k");
    let receipt = first.input(input()).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    let id = peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    let always = PermissionResponse::allow()
        .remember(Remember::Session)
        .key("a");
    let registry = first.permissions();
    registry
        .respond(session, "toolu_1", always.clone())
        .await
        .unwrap();
    peer.answered(&id).await;
    peer.end(&prompt).await;
    front.until_complete().await;

    // The first owner still runs when the second one takes over.
    let second = Controller::builder().log(log.clone()).build();
    let (_, mut front, mut peer) = open(&second, |setup| setup.reopen(session)).await;
    let args = peer.launch().unwrap().args;
    assert!(args.iter().any(|arg| *arg == *"--resume=5e5e"), "{args:?}");
    let again = second.input(input()).await.unwrap();
    assert_eq!((again.is_repeat, again.id), (true, receipt.id));
    let registry = second.permissions();
    registry.respond(session, "toolu_1", always).await.unwrap();
    assert_eq!(registry.grants("").await.len(), 1);
    let prompt = go(&second, session, &mut peer).await;
    let id = peer.bash("toolu_2", "make").await;
    assert_eq!(peer.answered(&id).await["behavior"], "allow");
    peer.end(&prompt).await;
    front.until_complete().await;
    let grant = registry.grants("").await.remove(0);
    assert!(registry.revoke("", &grant).await.unwrap());

    // The first owner is fenced by its next append.
    let fenced = first.input(Input::text(session, "Late")).await;
    assert!(fenced.is_err(), "{fenced:?}");
    let closed = first.ended(session).await.unwrap();
    assert_eq!(closed.log_error, Some(LogError::Fenced));

    // Nothing that was revoked comes back.
    peer.close(&second, session).await;
    let third = Controller::builder().log(log.clone()).build();
    let (_, mut front, mut peer) = open(&third, |setup| setup.reopen(session)).await;
    assert!(third.permissions().grants("").await.is_empty());
    go(&third, session, &mut peer).await;
    peer.bash("toolu_3", "make").await;
    front.first("PermissionRequired").await;

    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let count = |kind: &str| events.iter().filter(|one| one.fact.kind() == kind).count();
    assert_eq!((count("opened"), count("cli_session")), (1, 1));
    assert_eq!((count("granted"), count("revoked")), (1, 1));
    // An append may end anywhere, so what a client or the CLI relies on comes first.
    let first = |kind: &str| events.iter().position(|one| one.fact.kind() == kind);
    let is_init =
        |fact: &Fact| matches!(fact, Fact::Message(line) if line.to_text().contains("init"));
    let init = events.iter().position(|one| is_init(&one.fact));
    assert!(first("cli_session") < init);
    assert!(first("granted") < first("interaction_answered"));
    let Fact::Opened(opened) = &events[0].fact else {
        panic!("{:?}", events[0])
    };
    assert_eq!(opened.folder, "/srv/app");
    let epochs: Vec<u64> = events.iter().map(|event| event.epoch).collect();
    assert!(
        epochs.is_sorted() && epochs.last() == Some(&3),
        "{epochs:?}"
    );
}

#[tokio::test]
async fn a_session_that_sleeps_keeps_its_inputs_and_is_read_from_its_checkpoint() {
    let log = HinderedLog::new();
    let first = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&first, |setup| setup).await;
    for _ in 0..20 {
        turn(&first, session, &mut peer).await;
        front.until_complete().await;
    }
    go(&first, session, &mut peer).await;
    first.input(Input::text(session, "Later")).await.unwrap();
    let sleeping = first.sleep(session, Duration::ZERO);
    let closed = peer.while_closing(sleeping).await.unwrap();
    assert_eq!(closed.state, LifecycleState::Asleep);
    assert!(closed.unsent.is_empty());
    assert_eq!(closed.queued.len(), 1);
    let checkpoint = log.checkpoint(session).await.unwrap().unwrap();
    assert_eq!(checkpoint.sequence, closed.sequence);

    log.cursors.lock().unwrap().clear();
    let second = Controller::builder().log(log.clone()).build();
    let (_, mut front, mut peer) = open(&second, |setup| setup.reopen(session)).await;
    assert_eq!(*log.cursors.lock().unwrap(), [closed.sequence]);
    let prompt = peer.prompt().await;
    assert_eq!(prompt["message"]["content"], "Later");
    peer.answer(&prompt, "Yes").await;
    front.until_complete().await;
    let states: Vec<String> = kinds(&log.kept, session).await;
    assert_eq!(states.iter().filter(|kind| *kind == "opened").count(), 1);
}

#[tokio::test]
async fn a_checkpoint_of_events_that_the_log_has_lost_is_not_used_and_options_survive() {
    let log = HinderedLog::new();
    let first = Controller::builder().log(log.clone()).build();
    let options = Json::from_value(&serde_json::json!({"model": "opus"}));
    let stored = options.clone();
    let (session, _front, mut peer) = open(&first, |setup| setup.stored_options(stored)).await;
    turn(&first, session, &mut peer).await;
    let closed = peer.close(&first, session).await;
    let mut checkpoint = log.checkpoint(session).await.unwrap().unwrap();
    checkpoint.sequence += 100;
    log.kept
        .save_checkpoint(session, 9, checkpoint)
        .await
        .unwrap();

    log.cursors.lock().unwrap().clear();
    let second = Controller::builder().log(log.clone()).build();
    let moved = |setup: SessionSetup| setup.reopen(session).folder("/srv/other");
    let (_, _front, mut peer) = open(&second, moved).await;
    assert_eq!(log.cursors.lock().unwrap()[0], 0);
    turn(&second, session, &mut peer).await;
    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    assert!(events.len() as u64 > closed.sequence);
    let mut opened = events.iter().filter_map(|event| match &event.fact {
        Fact::Opened(opened) => Some((opened.folder.as_str(), opened.options.clone())),
        _ => None,
    });
    assert_eq!(opened.next_back(), Some(("/srv/other", Some(options))));
}

#[tokio::test]
async fn an_event_that_is_too_large_is_omitted_and_the_session_goes_on() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    log.before_append(|_, events| {
        let limit = 10_000;
        let large = |one: &Arc<claw_server::SessionEvent>| {
            serde_json::to_string(&**one).unwrap().len() > limit
        };
        match events.iter().any(large) {
            true => error(LogError::TooLarge {
                size: 20_000,
                limit: limit as u64,
            }),
            false => nothing(),
        }
    });
    let prompt = go(&controller, session, &mut peer).await;
    peer.say(&"x".repeat(20_000)).await;
    peer.say("small").await;
    peer.end(&prompt).await;
    front.until_complete().await;
    let kinds = kinds(&log.kept, session).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "omitted").count(), 1);
    peer.close(&controller, session).await;
}
