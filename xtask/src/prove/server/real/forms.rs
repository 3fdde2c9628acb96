//! What tool servers and dialogs of the CLI want to know.

use anyhow::{Result, ensure};
use claw_server::prompts::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{Json, UiMessage};
use claw_testkit::{Match, Turn};
use serde_json::{Value, json};

use super::stage::{Stage, asking, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::{World, call, lab};

/// What a front end is asked, of neither kind that the document has.
struct Asked {
    id: String,
    kind: String,
    request: Value,
}

async fn asked(stage: &Stage) -> Result<Asked> {
    let is_asked = |message: &UiMessage| message.name() == "PromptRequired";
    for front in [&stage.desktop, &stage.phone] {
        front.until("the prompt", is_asked).await?;
    }
    match stage.phone.until("the prompt", is_asked).await? {
        UiMessage::PromptRequired {
            prompt_id: id,
            kind,
            request,
            ..
        } => Ok(Asked { id, kind, request }),
        other => anyhow::bail!("asked as {other:?}"),
    }
}

/// A session in which a tool server asks for a name and an age.
async fn with_a_form(cli: &CliPackage) -> Result<(Stage, Asked)> {
    let turns = [
        call("e", "mcp__lab__ask_form", json!({})),
        Turn::text("Asked."),
    ];
    let world = world(cli, turns).await?;
    let options = asking(&world)
        .external_mcp_server("lab", lab()?)
        .allowed_tools(["mcp__lab"]);
    let stage = Stage::open_with(world, options, |builder| builder, |setup| setup).await?;
    stage.say("go").await?;
    let asked = asked(&stage).await?;
    ensure!(
        asked.kind == "Elicitation" && asked.request["message"] == "Please give your name",
        "asked as {}: {}",
        asked.kind,
        asked.request
    );
    Ok((stage, asked))
}

/// The turn ends well, the model was told this of the form, and the log has the prompt.
async fn ends_with(stage: Stage, asked: &Asked, words: &[&str]) -> Result<()> {
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_e")?.text;
    ensure!(
        words.iter().all(|word| told.contains(word)),
        "the model was told {told:?}"
    );
    let id = &asked.id;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_e",
            &format!("asked {id}"),
            &format!("answered {id} by phone"),
            "result toolu_e",
            "turn 1 ended: Succeeded",
        ])
        .await
}

pub(super) async fn filled_in(cli: CliPackage) -> Result<String> {
    let (stage, asked) = with_a_form(&cli).await?;
    let registry = stage.controller.interactions();
    let answer = |value: Value| Json::from_value(&value);
    let wrong = answer(json!({"name": "Ann"}));
    let refused = registry
        .respond_to_prompt(stage.session, &asked.id, wrong, None)
        .await;
    ensure!(
        matches!(refused, Err(AnswerRefused::Unfit { .. })),
        "what is no answer was taken as {refused:?}"
    );
    let form = answer(json!({"action": "accept", "content": {"name": "Ann", "age": 7}}));
    registry
        .respond_to_prompt(stage.session, &asked.id, form, Some("phone"))
        .await?;
    ends_with(stage, &asked, &["accept", "Ann"]).await?;
    Ok("the server got the form, and the model what the server made of it".to_owned())
}

pub(super) async fn left_empty(cli: CliPackage) -> Result<String> {
    let (stage, asked) = with_a_form(&cli).await?;
    let no = PermissionResponse::deny("Not now").by("phone");
    let registry = stage.controller.permissions();
    registry.respond(stage.session, &asked.id, no).await?;
    ends_with(stage, &asked, &["decline"]).await?;
    Ok("a plain no declined the form, the server was told, and the model with it".to_owned())
}

/// A session in which a model refuses, and another one could be asked.
async fn with_a_dialog(cli: &CliPackage) -> Result<(Stage, Asked)> {
    let world = World::new(cli).await?;
    // Without a category the CLI offers no other model.
    let category = json!({"type": "refusal", "category": "cyber", "explanation": "policy"});
    let refusal = Turn::text("I cannot help")
        .stop_reason("refusal")
        .stop_details(category)
        .when(Match::new().model("claude-fable-5"))
        .always();
    let other = Turn::text("The other model can.");
    world.api.turn(refusal).fallback(other);
    let options = asking(&world)
        .model("claude-fable-5")
        .settings(json!({"switchModelsOnFlag": false}));
    let stage = Stage::open_with(world, options, |builder| builder, |setup| setup).await?;
    stage.say("go").await?;
    let asked = asked(&stage).await?;
    ensure!(
        asked.kind == "Dialog" && asked.request["dialog_kind"] == "refusal_fallback_prompt",
        "asked as {}: {}",
        asked.kind,
        asked.request
    );
    Ok((stage, asked))
}

fn models(stage: &Stage) -> Vec<String> {
    let requests = stage.asked();
    let mut models: Vec<String> = requests
        .iter()
        .filter_map(|request| request.model().map(str::to_owned))
        .collect();
    models.dedup();
    models
}

pub(super) async fn dialog_chosen(cli: CliPackage) -> Result<String> {
    let (stage, asked) = with_a_dialog(&cli).await?;
    let retry = json!({"behavior": "completed", "result": "retry_fallback"});
    let registry = stage.controller.interactions();
    let retry = Json::from_value(&retry);
    registry
        .respond_to_prompt(stage.session, &asked.id, retry, Some("phone"))
        .await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let models = models(&stage);
    ensure!(models.len() == 2, "asked were {models:?}");
    let (id, seen) = (&asked.id, stage.phone.seen());
    let answered = seen
        .iter()
        .position(|line| *line == format!("Answered {id} by phone"));
    let after = answered.map(|at| seen[at..].join(", ")).unwrap_or_default();
    ensure!(
        after.contains("The other model can.") && after.contains("complete 1 EndTurn"),
        "a front end saw {seen:?}"
    );
    stage
        .end_as(&[
            "turn 1 began",
            &format!("asked {id}"),
            &format!("answered {id} by phone"),
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("the other model was asked, and its answer shown".to_owned())
}

pub(super) async fn dialog_declined(cli: CliPackage) -> Result<String> {
    let (stage, asked) = with_a_dialog(&cli).await?;
    let registry = stage.controller.interactions();
    registry
        .decline(stage.session, &asked.id, "Not now", Some("phone"))
        .await?;
    let stop = stage.completed(1).await?;
    let models = models(&stage);
    ensure!(models.len() == 1, "asked were {models:?}");
    Ok(format!(
        "no other model was asked; the turn ended as {stop}"
    ))
}
