//! Calls and subagents whose end is never reported: the number that is kept is limited, and
//! messages about them stay correct.

use std::collections::BTreeSet;
use std::ops::Range;

use claw_server::event::LifecycleState;
use claw_server::{
    MobileMessage, MobileProjection, TaskStatus, UNFOLLOWED_TOOL, UiMessage, UiProjection,
};
use serde_json::{Value, json};

use crate::laws::{Tested, is_whole, project, resumes};
use crate::played::{Played, init, message, result};
use crate::random::Random;
use crate::recorded::Item;

/// How many are followed.
const FOLLOWED: usize = 1024;
/// The number of started calls, none of which ends.
const BEGUN: usize = 3000;
/// The length of a command that is too long for a phone.
const COMMAND: usize = 600;

/// A turn in which a subagent runs in the background.
fn with_subagent() -> Played {
    let mut played = Played::new(0);
    played.line(&init());
    calls(&mut played, None, ["agent".to_owned()], 5);
    let mut behind = result(None, "agent", "in the background");
    behind["tool_use_result"] = json!({"isAsync": true});
    played.line(&behind);
    played
}

/// Calls of commands with so many letters, several in a message.
fn calls(
    played: &mut Played,
    lane: Option<&str>,
    ids: impl IntoIterator<Item = String>,
    letters: usize,
) {
    let ids: Vec<String> = ids.into_iter().collect();
    for ids in ids.chunks(16) {
        let input = json!({"command": "x".repeat(letters)});
        let calls = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "Bash", "input": input}));
        let calls: Vec<Value> = calls.collect();
        played.line(&message(lane, &format!("{}/message", ids[0]), json!(calls)));
    }
}

/// What a projection is as JSON, behind the last event.
fn weight<D: Tested>(items: &[Item]) -> usize {
    let mut projection = D::fresh();
    for item in items {
        item.send_to(&mut projection, &mut Vec::new());
    }
    serde_json::to_string(&projection).unwrap().len()
}

fn weights(items: &[Item]) -> (usize, usize) {
    (
        weight::<UiProjection>(items),
        weight::<MobileProjection>(items),
    )
}

/// Ids of calls.
fn numbered(calls: Range<usize>) -> impl Iterator<Item = String> {
    calls.map(|call| format!("toolu_{call:05}"))
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
    let mut played = with_subagent();
    calls(&mut played, Some("agent"), numbered(0..FOLLOWED), COMMAND);
    let full = weights(&played.items);
    calls(
        &mut played,
        Some("agent"),
        numbered(FOLLOWED..BEGUN),
        COMMAND,
    );
    let weights = weights(&played.items);
    // Numbers of events have more digits by then.
    assert!(weights.0 <= full.0 + 2 * FOLLOWED, "{full:?} {weights:?}");
    assert!(weights.1 <= full.1 + 2 * FOLLOWED, "{full:?} {weights:?}");
    assert!(weights.0 < 64 * 1024, "{weights:?}");
    assert!(weights.1 < 640 * 1024, "{weights:?}");
    let unfollowed = ends(&played.items);
    // Only the subagent's call of the main agent has ended.
    assert_eq!(unfollowed.len(), 1 + BEGUN - FOLLOWED);
    let expected: Vec<_> = numbered(0..BEGUN - FOLLOWED)
        .map(|id| (id, UNFOLLOWED_TOOL.to_owned()))
        .collect();
    assert_eq!(unfollowed[1..], expected);
}

#[test]
fn the_late_end_of_a_call_counts_only_where_it_is_followed() {
    let mut played = with_subagent();
    calls(&mut played, Some("agent"), numbered(0..FOLLOWED + 1), 5);
    for call in ["toolu_00000", "toolu_00001"] {
        played.line(&result(Some("agent"), call, "late"));
    }
    let said = ends(&played.items);
    assert_eq!(
        said[1..],
        [
            ("toolu_00000".to_owned(), UNFOLLOWED_TOOL.to_owned()),
            ("toolu_00001".to_owned(), "late".to_owned()),
        ]
    );
    played.ended(LifecycleState::Closed);
    let whole = is_whole(&played.items).unwrap();
    assert_eq!(whole.tools as usize, 2 + FOLLOWED);
}

#[test]
fn a_turn_ends_what_it_waits_for_when_there_is_room_for_no_more() {
    let mut played = with_subagent();
    calls(&mut played, None, ["waited for".to_owned()], 5);
    calls(&mut played, Some("waited for"), numbered(0..BEGUN), 5);
    let unfollowed: BTreeSet<String> = ends(&played.items).into_iter().map(|(id, _)| id).collect();
    assert!(!unfollowed.contains("waited for"));
    let line = json!({"type": "result", "subtype": "success", "is_error": false, "result": "x",
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    played.line(&line);
    let ended: BTreeSet<String> = ends(&played.items).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ended.len(), 2 + BEGUN, "all of them, each once");
    assert_eq!(ends(&played.items).len(), 2 + BEGUN);
}

#[test]
fn put_away_and_taken_up_the_same_calls_are_followed() {
    let mut random = Random::new(7);
    let mut played = with_subagent();
    let ids = |from: usize, to: usize| (from..to).map(|call| format!("toolu_{}", BEGUN - call));
    calls(&mut played, Some("agent"), ids(0, FOLLOWED - 5), 5);
    // Every case starts with the messages so far: the limit is reached, and then exceeded.
    for _ in 0..60 {
        let from = FOLLOWED + random.below(BEGUN - FOLLOWED);
        let more = ids(from, from + random.below(3));
        calls(&mut played, Some("agent"), more, 5);
        if random.chance(30) {
            let call = format!("toolu_{}", BEGUN - random.below(BEGUN));
            played.line(&result(Some("agent"), &call, "late"));
        }
        let task = random.below(BEGUN);
        let line = json!({"type": "system", "subtype": "task_started", "task_id": task.to_string(),
            "description": "look", "subagent_type": "Explore"});
        played.line(&line);
    }
    played.ended(LifecycleState::Closed);
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
    let mut played = with_subagent();
    let started = |task: usize| {
        json!({"type": "system", "subtype": "task_started", "task_id": format!("task_{task:05}"),
            "description": "look", "subagent_type": "Explore"})
    };
    for task in 0..FOLLOWED {
        played.line(&started(task));
    }
    let full = weight::<MobileProjection>(&played.items);
    // It is older than the next, but was updated later.
    let line = json!({"type": "system", "subtype": "task_progress", "task_id": "task_00000",
        "description": "Reading", "usage": {"total_tokens": 9, "tool_uses": 1, "duration_ms": 5}});
    played.line(&line);
    for task in FOLLOWED..FOLLOWED + 3 {
        played.line(&started(task));
    }
    // Its end is not reported, because it is no longer known to be a subagent.
    let line = json!({"type": "system", "subtype": "task_notification", "task_id": "task_00001",
        "status": "completed", "summary": "done", "output_file": ""});
    played.line(&line);
    assert!(weight::<MobileProjection>(&played.items) <= full + FOLLOWED);
    assert!(full < 80 * 1024, "{full}");
    played.ended(LifecycleState::Closed);
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
