//! What a handler can say.

use anyhow::{Result, ensure};
use claw_testkit::Turn;
use rusty_claw::Json;
use rusty_claw::permission::{
    PermissionAnswer, PermissionAsk, PermissionBehavior, PermissionRuleValue, PermissionUpdate,
    PermissionUpdateDestination, Policy, Rule,
};
use serde_json::json;

use super::super::World;
use super::super::stage::{Stage, bash};
use super::{Asked, asking};
use crate::cli_package::CliPackage;

pub(super) async fn allow(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch made"))
        .turn(Turn::text("Done."));
    let asked = Asked::default();
    let noted = asked.clone();
    let options = asking(&world).can_use_tool(move |ask: PermissionAsk| {
        noted.note(&ask);
        async { PermissionAnswer::allow() }
    });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    ensure!(asked.ids() == ["toolu_a"], "asked {:?}", asked.ids());
    ensure!(stage.made("made"), "the file is not there");
    ensure!(
        !stage.tool_result("a")?.failed,
        "the model was told of a failure"
    );
    stage.end().await;
    Ok("asked once, the file is there".to_owned())
}

pub(super) async fn edited(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch original"))
        .turn(Turn::text("Done."));
    let options = asking(&world).can_use_tool(|_: PermissionAsk| async {
        PermissionAnswer::allow_with(Json::from_value(&json!({"command": "touch changed"})))
    });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    ensure!(stage.made("changed"), "the edited file is not there");
    ensure!(!stage.made("original"), "the original file is there");
    stage.end().await;
    Ok("the edited file is there, the original is not".to_owned())
}

pub(super) async fn rule(cli: CliPackage) -> Result<String> {
    let answer = |_: &PermissionAsk| {
        let mut rule = PermissionRuleValue::new("Bash");
        rule.rule_content = Some("touch second".into());
        PermissionAnswer::allow().with_updates([PermissionUpdate::add_rules(
            vec![rule],
            PermissionBehavior::Allow,
            PermissionUpdateDestination::Session,
        )])
    };
    not_asked_again(cli, "touch first", "touch second", answer).await
}

pub(super) async fn suggested(cli: CliPackage) -> Result<String> {
    let answer = |ask: &PermissionAsk| PermissionAnswer::allow().and_always(ask.suggested_rules());
    not_asked_again(cli, "touch first", "touch first second", answer).await
}

async fn not_asked_again(
    cli: CliPackage,
    once: &str,
    again: &str,
    answer: fn(&PermissionAsk) -> PermissionAnswer,
) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", once))
        .turn(bash("b", again))
        .turn(bash("c", "touch third"))
        .turn(Turn::text("Done."));
    let asked = Asked::default();
    let noted = asked.clone();
    let options = asking(&world).can_use_tool(move |ask: PermissionAsk| {
        noted.note(&ask);
        let answer = answer(&ask);
        async move { answer }
    });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let ids = asked.ids();
    ensure!(ids == ["toolu_a", "toolu_c"], "asked for {ids:?}");
    ensure!(
        stage.made("first") && stage.made("second"),
        "a file is not there"
    );
    stage.end().await;
    Ok("asked for the first and a third call, not for the second, which ran".to_owned())
}

pub(super) async fn deny(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch forbidden"))
        .turn(Turn::text("Understood."));
    let options = asking(&world)
        .can_use_tool(|_: PermissionAsk| async { PermissionAnswer::deny("Not on my watch") });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.text() == Some("Understood."), "the turn {outcome}");
    let told = stage.tool_result("a")?;
    ensure!(
        told.failed && told.text.contains("Not on my watch"),
        "the model was told {:?}",
        told.text
    );
    ensure!(!stage.made("forbidden"), "the tool ran");
    stage.end().await;
    Ok("the model read the message, the tool did not run".to_owned())
}

pub(super) async fn deny_and_interrupt(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch forbidden"))
        .turn(Turn::text("Hello again."));
    let options = asking(&world)
        .can_use_tool(|_: PermissionAsk| async { PermissionAnswer::deny_and_interrupt("Stop") });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.name() == "interrupted", "the turn {outcome}");
    ensure!(!stage.made("forbidden"), "the tool ran");
    ensure!(stage.asked().len() == 1, "the model was called again");
    let next = stage.ask("and now?").await?;
    ensure!(next.text() == Some("Hello again."), "the next turn {next}");
    stage.end().await;
    Ok("interrupted, the tool did not run, the next prompt was answered".to_owned())
}

pub(super) async fn policy(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch allowed"))
        .turn(bash("b", "touch forbidden"))
        .turn(bash("c", "touch other"))
        .turn(Turn::text("Done."));
    let asked = Asked::default();
    let noted = asked.clone();
    let policy = Policy::new()
        .deny_because(Rule::command("touch forbidden"), "A rule says no")
        .allow(Rule::command("touch allowed"))
        .then(move |ask: PermissionAsk| {
            noted.note(&ask);
            async { PermissionAnswer::allow() }
        });
    let stage_options = asking(&world).permission_handler(policy);
    let stage = Stage::start(world, stage_options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    ensure!(
        asked.ids() == ["toolu_c"],
        "the callback got {:?}",
        asked.ids()
    );
    ensure!(stage.made("allowed"), "the allowed call did not run");
    ensure!(stage.made("other"), "what the callback allowed did not run");
    ensure!(!stage.made("forbidden"), "the denied call ran");
    let told = stage.tool_result("b")?;
    ensure!(
        told.text.contains("A rule says no"),
        "the model was told {:?}",
        told.text
    );
    stage.end().await;
    Ok("one call allowed and one denied by rules alone, the third by the callback".to_owned())
}
