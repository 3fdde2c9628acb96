//! Interrupted turns.

use std::time::Duration;

use claw_server::UiMessage;
use claw_server::interactions::AnswerRefused;
use claw_testkit::Turn;
use claw_testkit::real_cli::bash;

use crate::permissions::{INTERRUPTED_AFTER_AN_ANSWER, yes};
use crate::stage::{GRACE, Stage};

/// A command that runs until it is stopped, and creates a file once it runs. The CLI rejects a
/// command that only sleeps.
pub(crate) const LONG: &str = "touch begun; for i in 1 2; do sleep 300; done; touch done";

impl Stage {
    async fn interrupt(&self) {
        self.controller.interrupt(self.session).await.unwrap();
    }
}

pub(crate) async fn in_a_tool() -> String {
    let mut stage = Stage::start([bash("a", LONG), Turn::text("Hello.")]).await;
    stage.answer("a", yes("phone")).await;
    stage.until_file("begun").await;
    stage.interrupt().await;
    stage.ended(1, "Interrupted").await;
    assert_eq!(stage.requests().len(), 1, "the turn went on");
    stage.send("and now?").await;
    stage.ended(2, "EndTurn").await;
    assert!(!stage.world.has_file("done"), "the tool ran to its end");
    stage.result("a");
    stage.model_received(&["[Request interrupted by user"]);
    stage.saw("runs a, may a?, Answered a by phone, ran a, complete 1 Interrupted, text Hello., complete 2 EndTurn");
    stage.end_as(INTERRUPTED_AFTER_AN_ANSWER).await;
    "the tool was stopped, the turn interrupted, the next prompt informed the model".to_owned()
}

/// An answer that is written slowly.
pub(crate) fn slow_text(text: &str, millis: u64) -> Turn {
    let pause = Duration::from_millis(millis);
    Turn::text(text).chunk_chars(4).delay_between(pause)
}

pub(crate) const COUNTING: &str = "One two three four five six seven eight nine ten.";

pub(crate) async fn in_a_text() -> String {
    let mut stage = Stage::start([slow_text(COUNTING, 250), Turn::text("Hello.")]).await;
    let has_two = |message: &UiMessage| matches!(message, UiMessage::TextChunk { text, .. } if text.contains("wo"));
    stage.phone.find(has_two).await;
    stage.interrupt().await;
    stage.ended(1, "Interrupted").await;
    let text = stage.phone.text();
    assert_eq!(text, stage.desktop.text());
    assert!(
        text.starts_with("One two") && !text.contains("ten"),
        "{text}"
    );
    stage.send("and now?").await;
    stage.ended(2, "EndTurn").await;
    stage.model_received(&["[Request interrupted by user]", &text]);
    stage
        .end_as("turn 1 began, turn 1 ended: Interrupted, turn 2 began, turn 2 ended: Succeeded")
        .await;
    format!("both saw {text:?} and so did the model with the next prompt")
}

pub(crate) async fn in_a_permission() -> String {
    let mut stage = Stage::start([bash("a", "touch made"), Turn::text("Hello.")]).await;
    stage.phone.asked("a").await;
    stage.interrupt().await;
    stage.ended(1, "Interrupted").await;
    let late = stage.respond("a", yes("phone")).await;
    assert_eq!(late, Err(AnswerRefused::Withdrawn));
    stage.send("and now?").await;
    stage.ended(2, "EndTurn").await;
    assert!(!stage.world.has_file("made"));
    stage.model_received(&["[Request interrupted by user for tool use]"]);
    stage.saw("runs a, may a?, Withdrawn a, ran a, complete 1 Interrupted, text Hello., complete 2 EndTurn");
    stage.shut(GRACE).await;
    let order = ["withdrawn a", "turn 1 ended: Interrupted"];
    stage.story_has(&order).await;
    "withdrawn before the turn ended, a late yes was rejected".to_owned()
}
