//! Recorded sessions in both dialects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use claw_server::event::{Fact, Lifecycle, LifecycleState, SessionEvent};
use claw_server::{EventBuilder, MobileMessage, MobileProjection, Output, UiMessage, UiProjection};

use crate::laws::{is_whole, phone_shows_what_is_stored, project};
use crate::random::Random;
use crate::recorded::{self, Item, Session, events_only};

#[test]
fn recorded_sessions_have_these_messages() {
    let mut table = String::new();
    for Session { name, items } in recorded::all() {
        let mut counts = BTreeMap::<String, u32>::new();
        for message in project::<UiProjection>(&events_only(&items)) {
            *counts.entry(message.name().to_owned()).or_default() += 1;
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        writeln!(table, "{name}: {}", counts.join(", ")).unwrap();
    }
    insta::assert_snapshot!("counts", table);
}

#[test]
fn what_is_said_to_run_on_is_a_call_that_runs() {
    let mut said = 0;
    for Session { name, items } in recorded::all() {
        let mut running = BTreeSet::new();
        for message in project::<UiProjection>(&items) {
            match message {
                UiMessage::ToolExecuting { tool_use_id, .. } => {
                    running.insert(tool_use_id);
                }
                UiMessage::ToolCompleted { tool_use_id, .. } => {
                    running.remove(&tool_use_id);
                }
                UiMessage::ToolProgress { tool_use_id, .. } => {
                    said += 1;
                    assert!(running.contains(&tool_use_id), "{name}: {tool_use_id}");
                }
                _ => {}
            }
        }
    }
    assert!(said >= 20, "{said}");
}

#[test]
fn a_phone_takes_back_what_the_agent_took_back() {
    let mut told = Vec::new();
    for Session { name, items } in recorded::all() {
        let messages = project::<MobileProjection>(&items);
        let is_gone = |one: &&MobileMessage| matches!(one, MobileMessage::ResponseRetracted(_));
        let gone = messages.iter().filter(is_gone).count();
        // A phone retracts the same stored text as a window.
        let stored = project::<UiProjection>(&events_only(&items));
        let of_window = |one: &&UiMessage| matches!(one, UiMessage::TextRetracted { .. });
        assert_eq!(gone, stored.iter().filter(of_window).count(), "{name}");
        if gone > 0 {
            assert_eq!(
                phone_shows_what_is_stored(&items),
                Ok(gone as u64),
                "{name}"
            );
            told.push(name);
        }
    }
    assert_eq!(
        told,
        ["stop_refusal_always", "stop_refusal_dialog_completed"]
    );
}

/// One line for each message.
fn lines<T: serde::Serialize>(messages: &[T]) -> String {
    let lines: Vec<String> = messages
        .iter()
        .map(|message| {
            let line = serde_json::to_string(message).unwrap();
            // What the CLI writes for its model is long, and not the point.
            match line.char_indices().nth(300) {
                Some((end, _)) => format!("{}…", &line[..end]),
                None => line,
            }
        })
        .collect();
    lines.join("\n")
}

#[test]
fn sessions_look_like_this() {
    let sessions = recorded::all();
    for name in [
        "agent_background",
        "agent_foreground",
        "err_529_exhausted",
        "interrupt_midstream",
        "perm_ask_user_question",
        "perm_parallel_reads",
        "plan_mode_exit_with_file",
        "queue_fold_into_tool_turn",
        "queue_two_messages",
        "rate_limit_warn",
        "resume_unknown",
        "sigkill_midtool",
        "slash_clear",
        "stop_refusal_always",
        "text_partial",
    ] {
        let session = sessions.iter().find(|session| session.name == name);
        let items = events_only(&session.expect("the recording is there").items);
        let events: Vec<&SessionEvent> = items
            .iter()
            .filter_map(|item| match item {
                Item::Event(event) => Some(event),
                Item::Delta(_) => None,
            })
            .collect();
        let events = events.into_iter().map(|event| {
            let turn = event.turn.map_or("-".to_owned(), |turn| turn.to_string());
            let input = event.input.as_ref().map_or("-", |input| input.as_str());
            let what = match &event.fact {
                Fact::Message(raw) => {
                    let peek = raw.peek().expect("a message");
                    let subtype = peek.subtype.as_deref().unwrap_or_default();
                    format!("{} {subtype}", peek.kind())
                }
                Fact::TurnStarted(inputs) => format!("{inputs:?}"),
                Fact::TurnEnded(ended) => format!("{}", ended.ending),
                Fact::Lifecycle(lifecycle) => format!("{}", lifecycle.state),
                _ => String::new(),
            };
            format!(
                "{} turn {turn} of {input}: {} {what}",
                event.sequence,
                event.fact.kind()
            )
        });
        let events: Vec<String> = events.collect();
        insta::assert_snapshot!(
            name,
            format!(
                "{}\n\n{}\n\n{}",
                events.join("\n"),
                lines(&project::<UiProjection>(&items)),
                lines(&project::<MobileProjection>(&items))
            )
        );
    }
}

#[test]
fn a_reader_who_joins_late_is_told_of_the_gap_and_of_the_turn() {
    let sessions = recorded::all();
    let session = sessions
        .iter()
        .find(|session| session.name == "text_two_turns");
    let items = events_only(&session.expect("the recording is there").items);
    let is_second = |item: &&Item| matches!(item, Item::Event(event) if event.turn == Some(2));
    // Without the event of the turn's start.
    let later: Vec<Item> = items.iter().filter(is_second).skip(1).cloned().collect();
    let Some(Item::Event(first)) = later.first() else {
        panic!("{later:?}");
    };
    let joined = |projection: UiProjection| {
        let mut projection = projection;
        let mut messages = Vec::new();
        for item in &later {
            if let Item::Event(event) = item {
                projection.event(event, &mut messages);
            }
        }
        messages
    };
    let gap = UiMessage::Gap {
        from: 1,
        to: first.sequence - 1,
        session_id: 1,
    };
    let messages = joined(UiProjection::new(1));
    assert_eq!(messages[0], gap);
    let turns: Vec<(&str, u64)> = messages
        .iter()
        .filter_map(|message| match message {
            UiMessage::TextChunk { turn_id, .. } | UiMessage::Complete { turn_id, .. } => {
                Some((message.name(), turn_id.sequence))
            }
            _ => None,
        })
        .collect();
    assert_eq!(turns, [("TextChunk", 2), ("Complete", 2)]);
    let mut passed = UiProjection::new(1);
    passed.gap(1, first.sequence - 1, &mut Vec::new());
    assert!(!joined(passed).contains(&gap), "it is said once");
}

/// The events of an owner that was lost at any place, and what the next one makes of them: every
/// turn ends once, and every input that was delivered is accounted for.
#[test]
fn the_next_owner_ends_what_the_one_before_left_open() {
    for Session { name, items } in recorded::all() {
        let items = events_only(&items);
        let mut random = Random::new(items.len() as u64);
        let left = random.below(items.len() + 1);
        let mut log = items[..left].to_vec();
        let mut builder = EventBuilder::new(2);
        for item in &log {
            if let Item::Event(event) = item {
                builder.replay(event);
            }
        }
        let mut output = Output::default();
        let lost = Lifecycle::new(LifecycleState::Lost);
        builder.ended(0, lost, &mut output);
        log.extend(output.events.into_iter().map(Item::Event));
        is_whole(&log).unwrap_or_else(|error| panic!("{name}, left at {left}: {error}"));
        let (mut open, mut turns) = (BTreeSet::new(), 0);
        for (place, item) in (1..).zip(&log) {
            let Item::Event(event) = item else { continue };
            assert_eq!(event.sequence, place, "{name}");
            match &event.fact {
                Fact::TurnStarted(_) => turns += 1,
                Fact::TurnEnded(_) => turns -= 1,
                Fact::InputDelivered(id) => assert!(open.insert(id.clone()), "{name}"),
                Fact::InputProcessed(id) => assert!(open.remove(id), "{name}"),
                Fact::InputFailed(failure) => assert!(open.remove(&failure.id), "{name}"),
                _ => {}
            }
        }
        assert_eq!((turns, open.len()), (0, 0), "{name}, left at {left}");
    }
}
