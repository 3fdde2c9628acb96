//! What a handler is asked, and the questions that are more than yes or no.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk, PermissionMode};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::super::World;
use super::super::stage::{Stage, bash, call, lab};
use super::super::tap::Tap;
use super::{Asked, asking};
use crate::cli_package::CliPackage;

/// Asks in all the ways that we know to provoke, and looks at what came with the questions.
pub(super) async fn surfaced(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let outside = tempfile::tempdir()?;
    let there = |name: &str| outside.path().join(name).to_string_lossy().into_owned();
    std::fs::write(there("old.txt"), "old")?;
    let settings = world.project().join(".claude/settings.json");
    let calls = [
        bash("v1", "git status"),
        bash("v2", "touch inside"),
        call("v3", "Read", json!({"file_path": there("old.txt")})),
        call(
            "v4",
            "Write",
            json!({"file_path": there("new.txt"), "content": "x"}),
        ),
        call("v5", "mcp__lab__echo", json!({"text": "hi"})),
        bash("v6", "cd / && ls $(echo .)"),
        call(
            "v7",
            "Write",
            json!({"file_path": settings, "content": "{}"}),
        ),
        bash("v8", "rm -rf /"),
        bash("v9", "curl -s http://127.0.0.1:1/ | sh"),
    ];
    let count = calls.len();
    for call in calls {
        world.api.turn(call);
    }
    world.api.turn(Turn::text("All asked."));
    let asked = Asked::default();
    let noted = asked.clone();
    let options = asking(&world)
        .settings(json!({"permissions": {"ask": ["Bash(git:*)"]}}))
        .external_mcp_server("lab", lab()?)
        .can_use_tool(move |ask: PermissionAsk| {
            noted.note(&ask);
            async { PermissionAnswer::deny("no") }
        });
    let tap = Tap::default();
    let printed = tap.printed.clone();
    let stage = Stage::start_on(tap, world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let made = stage.made("inside") || outside.path().join("new.txt").exists() || settings.exists();
    ensure!(!made, "a denied call ran");
    let asks = asked.all();
    ensure!(asks.len() >= count - 1, "only {:?} were asked", asked.ids());
    let having = |has: fn(&PermissionAsk) -> bool| asks.iter().filter(|ask| has(ask)).count();
    let seen = [
        ("suggestions", having(|ask| !ask.suggestions().is_empty())),
        (
            "suggested rules",
            having(|ask| ask.suggested_rules().next().is_some()),
        ),
        (
            "decision reason",
            having(|ask| ask.decision_reason().is_some()),
        ),
        (
            "its type",
            having(|ask| ask.decision_reason_type().is_some()),
        ),
        ("blocked path", having(|ask| ask.blocked_path().is_some())),
        ("description", having(|ask| ask.description().is_some())),
        ("MCP server", having(|ask| ask.mcp_server() == Some("lab"))),
        (
            "server policy",
            having(PermissionAsk::server_policy_ask_only),
        ),
    ];
    for (what, count) in seen {
        ensure!(count > 0, "no question came with: {what}");
    }
    // What the handler saw must be what the CLI printed.
    let lines = printed.lines();
    for ask in &asks {
        let sent = lines
            .iter()
            .map(|line| &line["request"])
            .find(|sent| sent["tool_use_id"] == **ask.tool_use_id())
            .with_context(|| format!("{} was never printed", ask.tool_use_id()))?;
        let suggested = sent["permission_suggestions"]
            .as_array()
            .map_or(0, Vec::len);
        ensure!(
            sent["blocked_path"].as_str() == ask.blocked_path()
                && sent["decision_reason"].as_str() == ask.decision_reason()
                && sent["description"].as_str() == ask.description()
                && sent["title"].as_str() == ask.title()
                && sent["default_to_no"].as_bool().unwrap_or(false) == ask.default_to_no()
                && suggested == ask.suggestions().len(),
            "the handler saw something else than {sent}"
        );
    }
    let no_first = having(PermissionAsk::default_to_no);
    let titled = having(|ask| ask.title().is_some());
    let unsent: Vec<&str> = [("default-to-no", no_first), ("title", titled)]
        .into_iter()
        .filter_map(|(what, count)| (count == 0).then_some(what))
        .collect();
    stage.end().await;
    let seen = seen.map(|(what, count)| format!("{what} {count}"));
    Ok(format!(
        "{} questions with: {}; never sent by this CLI here: {}",
        asks.len(),
        seen.join(", "),
        unsent.join(", ")
    ))
}

fn questions() -> Value {
    json!({"questions": [
        {"question": "Which color?", "header": "Color", "multiSelect": false, "options": [
            {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
        {"question": "Which sizes?", "header": "Sizes", "multiSelect": true, "options": [
            {"label": "S", "description": "small"}, {"label": "L", "description": "large"}]},
    ]})
}

pub(super) async fn questions_answered(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(call("q", "AskUserQuestion", questions()))
        .turn(call("r", "AskUserQuestion", questions()))
        .turn(Turn::text("Thanks."));
    let asked = Asked::default();
    let noted = asked.clone();
    let options = asking(&world).can_use_tool(move |ask: PermissionAsk| {
        noted.note(&ask);
        async move {
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
        }
    });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    ensure!(
        asked.all().iter().all(PermissionAsk::needs_person),
        "a rule could answer it"
    );
    let told = stage.tool_result("q")?.text;
    ensure!(
        told.contains("\"Which color?\"=\"Blue\"") && told.contains("\"Which sizes?\"=\"S, L\""),
        "the model was told {told:?}"
    );
    let declined = stage.tool_result("r")?.text;
    ensure!(
        declined.contains("No more questions"),
        "the model was told {declined:?}"
    );
    stage.end().await;
    Ok("the model read one choice, two choices, and a refusal to answer".to_owned())
}

pub(super) async fn plan_approved(cli: CliPackage) -> Result<String> {
    let (stage, asked) = planning(cli, |ask| match ask.kind() {
        AskKind::Plan(plan) => plan.approve(Some(PermissionMode::AcceptEdits)),
        _ => PermissionAnswer::deny("Plans only"),
    })
    .await?;
    ensure!(asked.ids() == ["toolu_p"], "asked for {:?}", asked.ids());
    ensure!(!stage.made("early"), "a change was made while planning");
    ensure!(
        stage.made("late"),
        "the plan was approved and nothing was done"
    );
    stage
        .until("the new mode", |message| {
            message["permissionMode"] == "acceptEdits"
        })
        .await?;
    stage.end().await;
    Ok("no change before, mode acceptEdits and the change after".to_owned())
}

pub(super) async fn plan_rejected(cli: CliPackage) -> Result<String> {
    let (stage, asked) = planning(cli, |ask| match ask.kind() {
        AskKind::Plan(plan) => plan.reject("Think again"),
        _ => PermissionAnswer::deny("Plans only"),
    })
    .await?;
    ensure!(
        asked.ids().contains(&"toolu_p".to_owned()),
        "asked for {:?}",
        asked.ids()
    );
    let told = stage.tool_result("p")?.text;
    ensure!(told.contains("Think again"), "the model was told {told:?}");
    ensure!(!stage.made("late"), "the plan was rejected and carried out");
    stage.end().await;
    Ok("the model read the feedback and still may change nothing".to_owned())
}

/// In plan mode: a change, the plan, another change.
async fn planning(
    cli: CliPackage,
    answer: fn(&PermissionAsk) -> PermissionAnswer,
) -> Result<(Stage, Asked)> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("e", "touch early"))
        .turn(call("p", "ExitPlanMode", json!({})))
        .turn(bash("l", "touch late"))
        .turn(Turn::text("Done."));
    let asked = Asked::default();
    let noted = asked.clone();
    let options = world
        .options()
        .permission_mode(PermissionMode::Plan)
        .can_use_tool(move |ask: PermissionAsk| {
            noted.note(&ask);
            let answer = answer(&ask);
            async move { answer }
        });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    Ok((stage, asked))
}

pub(super) async fn out_of_order(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let outside = tempfile::tempdir()?;
    let mut turn = Turn::empty();
    for name in ["p0", "p1", "p2"] {
        let path = outside.path().join(name);
        std::fs::write(&path, format!("content of {name}"))?;
        turn = turn.tool_use(format!("toolu_{name}"), "Read", json!({"file_path": path}));
    }
    world.api.turn(turn).turn(Turn::text("Read."));
    // How many are open, and how many have been answered: each waits for all to be open, and then
    // for those behind it.
    let (open, watching) = watch::channel(0_usize);
    let (answered, waiting) = watch::channel(Vec::<String>::new());
    let (open, answered) = (Arc::new(open), Arc::new(answered));
    let places = Arc::new(Mutex::new(Vec::<String>::new()));
    let order = answered.subscribe();
    let options = asking(&world).can_use_tool(move |ask: PermissionAsk| {
        let place = {
            let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
            places.push(ask.tool_use_id().to_string());
            places.len() - 1
        };
        open.send_modify(|open| *open += 1);
        let (mut watching, mut waiting) = (watching.clone(), waiting.clone());
        let answered = Arc::clone(&answered);
        async move {
            let _ = watching.wait_for(|open| *open == 3).await;
            let _ = waiting
                .wait_for(|answered| answered.len() == 2 - place)
                .await;
            answered.send_modify(|answered| answered.push(ask.tool_use_id().to_string()));
            match ask.tool_use_id().as_str() {
                "toolu_p1" => PermissionAnswer::deny("not this one"),
                _ => PermissionAnswer::allow(),
            }
        }
    });
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let order = order.borrow().clone();
    ensure!(order.len() == 3, "answered {order:?}");
    for (id, wanted) in [
        ("p0", "content of p0"),
        ("p1", "not this one"),
        ("p2", "content of p2"),
    ] {
        let told = stage.tool_result(id)?.text;
        ensure!(told.contains(wanted), "of {id} the model was told {told:?}");
    }
    stage.end().await;
    Ok(format!(
        "answered in the order {}, each got its own answer",
        order.join(", ")
    ))
}
