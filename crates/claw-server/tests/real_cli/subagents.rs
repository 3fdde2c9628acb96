//! Permissions that subagents ask for.

use std::time::Duration;

use claw_testkit::Turn;
use claw_testkit::real_cli::{bash, call};
use rusty_claw::control::messages::AgentDefinition;
use serde_json::json;

use crate::permissions::yes;
use crate::stage::{GRACE, Prepared, Stage};

/// The delay before a background subagent asks: longer than the turn that started it.
const THINKING: Duration = Duration::from_secs(2);

/// A session whose agent runs a checker, in the background or not.
async fn checking(in_background: bool, texts: &[&str]) -> Stage {
    let agent = json!({"description": "check", "prompt": "CHECK THE SUM", "subagent_type": "checker",
        "run_in_background": in_background});
    let is_checker = |request: &claw_testkit::ApiRequest| {
        let first = request.messages().first();
        first.is_some_and(|first| first["content"].to_string().contains("CHECK THE SUM"))
    };
    let thinking = THINKING * u32::from(in_background);
    let checks = bash("s", "touch checked").delay(thinking);
    let mut turns = vec![
        call("t", "Agent", agent),
        checks.matching(is_checker),
        Turn::text("The sum is right.").matching(is_checker),
    ];
    turns.extend(texts.iter().map(|text| Turn::text(*text)));
    let mut prepared = Prepared::new(turns).await;
    let checker = AgentDefinition::new("Checks sums", "You check sums, in one sentence.");
    prepared.options = prepared.options.agents([("checker", checker)]);
    let stage = prepared.open().await;
    stage.send("go").await;
    stage
}

/// Checks that the subagent's tool ran, that the agent's text is this, and that the log has these
/// lines in order.
async fn ran(mut stage: Stage, text: &str, order: &[&str]) {
    assert!(stage.world.has_file("checked"));
    stage.succeeded("s", "");
    assert_eq!(stage.phone.text(), text);
    stage.shut(GRACE).await;
    stage.story_has(order).await;
}

pub(crate) async fn in_the_turn() -> String {
    let mut stage = checking(false, &["The checker agrees."]).await;
    stage.answer("s", yes("phone")).await;
    stage.ended(1, "EndTurn").await;
    stage.succeeded("t", "The sum is right.");
    let order = [
        "called t",
        "asked s",
        "answered s by phone",
        "result t",
        "turn 1 ended: Succeeded",
    ];
    ran(stage, "The checker agrees.", &order).await;
    "asked within the turn of the agent, ran, and both read the result".to_owned()
}

pub(crate) async fn in_background() -> String {
    let mut stage = checking(true, &["It is being checked.", "The checker agrees."]).await;
    stage.ended(1, "EndTurn").await;
    stage.answer("s", yes("phone")).await;
    stage.ended(2, "EndTurn").await;
    let order = [
        "called t",
        "turn 1 ended: ContinuedInBackground",
        "asked s",
        "answered s by phone",
        "turn 2 ended: Succeeded",
    ];
    ran(stage, "It is being checked.The checker agrees.", &order).await;
    "asked when its agent's turn was over, ran, and began a turn of its own".to_owned()
}
