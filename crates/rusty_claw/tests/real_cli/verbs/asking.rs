//! Requests that only ask.

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::{World, eventually, real_cli};
use rusty_claw::Session;
use rusty_claw::control::messages::{ContextDetail, ReadFile};
use serde_json::json;

use super::{Verbs, verb};
use crate::stage::{Stage, options};

pub(super) async fn run(verbs: &mut Verbs) -> Result<()> {
    let world = World::with([Turn::text("Hi.")]).await?;
    let project = world.project();
    std::fs::write(project.join("apple.txt"), "a red one\n")?;
    std::fs::create_dir(project.join(".claude"))?;
    // Rules of a project apply only once it is trusted, so this is the user's.
    let rules = json!({"permissions": {"allow": ["Bash(ls:*)"]}});
    std::fs::write(world.config().join("settings.json"), rules.to_string())?;
    let settings = json!({
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo stopped"}]}]},
    });
    std::fs::write(project.join(".claude/settings.json"), settings.to_string())?;
    let options = options(&world);
    let stage = Stage::start(world, options).await?;
    ensure!(stage.ask("hello").await?.is_success(), "no first turn");

    let session = &stage.session;
    reports(session, verbs).await;
    verb(verbs, "get_hooks_listing", async {
        let hooks = session.get_hooks_listing().await?.hooks;
        let ours = hooks.iter().find(|hook| hook.event == "Stop");
        let ours = ours.context("the project's hook is not listed")?;
        ensure!(ours.command_text == "echo stopped", "{ours:?}");
        Ok("the hook of the project's settings")
    })
    .await;
    verb(verbs, "list_permission_rules", async {
        let rules = session.list_permission_rules().await?.state.rules;
        ensure!(rules.iter().any(|it| it.rule.contains("ls")), "{rules:?}");
        Ok("the rule of the user's settings")
    })
    .await;
    verb(verbs, "file_suggestions", async {
        // The index of names is made in the background.
        let found = eventually("apple.txt is suggested", async || {
            let found = session.file_suggestions("app").await?.suggestions;
            let apple = found.into_iter().find(|it| it.path.contains("apple.txt"));
            anyhow::Ok(apple)
        });
        Ok(format!("for `app` it suggests `{}`", found.await?.path))
    })
    .await;
    verb(verbs, "read_file", async {
        let path = project.join("apple.txt").to_string_lossy().into_owned();
        let answer = session.read_file(ReadFile::new(path)).await?;
        ensure!(answer.contents == "a red one\n");
        let outside = session.read_file(ReadFile::new("/etc/hostname")).await;
        ensure!(outside.is_err(), "it read outside the project");
        Ok("the file's text; a file outside the project is refused")
    })
    .await;
    verb(verbs, "set_color", async {
        session.set_color("red").await?;
        Ok("taken")
    })
    .await;
    stage.end().await;
    Ok(())
}

async fn reports(session: &Session, verbs: &mut Verbs) {
    verb(verbs, "get_binary_version", async {
        let version = session.get_binary_version().await?.version;
        ensure!(version == *real_cli().version);
        Ok(format!("{version}, as installed"))
    })
    .await;
    verb(verbs, "get_session_cost", async {
        let text = session.get_session_cost().await?.text;
        let is_cost = text.contains("Total cost") && text.contains("$0.0");
        ensure!(is_cost, "{text}");
        Ok("the cost of the turn in words")
    })
    .await;
    verb(verbs, "list_models", async {
        let models = session.list_models().await?.models;
        let has_default = models.iter().any(|model| model.value == "default");
        ensure!(has_default, "{models:?}");
        let count = models.len();
        Ok(format!("{count} models, the default one among them"))
    })
    .await;
    verb(verbs, "get_usage", async {
        let usage = session.get_usage().await?.session;
        ensure!(usage.total_cost_usd > 0.0, "the turn cost nothing");
        let (model, used) = usage.model_usage.iter().next().context("no model")?;
        ensure!(used.output_tokens > 0, "{model} wrote nothing");
        Ok("cost and tokens of the turn")
    })
    .await;
    verb(verbs, "get_context_usage", async {
        let detail = Some(ContextDetail::Summary);
        let estimate = session.get_context_usage(detail).await?;
        ensure!(estimate.total_tokens > 0 && estimate.max_tokens > 0);
        let parts = &estimate.categories;
        let is_prompt = |id: Option<&str>| id == Some("system_prompt");
        let has_prompt = parts.iter().any(|it| is_prompt(it.id.as_deref()));
        ensure!(has_prompt, "{parts:?}");
        Ok(format!("{} parts that fill the window", parts.len()))
    })
    .await;
}
