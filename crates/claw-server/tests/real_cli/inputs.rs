//! Inputs that arrive while the agent works.

use claw_server::event::InputMode;
use claw_server::registry::PermissionResponse;
use claw_server::{ControllerError, Input, UiMessage};
use claw_testkit::Turn;
use claw_testkit::real_cli::bash;

use crate::stage::{GRACE, Stage, contains};
use crate::stops::{LONG, slow_text};

pub(crate) async fn queued() -> String {
    let texts = ["One.", "Two.", "Three."].map(Turn::text);
    let mut stage = Stage::open([bash("a", "touch made")].into_iter().chain(texts)).await;
    stage.send("first").await;
    stage.phone.asked("a").await;
    stage.send("second").await;
    stage.send("third").await;
    stage.answer("a", PermissionResponse::allow()).await;
    for turn in 1..=3 {
        stage.ended(turn, "EndTurn").await;
    }
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 4, "{prompts:?}");
    assert!(!prompts[1].contains("second"), "{prompts:?}");
    assert!(
        prompts[2].contains("second") && !prompts[2].contains("third"),
        "{prompts:?}"
    );
    assert!(prompts[3].contains("third"), "{prompts:?}");
    stage.saw(
        "runs a, may a?, Answered a, ran a, text One., complete 1 EndTurn, \
         text Two., complete 2 EndTurn, text Three., complete 3 EndTurn",
    );
    stage.shut(GRACE).await;
    assert_eq!(
        stage.inputs().await,
        "accepted first, delivered first, accepted second, accepted third, processed first, \
         delivered second, processed second, delivered third, processed third"
    );
    "three turns, each with its own answer, none before the one before".to_owned()
}

pub(crate) async fn steered() -> String {
    let turns = [bash("a", "touch made"), Turn::text("As you access.")];
    let mut stage = Stage::open(turns).await;
    stage.send("first").await;
    stage.phone.asked("a").await;
    stage.send_as("and mind the gap", InputMode::Steer).await;
    let is_delivered = |message: &&UiMessage| matches!(message, UiMessage::InputReceipt { state, .. } if state.as_str() == "Delivered");
    while stage.phone.received.iter().filter(is_delivered).count() < 2 {
        stage.phone.next().await.expect("the session runs");
    }
    stage.answer("a", PermissionResponse::allow()).await;
    stage.ended(1, "EndTurn").await;
    assert_eq!(stage.requests().len(), 2);
    stage.model_received(&["and mind the gap", "toolu_a"]);
    stage.shut(GRACE).await;
    let inputs = stage.inputs().await;
    contains(&inputs, &["processed first", "processed and mind the gap"]);
    assert_eq!(inputs.split(", ").count(), 6, "{inputs}");
    let story = stage.story().await;
    assert_eq!(story.matches(" began").count(), 1, "{story}");
    "folded into the running turn: one turn, one end, both inputs processed".to_owned()
}

pub(crate) async fn merged() -> String {
    let slow = slow_text("One two three four five six.", 150);
    let mut stage = Stage::open([slow, Turn::text("Both.")]).await;
    stage.send("first").await;
    stage
        .phone
        .find(|message| message.name() == "TextChunk")
        .await;
    stage.send_as("second", InputMode::Steer).await;
    stage.send_as("third", InputMode::Steer).await;
    stage.ended(1, "EndTurn").await;
    stage.ended(2, "EndTurn").await;
    stage.model_received(&["second", "third"]);
    assert_eq!(stage.requests().len(), 2);
    stage.saw(
        "text One two three four five six., complete 1 EndTurn, text Both., complete 2 EndTurn",
    );
    stage.shut(GRACE).await;
    let inputs = stage.inputs().await;
    assert_eq!(inputs.matches("processed").count(), 3, "{inputs}");
    assert_eq!(inputs.split(", ").count(), 9, "{inputs}");
    "two that came while text was written share the next turn and its end".to_owned()
}

pub(crate) async fn made_way() -> String {
    let turns = [
        bash("a", LONG),
        Turn::text("Stopped."),
        Turn::text("And that."),
    ];
    let mut stage = Stage::open(turns).await;
    stage.send("first").await;
    stage.answer("a", PermissionResponse::allow()).await;
    stage.until_file("begun").await;
    stage.send("later").await;
    stage
        .send_as("stop that", InputMode::InterruptThenSend)
        .await;
    for (turn, stop) in [(1, "Interrupted"), (2, "EndTurn"), (3, "EndTurn")] {
        stage.ended(turn, stop).await;
    }
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 3, "{prompts:?}");
    assert!(
        prompts[1].contains("stop that") && !prompts[1].contains("later"),
        "{prompts:?}"
    );
    assert!(prompts[2].contains("later"), "{prompts:?}");
    assert!(!stage.world.has_file("done"), "the tool ran to its end");
    stage.saw(
        "runs a, may a?, Answered a, ran a, complete 1 Interrupted, \
         text Stopped., complete 2 EndTurn, text And that., complete 3 EndTurn",
    );
    stage.shut(GRACE).await;
    assert_eq!(
        stage.inputs().await,
        "accepted first, delivered first, accepted later, accepted stop that, processed first, \
         delivered stop that, processed stop that, delivered later, processed later"
    );
    "what ran was stopped, the new one went first, the one that waited came after".to_owned()
}

pub(crate) async fn once() -> String {
    let mut stage = Stage::open([Turn::text("One."), Turn::text("Two.")]).await;
    let (controller, session) = (stage.controller.clone(), stage.session);
    let keyed = |text| controller.input(Input::text(session, text).key("phone-1"));
    let first = keyed("first").await.unwrap();
    let again = keyed("first").await.unwrap();
    stage.ended(1, "EndTurn").await;
    let late = keyed("first").await.unwrap();
    assert!(!first.is_repeat && again.is_repeat && late.is_repeat);
    assert!(first.id == again.id && first.id == late.id);
    let refused = keyed("other").await;
    assert_matches!(refused, Err(ControllerError::KeyReused { .. }));
    stage.send("second").await;
    stage.ended(2, "EndTurn").await;
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 2, "{prompts:?}");
    contains(&prompts[1], &["second"]);
    stage
        .end_as("turn 1 began, turn 1 ended: Succeeded, turn 2 began, turn 2 ended: Succeeded")
        .await;
    "sent three times, asked once; another text under the key was refused".to_owned()
}
