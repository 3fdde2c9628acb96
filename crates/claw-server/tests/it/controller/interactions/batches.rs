//! Permissions in batches.

use std::time::Duration;

use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{BatchPlace, Controller, SessionId, UiMessage};
use serde_json::json;

use super::super::front_end::FrontEnd;
use super::super::peer::Peer;
use super::busy;

/// A session whose agent writes a message: the calls that are asked for are all of this message,
/// however slowly a busy machine asks.
async fn writing(controller: &Controller) -> (SessionId, FrontEnd, Peer) {
    let (session, mut front, mut peer) = busy(controller, "").await;
    peer.begins_text().await;
    peer.notes().await;
    front.first("Display").await;
    (session, front, peer)
}

/// The batch when it has so many: its name, and what they are for. It grows on a busy machine.
async fn batch_of(count: usize, front: &mut FrontEnd) -> (String, Vec<String>) {
    let is_whole = |message: &UiMessage| matches!(message, UiMessage::BatchPermissionRequired { requests, .. } if requests.len() == count);
    match front.until(is_whole).await.pop() {
        Some(UiMessage::BatchPermissionRequired {
            batch_id, requests, ..
        }) => {
            let targets = requests.into_iter().map(|one| one.target);
            (batch_id, targets.collect())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_batch_grows_and_nobody_waits_for_it() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = writing(&controller).await;
    tokio::time::pause();
    let mut asked = Vec::new();
    for name in ["a", "b", "c"] {
        let before = tokio::time::Instant::now();
        let input = json!({"file_path": format!("/srv/{name}")});
        peer.ask(&format!("toolu_{name}"), "Read", input).await;
        let is_asked = |message: &UiMessage| message.name().ends_with("PermissionRequired");
        asked.extend(front.until(is_asked).await.pop());
        let took = before.elapsed();
        assert!(took <= Duration::from_millis(51), "{name}: {took:?}");
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    let sizes = asked.iter().map(|message| match message {
        UiMessage::PermissionRequired { tool_use_id, .. } => (tool_use_id.as_str(), 1),
        UiMessage::BatchPermissionRequired {
            batch_id, requests, ..
        } => (batch_id.as_str(), requests.len()),
        other => panic!("{other:?}"),
    });
    assert!(sizes.eq([("toolu_a", 1), ("toolu_a", 2), ("toolu_a", 3)]));
    // Each has its place, also the one that was asked alone.
    let registry = controller.permissions();
    let places = registry.pending(session).await;
    let places = places.into_iter().map(|one| one.batch.unwrap().index);
    assert_eq!(places.collect::<Vec<_>>(), [0, 1, 2]);
    let no = (0..3).map(|place| (place, PermissionResponse::deny("no")));
    let taken = registry.respond_to_batch(session, "toolu_a", no.collect());
    assert_eq!(taken.await, [Ok(()), Ok(()), Ok(())]);
    for index in 0..3 {
        let told = front.first("InteractionResolved").await;
        assert!(
            matches!(&told, UiMessage::InteractionResolved { batch: Some(place), .. }
                if (place.batch_id.as_str(), place.index) == ("toolu_a", index)),
            "{told:?}"
        );
    }
    // No interaction joins an answered one.
    peer.ask("toolu_d", "Read", json!({"file_path": "/srv/d"}))
        .await;
    front.first("PermissionRequired").await;
    let pending = registry.pending(session).await;
    assert_eq!(pending[0].batch, None);
}

/// Each request is delivered to the session by its own task.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_batch_stands_in_the_order_in_which_the_cli_asked() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = writing(&controller).await;
    for round in 0..30 {
        for place in 0..4 {
            let input = json!({"file_path": format!("/srv/{place}")});
            peer.ask(&format!("toolu_{round}_{place}"), "Read", input)
                .await;
        }
        let (mut shown, mut batch_id) = (0, String::new());
        while shown < 4 {
            let is_asked = |message: &UiMessage| message.name().ends_with("PermissionRequired");
            let requests = match front.until(is_asked).await.pop() {
                Some(UiMessage::PermissionRequired { request, .. }) => vec![request],
                Some(UiMessage::BatchPermissionRequired {
                    batch_id: id,
                    requests,
                    ..
                }) => {
                    batch_id = id;
                    requests
                }
                other => panic!("{other:?}"),
            };
            // On a busy machine one may come when others were asked already.
            let targets = requests[shown..].iter().map(|one| &one.target);
            assert!(targets.is_sorted(), "{requests:?}");
            shown = requests.len();
        }
        let no = (0..4).map(|place| (place, PermissionResponse::deny("no")));
        let registry = controller.permissions();
        let taken = registry.respond_to_batch(session, &batch_id, no.collect());
        assert!(taken.await.iter().all(Result::is_ok));
    }
}

#[tokio::test]
async fn a_batch_is_answered_one_by_one() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = writing(&controller).await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        let input = json!({"file_path": format!("/srv/{name}")});
        ids.push(peer.ask(&format!("toolu_{name}"), "Read", input).await);
    }
    let (batch_id, targets) = batch_of(3, &mut front).await;
    assert_eq!(targets, ["/srv/a", "/srv/b", "/srv/c"]);
    let registry = controller.permissions();
    let responses = vec![
        (0, PermissionResponse::allow()),
        (1, PermissionResponse::deny("Not b")),
        (1, PermissionResponse::allow()),
        (7, PermissionResponse::allow()),
    ];
    let results = registry
        .respond_to_batch(session, &batch_id, responses)
        .await;
    assert_eq!(
        results,
        [
            Ok(()),
            Ok(()),
            Err(AnswerRefused::AlreadyAnswered { by: None }),
            Err(AnswerRefused::Unknown),
        ]
    );
    assert_eq!(peer.answered(&ids[0]).await["behavior"], "allow");
    let no = peer.answered(&ids[1]).await;
    assert_eq!(
        (&no["behavior"], &no["message"]),
        (&json!("deny"), &json!("Not b"))
    );
    // What was not answered waits, and is reached by its call too.
    let pending = registry.pending(session).await;
    assert_eq!(pending.len(), 1);
    let place = pending[0].batch.clone().unwrap();
    assert_eq!((&place.batch_id, place.index), (&batch_id, 2));
    let yes = PermissionResponse::allow();
    registry.respond(session, "toolu_c", yes).await.unwrap();
    assert_eq!(peer.answered(&ids[2]).await["behavior"], "allow");
    let again = vec![(2, PermissionResponse::allow())];
    let again = registry.respond_to_batch(session, &batch_id, again).await;
    assert_eq!(again, [Err(AnswerRefused::AlreadyAnswered { by: None })]);
    // The requests of a batch have no ids; their resolutions have the index.
    for index in 0..3 {
        let UiMessage::InteractionResolved { batch, .. } = front.first("InteractionResolved").await
        else {
            panic!()
        };
        let batch_id = batch_id.clone();
        assert_eq!(batch, Some(BatchPlace { batch_id, index }));
    }
}
