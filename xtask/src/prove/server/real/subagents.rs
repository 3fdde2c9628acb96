//! Subagents that ask.

use std::time::Duration;

use anyhow::{Result, ensure};
use claw_server::registry::PermissionResponse;
use claw_testkit::Turn;
use rusty_claw::control::messages::AgentDefinition;
use serde_json::json;

use super::stage::{GRACE, Stage, asking, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::{bash, call};

/// How long a subagent thinks before it asks: longer than the turn that started it takes.
const THINKING: Duration = Duration::from_secs(2);

/// A session whose agent has a checker at work, and what the agent says before and after it.
async fn at_work(cli: &CliPackage, is_behind: bool, says: &[&str]) -> Result<Stage> {
    let agent = json!({"description": "check", "prompt": "CHECK THE SUM", "subagent_type": "checker",
        "run_in_background": is_behind});
    let is_checker = |request: &claw_testkit::ApiRequest| {
        let first = request.messages().first();
        first.is_some_and(|first| first["content"].to_string().contains("CHECK THE SUM"))
    };
    let thinking = if is_behind { THINKING } else { Duration::ZERO };
    let mut turns = vec![
        call("t", "Agent", agent),
        bash("s", "touch checked")
            .delay(thinking)
            .matching(is_checker),
        Turn::text("The sum is right.").matching(is_checker),
    ];
    turns.extend(says.iter().map(|text| Turn::text(*text)));
    let world = world(cli, turns).await?;
    let checker = AgentDefinition::new("Checks sums", "You check sums, in one sentence.");
    let options = asking(&world).agents([("checker", checker)]);
    let stage = Stage::open_with(world, options, |builder| builder, |setup| setup).await?;
    stage.say("go").await?;
    Ok(stage)
}

/// The subagent's tool ran, it was told so, and the log has these lines in this order.
async fn ran(stage: Stage, order: &[&str]) -> Result<()> {
    ensure!(stage.made("checked"), "it did not run");
    let told = stage.told("toolu_s")?;
    ensure!(!told.failed, "the subagent was told {:?}", told.text);
    stage.shut(GRACE).await?;
    let story = stage.story().await?;
    let place = |line: &&str| story.iter().position(|told| told == line);
    let places: Option<Vec<usize>> = order.iter().map(place).collect();
    ensure!(
        places.is_some_and(|places| places.is_sorted()),
        "the log says {story:?}"
    );
    Ok(())
}

pub(super) async fn in_the_turn(cli: CliPackage) -> Result<String> {
    let stage = at_work(&cli, false, &["The checker agrees."]).await?;
    let yes = PermissionResponse::allow().by("phone");
    stage.answer("toolu_s", yes).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_t")?;
    ensure!(
        told.text.contains("The sum is right."),
        "the agent was told {:?}",
        told.text
    );
    ensure!(
        stage.phone.text() == "The checker agrees.",
        "the answer is {:?}",
        stage.phone.text()
    );
    ran(
        stage,
        &[
            "called toolu_t",
            "asked toolu_s",
            "answered toolu_s by phone",
            "result toolu_t",
            "turn 1 ended: Succeeded",
        ],
    )
    .await?;
    Ok("asked within the turn of the agent, ran, and both read the result".to_owned())
}

pub(super) async fn behind_it(cli: CliPackage) -> Result<String> {
    let stage = at_work(&cli, true, &["It is being checked.", "The checker agrees."]).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let yes = PermissionResponse::allow().by("phone");
    stage.answer("toolu_s", yes).await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the turn behind it ended as {stop}");
    let text = stage.phone.text();
    ensure!(
        text == "It is being checked.The checker agrees.",
        "the answers are {text:?}"
    );
    ran(
        stage,
        &[
            "called toolu_t",
            "turn 1 ended: ContinuedInBackground",
            "asked toolu_s",
            "answered toolu_s by phone",
            "turn 2 ended: Succeeded",
        ],
    )
    .await?;
    Ok("asked when its agent's turn was over, ran, and began a turn of its own".to_owned())
}
