//! Questions of MCP servers and dialogs of the real CLI.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, ensure};
use claw_testkit::{Match, Turn};
use rusty_claw::dialog::{Dialog, DialogAnswer, DialogAsk, REFUSAL_FALLBACK_PROMPT};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationKind};
use rusty_claw::{Json, Options, TurnOutcome};
use serde_json::{Value, json};

use super::super::figure::Figure;
use super::stage::{Stage, call, lab};
use super::variants::Variants;
use super::{Inputs, World};
use crate::cli_package::CliPackage;

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let figure = inputs.runtime.block_on(async {
        Variants::new(inputs)
            .add("form, accepted", accepted)
            .add("form, declined", declined)
            .add("form, cancelled", cancelled)
            .add("form, the handler panics", panics)
            .add("form, no handler", no_handler)
            .add("page, visited", visited)
            .add("page, declined", not_visited)
            .add("dialog, completed", completed)
            .add("dialog, cancelled", dialog_cancelled)
            .add("dialog, nobody shows it", undeclared)
            .figure(
                "elicitations and dialogs: asked and obeyed, on the real CLI",
                "all",
            )
            .await
    });
    Ok(vec![figure])
}

/// Lets the server ask once, and gives what it got for an answer: it says so in its result.
async fn elicited(
    cli: CliPackage,
    tool: &str,
    handle: impl FnOnce(Options) -> Options,
) -> Result<Value> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(call("e", &format!("mcp__lab__{tool}"), json!({})))
        .turn(Turn::text("Asked."));
    let options = world
        .options()
        .external_mcp_server("lab", lab()?)
        .allowed_tools(["mcp__lab"]);
    let stage = Stage::start(world, handle(options)).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let told = stage.tool_result("e")?.text;
    stage.end().await;
    serde_json::from_str(&told).map_err(|_| anyhow::anyhow!("the server said {told:?}"))
}

async fn accepted(cli: CliPackage) -> Result<String> {
    let seen = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&seen);
    let got = elicited(cli, "ask_form", |options| {
        options.on_elicitation(move |ask: ElicitationAsk| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some((
                ask.server_name().to_owned(),
                ask.message().to_owned(),
                ask.kind(),
            ));
            async { ElicitationAnswer::accept(Json::from_value(&json!({"name": "Ann", "age": 7}))) }
        })
    })
    .await?;
    ensure!(
        got == json!({"action": "accept", "content": {"name": "Ann", "age": 7}}),
        "the server got {got}"
    );
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some((server, message, ElicitationKind::Form { schema, .. })) = seen else {
        anyhow::bail!("the handler saw {seen:?}");
    };
    let schema = schema.map(|schema| schema.to_value()).unwrap_or_default();
    ensure!(
        server == "lab"
            && message == "Please give your name"
            && schema["properties"]["age"]["type"] == "integer",
        "the handler saw {server}, {message:?}, {schema}"
    );
    Ok("the handler saw the schema, the server got the form".to_owned())
}

/// The server must get this for an answer.
async fn answered_with(
    cli: CliPackage,
    tool: &str,
    wanted: &str,
    handle: impl FnOnce(Options) -> Options,
) -> Result<String> {
    let got = elicited(cli, tool, handle).await?;
    ensure!(got["action"] == wanted, "the server got {got}");
    Ok(format!("the server got {got}"))
}

async fn declined(cli: CliPackage) -> Result<String> {
    answered_with(cli, "ask_form", "decline", |options| {
        options.on_elicitation(|_: ElicitationAsk| async { ElicitationAnswer::decline() })
    })
    .await
}

async fn cancelled(cli: CliPackage) -> Result<String> {
    answered_with(cli, "ask_form", "cancel", |options| {
        options.on_elicitation(|_: ElicitationAsk| async { ElicitationAnswer::cancel() })
    })
    .await
}

async fn panics(cli: CliPackage) -> Result<String> {
    answered_with(cli, "ask_form", "decline", |options| {
        options.on_elicitation(|ask: ElicitationAsk| async move {
            if ask.server_name() == "lab" {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
            ElicitationAnswer::accept_visit()
        })
    })
    .await
}

async fn no_handler(cli: CliPackage) -> Result<String> {
    answered_with(cli, "ask_form", "decline", |options| options).await
}

async fn visited(cli: CliPackage) -> Result<String> {
    let seen = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&seen);
    let said = answered_with(cli, "ask_url", "accept", |options| {
        options.on_elicitation(move |ask: ElicitationAsk| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(ask.kind());
            async { ElicitationAnswer::accept_visit() }
        })
    })
    .await?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(ElicitationKind::Url { url, id }) = &seen else {
        anyhow::bail!("the handler saw {seen:?}");
    };
    ensure!(
        url == "https://example.com/login",
        "the handler saw the page {url}"
    );
    ensure!(
        id.as_deref() == Some("el-1"),
        "the handler saw the id {id:?}"
    );
    Ok(format!("the handler saw page and id, {said}"))
}

async fn not_visited(cli: CliPackage) -> Result<String> {
    answered_with(cli, "ask_url", "decline", |options| {
        options.on_elicitation(|_: ElicitationAsk| async { ElicitationAnswer::decline() })
    })
    .await
}

/// What came of a model that always refuses.
struct Refused {
    /// The models that were asked, in order, each once.
    models: Vec<String>,
    dialogs: Vec<String>,
    outcome: TurnOutcome,
}

async fn refused(cli: CliPackage, answer: Option<DialogAnswer>) -> Result<Refused> {
    let world = World::new(&cli).await?;
    // Without a category the CLI offers no other model.
    let category = json!({"type": "refusal", "category": "cyber", "explanation": "policy"});
    let refusal = Turn::text("I cannot help")
        .stop_reason("refusal")
        .stop_details(category)
        .when(Match::new().model("claude-fable-5"))
        .always();
    world
        .api
        .turn(refusal)
        .fallback(Turn::text("The other model can."));
    let dialogs = Arc::new(Mutex::new(Vec::new()));
    let mut options = world
        .options()
        .model("claude-fable-5")
        .settings(json!({"switchModelsOnFlag": false}));
    if let Some(answer) = answer {
        let kept = Arc::clone(&dialogs);
        options = options.on_user_dialog([REFUSAL_FALLBACK_PROMPT], move |ask: DialogAsk| {
            let shown = match ask.dialog() {
                Dialog::RefusalFallback(prompt) => {
                    format!("{} to {}", prompt.original_model, prompt.fallback_model)
                }
                _ => format!("unknown: {}", ask.payload()),
            };
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(shown);
            let answer = answer.clone();
            async move { answer }
        });
    }
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    let mut models: Vec<String> = stage
        .asked()
        .iter()
        .filter_map(|request| request.model().map(str::to_owned))
        .collect();
    models.dedup();
    stage.end().await;
    let dialogs = dialogs
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    Ok(Refused {
        models,
        dialogs,
        outcome,
    })
}

async fn completed(cli: CliPackage) -> Result<String> {
    let refused = refused(cli, Some(DialogAnswer::retry_with_fallback())).await?;
    let Refused {
        models,
        dialogs,
        outcome,
    } = &refused;
    ensure!(dialogs.len() == 1, "shown: {dialogs:?}");
    ensure!(
        models.len() == 2 && dialogs[0] == format!("{} to {}", models[0], models[1]),
        "{dialogs:?} was shown, and asked were {models:?}"
    );
    ensure!(
        outcome.text() == Some("The other model can."),
        "the turn {outcome}"
    );
    Ok(format!(
        "{} shown, and the other model answered",
        dialogs[0]
    ))
}

async fn dialog_cancelled(cli: CliPackage) -> Result<String> {
    let refused = refused(cli, Some(DialogAnswer::cancelled())).await?;
    let Refused {
        models,
        dialogs,
        outcome,
    } = &refused;
    ensure!(dialogs.len() == 1, "shown: {dialogs:?}");
    ensure!(models.len() == 1, "asked were {models:?}");
    Ok(format!(
        "shown, and no other model was asked; the turn {}",
        outcome.name()
    ))
}

async fn undeclared(cli: CliPackage) -> Result<String> {
    let refused = refused(cli, None).await?;
    let Refused {
        models,
        dialogs,
        outcome,
    } = &refused;
    ensure!(dialogs.is_empty(), "shown: {dialogs:?}");
    ensure!(models.len() == 1, "asked were {models:?}");
    Ok(format!(
        "not asked for, and no other model was asked; the turn {}",
        outcome.name()
    ))
}
