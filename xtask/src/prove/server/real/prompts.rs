//! Questions and plans of the agent.

use anyhow::{Context, Result, ensure};
use claw_server::prompts::AnswerRefused;
use claw_server::registry::{PermissionResponse, QuestionAnswer};
use claw_server::{QuestionType, UiMessage};
use claw_testkit::Turn;
use rusty_claw::permission::PermissionMode;
use serde_json::{Value, json};

use super::stage::{GRACE, Stage, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::{bash, call};

/// One choice, several choices, and one to be answered in own words.
fn questions() -> Value {
    json!({"questions": [
        {"question": "Which color?", "header": "Color", "multiSelect": false, "options": [
            {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
        {"question": "Which sizes?", "header": "Sizes", "multiSelect": true, "options": [
            {"label": "S", "description": "small"}, {"label": "L", "description": "large"}]},
        {"question": "Which name?", "header": "Name", "multiSelect": false, "options": [
            {"label": "Ada", "description": "one"}, {"label": "Bob", "description": "another"}]},
    ]})
}

pub(super) async fn questions_answered(cli: CliPackage) -> Result<String> {
    let asks = call("q", "AskUserQuestion", questions());
    let stage = Stage::open(world(&cli, [asks, Turn::text("Thanks.")]).await?).await?;
    stage.say("go").await?;
    let asked = stage.phone.asked("toolu_q").await?;
    let UiMessage::UserInteractionRequired { request, .. } = asked else {
        anyhow::bail!("asked as {asked:?}");
    };
    let kinds: Vec<_> = request
        .questions
        .iter()
        .map(|one| &one.question_type)
        .collect();
    ensure!(
        kinds
            == [
                &QuestionType::SingleChoice,
                &QuestionType::MultiChoice,
                &QuestionType::SingleChoice
            ],
        "asked for {kinds:?}"
    );
    let ids: Vec<&str> = request
        .questions
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    let [color, sizes, name] = ids.as_slice() else {
        anyhow::bail!("asked {ids:?}");
    };
    let registry = stage.controller.interactions();
    let wrong = vec![QuestionAnswer::choice(*color, "Green")];
    let refused = registry
        .respond(stage.session, "toolu_q", wrong, Some("desktop"))
        .await;
    ensure!(
        matches!(refused, Err(AnswerRefused::Unfit { .. })),
        "an option that there is not was taken as {refused:?}"
    );
    let answers = vec![
        QuestionAnswer::choice(*color, "Blue"),
        QuestionAnswer::choices(*sizes, ["S", "L"]).and_text("and one in between"),
        QuestionAnswer::text(*name, "Grace, please"),
    ];
    registry
        .respond(stage.session, "toolu_q", answers, Some("phone"))
        .await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_q")?.text;
    for wanted in [
        r#""Which color?"="Blue""#,
        r#""Which sizes?"="S, L, and one in between""#,
        r#""Which name?"="Grace, please""#,
    ] {
        ensure!(told.contains(wanted), "the model was told {told:?}");
    }
    stage.saw(&[
        "runs toolu_q",
        "which toolu_q?",
        "Answered toolu_q by phone",
        "ran toolu_q",
        "text Thanks.",
        "complete 1 EndTurn",
    ])?;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_q",
            "asked toolu_q",
            "answered toolu_q by phone",
            "result toolu_q",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("the model read a choice, two choices with own words, and own words alone".to_owned())
}

pub(super) async fn questions_answered_in_part(cli: CliPackage) -> Result<String> {
    let asks = call("q", "AskUserQuestion", questions());
    let stage = Stage::open(world(&cli, [asks, Turn::text("Thanks.")]).await?).await?;
    stage.say("go").await?;
    let asked = stage.phone.asked("toolu_q").await?;
    let UiMessage::UserInteractionRequired { request, .. } = asked else {
        anyhow::bail!("asked as {asked:?}");
    };
    ensure!(
        request.questions.iter().all(|one| !one.required),
        "an answer is required: {request:?}"
    );
    let registry = stage.controller.interactions();
    let answers = vec![QuestionAnswer::choice("toolu_q:0", "Blue")];
    registry
        .respond(stage.session, "toolu_q", answers, Some("phone"))
        .await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_q")?;
    let is_told = |text: &str| told.text.contains(text);
    ensure!(
        !told.failed && is_told(r#""Which color?"="Blue""#) && !is_told("Which name?\"=\""),
        "the model was told {:?}",
        told.text
    );
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_q",
            "asked toolu_q",
            "answered toolu_q by phone",
            "result toolu_q",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("one of three questions was answered; the model read it and went on".to_owned())
}

pub(super) async fn question_declined(cli: CliPackage) -> Result<String> {
    let asks = call("q", "AskUserQuestion", questions());
    let stage = Stage::open(world(&cli, [asks, Turn::text("Then not.")]).await?).await?;
    stage.say("go").await?;
    stage.phone.asked("toolu_q").await?;
    let registry = stage.controller.interactions();
    registry
        .decline(stage.session, "toolu_q", "Choose yourself", Some("phone"))
        .await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_q")?;
    ensure!(
        told.failed && told.text.contains("Choose yourself"),
        "the model was told {:?}",
        told.text
    );
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_q",
            "asked toolu_q",
            "answered toolu_q by phone",
            "result toolu_q",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("the model read why and went on".to_owned())
}

/// In plan mode: the plan is written to its file, then shown; afterwards a file is touched.
async fn planning(cli: CliPackage) -> Result<Stage> {
    let world = world(&cli, [Turn::text("Let me think.")]).await?;
    let options = world.options().permission_mode(PermissionMode::Plan);
    let stage = Stage::open_with(world, options, |builder| builder, |setup| setup).await?;
    stage.say("think").await?;
    stage.completed(1).await?;
    // The CLI names the file for the plan in a reminder.
    let said = stage.last_asked();
    let plan = plan_file(&said).with_context(|| format!("no plan file is named in {said}"))?;
    let write = json!({"file_path": plan, "content": "# The plan\nTouch a file."});
    stage
        .world
        .api
        .turn(call("w", "Write", write))
        .turn(call("p", "ExitPlanMode", json!({})))
        .turn(bash("l", "touch late"))
        .turn(Turn::text("Done."));
    stage.say("plan").await?;
    stage.phone.asked("toolu_p").await?;
    let is_plan = |message: &UiMessage| matches!(message, UiMessage::PlanUpdated { plan, .. } if plan.contains("Touch a file."));
    stage.desktop.until("the plan", is_plan).await?;
    Ok(stage)
}

fn plan_file(said: &str) -> Option<&str> {
    let end = said.find(".md")? + 3;
    let ends = said.match_indices(".md").map(|(at, _)| at + 3);
    let end = ends
        .into_iter()
        .find(|end| {
            said.get(..*end)
                .is_some_and(|said| word(said).contains("/plans/"))
        })
        .unwrap_or(end);
    Some(word(said.get(..end)?)).filter(|path| path.starts_with('/'))
}

/// The last word, without what it is quoted with.
fn word(said: &str) -> &str {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\'' | '(' | '\\');
    said.rsplit(is_end).next().unwrap_or_default()
}

pub(super) async fn plan_approved(cli: CliPackage) -> Result<String> {
    let stage = planning(cli).await?;
    let registry = stage.controller.permissions();
    let anything = PermissionResponse::allow().in_mode("bypassPermissions");
    let refused = registry.respond(stage.session, "toolu_p", anything).await;
    ensure!(
        matches!(refused, Err(AnswerRefused::Unfit { .. })),
        "a mode that asks nothing was taken as {refused:?}"
    );
    let yes = PermissionResponse::allow()
        .in_mode("acceptEdits")
        .by("phone");
    stage.answer("toolu_p", yes).await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_p")?;
    ensure!(
        !told.failed && told.text.contains("approved"),
        "the model was told {:?}",
        told.text
    );
    ensure!(stage.made("late"), "nothing was done after the plan");
    let closed = stage.shut(GRACE).await?;
    ensure!(closed.cut_off_turn.is_none(), "{closed:?}");
    let is_mode = |event: &claw_server::SessionEvent| match &event.fact {
        claw_server::Fact::Message(raw) => {
            raw.to_text().contains(r#""permissionMode":"acceptEdits""#)
        }
        _ => false,
    };
    let events = stage.events().await?;
    ensure!(
        events.iter().any(|event| is_mode(event)),
        "the mode did not change"
    );
    let story = stage.story().await?;
    let prompts: Vec<&str> = prompts(&story);
    ensure!(
        prompts == ["asked toolu_p", "answered toolu_p by phone"],
        "the log says {story:?}"
    );
    Ok("the plan was shown, approved into acceptEdits, and carried out without a question".into())
}

pub(super) async fn plan_rejected(cli: CliPackage) -> Result<String> {
    let stage = planning(cli).await?;
    let no = PermissionResponse::deny("Think again, and smaller").by("desktop");
    stage.answer("toolu_p", no).await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let told = stage.told("toolu_p")?;
    ensure!(
        told.failed && told.text.contains("Think again, and smaller"),
        "the model was told {:?}",
        told.text
    );
    // Still in plan mode.
    let late = stage.told("toolu_l")?;
    ensure!(
        late.failed && !stage.made("late"),
        "it was carried out: {:?}",
        late.text
    );
    stage.shut(GRACE).await?;
    let story = stage.story().await?;
    ensure!(
        prompts(&story) == ["asked toolu_p", "answered toolu_p by desktop",],
        "the log says {story:?}"
    );
    Ok("the model read the feedback, and nothing was done".to_owned())
}

/// What a story says of prompts.
fn prompts(story: &[String]) -> Vec<&str> {
    let lines = story.iter().map(String::as_str);
    lines
        .filter(|line| line.starts_with("asked") || line.starts_with("answered"))
        .collect()
}
