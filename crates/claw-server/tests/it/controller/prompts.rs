//! Questions of the agent, and who answers them.

use std::time::Duration;

use claw_server::event::LifecycleState;
use claw_server::prompts::AnswerRefused;
use claw_server::registry::{PermissionResponse, QuestionAnswer};
use claw_server::{BatchPlace, Controller, Input, Json, QuestionType, UiMessage};
use serde_json::json;

use super::front_end::{FrontEnd, open};
use super::peer::Peer;

/// A session in the middle of a turn.
pub(crate) async fn busy(controller: &Controller, tenant: &str) -> (i64, FrontEnd, Peer) {
    let (session, front, mut peer) = open(controller, |setup| setup.tenant(tenant)).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    (session, front, peer)
}

#[tokio::test]
async fn the_first_answer_counts_and_all_others_are_told_apart() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let id = peer
        .ask("toolu_1", "Bash", json!({"command": "make"}))
        .await;
    let UiMessage::PermissionRequired {
        tool_use_id,
        request,
        ..
    } = front.first("PermissionRequired").await
    else {
        panic!()
    };
    assert_eq!(
        (tool_use_id.as_str(), request.target.as_str()),
        ("toolu_1", "make")
    );
    let pending = controller.permissions().pending(session).await;
    assert_eq!(pending.len(), 1);
    assert!(pending[0].expires_at_ms.is_some());
    let registry = controller.permissions();
    let edited = Json::from_text(r#"{"command":"make test"}"#).unwrap();
    let yes = PermissionResponse::allow().with_input(edited).by("phone");
    registry.respond(session, "toolu_1", yes).await.unwrap();
    let answer = peer.answered(&id).await;
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answer["updatedInput"], json!({"command": "make test"}));
    let no = || PermissionResponse::deny("no").by("desktop");
    let late = registry.respond(session, "toolu_1", no()).await;
    let by = Some("phone".to_owned());
    assert_eq!(late, Err(AnswerRefused::AlreadyAnswered { by: by.clone() }));
    let never = registry.respond(session, "toolu_2", no()).await;
    assert_eq!(never, Err(AnswerRefused::Unknown));
    let elsewhere = registry.respond(99, "toolu_1", no()).await;
    assert_eq!(elsewhere, Err(AnswerRefused::NoSession));
    let resolved = front.first("PromptResolved").await;
    assert!(matches!(resolved, UiMessage::PromptResolved { by: told, .. } if told == by));
}

/// A session whose agent writes a message: the calls that are asked for are all of this message,
/// however slowly a busy machine asks.
async fn writing(controller: &Controller) -> (i64, FrontEnd, Peer) {
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
        let told = front.first("PromptResolved").await;
        assert!(
            matches!(&told, UiMessage::PromptResolved { batch: Some(place), .. }
                if (place.batch_id.as_str(), place.index) == ("toolu_a", index)),
            "{told:?}"
        );
    }
    // Nothing joins what was answered.
    peer.ask("toolu_d", "Read", json!({"file_path": "/srv/d"}))
        .await;
    front.first("PermissionRequired").await;
    let pending = registry.pending(session).await;
    assert_eq!(pending[0].batch, None);
}

/// Each question is taken to the session by a task of its own.
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
    registry
        .respond(session, "toolu_c", PermissionResponse::allow())
        .await
        .unwrap();
    assert_eq!(peer.answered(&ids[2]).await["behavior"], "allow");
    let again = vec![(2, PermissionResponse::allow())];
    let again = registry.respond_to_batch(session, &batch_id, again).await;
    assert_eq!(again, [Err(AnswerRefused::AlreadyAnswered { by: None })]);
    // The requests of a batch have no names; their ends say which of them is meant.
    for index in 0..3 {
        let UiMessage::PromptResolved { batch, .. } = front.first("PromptResolved").await else {
            panic!()
        };
        let batch_id = batch_id.clone();
        assert_eq!(batch, Some(BatchPlace { batch_id, index }));
    }
}

#[tokio::test]
async fn no_answer_is_a_no() {
    let limit = Duration::from_millis(80);
    let controller = Controller::builder().prompt_timeout(limit).build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let id = peer
        .ask("toolu_1", "Bash", json!({"command": "make"}))
        .await;
    let answer = peer.answered(&id).await;
    assert_eq!(answer["behavior"], "deny");
    let told = front
        .until(|message| message.name() == "PromptResolved")
        .await;
    assert!(
        matches!(told.last(), Some(UiMessage::PromptResolved { resolution, .. })
        if resolution.as_str() == "Expired")
    );
    let late = PermissionResponse::allow();
    let late = controller
        .permissions()
        .respond(session, "toolu_1", late)
        .await;
    assert_eq!(late, Err(AnswerRefused::Expired));
}

#[tokio::test]
async fn what_the_cli_takes_back_is_withdrawn() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let id = peer
        .ask("toolu_1", "Bash", json!({"command": "make"}))
        .await;
    front.first("PermissionRequired").await;
    peer.cancel(&id).await;
    let resolved = front.first("PromptResolved").await;
    assert!(
        matches!(resolved, UiMessage::PromptResolved { resolution, .. }
        if resolution.as_str() == "Withdrawn")
    );
    let late = PermissionResponse::allow();
    let late = controller
        .permissions()
        .respond(session, "toolu_1", late)
        .await;
    assert_eq!(late, Err(AnswerRefused::Withdrawn));
    // Taken back before anybody was asked: nobody is.
    let id = peer
        .ask("toolu_2", "Bash", json!({"command": "make"}))
        .await;
    peer.cancel(&id).await;
    peer.say("on").await;
    tokio::time::sleep(Duration::from_millis(120)).await;
    assert!(controller.permissions().pending(session).await.is_empty());
    peer.say("and on").await;
    let is_last = |message: &UiMessage| matches!(message, UiMessage::TextChunk { text, .. } if text.contains("and on"));
    let told = front.until(is_last).await;
    let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
    assert!(names.iter().all(|name| *name == "TextChunk"), "{names:?}");
}

#[tokio::test]
async fn a_late_answer_is_none_to_what_the_person_has_not_seen() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let first = peer.ask("toolu_1", "Bash", json!({"command": "ls"})).await;
    front.first("PermissionRequired").await;
    peer.cancel(&first).await;
    front.first("PromptResolved").await;
    let second = peer
        .ask("toolu_1", "Bash", json!({"command": "rm -r x"}))
        .await;
    let asked = front.first("PermissionRequired").await;
    let UiMessage::PermissionRequired { tool_use_id, .. } = asked else {
        panic!()
    };
    assert_eq!(tool_use_id, "toolu_1#2");
    let registry = controller.permissions();
    let late = registry
        .respond(session, "toolu_1", PermissionResponse::allow())
        .await;
    assert_eq!(late, Err(AnswerRefused::Withdrawn));
    let no = PermissionResponse::deny("No");
    registry.respond(session, &tool_use_id, no).await.unwrap();
    assert_eq!(peer.answered(&second).await["behavior"], "deny");
}

#[tokio::test]
async fn questions_are_answered_by_choice_and_in_own_words() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let questions = json!({"questions": [
        {"question": "Which colour?", "header": "c", "multiSelect": false,
         "options": [{"label": "Red", "description": ""}, {"label": "Blue", "description": ""}]},
        {"question": "Which extras?", "header": "e", "multiSelect": true,
         "options": [{"label": "Olives", "description": ""}, {"label": "Capers", "description": ""}]},
    ]});
    let id = peer.ask("toolu_q", "AskUserQuestion", questions).await;
    let UiMessage::UserInteractionRequired { request, .. } =
        front.first("UserInteractionRequired").await
    else {
        panic!()
    };
    assert_eq!(
        request.questions[1].question_type,
        QuestionType::MultiChoice
    );
    let registry = controller.interactions();
    assert_eq!(registry.pending(session).await[0].request, request);
    let wrong = vec![QuestionAnswer::choice("toolu_q:0", "Green")];
    let refused = registry.respond(session, "toolu_q", wrong, None).await;
    assert!(
        matches!(refused, Err(AnswerRefused::Unfit { .. })),
        "{refused:?}"
    );
    let yes = PermissionResponse::allow();
    let refused = controller
        .permissions()
        .respond(session, "toolu_q", yes)
        .await;
    assert!(
        matches!(refused, Err(AnswerRefused::Unfit { .. })),
        "{refused:?}"
    );
    let answers = vec![
        QuestionAnswer::text("toolu_q:0", "Teal, please"),
        QuestionAnswer::choices("toolu_q:1", ["Olives", "Capers"]).and_text("no salt"),
    ];
    registry
        .respond(session, "toolu_q", answers, Some("phone"))
        .await
        .unwrap();
    let answer = peer.answered(&id).await;
    assert_eq!(
        answer["updatedInput"]["answers"],
        json!({"Which colour?": "Teal, please", "Which extras?": "Olives, Capers, no salt"})
    );
}

#[tokio::test]
async fn of_two_who_answer_at_once_one_counts() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    for round in 0..50 {
        let call = format!("toolu_{round}");
        let id = peer.ask(&call, "Bash", json!({"command": "make"})).await;
        front.first("PermissionRequired").await;
        let answer = |who: &'static str| {
            let (controller, call) = (controller.clone(), call.clone());
            tokio::spawn(async move {
                let response = PermissionResponse::deny(who).by(who);
                controller
                    .permissions()
                    .respond(session, &call, response)
                    .await
            })
        };
        let (phone, desktop) = tokio::join!(answer("phone"), answer("desktop"));
        let (winner, loser) = match (phone.unwrap(), desktop.unwrap()) {
            (Ok(()), Err(refused)) => ("phone", refused),
            (Err(refused), Ok(())) => ("desktop", refused),
            both => panic!("{both:?}"),
        };
        let by = Some(winner.to_owned());
        assert_eq!(loser, AnswerRefused::AlreadyAnswered { by });
        assert_eq!(peer.answered(&id).await["message"], winner);
    }
}

#[tokio::test]
async fn what_is_open_when_the_session_closes_is_withdrawn() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    peer.ask("toolu_1", "Bash", json!({"command": "make"}))
        .await;
    front.first("PermissionRequired").await;
    let closing = controller.close(session, Duration::from_millis(20));
    let closed = peer.while_closing(closing).await.unwrap();
    assert_eq!(closed.state, LifecycleState::Closed);
    assert_eq!(closed.cut_off_turn, Some(1));
    let told = front.rest().await;
    let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
    assert!(names.contains(&"PromptResolved"), "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "Complete").count(), 1);
}
