//! Turns that somebody stops.

use std::time::Duration;

use anyhow::{Result, ensure};
use claw_server::prompts::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{StopReason, UiMessage};
use claw_testkit::Turn;

use super::stage::{GRACE, Stage, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::bash;

/// Runs until it is stopped, and shows that it runs. The CLI refuses a lone sleep.
pub(super) const LONG: &str = "touch begun; for i in 1 2; do sleep 300; done; touch done";

pub(super) async fn in_a_tool(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", LONG), Turn::text("Hello.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    stage
        .answer("toolu_a", PermissionResponse::allow().by("phone"))
        .await?;
    stage.until_made("begun").await?;
    stage.controller.interrupt(stage.session).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "Interrupted", "the turn ended as {stop}");
    ensure!(stage.asked().len() == 1, "the model was asked on");
    stage.say("and now?").await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the next turn ended as {stop}");
    ensure!(!stage.made("done"), "the tool ran to its end");
    let conversation = stage.last_asked();
    stage.told("toolu_a")?;
    ensure!(
        conversation.contains("[Request interrupted by user"),
        "the model was told {conversation}"
    );
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a by phone",
        "ran toolu_a",
        "complete 1 Interrupted",
        "text Hello.",
        "complete 2 EndTurn",
    ])?;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "answered toolu_a by phone",
            "result toolu_a",
            "turn 1 ended: Interrupted",
            "turn 2 began",
            "turn 2 ended: Succeeded",
        ])
        .await?;
    Ok("the tool was stopped, the turn interrupted, the model was told with the next".to_owned())
}

pub(super) async fn in_a_text(cli: CliPackage) -> Result<String> {
    let slow = Turn::text("One two three four five six seven eight nine ten.")
        .chunk_chars(4)
        .delay_between(Duration::from_millis(250));
    let world = world(&cli, [slow, Turn::text("Hello.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    let has_begun = |message: &UiMessage| {
        matches!(message, UiMessage::TextChunk { text, .. } if text.contains("two"))
            || matches!(message, UiMessage::TextChunk { text, .. } if text.contains("wo"))
    };
    stage.phone.until("some text", has_begun).await?;
    stage.controller.interrupt(stage.session).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "Interrupted", "the turn ended as {stop}");
    let (phone, desktop) = (stage.phone.text(), stage.desktop.text());
    ensure!(
        phone == desktop && phone.starts_with("One two") && !phone.contains("ten"),
        "the phone has {phone:?}, the desktop {desktop:?}"
    );
    stage.say("and now?").await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the next turn ended as {stop}");
    let conversation = stage.last_asked();
    ensure!(
        conversation.contains("[Request interrupted by user]"),
        "the model was told {conversation}"
    );
    let kept = conversation.contains(&phone);
    stage
        .end_as(&[
            "turn 1 began",
            "turn 1 ended: Interrupted",
            "turn 2 began",
            "turn 2 ended: Succeeded",
        ])
        .await?;
    ensure!(kept, "the model was not told {phone:?}: {conversation}");
    Ok(format!(
        "both saw {phone:?} and so did the model with the next prompt"
    ))
}

pub(super) async fn in_a_permission(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch made"), Turn::text("Hello.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    stage.phone.asked("toolu_a").await?;
    stage.controller.interrupt(stage.session).await?;
    let stop = stage.phone.completed(1).await?;
    ensure!(
        stop == StopReason::Interrupted,
        "the turn ended as {stop:?}"
    );
    let yes = PermissionResponse::allow().by("phone");
    let registry = stage.controller.permissions();
    let late = registry.respond(stage.session, "toolu_a", yes).await;
    ensure!(
        late == Err(AnswerRefused::Withdrawn),
        "a late answer was told {late:?}"
    );
    stage.say("and now?").await?;
    stage.completed(2).await?;
    ensure!(!stage.made("made"), "it ran");
    let conversation = stage.last_asked();
    ensure!(
        conversation.contains("[Request interrupted by user for tool use]"),
        "the model was told {conversation}"
    );
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Withdrawn toolu_a",
        "ran toolu_a",
        "complete 1 Interrupted",
        "text Hello.",
        "complete 2 EndTurn",
    ])?;
    stage.shut(GRACE).await?;
    let story = stage.story().await?;
    let place = |line: &str| story.iter().position(|told| told == line);
    ensure!(
        place("withdrawn toolu_a").is_some()
            && place("withdrawn toolu_a") < place("turn 1 ended: Interrupted"),
        "the log says {story:?}"
    );
    Ok("withdrawn before the turn ended, a late yes was told so".to_owned())
}
