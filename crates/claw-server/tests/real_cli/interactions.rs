//! Questions and plans of the agent.

use claw_server::event::Fact;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{Answerer, PermissionResponse, QuestionAnswer};
use claw_server::{AskUserQuestionsRequest, QuestionType, UiMessage};
use claw_testkit::Turn;
use claw_testkit::real_cli::{bash, call};
use rusty_claw::permission::PermissionMode;
use serde_json::json;

use crate::permissions::yes;
use crate::stage::{GRACE, Prepared, Stage, id};

/// A session that asks for one choice, for several choices, and for a name.
async fn with_questions(then: &str) -> (Stage, AskUserQuestionsRequest) {
    let options =
        |labels: [&str; 2]| labels.map(|label| json!({"label": label, "description": "x"}));
    let questions = json!({"questions": [
        {"question": "Which color?", "header": "Color", "multiSelect": false, "options": options(["Red", "Blue"])},
        {"question": "Which sizes?", "header": "Sizes", "multiSelect": true, "options": options(["S", "L"])},
        {"question": "Which name?", "header": "Name", "multiSelect": false, "options": options(["Ada", "Bob"])},
    ]});
    let asks = call("q", "AskUserQuestion", questions);
    let mut stage = Stage::start([asks, Turn::text(then)]).await;
    let asked = stage.phone.asked("q").await;
    let UiMessage::UserInteractionRequired { request, .. } = asked else {
        panic!("{asked:?}");
    };
    (stage, request)
}

impl Stage {
    async fn choose(&self, answers: Vec<QuestionAnswer>) -> Result<(), AnswerRefused> {
        let registry = self.controller.interactions();
        let call = id("q");
        let chosen = registry.respond(self.session, &call, answers, Answerer::by("phone"));
        chosen.await
    }
}

pub(crate) async fn questions_answered() -> String {
    let (mut stage, request) = with_questions("Thanks.").await;
    let questions = request.questions.iter();
    let kinds: Vec<_> = questions.clone().map(|one| &one.question_type).collect();
    let single = &QuestionType::SingleChoice;
    assert_eq!(kinds, [single, &QuestionType::MultiChoice, single]);
    let ids: Vec<&str> = questions.map(|one| one.id.as_str()).collect();
    let unknown = vec![QuestionAnswer::choice(ids[0], "Green")];
    let refused = stage.choose(unknown).await;
    assert_matches!(refused, Err(AnswerRefused::Unfit { .. }));
    let answers = vec![
        QuestionAnswer::choice(ids[0], "Blue"),
        QuestionAnswer::choices(ids[1], ["S", "L"]).and_text("and one in between"),
        QuestionAnswer::text(ids[2], "Grace, please"),
    ];
    stage.choose(answers).await.unwrap();
    stage.ended(1, "EndTurn").await;
    stage.succeeded("q", r#""Which color?"="Blue""#);
    stage.succeeded("q", r#""Which sizes?"="S, L, and one in between""#);
    stage.succeeded("q", r#""Which name?"="Grace, please""#);
    stage.saw("runs q, which q?, Answered q by phone, ran q, text Thanks., complete 1 EndTurn");
    stage.end_with_one_call("q", "phone").await;
    "the model read a choice, two choices with own words, and own words alone".to_owned()
}

pub(crate) async fn questions_answered_in_part() -> String {
    let (mut stage, request) = with_questions("Thanks.").await;
    let mut questions = request.questions.iter();
    assert!(questions.all(|one| !one.required), "{request:?}");
    let answers = vec![QuestionAnswer::choice("toolu_q:0", "Blue")];
    stage.choose(answers).await.unwrap();
    stage.ended(1, "EndTurn").await;
    stage.succeeded("q", r#""Which color?"="Blue""#);
    let result = stage.result("q").text;
    assert!(!result.contains("Which name?\"=\""), "{result}");
    stage.end_with_one_call("q", "phone").await;
    "one of three questions was answered; the model read it and went on".to_owned()
}

pub(crate) async fn question_declined() -> String {
    let (mut stage, _) = with_questions("Then not.").await;
    let (registry, call) = (stage.controller.interactions(), id("q"));
    let declined = registry.decline(
        stage.session,
        &call,
        "Choose yourself",
        Answerer::by("phone"),
    );
    declined.await.unwrap();
    stage.ended(1, "EndTurn").await;
    stage.failed("q", "Choose yourself");
    stage.end_with_one_call("q", "phone").await;
    "the model read why and went on".to_owned()
}

/// In plan mode: the plan is written to its file, then shown; afterwards a file is touched.
async fn planning() -> Stage {
    let mut prepared = Prepared::new([Turn::text("Let me think.")]).await;
    prepared.options = prepared.options.permission_mode(PermissionMode::Plan);
    let mut stage = prepared.open().await;
    stage.send("think").await;
    stage.ended(1, "EndTurn").await;
    let plan = plan_file(&stage.conversation());
    let write = json!({"file_path": plan, "content": "# The plan\nTouch a file."});
    let api = &stage.world.api;
    api.turn(call("w", "Write", write))
        .turn(call("p", "ExitPlanMode", json!({})))
        .turn(bash("l", "touch late"))
        .turn(Turn::text("Done."));
    stage.send("plan").await;
    stage.phone.asked("p").await;
    let is_plan = |message: &UiMessage| matches!(message, UiMessage::PlanUpdated { plan, .. } if plan.contains("Touch a file."));
    stage.desktop.find(is_plan).await;
    stage
}

/// The path of the plan, which the CLI names in a reminder.
fn plan_file(conversation: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\'' | '(' | '\\');
    let paths = conversation.match_indices(".md").map(|(end, _)| {
        let before = conversation[..end].rsplit(is_end).next();
        format!("{}.md", before.unwrap_or_default())
    });
    let mut plans = paths.filter(|path| path.starts_with('/') && path.contains("/plans/"));
    plans
        .next()
        .unwrap_or_else(|| panic!("no plan file in {conversation}"))
}

pub(crate) async fn plan_approved() -> String {
    let mut stage = planning().await;
    let anything = PermissionResponse::allow().in_mode("bypassPermissions");
    let refused = stage.respond("p", anything).await;
    assert_matches!(refused, Err(AnswerRefused::Unfit { .. }));
    stage.answer("p", yes("phone").in_mode("acceptEdits")).await;
    stage.ended(2, "EndTurn").await;
    stage.succeeded("p", "approved");
    let is_done = stage.world.has_file("late");
    assert!(is_done, "nothing was done after the plan");
    let closed = stage.shut(GRACE).await;
    assert_eq!(closed.cut_off_turn, None, "{closed:?}");
    let mode = r#""permissionMode":"acceptEdits""#;
    let events = stage.events().await;
    let mut facts = events.iter().map(|event| &event.fact);
    let changed =
        facts.any(|fact| matches!(fact, Fact::Message(raw) if raw.to_text().contains(mode)));
    assert!(changed, "the mode did not change");
    assert_eq!(stage.interactions().await, "asked p, answered p by phone");
    "the plan was shown, approved into acceptEdits, and carried out without a question".to_owned()
}

pub(crate) async fn plan_rejected() -> String {
    let mut stage = planning().await;
    let no = PermissionResponse::deny("Think again, and smaller").by("desktop");
    stage.answer("p", no).await;
    stage.ended(2, "EndTurn").await;
    stage.failed("p", "Think again, and smaller");
    // Still in plan mode.
    stage.failed("l", "");
    assert!(!stage.world.has_file("late"), "it was carried out");
    stage.shut(GRACE).await;
    assert_eq!(stage.interactions().await, "asked p, answered p by desktop");
    "the model read the feedback, and nothing was done".to_owned()
}
