//! Permissions and questions of the agent, and their answers.

mod batches;

use std::time::Duration;

use claw_server::event::LifecycleState;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{Answerer, PermissionResponse, QuestionAnswer};
use claw_server::{Controller, Json, QuestionType, SessionId, UiMessage};
use serde_json::json;

use super::front_end::{FrontEnd, go, open};
use super::peer::Peer;

/// Opens a session in the middle of a turn.
pub(crate) async fn busy(controller: &Controller, tenant: &str) -> (SessionId, FrontEnd, Peer) {
    let (session, front, mut peer) = open(controller, |setup| setup.tenant(tenant)).await;
    go(controller, session, &mut peer).await;
    (session, front, peer)
}

#[tokio::test]
async fn the_first_answer_counts_and_all_others_are_told_apart() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let id = peer.bash("toolu_1", "make").await;
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
    let elsewhere = registry.respond(SessionId::from(99), "toolu_1", no()).await;
    assert_eq!(elsewhere, Err(AnswerRefused::NoSession));
    let resolved = front.first("InteractionResolved").await;
    assert!(matches!(resolved, UiMessage::InteractionResolved { by: told, .. } if told == by));
}

#[tokio::test]
async fn a_request_that_is_cancelled_at_once_is_not_asked() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let id = peer.bash("toolu_2", "make").await;
    peer.cancel(&id).await;
    peer.say("on").await;
    tokio::time::sleep(Duration::from_millis(120)).await;
    assert!(controller.permissions().pending(session).await.is_empty());
    peer.say("and on").await;
    let is_last = |message: &UiMessage| matches!(message, UiMessage::TextChunk { text, .. } if text.contains("and on"));
    let told = front.until(is_last).await;
    let mut names = told.iter().map(UiMessage::name);
    assert!(
        !names.any(|name| name.contains("Permission") || name.contains("Interaction")),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_late_answer_is_none_to_what_the_person_has_not_seen() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let first = peer.bash("toolu_1", "ls").await;
    front.first("PermissionRequired").await;
    peer.cancel(&first).await;
    front.first("InteractionResolved").await;
    let second = peer.bash("toolu_1", "rm -r x").await;
    let asked = front.first("PermissionRequired").await;
    let UiMessage::PermissionRequired { tool_use_id, .. } = asked else {
        panic!()
    };
    assert_eq!(tool_use_id, "toolu_1#2");
    let registry = controller.permissions();
    let yes = PermissionResponse::allow();
    let late = registry.respond(session, "toolu_1", yes).await;
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
    let refused = registry
        .respond(session, "toolu_q", wrong, Answerer::default())
        .await;
    assert_matches!(refused, Err(AnswerRefused::Unfit { .. }));
    let yes = PermissionResponse::allow();
    let refused = controller.permissions().respond(session, "toolu_q", yes);
    assert_matches!(refused.await, Err(AnswerRefused::Unfit { .. }));
    let answers = vec![
        QuestionAnswer::text("toolu_q:0", "Teal, please"),
        QuestionAnswer::choices("toolu_q:1", ["Olives", "Capers"]).and_text("no salt"),
    ];
    let answered = registry.respond(session, "toolu_q", answers, Answerer::by("phone"));
    answered.await.unwrap();
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
        let id = peer.bash(&call, "make").await;
        front.first("PermissionRequired").await;
        let answer = |who: &'static str| {
            let (controller, call) = (controller.clone(), call.clone());
            tokio::spawn(async move {
                let registry = controller.permissions();
                let response = PermissionResponse::deny(who).by(who);
                registry.respond(session, &call, response).await
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
    peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    let closing = controller.close(session, Duration::from_millis(20));
    let closed = peer.while_closing(closing).await.unwrap();
    assert_eq!(closed.state, LifecycleState::Closed);
    assert_eq!(closed.cut_off_turn, Some(1));
    let told = front.rest().await;
    let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
    assert!(names.contains(&"InteractionResolved"), "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "Complete").count(), 1);
}
