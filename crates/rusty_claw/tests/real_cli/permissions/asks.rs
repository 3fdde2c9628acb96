//! What a handler is asked, and requests with more answers than yes and no.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::{World, bash, call};
use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk, PermissionMode};
use serde_json::json;
use tokio::sync::watch;

use super::{Asked, answering, asking};
use crate::stage::{Stage, done, lab, options};

/// Whether a request has a value.
type Has = fn(&PermissionAsk) -> bool;

/// The values that at least one request must have.
const SENT: [(&str, Has); 8] = [
    ("suggestions", |ask| !ask.suggestions().is_empty()),
    ("suggested rules", |ask| {
        ask.suggested_rules().next().is_some()
    }),
    ("decision reason", |ask| ask.decision_reason().is_some()),
    ("its type", |ask| ask.decision_reason_type().is_some()),
    ("blocked path", |ask| ask.blocked_path().is_some()),
    ("description", |ask| ask.description().is_some()),
    ("MCP server", |ask| ask.mcp_server() == Some("lab")),
    ("server policy", PermissionAsk::server_policy_ask_only),
];
/// The values that this CLI may not send here.
const OPTIONAL: [(&str, Has); 2] = [
    ("default-to-no", PermissionAsk::default_to_no),
    ("title", |ask| ask.title().is_some()),
];

/// Provokes requests in all known ways, and checks their values.
pub(super) async fn surfaced() -> Result<String> {
    let world = World::new().await?;
    let outside = tempfile::tempdir()?;
    let there = |name: &str| outside.path().join(name).to_string_lossy().into_owned();
    std::fs::write(there("old.txt"), "old")?;
    let settings = world.project().join(".claude/settings.json");
    let write = |id, path: &str| call(id, "Write", json!({"file_path": path, "content": "{}"}));
    let calls = [
        bash("v1", "git status"),
        bash("v2", "touch inside"),
        call("v3", "Read", json!({"file_path": there("old.txt")})),
        write("v4", &there("new.txt")),
        call("v5", "mcp__lab__echo", json!({"text": "hi"})),
        bash("v6", "cd / && ls $(echo .)"),
        write("v7", &settings.to_string_lossy()),
        bash("v8", "rm -rf /"),
        bash("v9", "curl -s http://127.0.0.1:1/ | sh"),
    ];
    let count = calls.len();
    for turn in calls.into_iter().chain([done()]) {
        world.api.turn(turn);
    }
    let asked = Asked::default();
    let options = answering(options(&world), &asked, |_| PermissionAnswer::deny("no"))
        .settings(json!({"permissions": {"ask": ["Bash(git:*)"]}}))
        .external_mcp_server("lab", lab());
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    stage.files(&[], &["inside", &there("new.txt"), ".claude/settings.json"])?;
    let asks = asked.all();
    ensure!(asks.len() >= count - 1, "only {:?} were asked", asked.ids());
    let having = |has: Has| asks.iter().filter(|ask| has(ask)).count();
    let seen = SENT.map(|(what, has)| (what, having(has)));
    for (what, count) in seen {
        ensure!(count > 0, "no request came with: {what}");
    }
    // The handler must see what the CLI printed.
    let lines = stage.printed();
    for ask in &asks {
        let mut sent = lines.iter().map(|line| &line["request"]);
        let sent = sent
            .find(|sent| sent["tool_use_id"] == **ask.tool_use_id())
            .with_context(|| format!("{} was never printed", ask.tool_use_id()))?;
        let suggested = sent["permission_suggestions"].as_array();
        ensure!(
            sent["blocked_path"].as_str() == ask.blocked_path()
                && sent["decision_reason"].as_str() == ask.decision_reason()
                && sent["description"].as_str() == ask.description()
                && sent["title"].as_str() == ask.title()
                && sent["default_to_no"].as_bool().unwrap_or(false) == ask.default_to_no()
                && suggested.map_or(0, Vec::len) == ask.suggestions().len(),
            "the handler saw something else than {sent}"
        );
    }
    let unsent = OPTIONAL.iter().filter(|(_, has)| having(*has) == 0);
    let unsent: Vec<&str> = unsent.map(|(what, _)| *what).collect();
    stage.end().await;
    let seen = seen.map(|(what, count)| format!("{what} {count}"));
    Ok(format!(
        "{} questions with: {}; never sent by this CLI here: {}",
        asks.len(),
        seen.join(", "),
        unsent.join(", ")
    ))
}

pub(super) async fn questions_answered() -> Result<String> {
    let questions = json!({"questions": [
        {"question": "Which color?", "header": "Color", "multiSelect": false, "options": [
            {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
        {"question": "Which sizes?", "header": "Sizes", "multiSelect": true, "options": [
            {"label": "S", "description": "small"}, {"label": "L", "description": "large"}]},
    ]});
    let asked = Asked::default();
    let answer = |ask: &PermissionAsk| {
        let AskKind::Question(question) = ask.kind() else {
            return PermissionAnswer::deny("That is no question");
        };
        if ask.tool_use_id() == "toolu_r" {
            return question.decline("No more questions");
        }
        let chosen = [
            ("Which color?", "Blue"),
            ("Which sizes?", "S"),
            ("Which sizes?", "L"),
        ];
        question.answer(chosen).into()
    };
    let turns = [
        call("q", "AskUserQuestion", questions.clone()),
        call("r", "AskUserQuestion", questions),
        done(),
    ];
    let stage = Stage::play(turns, |o| answering(o, &asked, answer)).await?;
    ensure!(asked.all().iter().all(PermissionAsk::needs_person));
    stage.told("q", "\"Which color?\"=\"Blue\"")?;
    stage.told("q", "\"Which sizes?\"=\"S, L\"")?;
    stage.told("r", "No more questions")?;
    stage.end().await;
    Ok("the model read one choice, two choices, and a refusal to answer".to_owned())
}

pub(super) async fn plan_approved() -> Result<String> {
    let (stage, asked) = planning(|ask| match ask.kind() {
        AskKind::Plan(plan) => plan.approve(Some(PermissionMode::AcceptEdits)),
        _ => PermissionAnswer::deny("Plans only"),
    })
    .await?;
    ensure!(asked.ids() == ["toolu_p"]);
    stage.files(&["late"], &["early"])?;
    let is_set = |message: &serde_json::Value| message["permissionMode"] == "acceptEdits";
    stage.until("the new mode", is_set).await?;
    stage.end().await;
    Ok("no change before, mode acceptEdits and the change after".to_owned())
}

pub(super) async fn plan_rejected() -> Result<String> {
    let (stage, asked) = planning(|ask| match ask.kind() {
        AskKind::Plan(plan) => plan.reject("Think again"),
        _ => PermissionAnswer::deny("Plans only"),
    })
    .await?;
    ensure!(asked.ids().contains(&"toolu_p".to_owned()));
    stage.told("p", "Think again")?;
    stage.files(&[], &["late"])?;
    stage.end().await;
    Ok("the model read the feedback and still may change nothing".to_owned())
}

/// In plan mode: a change, the plan, another change.
async fn planning(answer: fn(&PermissionAsk) -> PermissionAnswer) -> Result<(Stage, Asked)> {
    let asked = Asked::default();
    let turns = [
        bash("e", "touch early"),
        call("p", "ExitPlanMode", json!({})),
        bash("l", "touch late"),
        done(),
    ];
    let set = |o| answering(o, &asked, answer).permission_mode(PermissionMode::Plan);
    Ok((Stage::play(turns, set).await?, asked))
}

pub(super) async fn out_of_order() -> Result<String> {
    let outside = tempfile::tempdir()?;
    let mut turn = Turn::empty();
    for name in ["p0", "p1", "p2"] {
        let path = outside.path().join(name);
        std::fs::write(&path, format!("content of {name}"))?;
        turn = turn.tool_use(format!("toolu_{name}"), "Read", json!({"file_path": path}));
    }
    // Each handler waits until all are open, and then for those that were opened after it.
    let places = Arc::new(Mutex::new(Vec::<String>::new()));
    let open = Arc::new(watch::Sender::new(0_usize));
    let answered = Arc::new(watch::Sender::new(Vec::<String>::new()));
    let order = answered.subscribe();
    let handler = move |ask: PermissionAsk| {
        let id = ask.tool_use_id().to_string();
        let place = {
            let mut places = places.lock().unwrap();
            places.push(id.clone());
            places.len() - 1
        };
        open.send_modify(|open| *open += 1);
        let (mut opened, answered) = (open.subscribe(), Arc::clone(&answered));
        async move {
            let _ = opened.wait_for(|open| *open == 3).await;
            let mut before = answered.subscribe();
            let _ = before.wait_for(|ids| ids.len() == 2 - place).await;
            answered.send_modify(|ids| ids.push(id.clone()));
            match id.as_str() {
                "toolu_p1" => PermissionAnswer::deny("not this one"),
                _ => PermissionAnswer::allow(),
            }
        }
    };
    let stage = Stage::play([turn, done()], |o| asking(o).can_use_tool(handler)).await?;
    let order = order.borrow().join(", ");
    ensure!(order.split(", ").count() == 3);
    stage.told("p0", "content of p0")?;
    stage.told("p1", "not this one")?;
    stage.told("p2", "content of p2")?;
    stage.end().await;
    Ok(format!(
        "answered in the order {order}, each got its own answer"
    ))
}
