//! What users say while the agent works.

use std::time::Duration;

use anyhow::{Result, ensure};
use claw_server::event::InputMode;
use claw_server::registry::PermissionResponse;
use claw_server::{ControllerError, Input, UiMessage};
use claw_testkit::Turn;

use super::stage::{GRACE, Stage, world};
use super::stops::LONG;
use super::story;
use crate::cli_package::CliPackage;
use crate::prove::sdk::bash;

impl Stage {
    async fn say_as(&self, text: &str, mode: InputMode) -> Result<()> {
        let input = Input::text(self.session, text).mode(mode);
        self.controller.input(input).await?;
        Ok(())
    }

    /// What the log says of inputs.
    async fn told_of_inputs(&self) -> Result<Vec<String>> {
        Ok(story::inputs(&self.events().await?))
    }
}

pub(super) async fn queued(cli: CliPackage) -> Result<String> {
    let turns = [
        bash("a", "touch made"),
        Turn::text("One."),
        Turn::text("Two."),
        Turn::text("Three."),
    ];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("first").await?;
    stage.phone.asked("toolu_a").await?;
    stage.say("second").await?;
    stage.say("third").await?;
    stage.answer("toolu_a", PermissionResponse::allow()).await?;
    for turn in 1..=3 {
        let stop = stage.completed(turn).await?;
        ensure!(stop == "EndTurn", "turn {turn} ended as {stop}");
    }
    let asked: Vec<String> = stage
        .asked()
        .iter()
        .map(|one| one.last_user_text())
        .collect();
    ensure!(
        asked.len() == 4
            && !asked[1].contains("second")
            && asked[2].contains("second")
            && !asked[2].contains("third")
            && asked[3].contains("third"),
        "the model was asked {asked:?}"
    );
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a",
        "ran toolu_a",
        "text One.",
        "complete 1 EndTurn",
        "text Two.",
        "complete 2 EndTurn",
        "text Three.",
        "complete 3 EndTurn",
    ])?;
    stage.shut(GRACE).await?;
    let inputs = stage.told_of_inputs().await?;
    ensure!(
        inputs
            == [
                "accepted first",
                "delivered first",
                "accepted second",
                "accepted third",
                "processed first",
                "delivered second",
                "processed second",
                "delivered third",
                "processed third",
            ],
        "the log says {inputs:?}"
    );
    Ok("three turns, each with its own answer, none before the one before".to_owned())
}

pub(super) async fn steered(cli: CliPackage) -> Result<String> {
    let turns = [bash("a", "touch made"), Turn::text("As you wish.")];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("first").await?;
    stage.phone.asked("toolu_a").await?;
    stage.say_as("and mind the gap", InputMode::Steer).await?;
    let is_delivered = |message: &UiMessage| matches!(message, UiMessage::InputReceipt { state, .. } if state.as_str() == "Delivered");
    let delivered = || {
        let heard = stage.phone.heard();
        heard.iter().filter(|one| is_delivered(one)).count()
    };
    let both = async {
        while delivered() < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(super::stage::PATIENCE, both).await?;
    stage.answer("toolu_a", PermissionResponse::allow()).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let asked = stage.asked();
    ensure!(
        asked.len() == 2,
        "the model was asked {} times",
        asked.len()
    );
    let last = stage.last_asked();
    ensure!(
        last.contains("and mind the gap") && last.contains("toolu_a"),
        "the model was told {last}"
    );
    stage.shut(GRACE).await?;
    let inputs = stage.told_of_inputs().await?;
    let is_there = |line: &str| inputs.iter().any(|told| told == line);
    ensure!(
        inputs.len() == 6 && is_there("processed first") && is_there("processed and mind the gap"),
        "the log says {inputs:?}"
    );
    let story = stage.story().await?;
    let turns = story.iter().filter(|line| line.ends_with("began")).count();
    ensure!(turns == 1, "the log says {story:?}");
    Ok("folded into the running turn: one turn, one end, both inputs processed".to_owned())
}

pub(super) async fn merged(cli: CliPackage) -> Result<String> {
    let slow = Turn::text("One two three four five six.")
        .chunk_chars(4)
        .delay_between(Duration::from_millis(150));
    let turns = [slow, Turn::text("Both.")];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("first").await?;
    let is_text = |message: &UiMessage| message.name() == "TextChunk";
    stage.phone.until("some text", is_text).await?;
    stage.say_as("second", InputMode::Steer).await?;
    stage.say_as("third", InputMode::Steer).await?;
    stage.completed(1).await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let last = stage.last_asked();
    ensure!(
        last.contains("second") && last.contains("third") && stage.asked().len() == 2,
        "the model was told {last}"
    );
    stage.saw(&[
        "text One two three four five six.",
        "complete 1 EndTurn",
        "text Both.",
        "complete 2 EndTurn",
    ])?;
    stage.shut(GRACE).await?;
    let inputs = stage.told_of_inputs().await?;
    let processed = inputs.iter().filter(|line| line.starts_with("processed"));
    ensure!(
        processed.count() == 3 && inputs.len() == 9,
        "the log says {inputs:?}"
    );
    Ok("two that came while text was written share the next turn and its end".to_owned())
}

pub(super) async fn made_way(cli: CliPackage) -> Result<String> {
    let turns = [
        bash("a", LONG),
        Turn::text("Stopped."),
        Turn::text("And that."),
    ];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("first").await?;
    stage.answer("toolu_a", PermissionResponse::allow()).await?;
    stage.until_made("begun").await?;
    stage.say("later").await?;
    stage
        .say_as("stop that", InputMode::InterruptThenSend)
        .await?;
    for (turn, wanted) in [(1, "Interrupted"), (2, "EndTurn"), (3, "EndTurn")] {
        let stop = stage.completed(turn).await?;
        ensure!(stop == wanted, "turn {turn} ended as {stop}");
    }
    let asked: Vec<String> = stage
        .asked()
        .iter()
        .map(|one| one.last_user_text())
        .collect();
    ensure!(
        asked.len() == 3
            && asked[1].contains("stop that")
            && !asked[1].contains("later")
            && asked[2].contains("later"),
        "the model was asked {asked:?}"
    );
    ensure!(!stage.made("done"), "the tool ran to its end");
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a",
        "ran toolu_a",
        "complete 1 Interrupted",
        "text Stopped.",
        "complete 2 EndTurn",
        "text And that.",
        "complete 3 EndTurn",
    ])?;
    stage.shut(GRACE).await?;
    let inputs = stage.told_of_inputs().await?;
    ensure!(
        inputs
            == [
                "accepted first",
                "delivered first",
                "accepted later",
                "accepted stop that",
                "processed first",
                "delivered stop that",
                "processed stop that",
                "delivered later",
                "processed later",
            ],
        "the log says {inputs:?}"
    );
    Ok("what ran was stopped, the new one went first, the one that waited came after".to_owned())
}

pub(super) async fn once(cli: CliPackage) -> Result<String> {
    let turns = [Turn::text("One."), Turn::text("Two.")];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    let keyed = || Input::text(stage.session, "first").key("phone-1");
    let first = stage.controller.input(keyed()).await?;
    let again = stage.controller.input(keyed()).await?;
    stage.completed(1).await?;
    let late = stage.controller.input(keyed()).await?;
    ensure!(
        !first.is_repeat && again.is_repeat && late.is_repeat,
        "{first:?}, {again:?}, {late:?}"
    );
    ensure!(first.id == again.id && first.id == late.id, "other ids");
    let other = Input::text(stage.session, "other").key("phone-1");
    let refused = stage.controller.input(other).await;
    ensure!(
        matches!(refused, Err(ControllerError::KeyReused { .. })),
        "another input under the key was taken as {refused:?}"
    );
    stage.say("second").await?;
    stage.completed(2).await?;
    let asked: Vec<String> = stage
        .asked()
        .iter()
        .map(|one| one.last_user_text())
        .collect();
    ensure!(
        asked.len() == 2 && asked[1].contains("second"),
        "the model was asked {asked:?}"
    );
    stage
        .end_as(&[
            "turn 1 began",
            "turn 1 ended: Succeeded",
            "turn 2 began",
            "turn 2 ended: Succeeded",
        ])
        .await?;
    Ok("sent three times, asked once; another text under the key was refused".to_owned())
}
