//! Requests that only ask.

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::control::messages::{ContextDetail, ReadFile};
use serde_json::json;

use super::ledger::Ledger;
use crate::cli_package::{CLI_VERSION, CliPackage};
use crate::prove::sdk::World;
use crate::prove::sdk::stage::{Stage, eventually};

pub(super) async fn run(cli: &CliPackage, ledger: &mut Ledger) -> Result<()> {
    let world = World::new(cli).await?;
    let project = world.project();
    std::fs::write(project.join("apple.txt"), "a red one\n")?;
    std::fs::create_dir(project.join(".claude"))?;
    // Rules of a project count only once somebody trusts it, so this is the user's.
    let rules = json!({"permissions": {"allow": ["Bash(ls:*)"]}});
    std::fs::write(world.config().join("settings.json"), rules.to_string())?;
    let settings = json!({
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo stopped"}]}]},
    });
    std::fs::write(project.join(".claude/settings.json"), settings.to_string())?;
    world.api.turn(Turn::text("Hi."));
    let options = world.options();
    let stage = Stage::start(world, options).await?;
    ensure!(stage.ask("hello").await?.is_success(), "no first turn");

    reports(&stage, ledger).await;
    configuration(&stage, ledger).await;
    let session = &stage.session;
    ledger
        .enter("file_suggestions", async {
            // The index of names is made in the background.
            let found = eventually("apple.txt is suggested", async || {
                let answer = session.file_suggestions("app").await?;
                Ok(answer
                    .suggestions
                    .into_iter()
                    .find(|it| it.path.contains("apple.txt")))
            })
            .await?;
            Ok(format!("for `app` it suggests `{}`", found.path))
        })
        .await;
    ledger
        .enter("read_file", async {
            let path = project.join("apple.txt").to_string_lossy().into_owned();
            let answer = session.read_file(ReadFile::new(path)).await?;
            ensure!(
                answer.contents == "a red one\n",
                "it read {:?}",
                answer.contents
            );
            let outside = ReadFile::new("/etc/hostname");
            ensure!(
                session.read_file(outside).await.is_err(),
                "it read outside the project"
            );
            Ok("the file's text; a file outside the project is refused".to_owned())
        })
        .await;
    ledger
        .enter("set_color", async {
            session.set_color("red").await?;
            Ok("taken".to_owned())
        })
        .await;
    stage.end().await;
    Ok(())
}

async fn reports(stage: &Stage, ledger: &mut Ledger) {
    let session = &stage.session;
    ledger
        .enter("get_binary_version", async {
            let version = session.get_binary_version().await?.version;
            ensure!(version == CLI_VERSION, "it is {version}");
            Ok(format!("{version}, as installed"))
        })
        .await;
    ledger
        .enter("get_session_cost", async {
            let text = session.get_session_cost().await?.text;
            ensure!(
                text.contains("Total cost") && text.contains("$0.0"),
                "{text}"
            );
            Ok("the cost of the turn in words".to_owned())
        })
        .await;
    ledger
        .enter("list_models", async {
            let models = session.list_models().await?.models;
            ensure!(
                models.iter().any(|model| model.value == "default"),
                "no default"
            );
            Ok(format!(
                "{} models, the default one among them",
                models.len()
            ))
        })
        .await;
    ledger
        .enter("get_usage", async {
            let usage = session.get_usage().await?.session;
            ensure!(usage.total_cost_usd > 0.0, "the turn cost nothing");
            let (model, used) = usage
                .model_usage
                .iter()
                .next()
                .context("no model was used")?;
            ensure!(used.output_tokens > 0, "{model} wrote nothing");
            Ok("cost and tokens of the turn".to_owned())
        })
        .await;
    ledger
        .enter("get_context_usage", async {
            let estimate = session
                .get_context_usage(Some(ContextDetail::Summary))
                .await?;
            ensure!(
                estimate.total_tokens > 0 && estimate.max_tokens > 0,
                "an empty window"
            );
            ensure!(
                estimate
                    .categories
                    .iter()
                    .any(|it| it.id.as_deref() == Some("system_prompt")),
                "no system prompt in {:?}",
                estimate.categories
            );
            Ok(format!(
                "{} parts that fill the window",
                estimate.categories.len()
            ))
        })
        .await;
}

async fn configuration(stage: &Stage, ledger: &mut Ledger) {
    let session = &stage.session;
    ledger
        .enter("get_hooks_listing", async {
            let listing = session.get_hooks_listing().await?;
            let ours = listing.hooks.iter().find(|hook| hook.event == "Stop");
            let ours = ours.context("the project's hook is not listed")?;
            ensure!(ours.command_text == "echo stopped", "{ours:?}");
            Ok("the hook of the project's settings".to_owned())
        })
        .await;
    ledger
        .enter("list_permission_rules", async {
            let rules = session.list_permission_rules().await?.state.rules;
            ensure!(
                rules.iter().any(|rule| rule.rule.contains("ls")),
                "{rules:?}"
            );
            Ok("the rule of the user's settings".to_owned())
        })
        .await;
}
