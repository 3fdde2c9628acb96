//! Situations in which the CLI fires events.

use std::path::{Path, PathBuf};

use anyhow::Result;
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::control::messages::RegisterRepoRoot;
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::hook::{HookCommon, HookEvent, HookOutput, HookSpecificOutput, SessionStartOutput};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::{Extra, Json, Options};
use serde_json::json;

use super::witness::{Witness, attend};
use crate::cli_package::CliPackage;
use crate::prove::sdk::World;
use crate::prove::sdk::stage::{Stage, bash, call, lab};

/// Runs all of them; says which broke.
pub(super) async fn run(cli: &CliPackage, witness: &Witness) -> Vec<String> {
    let mut broken = Vec::new();
    let mut note = |name: &str, outcome: Result<()>| {
        if let Err(error) = outcome {
            broken.push(format!("{name}: {error:#}"));
        }
    };
    note("tools", tools(cli, witness).await);
    note("changes", changes(cli, witness).await);
    note("compaction", compaction(cli, witness).await);
    note("elicitation", elicitation(cli, witness).await);
    note("failure", failure(cli, witness).await);
    note("worktree", worktree(cli, witness).await);
    note("denied", denied(cli, witness).await);
    broken
}

/// A world with files in its project, and options with all callbacks.
async fn attended(
    cli: &CliPackage,
    witness: &Witness,
    files: &[(&str, &str)],
) -> Result<(World, Options)> {
    let world = World::new(cli).await?;
    for (name, text) in files {
        write(&world.project().join(name), text)?;
    }
    let options = attend(world.options(), witness, answer);
    Ok((world, options))
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

/// No opinion, but where the CLI must be told something to go on.
fn answer(event: &HookEvent, common: &HookCommon) -> HookOutput {
    let cwd = PathBuf::from(common.cwd.as_deref().unwrap_or_default());
    match event {
        HookEvent::SessionStart => {
            let watched = cwd.join("watched.txt").to_string_lossy().into_owned();
            let mut output = SessionStartOutput::new();
            output.watch_paths = Some(vec![watched.into()]);
            HookOutput::from(HookSpecificOutput::SessionStart(Box::new(output)))
        }
        HookEvent::WorktreeCreate => {
            let tree = cwd.join("tree").to_string_lossy().into_owned();
            HookOutput::from(HookSpecificOutput::WorktreeCreate {
                worktree_path: tree.into(),
                extra: Extra::new(),
            })
        }
        _ => HookOutput::none(),
    }
}

async fn allows(_: PermissionAsk) -> PermissionAnswer {
    PermissionAnswer::allow()
}

async fn agrees(ask: ElicitationAsk) -> ElicitationAnswer {
    match ask.request().url {
        Some(_) => ElicitationAnswer::accept_visit(),
        None => ElicitationAnswer::accept(Json::from_value(&json!({"name": "Ann"}))),
    }
}

/// A subagent's first message is its prompt.
fn from_subagent(request: &ApiRequest) -> bool {
    let first = request.messages().first();
    request.path == "/v1/messages"
        && first.is_some_and(|message| message["content"].to_string().contains("SUBPROMPT"))
}

async fn tools(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let files = [
        ("CLAUDE.md", "Be brief.\n"),
        (".claude/commands/hello.md", "Say hello to $ARGUMENTS\n"),
        ("sub/x", ""),
    ];
    let (world, options) = attended(cli, witness, &files).await?;
    let agent = json!({"description": "report", "prompt": "SUBPROMPT report", "subagent_type": "general-purpose", "run_in_background": false});
    let none = world.project().join("none");
    world
        .api
        .turn(bash("h1", "touch f1").tool_use("toolu_h2", "Read", json!({"file_path": none})))
        .turn(call("h3", "Agent", agent))
        .turn(Turn::text("The report.").matching(from_subagent))
        .turn(call(
            "h4",
            "TaskCreate",
            json!({"subject": "Sweep", "description": "Sweep the floor"}),
        ))
        .turn(call(
            "h5",
            "TaskUpdate",
            json!({"taskId": "1", "status": "completed"}),
        ))
        .turn(Turn::text("All done."))
        .turn(Turn::text("Hello, world."));
    let options = options
        .can_use_tool(allows)
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1");
    let stage = Stage::start(world, options).await?;
    let _ = stage.ask("go").await?;
    let nested = stage.world.project().join("sub");
    let request = RegisterRepoRoot::new(nested.to_string_lossy());
    stage.session.register_repo_root(request).await?;
    let _ = stage.ask("/hello world").await?;
    stage.end().await;
    Ok(())
}

async fn changes(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let files = [
        ("watched.txt", "a\n"),
        (".claude/settings.json", "{}"),
        ("sub/x", ""),
    ];
    let (world, options) = attended(cli, witness, &files).await?;
    let change = r#"echo b > watched.txt; echo '{"env":{"A":"1"}}' > .claude/settings.json; for i in 1 2 3; do sleep 1; done"#;
    world
        .api
        .turn(bash("f1", "touch made"))
        .turn(bash("f2", change))
        .turn(bash("f3", "cd sub"))
        .turn(Turn::text("Changed."));
    let stage = Stage::start(world, options.can_use_tool(allows)).await?;
    let _ = stage.ask("/clear").await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn compaction(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let (world, options) = attended(cli, witness, &[]).await?;
    world.api.turn(Turn::text("One."));
    let stage = Stage::start(world, options).await?;
    let _ = stage.ask("one").await?;
    // The first answer is for the try of the other model.
    stage.world.api.turn(Turn::text("ok"));
    stage.session.set_model(Some("claude-sonnet-5")).await?;
    let summary = "<analysis>a</analysis><summary>Fine.</summary>";
    stage
        .world
        .api
        .turn(Turn::text(summary))
        .turn(Turn::text("Two."));
    let _ = stage.ask("/compact").await?;
    let _ = stage.ask("two").await?;
    stage.end().await;
    Ok(())
}

async fn elicitation(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let (world, options) = attended(cli, witness, &[]).await?;
    world
        .api
        .turn(call("e1", "mcp__lab__ask_form", json!({})))
        .turn(call("e2", "mcp__lab__ask_url", json!({})))
        .turn(Turn::text("Asked."));
    let options = options
        .external_mcp_server("lab", lab()?)
        .allowed_tools(["mcp__lab"])
        .on_elicitation(agrees);
    let stage = Stage::start(world, options).await?;
    stage.until_system("commands_changed").await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn failure(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let (world, options) = attended(cli, witness, &[]).await?;
    world
        .api
        .turn(Turn::error(403, "permission_error", "not allowed"));
    let stage = Stage::start(world, options).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn worktree(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let (world, options) = attended(cli, witness, &[("tree/x", "")]).await?;
    world
        .api
        .turn(call(
            "ts",
            "ToolSearch",
            json!({"query": "select:EnterWorktree,ExitWorktree", "max_results": 5}),
        ))
        .turn(call("w1", "EnterWorktree", json!({"name": "side"})))
        .turn(call(
            "w2",
            "ExitWorktree",
            json!({"action": "remove", "discard_changes": true}),
        ))
        .turn(Turn::text("Back."));
    let options = options
        .can_use_tool(allows)
        .permission_mode(PermissionMode::AcceptEdits);
    let stage = Stage::start(world, options).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn denied(cli: &CliPackage, witness: &Witness) -> Result<()> {
    let (world, options) = attended(cli, witness, &[]).await?;
    world
        .api
        .turn(bash("d", "touch it"))
        .turn(Turn::text("Oh well."));
    let options = options
        .can_use_tool(allows)
        .permission_mode(PermissionMode::Plan);
    let stage = Stage::start(world, options).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}
