//! Compares the meaning of a path's start in a rule: in the CLI, and in [`AllowRules`].

use anyhow::{Result, ensure};
use claw_testkit::Turn;
use rusty_claw::permission::rules::{AllowRules, Surroundings};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use serde_json::json;

use super::super::World;
use super::super::stage::Stage;
use super::{Asked, asking};
use crate::cli_package::CliPackage;

/// Checks that the CLI, which gets the same rules, asks about the same writes.
pub(super) async fn same_paths(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
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
    let around = Surroundings::new(format!("{top}/project")).home(format!("{top}/home"));
    let own = AllowRules::read(&rules);
    let is_asked = |path: &&String| !own.path("Edit", path, &around).is_covered();
    let expected: Vec<&String> = paths.iter().filter(is_asked).collect();
    let covered = paths.len() - expected.len();
    ensure!(covered == 5, "the rules cover {covered} paths");

    let write = |turn: Turn, (at, path): (usize, &String)| {
        let input = json!({"file_path": path, "content": "x"});
        turn.tool_use(format!("toolu_{at}"), "Write", input)
    };
    let calls = paths.iter().enumerate().fold(Turn::empty(), write);
    world.api.turn(calls).turn(Turn::text("Done."));
    let asked = Asked::default();
    let noted = asked.clone();
    let options = asking(&world)
        .allowed_tools(rules)
        .can_use_tool(move |ask: PermissionAsk| {
            noted.note(&ask);
            async { PermissionAnswer::deny("Not covered by a rule") }
        });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "{outcome}");
    let mut by_cli: Vec<String> = Vec::new();
    for ask in asked.all() {
        let path = ask.input().get("file_path").and_then(|path| path.to_text());
        by_cli.extend(path);
    }
    by_cli.sort();
    let mut expected: Vec<String> = expected.into_iter().cloned().collect();
    expected.sort();
    ensure!(
        by_cli == expected,
        "the CLI asks about {by_cli:?}, the rules about {expected:?}"
    );
    stage.end().await;
    Ok(format!(
        "{covered} of {} paths covered by both",
        paths.len()
    ))
}
