//! Recorded sessions through both projections.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use claw_server::event::Fact;
use claw_server::{
    MobileMessage, MobileProjection, NO_TOOL_RESULT, OperationState, Output, UiMessage,
    UiProjection,
};

use crate::recorded::{names, play};

pub(crate) fn ui(output: &Output) -> Vec<UiMessage> {
    let mut messages = Vec::new();
    let mut projection = UiProjection::new(1);
    for event in &output.events {
        projection.event(event, &mut messages);
    }
    messages
}

pub(crate) fn mobile(output: &Output) -> Vec<MobileMessage> {
    let mut messages = Vec::new();
    let mut projection = MobileProjection::new("sess_1");
    for event in &output.events {
        projection.event(event, &mut messages);
    }
    messages
}

/// The turns of a session's events.
fn turns(output: &Output) -> u64 {
    let started = |event: &&claw_server::SessionEvent| matches!(event.fact, Fact::TurnStarted(_));
    output.events.iter().filter(started).count() as u64
}

/// What must hold for the messages of every session; the tools that never answered.
fn check(name: &str, output: &Output, messages: &[UiMessage]) -> Vec<String> {
    let mut completes = BTreeMap::<u64, u32>::new();
    let mut running = BTreeMap::<&str, &str>::new();
    let mut unanswered = Vec::new();
    for message in messages {
        match message {
            UiMessage::Complete { turn_id, .. } => {
                *completes.entry(turn_id.sequence).or_default() += 1;
            }
            UiMessage::TextChunk { turn_id, text, .. } => {
                assert!(
                    !completes.contains_key(&turn_id.sequence),
                    "{name}: late {text}"
                );
            }
            UiMessage::ToolExecuting {
                tool_use_id,
                tool_name,
                ..
            } => {
                let before = running.insert(tool_use_id, tool_name);
                assert_eq!(before, None, "{name}: {tool_use_id} began twice");
            }
            UiMessage::ToolCompleted {
                tool_use_id,
                result,
                ..
            } => {
                let tool = running.remove(tool_use_id.as_str());
                let tool = tool.unwrap_or_else(|| panic!("{name}: {tool_use_id} never began"));
                if result == NO_TOOL_RESULT {
                    unanswered.push(format!("{name}: {tool} {tool_use_id}"));
                }
            }
            _ => {}
        }
    }
    assert!(running.is_empty(), "{name}: {running:?} never ended");
    let wanted: BTreeMap<u64, u32> = (1..=turns(output)).map(|turn| (turn, 1)).collect();
    assert_eq!(completes, wanted, "{name}: one Complete for each turn");
    unanswered
}

#[test]
fn every_turn_has_one_complete_and_every_tool_one_end() {
    let mut table = String::new();
    let mut unanswered = Vec::new();
    for name in names() {
        let output = play(&name);
        let messages = ui(&output);
        unanswered.extend(check(&name, &output, &messages));
        check_phone(&name, &output);
        let mut counts = BTreeMap::<&str, u32>::new();
        for message in &messages {
            *counts.entry(message.name()).or_default() += 1;
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        writeln!(table, "{name}: {}", counts.join(", ")).unwrap();
    }
    insta::assert_snapshot!("counts", table);
    insta::assert_snapshot!("tools_that_never_answered", unanswered.join("\n"));
}

fn check_phone(name: &str, output: &Output) {
    let messages = mobile(output);
    let turns_over = |message: &&MobileMessage| matches!(message, MobileMessage::TurnComplete(_));
    let over = messages.iter().filter(turns_over).count() as u64;
    assert_eq!(over, turns(output), "{name}");
    let mut running = 0_i64;
    for message in &messages {
        if let MobileMessage::ToolOperation(tool) = message {
            running += match tool.state {
                OperationState::Started => 1,
                _ => -1,
            };
        }
    }
    assert_eq!(running, 0, "{name}");
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
        let output = play(name);
        let events = output.events.iter().map(|event| {
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
                lines(&ui(&output)),
                lines(&mobile(&output))
            )
        );
    }
}
