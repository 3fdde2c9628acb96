//! Situations in which the CLI fires events.

use std::path::PathBuf;

use anyhow::Result;
use claw_testkit::real_cli::{World, bash, call};
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::control::messages::RegisterRepoRoot;
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::hook::{HookCommon, HookEvent, HookOutput, HookSpecificOutput, SessionStartOutput};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::{Extra, Json, Options};
use serde_json::json;

use super::witness::{Witness, attend};
use crate::stage::{Stage, done, lab, options};

/// Runs all of them; returns those that failed.
pub(super) async fn run(witness: &Witness) -> Vec<String> {
    let ran = [
        ("tools", tools(witness).await),
        ("changes", changes(witness).await),
        ("compaction", compaction(witness).await),
        ("elicitation", elicitation(witness).await),
        ("failure", failure(witness).await),
        ("worktree", worktree(witness).await),
        ("denied", denied(witness).await),
    ];
    let failed = ran
        .into_iter()
        .filter_map(|(name, ran)| Some(format!("{name}: {:#}", ran.err()?)));
    failed.collect()
}

/// A session with files in its project, callbacks for all events, and all tools allowed.
async fn attended(
    witness: &Witness,
    files: &[(&str, &str)],
    turns: impl IntoIterator<Item = Turn>,
    set: impl FnOnce(Options) -> Options,
) -> Result<Stage> {
    let world = World::with(turns).await?;
    for (name, text) in files {
        let path = world.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap())?;
        std::fs::write(path, text)?;
    }
    let options = attend(options(&world), witness, output).can_use_tool(allow);
    Stage::start(world, set(options)).await
}

/// No opinion, except where the CLI needs a value.
fn output(event: &HookEvent, common: &HookCommon) -> HookOutput {
    let cwd = PathBuf::from(common.cwd.as_deref().unwrap_or_default());
    let path = |name| cwd.join(name).to_string_lossy().into_owned().into();
    match event {
        HookEvent::SessionStart => {
            let mut output = SessionStartOutput::new();
            output.watch_paths = Some(vec![path("watched.txt")]);
            HookOutput::from(HookSpecificOutput::SessionStart(Box::new(output)))
        }
        HookEvent::WorktreeCreate => HookOutput::from(HookSpecificOutput::WorktreeCreate {
            worktree_path: path("tree"),
            extra: Extra::new(),
        }),
        _ => HookOutput::none(),
    }
}

async fn allow(_: PermissionAsk) -> PermissionAnswer {
    PermissionAnswer::allow()
}

async fn accept(ask: ElicitationAsk) -> ElicitationAnswer {
    match ask.request().url {
        Some(_) => ElicitationAnswer::accept_visit(),
        None => ElicitationAnswer::accept(Json::from_value(&json!({"name": "Ann"}))),
    }
}

/// The first message of a subagent is its prompt.
fn from_subagent(request: &ApiRequest) -> bool {
    let first = request.messages().first();
    request.path == "/v1/messages"
        && first.is_some_and(|message| message["content"].to_string().contains("SUBPROMPT"))
}

async fn tools(witness: &Witness) -> Result<()> {
    let files = [
        ("CLAUDE.md", "Be brief.\n"),
        (".claude/commands/hello.md", "Say hello to $ARGUMENTS\n"),
        ("sub/x", ""),
    ];
    let agent = json!({"description": "report", "prompt": "SUBPROMPT report",
        "subagent_type": "general-purpose", "run_in_background": false});
    let task = json!({"subject": "Sweep", "description": "Sweep the floor"});
    let missing = json!({"file_path": "/nowhere/at/all"});
    let turns = [
        bash("h1", "touch f1").tool_use("toolu_h2", "Read", missing),
        call("h3", "Agent", agent),
        Turn::text("The report.").matching(from_subagent),
        call("h4", "TaskCreate", task),
        call(
            "h5",
            "TaskUpdate",
            json!({"taskId": "1", "status": "completed"}),
        ),
        done(),
        Turn::text("Hello, world."),
    ];
    let set = |o: Options| o.env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1");
    let stage = attended(witness, &files, turns, set).await?;
    let _ = stage.ask("go").await?;
    let nested = stage.world.project().join("sub");
    let request = RegisterRepoRoot::new(nested.to_string_lossy());
    stage.session.register_repo_root(request).await?;
    let _ = stage.ask("/hello world").await?;
    stage.end().await;
    Ok(())
}

async fn changes(witness: &Witness) -> Result<()> {
    let files = [
        ("watched.txt", "a\n"),
        (".claude/settings.json", "{}"),
        ("sub/x", ""),
    ];
    let change = r#"echo b > watched.txt; echo '{"env":{"A":"1"}}' > .claude/settings.json; for i in 1 2 3; do sleep 1; done"#;
    let turns = [
        bash("f1", "touch made"),
        bash("f2", change),
        bash("f3", "cd sub"),
        done(),
    ];
    let stage = attended(witness, &files, turns, |o| o).await?;
    let _ = stage.ask("/clear").await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn compaction(witness: &Witness) -> Result<()> {
    let stage = attended(witness, &[], [Turn::text("One.")], |o| o).await?;
    let _ = stage.ask("one").await?;
    // The first answer is for the check of the other model.
    stage.world.api.turn(Turn::text("ok"));
    stage.session.set_model(Some("claude-sonnet-5")).await?;
    let summary = Turn::text("<analysis>a</analysis><summary>Fine.</summary>");
    stage.world.api.turn(summary).turn(Turn::text("Two."));
    let _ = stage.ask("/compact").await?;
    let _ = stage.ask("two").await?;
    stage.end().await;
    Ok(())
}

async fn elicitation(witness: &Witness) -> Result<()> {
    let turns = [
        call("e1", "mcp__lab__ask_form", json!({})),
        call("e2", "mcp__lab__ask_url", json!({})),
        done(),
    ];
    let stage = attended(witness, &[], turns, |options| {
        options
            .external_mcp_server("lab", lab())
            .allowed_tools(["mcp__lab"])
            .on_elicitation(accept)
    })
    .await?;
    let is_ready = |message: &serde_json::Value| message["subtype"] == "commands_changed";
    stage.until("the commands", is_ready).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn failure(witness: &Witness) -> Result<()> {
    let refusal = Turn::error(403, "permission_error", "not allowed");
    let stage = attended(witness, &[], [refusal], |o| o).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn worktree(witness: &Witness) -> Result<()> {
    let search = json!({"query": "select:EnterWorktree,ExitWorktree", "max_results": 5});
    let exit = json!({"action": "remove", "discard_changes": true});
    let turns = [
        call("ts", "ToolSearch", search),
        call("w1", "EnterWorktree", json!({"name": "side"})),
        call("w2", "ExitWorktree", exit),
        done(),
    ];
    let set = |o: Options| o.permission_mode(PermissionMode::AcceptEdits);
    let stage = attended(witness, &[("tree/x", "")], turns, set).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}

async fn denied(witness: &Witness) -> Result<()> {
    let set = |o: Options| o.permission_mode(PermissionMode::Plan);
    let stage = attended(witness, &[], [bash("d", "touch it"), done()], set).await?;
    let _ = stage.ask("go").await?;
    stage.end().await;
    Ok(())
}
