//! What a handler can answer.

use anyhow::{Result, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::{World, bash};
use rusty_claw::Json;
use rusty_claw::permission::rules::{AllowRules, PathContext};
use rusty_claw::permission::{
    PermissionAnswer, PermissionAsk, PermissionBehavior, PermissionRuleValue, PermissionUpdate,
    PermissionUpdateDestination, Policy, Rule,
};
use serde_json::json;

use super::{Asked, answering, asking};
use crate::stage::{Stage, done, options};

pub(super) async fn allow() -> Result<String> {
    let asked = Asked::default();
    let set = |o| answering(o, &asked, |_| PermissionAnswer::allow());
    let stage = Stage::play([bash("a", "touch made"), done()], set).await?;
    ensure!(asked.ids() == ["toolu_a"]);
    stage.files(&["made"], &[])?;
    ensure!(!stage.tool_result("a")?.failed);
    stage.end().await;
    Ok("asked once, the file is there".to_owned())
}

pub(super) async fn edited() -> Result<String> {
    let changed = Json::from_value(&json!({"command": "touch changed"}));
    let answer = move |_: &PermissionAsk| PermissionAnswer::allow_with(changed.clone());
    let set = |o| answering(o, &Asked::default(), answer);
    let stage = Stage::play([bash("a", "touch original"), done()], set).await?;
    stage.files(&["changed"], &["original"])?;
    stage.end().await;
    Ok("the edited file is there, the original is not".to_owned())
}

pub(super) async fn rule() -> Result<String> {
    not_asked_again("touch first", "touch second", |_| {
        let mut rule = PermissionRuleValue::new("Bash");
        rule.rule_content = Some("touch second".into());
        PermissionAnswer::allow().with_updates([PermissionUpdate::add_rules(
            vec![rule],
            PermissionBehavior::Allow,
            PermissionUpdateDestination::Session,
        )])
    })
    .await
}

pub(super) async fn suggested() -> Result<String> {
    let answer = |ask: &PermissionAsk| PermissionAnswer::allow().and_always(ask.suggested_rules());
    not_asked_again("touch first", "touch first second", answer).await
}

async fn not_asked_again(
    once: &str,
    again: &str,
    answer: fn(&PermissionAsk) -> PermissionAnswer,
) -> Result<String> {
    let asked = Asked::default();
    let turns = [
        bash("a", once),
        bash("b", again),
        bash("c", "touch third"),
        done(),
    ];
    let stage = Stage::play(turns, |o| answering(o, &asked, answer)).await?;
    ensure!(asked.ids() == ["toolu_a", "toolu_c"]);
    stage.files(&["first", "second"], &[])?;
    stage.end().await;
    Ok("asked for the first and a third call, not for the second, which ran".to_owned())
}

pub(super) async fn deny() -> Result<String> {
    let answer = |_: &PermissionAsk| PermissionAnswer::deny("Not on my watch");
    let set = |o| answering(o, &Asked::default(), answer);
    let stage = Stage::play([bash("a", "touch forbidden"), done()], set).await?;
    ensure!(stage.tool_result("a")?.failed);
    stage.told("a", "Not on my watch")?;
    stage.files(&[], &["forbidden"])?;
    stage.end().await;
    Ok("the model read the message, the tool did not run".to_owned())
}

pub(super) async fn deny_and_interrupt() -> Result<String> {
    let answer = |_: &PermissionAsk| PermissionAnswer::deny_and_interrupt("Stop");
    let set = |o| answering(o, &Asked::default(), answer);
    let turns = [bash("a", "touch forbidden"), Turn::text("Hello again.")];
    let stage = Stage::open(turns, set).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.name() == "interrupted");
    stage.files(&[], &["forbidden"])?;
    ensure!(stage.requests().len() == 1, "the model was called again");
    stage.ask_again().await?;
    stage.end().await;
    Ok("interrupted, the tool did not run, the next prompt was answered".to_owned())
}

pub(super) async fn policy() -> Result<String> {
    let asked = Asked::default();
    let noted = asked.clone();
    let policy = Policy::new()
        .deny_because(Rule::command("touch forbidden"), "A rule says no")
        .allow(Rule::command("touch allowed"))
        .then(move |ask: PermissionAsk| {
            noted.note(&ask);
            async { PermissionAnswer::allow() }
        });
    let turns = [
        bash("a", "touch allowed"),
        bash("b", "touch forbidden"),
        bash("c", "touch other"),
        done(),
    ];
    let stage = Stage::play(turns, |o| asking(o).permission_handler(policy)).await?;
    ensure!(asked.ids() == ["toolu_c"]);
    stage.files(&["allowed", "other"], &["forbidden"])?;
    stage.told("b", "A rule says no")?;
    stage.end().await;
    Ok("one call allowed and one denied by rules alone, the third by the callback".to_owned())
}

/// Checks that the CLI, which gets the same rules as [`AllowRules`], asks about the same writes.
pub(super) async fn same_paths() -> Result<String> {
    let world = World::new().await?;
    let top = world.folder().canonicalize()?.display().to_string();
    let rules = [
        "Edit(/a/**)".to_owned(),
        format!("Edit(/{top}/b/**)"),
        format!("Edit({top}/c/**)"),
        "Edit(~/d/**)".to_owned(),
        "Edit(./e/**)".to_owned(),
        "Edit(.vscode*/**)".to_owned(),
    ];
    let mut paths = Vec::new();
    for folder in ["", "/project", "/home", &format!("/project{top}")] {
        for name in ["a", "b", "c", "d", "e", ".git/hooks", ".vscode"] {
            paths.push(format!("{top}{folder}/{name}/new"));
        }
    }
    let around = PathContext::new(format!("{top}/project")).home(format!("{top}/home"));
    let own = AllowRules::read(&rules);
    let is_asked = |path: &&String| !own.path("Edit", path, &around).is_covered();
    let mut expected: Vec<String> = paths.iter().filter(is_asked).cloned().collect();
    let covered = paths.len() - expected.len();
    ensure!(covered == 5);

    let write = |turn: Turn, (at, path): (usize, &String)| {
        let input = json!({"file_path": path, "content": "x"});
        turn.tool_use(format!("toolu_{at}"), "Write", input)
    };
    let calls = paths.iter().enumerate().fold(Turn::empty(), write);
    world.api.turn(calls).turn(done());
    let asked = Asked::default();
    let deny = |_: &PermissionAsk| PermissionAnswer::deny("Not covered by a rule");
    let options = answering(options(&world), &asked, deny).allowed_tools(rules);
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "{outcome}");
    let path_of = |ask: &PermissionAsk| ask.input().get("file_path")?.to_text();
    let mut by_cli: Vec<String> = asked.all().iter().filter_map(path_of).collect();
    by_cli.sort();
    expected.sort();
    ensure!(by_cli == expected);
    stage.end().await;
    Ok(format!(
        "{covered} of {} paths covered by both",
        paths.len()
    ))
}
