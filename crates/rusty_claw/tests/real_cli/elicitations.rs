//! Elicitations of MCP servers and dialogs of the real CLI.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{Variants, World, call};
use claw_testkit::{Match, Turn};
use rusty_claw::dialog::{Dialog, DialogAnswer, DialogAsk, REFUSAL_FALLBACK_PROMPT};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationKind};
use rusty_claw::{Json, Options};
use serde_json::{Value, json};

use crate::stage::{Stage, done, lab, options};

pub(crate) async fn figure() -> Figure {
    let decline = || answering(ElicitationAnswer::decline());
    Variants::new()
        .add("form, accepted", accepted())
        .add("form, declined", answered("form", "decline", decline()))
        .add(
            "form, cancelled",
            answered("form", "cancel", answering(ElicitationAnswer::cancel())),
        )
        .add(
            "form, the handler panics",
            answered("form", "decline", panicking),
        )
        .add("form, no handler", answered("form", "decline", |o| o))
        .add("page, visited", visited())
        .add("page, declined", answered("url", "decline", decline()))
        .add("dialog, completed", completed())
        .add("dialog, cancelled", dialog_cancelled())
        .add("dialog, nobody shows it", undeclared())
        .figure(
            "elicitations and dialogs: asked and obeyed, on the real CLI",
            "all",
        )
        .await
}

/// Options with a handler that always returns this answer.
fn answering(answer: ElicitationAnswer) -> impl FnOnce(Options) -> Options + Send {
    move |options| {
        options.on_elicitation(move |_: ElicitationAsk| {
            let answer = answer.clone();
            async move { answer }
        })
    }
}

fn panicking(options: Options) -> Options {
    options.on_elicitation(|ask: ElicitationAsk| async move {
        if ask.server_name() == "lab" {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        ElicitationAnswer::accept_visit()
    })
}

/// Lets the server ask once; returns the answer that it got, which is its result.
async fn elicited(what: &str, set: impl FnOnce(Options) -> Options + Send) -> Result<Value> {
    let tool = format!("mcp__lab__ask_{what}");
    let stage = Stage::play([call("e", &tool, json!({})), done()], |o| {
        set(o
            .external_mcp_server("lab", lab())
            .allowed_tools(["mcp__lab"]))
    })
    .await?;
    let result = stage.tool_result("e")?.text;
    stage.end().await;
    serde_json::from_str(&result).with_context(|| format!("the server got {result:?}"))
}

/// The server must get this answer.
async fn answered(
    what: &str,
    wanted: &str,
    set: impl FnOnce(Options) -> Options + Send,
) -> Result<String> {
    let got = elicited(what, set).await?;
    ensure!(got["action"] == wanted, "the server got {got}");
    Ok(format!("the server got {got}"))
}

/// Like [`answering`], and keeps the last request.
fn noting(
    answer: ElicitationAnswer,
) -> (
    impl FnOnce(Options) -> Options + Send,
    Arc<Mutex<Option<ElicitationAsk>>>,
) {
    let seen = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&seen);
    let set = move |options: Options| {
        options.on_elicitation(move |ask: ElicitationAsk| {
            *kept.lock().unwrap() = Some(ask);
            let answer = answer.clone();
            async move { answer }
        })
    };
    (set, seen)
}

async fn accepted() -> Result<String> {
    let content = json!({"name": "Ann", "age": 7});
    let (set, seen) = noting(ElicitationAnswer::accept(Json::from_value(&content)));
    let got = elicited("form", set).await?;
    ensure!(got == json!({"action": "accept", "content": content}));
    let ask = seen.lock().unwrap().take().context("nothing was asked")?;
    let ElicitationKind::Form { schema, .. } = ask.kind() else {
        bail!("the handler saw {ask:?}");
    };
    let schema = schema.map(|schema| schema.to_value()).unwrap_or_default();
    ensure!((ask.server_name(), ask.message()) == ("lab", "Please give your name"));
    ensure!(schema["properties"]["age"]["type"] == "integer");
    Ok("the handler saw the schema, the server got the form".to_owned())
}

async fn visited() -> Result<String> {
    let (set, seen) = noting(ElicitationAnswer::accept_visit());
    let got = answered("url", "accept", set).await?;
    let ask = seen.lock().unwrap().take().context("nothing was asked")?;
    let ElicitationKind::Url { url, id } = ask.kind() else {
        bail!("the handler saw {ask:?}");
    };
    ensure!(url == "https://example.com/login");
    ensure!(id.as_deref() == Some("el-1"));
    Ok(format!("the handler saw page and id, {got}"))
}

/// What came of a model that always refuses.
struct Refused {
    /// The models that were asked, in order, each once.
    models: Vec<String>,
    dialogs: Vec<String>,
    outcome: rusty_claw::TurnOutcome,
}

async fn refused(answer: Option<DialogAnswer>) -> Result<Refused> {
    let world = World::new().await?;
    // Without a category the CLI offers no other model.
    let category = json!({"type": "refusal", "category": "cyber", "explanation": "policy"});
    let refusal = Turn::text("I cannot help")
        .stop_reason("refusal")
        .stop_details(category)
        .when(Match::new().model("claude-fable-5"))
        .always();
    let fallback = Turn::text("The other model can.");
    world.api.turn(refusal).fallback(fallback);
    let dialogs = Arc::new(Mutex::new(Vec::new()));
    let mut options = options(&world)
        .model("claude-fable-5")
        .settings(json!({"switchModelsOnFlag": false}));
    if let Some(answer) = answer {
        let kept = Arc::clone(&dialogs);
        options = options.on_user_dialog([REFUSAL_FALLBACK_PROMPT], move |ask: DialogAsk| {
            kept.lock().unwrap().push(match ask.dialog() {
                Dialog::RefusalFallback(prompt) => {
                    format!("{} to {}", prompt.original_model, prompt.fallback_model)
                }
                _ => format!("unknown: {}", ask.payload()),
            });
            let answer = answer.clone();
            async move { answer }
        });
    }
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    let requests = stage.requests();
    let models = requests.iter().filter_map(|request| request.model());
    let mut models: Vec<String> = models.map(str::to_owned).collect();
    models.dedup();
    stage.end().await;
    let dialogs = dialogs.lock().unwrap().clone();
    Ok(Refused {
        models,
        dialogs,
        outcome,
    })
}

async fn completed() -> Result<String> {
    let answer = DialogAnswer::retry_with_fallback();
    let Refused {
        models,
        dialogs,
        outcome,
    } = refused(Some(answer)).await?;
    ensure!(models.len() == 2 && dialogs == [models.join(" to ")]);
    ensure!(outcome.text() == Some("The other model can."));
    Ok(format!(
        "{} shown, and the other model answered",
        dialogs[0]
    ))
}

async fn dialog_cancelled() -> Result<String> {
    let refused = refused(Some(DialogAnswer::cancelled())).await?;
    ensure!((refused.dialogs.len(), refused.models.len()) == (1, 1));
    let how = refused.outcome.name();
    Ok(format!(
        "shown, and no other model was asked; the turn {how}"
    ))
}

async fn undeclared() -> Result<String> {
    let refused = refused(None).await?;
    ensure!((refused.dialogs.len(), refused.models.len()) == (0, 1));
    let how = refused.outcome.name();
    Ok(format!(
        "not asked for, and no other model was asked; the turn {how}"
    ))
}
