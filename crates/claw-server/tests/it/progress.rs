//! How far everything is, from what the CLI prints.

use std::collections::BTreeMap;
use std::path::Path;

use claw_server::event::{
    Fact, Lifecycle, LifecycleState, ProgressSource, ProgressUpdate, WorkKind,
};
use claw_server::progress::ProgressTracker;
use claw_server::{
    MobileMessage, MobileProjection, Output, SessionLedger, SubAgentProgressMonitor, TaskStatus,
    UiMessage, UiProjection,
};
use rusty_claw_protocol::Line;
use serde_json::{Value, json};

use crate::generator;
use crate::progress_laws::{Tally, goes_on};
use crate::progress_streams;
use crate::random::Random;
use crate::recorded::{self, Item};

fn updates(output: &Output) -> Vec<&ProgressUpdate> {
    let facts = output.events.iter().map(|event| &event.fact);
    facts
        .filter_map(|fact| match fact {
            Fact::Progress(update) => Some(&**update),
            _ => None,
        })
        .collect()
}

fn play(lines: &[Value]) -> Output {
    let mut ledger = SessionLedger::new(1);
    let mut output = Output::default();
    for (at, line) in (0..).zip(lines) {
        ledger.line(at * 10_000, line.to_string().as_str(), &mut output);
    }
    output
}

fn todo(points: &[(&str, &str)]) -> Value {
    let points: Vec<Value> = points
        .iter()
        .map(|(what, state)| json!({"content": what, "status": state, "activeForm": what}))
        .collect();
    call("toolu_1", "TodoWrite", json!({"todos": points}))
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": id, "name": name, "input": input}]}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": text}]}})
}

#[test]
fn a_list_says_how_far_it_is_and_how_long_the_rest_takes() {
    let output = play(&[
        todo(&[("a", "in_progress"), ("b", "pending"), ("c", "pending")]),
        todo(&[("a", "completed"), ("b", "in_progress"), ("c", "pending")]),
        todo(&[("a", "completed"), ("b", "completed"), ("c", "in_progress")]),
        todo(&[("a", "completed"), ("b", "completed"), ("c", "completed")]),
    ]);
    let said: Vec<String> = updates(&output)
        .iter()
        .map(|update| {
            format!(
                "{} of {}, {} %, {} a minute, {} s left, {}",
                update.done.unwrap(),
                update.total.unwrap(),
                update.percent.unwrap().get().round(),
                update
                    .per_minute
                    .map_or("?".into(), |rate| rate.to_string()),
                update
                    .left_ms
                    .map_or("?".into(), |left| (left / 1000).to_string()),
                update.state
            )
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    0 of 3, 0 %, ? a minute, ? s left, Running
    1 of 3, 33 %, 6 a minute, 20 s left, Running
    2 of 3, 67 %, 6 a minute, 10 s left, Running
    3 of 3, 100 %, ? a minute, ? s left, Completed
    ");
}

#[test]
fn an_update_comes_right_behind_its_message_and_belongs_to_its_turn() {
    let output = play(&[
        json!({"type": "system", "subtype": "init", "session_id": "s", "tools": [], "mcp_servers": []}),
        json!({"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "Stop", "hook_event": "Stop"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "x"}),
    ]);
    let kinds: Vec<(&str, Option<u64>)> = output
        .events
        .iter()
        .map(|event| (event.fact.kind(), event.turn))
        .collect();
    // The hook that nobody heard of again ends with its turn, before the turn does.
    assert_eq!(
        kinds,
        [
            ("turn_started", Some(1)),
            ("message", Some(1)),
            ("message", Some(1)),
            ("progress", Some(1)),
            ("message", Some(1)),
            ("progress", Some(1)),
            ("turn_ended", Some(1)),
        ]
    );
    assert_eq!(updates(&output)[1].state, TaskStatus::Stopped);
}

#[test]
fn what_is_said_does_not_count_where_a_list_does() {
    let said = |text: &str, parent: Option<&str>| {
        json!({"type": "assistant", "parent_tool_use_id": parent, "message": {"role": "assistant",
            "content": [{"type": "text", "text": text}]}})
    };
    let output = play(&[
        todo(&[("a", "in_progress"), ("b", "pending")]),
        said("Running test 5 of 20...", None),
        // A subagent has a lane of its own, in which nothing else counts.
        said("Running test 6 of 20...", Some("toolu_9")),
    ]);
    let seen: Vec<(&str, &ProgressSource)> = updates(&output)
        .iter()
        .map(|update| (update.lane.id(), &update.source))
        .collect();
    assert_eq!(
        seen,
        [
            ("main", &ProgressSource::Todo),
            ("toolu_9", &ProgressSource::Prose)
        ]
    );
}

#[test]
fn a_tool_that_only_a_heartbeat_told_of_ends_with_its_result() {
    let output = play(&[
        call("toolu_1", "WebFetch", json!({})),
        json!({"type": "tool_progress", "tool_use_id": "toolu_1-heartbeat-0", "tool_name": "WebFetch",
            "parent_tool_use_id": "toolu_1", "elapsed_time_seconds": 30, "heartbeat": true}),
        result("toolu_1", "done"),
    ]);
    let states: Vec<&TaskStatus> = updates(&output)
        .iter()
        .map(|update| &update.state)
        .collect();
    assert_eq!(states, [&TaskStatus::Running, &TaskStatus::Completed]);
}

#[test]
fn a_heartbeat_of_a_subagent_is_in_its_lane_and_its_wait_for_a_limit_is_a_pause() {
    let progress = |wait: Value| {
        json!({"type": "system", "subtype": "task_progress", "task_id": "a", "tool_use_id": "toolu_1",
            "description": "reads", "usage_limit_wait": wait,
            "usage": {"total_tokens": 1, "tool_uses": 1, "duration_ms": 1}})
    };
    let output = play(&[
        call("toolu_1", "Agent", json!({})),
        json!({"type": "system", "subtype": "task_started", "task_id": "a", "tool_use_id": "toolu_1",
            "description": "look", "subagent_type": "Explore", "task_type": "local_agent"}),
        json!({"type": "tool_progress", "tool_use_id": "toolu_1-heartbeat-0", "tool_name": "Agent",
            "parent_tool_use_id": "toolu_1", "elapsed_time_seconds": 30, "heartbeat": true}),
        progress(json!({"resets_at": 1.0})),
        progress(Value::Null),
    ]);
    let seen: Vec<(&str, &str, &str)> = updates(&output)
        .iter()
        .map(|update| {
            (
                update.lane.id(),
                update.subject.as_str(),
                update.state.as_str(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("toolu_1", "call/toolu_1", "Running"),
            ("toolu_1", "call/toolu_1", "Running"),
            ("toolu_1", "call/toolu_1", "Paused"),
            ("toolu_1", "call/toolu_1", "Running"),
        ]
    );
}

#[test]
fn a_list_ends_with_its_conversation() {
    let output = play(&[
        todo(&[("a", "completed"), ("b", "pending")]),
        json!({"type": "conversation_reset", "new_conversation_id": "n", "trigger": "clear"}),
        todo(&[("c", "pending")]),
    ]);
    let seen: Vec<(&TaskStatus, Option<&str>)> = updates(&output)
        .iter()
        .map(|update| {
            (
                &update.state,
                update.regression.as_ref().map(|why| why.as_str()),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (&TaskStatus::Running, None),
            (&TaskStatus::Stopped, None),
            (&TaskStatus::Running, Some("NewRun")),
        ]
    );
}

#[test]
fn a_new_kind_of_task_message_is_read_as_far_as_it_goes() {
    let output = play(&[
        json!({"type": "system", "subtype": "task_started", "task_id": "a", "tool_use_id": "toolu_1",
            "description": "look", "subagent_type": "Explore", "task_type": "local_agent"}),
        json!({"type": "system", "subtype": "task_napping", "task_id": "a", "status": "paused",
            "description": "waits for a limit"}),
    ]);
    let nap = updates(&output)[1];
    assert_eq!(nap.state, TaskStatus::Paused);
    assert_eq!(nap.lane.name.as_deref(), Some("Explore"));
    assert_eq!(nap.detail.as_deref(), Some("waits for a limit"));
}

#[test]
fn the_next_owner_knows_how_far_the_one_before_was() {
    let output = play(&[todo(&[("a", "completed"), ("b", "pending")])]);
    let mut next = SessionLedger::new(2);
    for event in &output.events {
        next.replay(event);
    }
    let mut output = Output::default();
    next.ended(5, Lifecycle::new(LifecycleState::Lost), &mut output);
    next.line(
        9,
        todo(&[("a", "pending"), ("b", "pending")])
            .to_string()
            .as_str(),
        &mut output,
    );
    let reasons: Vec<&str> = updates(&output)
        .iter()
        .filter_map(|update| update.regression.as_ref())
        .map(|reason| reason.as_str())
        .collect();
    assert_eq!(reasons, ["Reopened"]);
}

#[test]
fn nothing_goes_back_without_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tally = Tally::default();
    for session in recorded::all(&root).unwrap() {
        goes_on(&session.items, &mut tally)
            .unwrap_or_else(|fault| panic!("{}: {fault}", session.name));
    }
    assert!(tally.updates > 200, "{tally:?}");
    for seed in 0..1000 {
        goes_on(&generator::session(seed), &mut tally)
            .unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    }
    assert!(tally.updates > 5000 && tally.estimates > 30, "{tally:?}");
    assert!(tally.reasons.len() >= 8, "{tally:?}");
}

/// The sessions that nobody had have the one in which more is over than is remembered between the
/// end of a subagent and its return; and that it returns is said.
#[test]
fn a_subagent_returns_behind_many_hooks_and_says_so() {
    let mut returns = 0;
    for seed in 0..400 {
        // How many hooks have ended since.
        let mut over = BTreeMap::<String, usize>::new();
        for item in generator::session(seed) {
            let Item::Event(event) = item else { continue };
            let Fact::Progress(update) = &event.fact else {
                continue;
            };
            let is_over = update.state != TaskStatus::Running;
            match (&update.kind, is_over) {
                (WorkKind::Hook, true) => over.values_mut().for_each(|hooks| *hooks += 1),
                (WorkKind::Subagent, true) => {
                    over.insert(update.subject.clone(), 0);
                }
                (WorkKind::Subagent, false) => {
                    if let Some(hooks) = over.remove(&update.subject) {
                        assert!(update.regression.is_some(), "seed {seed}: {update:?}");
                        returns += usize::from(hooks > 32);
                    }
                }
                _ => {}
            }
        }
    }
    assert!(returns >= 5, "{returns}");
}

/// The lines of a session, as the tracker sees them.
fn lines(items: &[Item]) -> Vec<Line> {
    let events = items.iter().filter_map(|item| match item {
        Item::Event(event) => Some(event),
        Item::Delta(_) => None,
    });
    events.filter_map(|event| event.fact.line()).collect()
}

#[test]
fn a_tracker_can_be_put_away_anywhere() {
    let mut resumed = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (mut whole, mut parts) = (ProgressTracker::default(), ProgressTracker::default());
        let (mut expected, mut updates) = (Vec::new(), Vec::new());
        for (at, line) in (0..).zip(lines(&generator::session(seed))) {
            let Line::Message(received) = line else {
                continue;
            };
            if random.chance(30) {
                resumed += 1;
                let state = serde_json::to_string(&parts).unwrap();
                parts = serde_json::from_str(&state).unwrap();
            }
            whole.message(at * 500, &received.message, &mut expected);
            parts.message(at * 500, &received.message, &mut updates);
        }
        whole.process_ended(0, &mut expected);
        parts.process_ended(0, &mut updates);
        assert_eq!(updates, expected, "seed {seed}");
    }
    assert!(resumed > 300);
}

fn recording(name: &str) -> Vec<Item> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    recorded::one(&root, name).unwrap().items
}

#[test]
fn a_monitor_shows_the_subagents_of_a_session() {
    let mut monitor = SubAgentProgressMonitor::default();
    let mut running = 0;
    for item in recording("progress_agent_todo") {
        if let Item::Event(event) = item {
            monitor.event(&event);
            running = running.max(monitor.running());
            monitor = serde_json::from_str(&serde_json::to_string(&monitor).unwrap()).unwrap();
        }
    }
    assert_eq!(running, 1);
    let agents = monitor.snapshot();
    assert_eq!(agents.len(), 1);
    let agent = &agents[0];
    assert_eq!(agent.name.as_deref(), Some("general-purpose"));
    assert_eq!(agent.description.as_deref(), Some("subtodo look"));
    assert_eq!(agent.state, TaskStatus::Completed);
    assert_eq!(agent.tool_uses, Some(2));
    assert_eq!(agent.last_activity.as_deref(), Some("Two of three."));
    let progress = agent.progress.as_ref().expect("its list counts");
    assert_eq!(
        (progress.done, progress.total),
        (Some(2_u32.into()), Some(3_u32.into()))
    );
    assert!(agent.started_at_ms < agent.ended_at_ms.expect("it ended"));
}

#[test]
fn both_dialects_show_a_list_and_a_phone_its_steps() {
    let mut ui = UiProjection::new(1);
    let mut mobile = MobileProjection::new("sess_1");
    let (mut shown, mut sent) = (Vec::new(), Vec::new());
    for item in recording("progress_tasks") {
        if let Item::Event(event) = item {
            ui.event(&event, &mut shown);
            mobile.event(&event, &mut sent);
        }
    }
    let lists = shown
        .iter()
        .filter(|message| matches!(message, UiMessage::TodoUpdated { .. }));
    let progress = shown
        .iter()
        .filter(|message| matches!(message, UiMessage::Progress { .. }));
    assert_eq!((lists.count(), progress.count()), (8, 8));
    let steps: Vec<String> = sent
        .iter()
        .filter_map(|message| match message {
            MobileMessage::ProgressUpdate(update) => Some(format!(
                "{}: {} of {}",
                update.current_step, update.completed_steps, update.total_steps
            )),
            MobileMessage::SessionProject(project) => Some(project.project_name.clone()),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(steps.join("\n"), @r"
    project
    parser: 0 of 1
    parser: 0 of 2
    parser: 0 of 3
    Doing the parser: 0 of 3
    tests: 1 of 3
    Doing the tests: 1 of 3
    Doing the tests: 1 of 2
    Doing the tests: 0 of 2
    ");
}

#[test]
fn the_labelled_streams_are_read_as_a_careful_reader_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let score = progress_streams::score(&root).unwrap();
    assert!(score.with_progress >= 40, "{}", score.with_progress);
    for (source, counts) in &score.sources {
        let is_read = progress_streams::READ.contains(&source.as_str());
        assert!(
            counts.precision() >= 0.97 && (is_read || counts.recall() >= 0.9),
            "{source}: {counts:?}\n{}",
            score.faults.join("\n")
        );
    }
}
