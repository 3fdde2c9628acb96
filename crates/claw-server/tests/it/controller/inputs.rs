//! Inputs of users, and when they are delivered to the agent.

use claw_server::event::InputMode;
use claw_server::{
    Controller, ControllerError, ControllerInputPayload, Input, MemoryLog, PageLimit, TurnId,
    UiMessage,
};
use serde_json::json;

use super::front_end::{FrontEnd, open};

#[tokio::test]
async fn one_waits_one_steers_and_one_makes_way() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let send = async |text: &str, mode| {
        let input = Input::text(session, text).mode(mode);
        controller.input(input).await.unwrap();
    };
    send("one", InputMode::Queue).await;
    let one = peer.prompt().await;
    peer.begin(&one).await;
    send("two", InputMode::Queue).await;
    send("aside", InputMode::Steer).await;
    let aside = peer.prompt().await;
    assert_eq!(aside["message"]["content"], "aside");
    send("stop", InputMode::InterruptThenSend).await;
    let interrupt = peer.until(|value| value["type"] == "control_request").await;
    assert_eq!(interrupt["request"]["subtype"], "interrupt");
    peer.succeed(&interrupt, json!({"still_queued": []})).await;
    let line = json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "session_id": "5e5e", "terminal_reason": "aborted_streaming",
        "user_message_uuids": [one["uuid"], aside["uuid"]]});
    peer.write(line).await;
    let stop = peer.prompt().await;
    assert_eq!(
        stop["message"]["content"], "stop",
        "it goes before the one that waits"
    );
    peer.answer(&stop, "Stopped").await;
    let two = peer.prompt().await;
    assert_eq!(two["message"]["content"], "two");
    peer.answer(&two, "Two").await;
    for _ in 0..3 {
        front.until_complete().await;
    }
}

#[tokio::test]
async fn a_turn_that_does_not_stop_is_told_again() {
    let controller = Controller::builder().build();
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "one")).await.unwrap();
    let one = peer.prompt().await;
    peer.begin(&one).await;
    let urgent = Input::text(session, "stop").mode(InputMode::InterruptThenSend);
    controller.input(urgent).await.unwrap();
    let is_interrupt = |value: &serde_json::Value| value["request"]["subtype"] == "interrupt";
    let first = peer.until(is_interrupt).await;
    let line = json!({"type": "control_response", "response": {"subtype": "error",
        "request_id": first["request_id"], "error": "not now"}});
    peer.write(line).await;
    let second = peer.until(is_interrupt).await;
    peer.succeed(&second, json!({"still_queued": []})).await;
    peer.end(&one).await;
    let stop = peer.prompt().await;
    assert_eq!(stop["message"]["content"], "stop");
}

#[tokio::test]
async fn an_interrupt_of_another_turn_does_nothing() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "one")).await.unwrap();
    let one = peer.prompt().await;
    peer.answer(&one, "One").await;
    front.until_complete().await;
    controller.interrupt_turn(session, 1).await.unwrap();
    controller.input(Input::text(session, "two")).await.unwrap();
    let two = peer.prompt().await;
    peer.begin(&two).await;
    for turn in [1, 3] {
        controller.interrupt_turn(session, turn).await.unwrap();
    }
    // The CLI would have received the earlier ones before this one.
    let interrupting = controller.interrupt_turn(session, 2);
    let stopping = async {
        let frame = peer.until(|value| value["type"] == "control_request").await;
        assert_eq!(frame["request"]["subtype"], "interrupt");
        peer.succeed(&frame, json!({"still_queued": []})).await;
    };
    let (interrupted, ()) = tokio::join!(interrupting, stopping);
    interrupted.unwrap();
}

#[tokio::test]
async fn a_key_stores_once_and_a_full_queue_says_so() {
    let controller = Controller::builder().queued(2).build();
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    let first = Input::text(session, "one").key("k1").by("phone");
    let receipt = controller.input(first.clone()).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    let again = controller.input(first).await.unwrap();
    assert_eq!((again.id, again.is_repeat), (receipt.id, true));
    let other = controller.input(Input::text(session, "other").key("k1"));
    assert_matches!(other.await, Err(ControllerError::KeyReused { .. }));
    for text in ["two", "three"] {
        controller.input(Input::text(session, text)).await.unwrap();
    }
    let full = controller.input(Input::text(session, "four")).await;
    assert_matches!(full, Err(ControllerError::QueueFull { limit: 2 }));
    let empty = controller.input(Input::text(session, "")).await;
    assert_matches!(empty, Err(ControllerError::Unsendable { .. }));
}

#[tokio::test]
async fn a_source_is_served_until_it_ends() {
    let controller = Controller::builder().build();
    let (_, mut front, mut peer) = open(&controller, |setup| setup).await;
    let (send, source) = tokio::sync::mpsc::channel(8);
    let serving = controller.clone();
    let served = tokio::spawn(async move {
        let mut refused = Vec::new();
        serving
            .serve("", source, |id, error| {
                refused.push((id, error.to_string()));
            })
            .await;
        refused
    });
    let turn = TurnId::new_user_turn;
    let hello = ControllerInputPayload::data(1, "Hello", turn(1));
    let mut keyed = hello.clone();
    keyed.metadata = Some([("idempotency_key".to_owned(), json!("k"))].into());
    send.send(keyed.clone()).await.unwrap();
    send.send(keyed).await.unwrap();
    send.send(ControllerInputPayload::data(77, "Nobody", turn(1)))
        .await
        .unwrap();
    drop(send);
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Hi").await;
    front.until_complete().await;
    let refused = served.await.unwrap();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].0, 77);
}

/// The states of inputs, by turn, in the receipts until a turn ends.
async fn receipts(front: &mut FrontEnd) -> Vec<(String, Option<TurnId>)> {
    let told = front.until_complete().await;
    let receipts = told.into_iter().filter_map(|message| match message {
        UiMessage::InputReceipt { state, turn_id, .. } => {
            Some((state.as_str().to_owned(), turn_id))
        }
        _ => None,
    });
    receipts.collect()
}

#[tokio::test]
async fn the_turn_of_an_input_is_stored_and_returned() {
    let log = std::sync::Arc::new(MemoryLog::keeping(1 << 20));
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let turn = TurnId::new_user_turn(3);
    let payload = ControllerInputPayload::data(1, "Hello", turn.clone());
    let receipt = controller
        .input(Input::payload(session, payload))
        .await
        .unwrap();
    assert_eq!(receipt.turn_id, Some(turn.clone()));
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Hi").await;
    let wanted = ["Accepted", "Delivered", "Processed"];
    let wanted = wanted.map(|state| (state.to_owned(), Some(turn.clone())));
    assert_eq!(receipts(&mut front).await, wanted);
    // An application without turn ids sends none, and receives none.
    let uncounted = controller.input(Input::text(session, "More")).await;
    assert_eq!(uncounted.unwrap().turn_id, None);
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Yes").await;
    let receipts = receipts(&mut front).await;
    assert!(receipts.iter().all(|(_, turn)| turn.is_none()));
    let events = claw_server::EventLog::read(&*log, session, 0, PageLimit::ALL).await;
    let stored = events.unwrap().iter().find_map(|event| match &event.fact {
        claw_server::Fact::InputAccepted(input) => Some(input.turn_id.clone()),
        _ => None,
    });
    assert_eq!(stored, Some(Some(turn)));
}

#[tokio::test]
async fn turns_of_other_roles_and_sequences_that_do_not_rise_are_refused() {
    let controller = Controller::builder().build();
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    let say =
        |text: &str, turn| Input::payload(session, ControllerInputPayload::data(1, text, turn));
    for role in ["Assistant", "Narrator"] {
        let json = json!({"role": role, "sequence": 99});
        let turn: TurnId = serde_json::from_value(json).unwrap();
        let error = controller.input(say("I agree", turn)).await.unwrap_err();
        assert!(
            matches!(&error, ControllerError::NotUserTurn { role: sent } if sent.as_str() == role),
            "{error:?}"
        );
    }
    let user = TurnId::new_user_turn;
    let mut first = say("one", user(5)).key("k");
    controller.input(first.clone()).await.unwrap();
    for sequence in [0, 4, 5] {
        let input = say("two", user(sequence));
        let error = controller.input(input).await.unwrap_err();
        assert!(
            matches!(error, ControllerError::StaleTurn { sequence: sent, last: 5 } if sent == sequence),
            "{error:?}"
        );
        assert!(error.to_string().contains("use 6 or higher"), "{error}");
    }
    // A repeat is recognized by its key, even with another turn id.
    for turn in [user(5), user(1)] {
        first = first.turn_id(turn);
        let again = controller.input(first.clone()).await.unwrap();
        assert_eq!((again.is_repeat, again.turn_id), (true, Some(user(5))));
    }
    controller.input(say("two", user(9))).await.unwrap();
    for text in ["one", "two"] {
        let prompt = peer.prompt().await;
        assert_eq!(prompt["message"]["content"], text);
        peer.answer(&prompt, "Yes").await;
    }
}
