//! How far everything is, from what the CLI prints.

use std::collections::BTreeMap;
use std::sync::Arc;

use claw_server::event::{
    Fact, LifecycleState, ProgressSource, ProgressUpdate, Regression, WorkKind,
};
use claw_server::progress::ProgressTracker;
use claw_server::{
    EventBuilder, MobileMessage, MobileProjection, SubAgentProgressMonitor, TaskStatus,
    UiProjection,
};
use rusty_claw_protocol::Line;
use serde_json::{Value, json};

use crate::generator;
use crate::laws::project;
use crate::played::{Played, call, init, play, result, text};
use crate::random::Random;
use crate::recorded::{self, Item};

fn updates(items: &[Item]) -> Vec<&ProgressUpdate> {
    let events = items.iter().filter_map(Item::event);
    let updates = events.filter_map(|event| match &event.fact {
        Fact::Progress(update) => Some(&**update),
        _ => None,
    });
    updates.collect()
}

fn todo(points: &[(&str, &str)]) -> Value {
    let points = points
        .iter()
        .map(|(what, state)| json!({"content": what, "status": state, "activeForm": what}));
    let points: Vec<Value> = points.collect();
    call(None, "toolu_1", "TodoWrite", &json!({"todos": points}))
}

/// Lane, subject, source, state and numbers of each update, and why it goes back.
fn shown(items: &[Item]) -> Vec<String> {
    let shown = updates(items).into_iter().map(|update| {
        let (lane, subject) = (update.lane.id(), &update.subject);
        let mut line = format!("{lane} {subject} {} {}", update.source, update.state);
        if let (Some(done), Some(total)) = (update.done, update.total) {
            line += &format!(" {done}/{total}");
        }
        if let (Some(rate), Some(left)) = (update.per_minute, update.left_ms) {
            line += &format!(", {rate} a minute, {left} ms left");
        }
        if let Some(reason) = &update.regression {
            line += &format!(", {reason}");
        }
        line
    });
    shown.collect()
}

#[test]
fn lines_of_the_cli_have_these_updates() {
    let started = || {
        json!({"type": "system", "subtype": "task_started", "task_id": "a", "tool_use_id": "toolu_1",
            "description": "look", "subagent_type": "Explore", "task_type": "local_agent"})
    };
    let heartbeat = |tool: &str| {
        json!({"type": "tool_progress", "tool_use_id": "toolu_1-heartbeat-0", "tool_name": tool,
            "parent_tool_use_id": "toolu_1", "elapsed_time_seconds": 30, "heartbeat": true})
    };
    let progress = |wait: Value| {
        json!({"type": "system", "subtype": "task_progress", "task_id": "a", "tool_use_id": "toolu_1",
            "description": "reads", "usage_limit_wait": wait,
            "usage": {"total_tokens": 1, "tool_uses": 1, "duration_ms": 1}})
    };
    let cases: [(&str, Vec<Value>, &[&str]); 6] = [
        (
            "a list has a rate, and a time that is left",
            vec![
                todo(&[("a", "in_progress"), ("b", "pending"), ("c", "pending")]),
                todo(&[("a", "completed"), ("b", "in_progress"), ("c", "pending")]),
                todo(&[("a", "completed"), ("b", "completed"), ("c", "in_progress")]),
                todo(&[("a", "completed"), ("b", "completed"), ("c", "completed")]),
            ],
            &[
                "main todo Todo Running 0/3",
                "main todo Todo Running 1/3, 6 a minute, 20000 ms left",
                "main todo Todo Running 2/3, 6 a minute, 10000 ms left",
                "main todo Todo Completed 3/3",
            ],
        ),
        (
            "text does not count in a lane with a list; a subagent has its own lane",
            vec![
                todo(&[("a", "in_progress"), ("b", "pending")]),
                text(None, "Running test 5 of 20..."),
                text(Some("toolu_9"), "Running test 6 of 20..."),
            ],
            &[
                "main todo Todo Running 0/2",
                "toolu_9 said/TestRun Prose Running 6/20",
            ],
        ),
        (
            "a tool that only a heartbeat reported ends with its result",
            vec![
                call(None, "toolu_1", "WebFetch", &json!({})),
                heartbeat("WebFetch"),
                result(None, "toolu_1", "done"),
            ],
            &[
                "main call/toolu_1 ToolProgress Running",
                "main call/toolu_1 ToolProgress Completed",
            ],
        ),
        (
            "a heartbeat of a subagent is in its lane, and its wait for a limit is a pause",
            vec![
                call(None, "toolu_1", "Agent", &json!({})),
                started(),
                heartbeat("Agent"),
                progress(json!({"resets_at": 1.0})),
                progress(Value::Null),
            ],
            &[
                "toolu_1 call/toolu_1 TaskEvent Running",
                "toolu_1 call/toolu_1 ToolProgress Running",
                "toolu_1 call/toolu_1 TaskEvent Paused",
                "toolu_1 call/toolu_1 TaskEvent Running",
            ],
        ),
        (
            "a list ends with its conversation",
            vec![
                todo(&[("a", "completed"), ("b", "pending")]),
                json!({"type": "conversation_reset", "new_conversation_id": "n", "trigger": "clear"}),
                todo(&[("c", "pending")]),
            ],
            &[
                "main todo Todo Running 1/2",
                "main todo Todo Stopped 1/2",
                "main todo Todo Running 0/1, NewRun",
            ],
        ),
        (
            "a new kind of task message has a state",
            vec![
                started(),
                json!({"type": "system", "subtype": "task_napping", "task_id": "a",
                    "status": "paused", "description": "waits for a limit"}),
            ],
            &[
                "toolu_1 call/toolu_1 TaskEvent Running",
                "toolu_1 call/toolu_1 TaskEvent Paused",
            ],
        ),
    ];
    for (name, lines, expected) in cases {
        let items = play(10_000, &lines);
        assert_eq!(shown(&items), expected, "{name}");
        if name.starts_with("a new kind") {
            let nap = updates(&items)[1];
            assert_eq!(nap.lane.name.as_deref(), Some("Explore"));
            assert_eq!(nap.detail.as_deref(), Some("waits for a limit"));
        }
    }
}

#[test]
fn an_update_comes_right_behind_its_message_and_belongs_to_its_turn() {
    let items = play(
        10_000,
        &[
            init(),
            json!({"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "Stop", "hook_event": "Stop"}),
            json!({"type": "result", "subtype": "success", "is_error": false, "result": "x"}),
        ],
    );
    let events = items.iter().filter_map(Item::event);
    let kinds: Vec<_> = events
        .map(|event| (event.fact.kind(), event.turn))
        .collect();
    // A hook without a response ends with its turn, before the turn's end is reported.
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
    assert_eq!(updates(&items)[1].state, TaskStatus::Stopped);
}

#[test]
fn the_next_owner_knows_how_far_the_one_before_was() {
    let items = play(0, &[todo(&[("a", "completed"), ("b", "pending")])]);
    let mut next = Played::new(0);
    next.builder = EventBuilder::new(2);
    for event in items.iter().filter_map(Item::event) {
        next.builder.replay(event);
    }
    next.ended(LifecycleState::Lost);
    next.line(&todo(&[("a", "pending"), ("b", "pending")]));
    let updates = updates(&next.items).into_iter();
    let reasons = updates.filter_map(|update| update.regression.as_ref());
    assert!(reasons.eq([&Regression::Reopened]));
}

#[test]
fn events_replayed_in_pages_give_the_same_progress_as_one_by_one() {
    let recorded = recorded::all().into_iter().map(|session| session.items);
    let mut read = 0;
    for (number, items) in (0..).zip(recorded.chain((0..100).map(generator::session))) {
        let mut random = Random::new(number);
        let is_read = |update: &&ProgressUpdate| {
            use ProgressSource::{Prose, ToolOutput};
            matches!(update.source, Prose | ToolOutput)
        };
        read += updates(&items).into_iter().filter(is_read).count();
        let events = items.iter().filter_map(Item::event).cloned();
        let events: Vec<_> = events.map(Arc::new).collect();
        let (mut single, mut paged) = (EventBuilder::new(2), EventBuilder::new(2));
        let mut rest = events.as_slice();
        while !rest.is_empty() {
            let (page, after) = rest.split_at((1 + random.below(30)).min(rest.len()));
            paged.replay_all(page);
            page.iter().for_each(|event| single.replay(event));
            assert_eq!(paged.progress(), single.progress(), "session {number}");
            rest = after;
        }
    }
    assert!(read > 50, "{read} updates come from text");
}

/// In some generated sessions, more subjects end between the end of a subagent and its return than
/// are kept. The return is still reported.
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

#[test]
fn a_tracker_can_be_put_away_anywhere() {
    let mut resumed = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (mut whole, mut parts) = (ProgressTracker::default(), ProgressTracker::default());
        let (mut expected, mut updates) = (Vec::new(), Vec::new());
        let items = generator::session(seed);
        let lines = items.iter().filter_map(|item| item.event()?.line());
        for (at, line) in (0..).zip(lines) {
            let Line::Message(received) = &*line else {
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

#[test]
fn a_monitor_shows_the_subagents_of_a_session() {
    let mut monitor = SubAgentProgressMonitor::default();
    let mut running = 0;
    for item in recorded::one("progress_agent_todo").items {
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
    let items = recorded::one("progress_tasks").items;
    let shown = project::<UiProjection>(&items);
    let count = |name: &str| {
        shown
            .iter()
            .filter(|message| message.name() == name)
            .count()
    };
    assert_eq!((count("TodoUpdated"), count("Progress")), (8, 8));
    let sent = project::<MobileProjection>(&items);
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
