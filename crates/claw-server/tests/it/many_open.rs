//! Calls and subagents whose end nobody tells: what is remembered of them has a limit, and what is
//! said of them stays right.

use std::collections::BTreeSet;

use claw_server::event::{Lifecycle, LifecycleState};
use claw_server::{
    MobileMessage, MobileProjection, Output, SessionLedger, TaskStatus, UNFOLLOWED_TOOL, UiMessage,
    UiProjection,
};
use serde_json::{Value, json};

use crate::laws::{Dialect, is_whole, project, resumes};
use crate::random::Random;
use crate::recorded::{Item, Seen};

/// How many are followed.
const FOLLOWED: usize = 1024;
/// How many begin, none of which ends by itself.
const BEGUN: usize = 3000;
/// A command that is longer than a phone is told.
const COMMAND: usize = 600;

struct Played {
    /// How long its commands are.
    command: usize,
    ledger: SessionLedger,
    output: Output,
    seen: Seen,
    items: Vec<Item>,
}

impl Played {
    /// A turn in which a subagent goes behind the conversation.
    fn new() -> Self {
        let mut played = Self {
            command: 5,
            ledger: SessionLedger::new(1),
            output: Output::default(),
            seen: Seen::default(),
            items: Vec::new(),
        };
        played.line(
            json!({"type": "system", "subtype": "init", "session_id": "s", "tools": [],
            "mcp_servers": []}),
        );
        played.calls(None, ["agent".to_owned()]);
        played.line(
            json!({"type": "user", "parent_tool_use_id": null, "message": {
            "role": "user", "content": [{"type": "tool_result", "tool_use_id": "agent",
            "content": "in the background"}]}, "tool_use_result": {"isAsync": true}}),
        );
        played
    }

    fn line(&mut self, line: Value) {
        self.ledger
            .line(0, line.to_string().into_bytes(), &mut self.output);
        self.seen.take(&self.output, &mut self.items);
    }

    /// Calls, several in a message.
    fn calls(&mut self, parent: Option<&str>, ids: impl IntoIterator<Item = String>) {
        let ids: Vec<String> = ids.into_iter().collect();
        for ids in ids.chunks(16) {
            let command = "x".repeat(self.command);
            let calls = ids.iter().map(|id| {
                json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}})
            });
            let calls: Vec<Value> = calls.collect();
            self.line(
                json!({"type": "assistant", "parent_tool_use_id": parent, "message": {
                "id": format!("{}/message", ids[0]), "role": "assistant", "content": calls}}),
            );
        }
    }

    fn result(&mut self, call: &str, parent: Option<&str>) {
        self.line(
            json!({"type": "user", "parent_tool_use_id": parent, "message": {
            "role": "user", "content": [{"type": "tool_result", "tool_use_id": call,
            "content": "late"}]}}),
        );
    }

    fn close(&mut self) {
        let closed = Lifecycle::new(LifecycleState::Closed);
        self.ledger.ended(0, closed, &mut self.output);
        self.seen.take(&self.output, &mut self.items);
    }
}

/// What a projection is as JSON, behind the last event.
fn weight<D: Dialect>(items: &[Item]) -> usize {
    let mut projection = D::fresh();
    for item in items {
        projection.item(item, &mut Vec::new());
    }
    serde_json::to_string(&projection).unwrap().len()
}

fn ends(items: &[Item]) -> Vec<(String, String)> {
    let messages = project::<UiProjection>(items);
    let ends = messages.into_iter().filter_map(|message| match message {
        UiMessage::ToolCompleted {
            tool_use_id,
            result,
            ..
        } => Some((tool_use_id, result)),
        _ => None,
    });
    ends.collect()
}

#[test]
fn calls_that_nobody_ends_take_no_more_room_than_this() {
    let mut played = Played::new();
    played.command = COMMAND;
    played.calls(
        Some("agent"),
        (0..FOLLOWED).map(|call| format!("toolu_{call:05}")),
    );
    let full = (
        weight::<UiProjection>(&played.items),
        weight::<MobileProjection>(&played.items),
    );
    played.calls(
        Some("agent"),
        (FOLLOWED..BEGUN).map(|call| format!("toolu_{call:05}")),
    );
    let weights = (
        weight::<UiProjection>(&played.items),
        weight::<MobileProjection>(&played.items),
    );
    // Numbers of events have more digits by then.
    assert!(weights.0 <= full.0 + 2 * FOLLOWED, "{full:?} {weights:?}");
    assert!(weights.1 <= full.1 + 2 * FOLLOWED, "{full:?} {weights:?}");
    assert!(weights.0 < 64 * 1024, "{weights:?}");
    assert!(weights.1 < 640 * 1024, "{weights:?}");
    let unfollowed = ends(&played.items);
    // Of what the main agent called, only the subagent has ended.
    assert_eq!(unfollowed.len(), 1 + BEGUN - FOLLOWED);
    let expected = (0..BEGUN - FOLLOWED).map(|call| format!("toolu_{call:05}"));
    let expected: Vec<_> = expected
        .map(|id| (id, UNFOLLOWED_TOOL.to_owned()))
        .collect();
    assert_eq!(unfollowed[1..], expected);
}

#[test]
fn the_late_end_of_a_call_counts_only_where_it_is_followed() {
    let mut played = Played::new();
    played.calls(
        Some("agent"),
        (0..=FOLLOWED).map(|call| format!("toolu_{call:05}")),
    );
    played.result("toolu_00000", Some("agent"));
    played.result("toolu_00001", Some("agent"));
    let said = ends(&played.items);
    assert_eq!(
        said[1..],
        [
            ("toolu_00000".to_owned(), UNFOLLOWED_TOOL.to_owned()),
            ("toolu_00001".to_owned(), "late".to_owned()),
        ]
    );
    played.close();
    let whole = is_whole(&played.items).unwrap();
    assert_eq!(whole.tools as usize, 2 + FOLLOWED);
}

#[test]
fn a_turn_ends_what_it_waits_for_when_there_is_room_for_no_more() {
    let mut played = Played::new();
    played.calls(None, ["waited for".to_owned()]);
    played.calls(
        Some("waited for"),
        (0..BEGUN).map(|call| format!("toolu_{call:05}")),
    );
    let unfollowed: BTreeSet<String> = ends(&played.items).into_iter().map(|(id, _)| id).collect();
    assert!(!unfollowed.contains("waited for"));
    played.line(
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "x",
        "usage": {"input_tokens": 3, "output_tokens": 4}}),
    );
    let ended: BTreeSet<String> = ends(&played.items).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ended.len(), 2 + BEGUN, "all of them, each once");
    assert_eq!(ends(&played.items).len(), 2 + BEGUN);
}

#[test]
fn put_away_and_taken_up_the_same_calls_are_followed() {
    let mut random = Random::new(7);
    let mut played = Played::new();
    let ids = |from: usize, to: usize| (from..to).map(|call| format!("toolu_{}", BEGUN - call));
    played.calls(Some("agent"), ids(0, FOLLOWED - 5));
    // What was said so far is the beginning of every case: it is full, and then it overflows.
    for _ in 0..60 {
        let from = FOLLOWED + random.below(BEGUN - FOLLOWED);
        played.calls(Some("agent"), ids(from, from + random.below(3)));
        if random.chance(30) {
            let call = random.below(BEGUN);
            played.result(&format!("toolu_{}", BEGUN - call), Some("agent"));
        }
        let task = random.below(BEGUN);
        played.line(
            json!({"type": "system", "subtype": "task_started", "task_id": task.to_string(),
            "description": "look", "subagent_type": "Explore"}),
        );
    }
    played.close();
    is_whole(&played.items).unwrap();
    let unfollowed = ends(&played.items);
    assert!(
        unfollowed
            .iter()
            .any(|(_, result)| result == UNFOLLOWED_TOOL)
    );
    let splits = resumes::<UiProjection>(&played.items, &mut random).unwrap();
    let more = resumes::<MobileProjection>(&played.items, &mut random).unwrap();
    assert!(splits + more > 0);
}

#[test]
fn subagents_that_nobody_ends_are_let_go_of_by_silence() {
    let mut played = Played::new();
    let started = |task: usize| {
        json!({"type": "system", "subtype": "task_started", "task_id": format!("task_{task:05}"),
            "description": "look", "subagent_type": "Explore"})
    };
    for task in 0..FOLLOWED {
        played.line(started(task));
    }
    let full = weight::<MobileProjection>(&played.items);
    // It is older than the next, but says something.
    played.line(
        json!({"type": "system", "subtype": "task_progress", "task_id": "task_00000",
        "description": "Reading", "usage": {"total_tokens": 9, "tool_uses": 1, "duration_ms": 5}}),
    );
    for task in FOLLOWED..FOLLOWED + 3 {
        played.line(started(task));
    }
    // Its end is not told: nobody knows by now that it is a subagent.
    played.line(
        json!({"type": "system", "subtype": "task_notification", "task_id": "task_00001",
        "status": "completed", "summary": "done", "output_file": ""}),
    );
    assert!(weight::<MobileProjection>(&played.items) <= full + FOLLOWED);
    assert!(full < 80 * 1024, "{full}");
    played.close();
    let mut over = Vec::new();
    for message in project::<MobileProjection>(&played.items) {
        if let MobileMessage::SubAgentProgress(agent) = message
            && !matches!(agent.status, TaskStatus::Running)
        {
            over.push((agent.agent_id, agent.status));
        }
    }
    let unfollowed = |task: &str| (task.to_owned(), TaskStatus::Unfollowed);
    assert_eq!(
        over[..3],
        ["task_00001", "task_00002", "task_00003"].map(unfollowed)
    );
    assert_eq!(over.len(), 3 + FOLLOWED);
    let stopped = |(_, status): &(String, TaskStatus)| *status == TaskStatus::Stopped;
    assert!(over[3..].iter().all(stopped), "without a process none runs");
}
