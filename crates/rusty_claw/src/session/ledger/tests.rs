use rusty_claw_protocol::messages::{Message, SessionState, SystemMessage};

use super::*;
use crate::recordings;

/// Feeds a recording of the real CLI to a ledger: prompts of the host first, then the CLI's output.
/// Returns one line for each outcome, in order.
fn outcomes(scenario: &str) -> String {
    let mut ledger = Ledger::default();
    ledger.starts_at_zero();
    let mut prompts = 0;
    for received in recordings::messages(scenario, "stdin.ndjson") {
        if let Message::User(user) = received.message {
            prompts += 1;
            let numbered = || Str::from(format!("prompt {prompts}"));
            ledger.sent(user.uuid.clone().unwrap_or_else(numbered));
        }
    }
    let mut told = Vec::new();
    // Whether nothing was started since the last result.
    let mut rests = false;
    for received in recordings::messages(scenario, "stdout.ndjson") {
        match received.message {
            Message::Result(result) => {
                told.extend(ledger.result(result));
                rests = true;
            }
            Message::System(SystemMessage::Init { .. }) => rests = false,
            Message::CommandLifecycle(said) => {
                told.extend(ledger.lifecycle(&said.command_uuid, &said.state));
            }
            Message::System(SystemMessage::SessionStateChanged(said))
                if said.state == SessionState::Idle =>
            {
                told.extend(ledger.idle());
            }
            Message::System(SystemMessage::BackgroundTasksChanged(said)) => {
                ledger.background(said.tasks.into_iter().map(|task| task.task_id));
            }
            _ => {}
        }
    }
    if rests {
        told.extend(ledger.rested());
    }
    let open = ledger.open_ids().len();
    // Only a CLI that was killed leaves prompts open, which the pump ends.
    let expected = if scenario.starts_with("sigkill") {
        1
    } else {
        0
    };
    assert_eq!(open, expected, "{scenario}");
    let mut lines: Vec<String> = told
        .iter()
        .map(|(id, outcome)| {
            let cost = outcome.report().and_then(|report| report.cost_usd);
            let cost = cost.map_or_else(String::new, |cost| format!(", {cost:.4} USD"));
            let short = id.get(id.len().saturating_sub(8)..).unwrap_or(id);
            format!("{short}: {}{cost}", outcome.name())
        })
        .collect();
    lines.push(format!("open: {open} of {prompts}"));
    lines.join("\n")
}

#[test]
fn every_prompt_of_a_recording_has_one_outcome() {
    let scenarios = [
        "text_two_turns",
        "queue_three_at_once",
        "queue_two_messages",
        "queue_fold_into_tool_turn",
        "queue_cancel",
        "queue_priority",
        "queue_should_query",
        "interrupt_midstream",
        "interrupt_cancel_queued",
        "interrupt_queued_survive",
        "interrupt_tool",
        "slash_clear",
        "slash_commands",
        "err_403",
        "res_max_turns",
        "agent_background",
        "agent_foreground",
        "task_monitor",
        "sigkill_midstream",
    ];
    let table: Vec<String> = scenarios
        .iter()
        .map(|scenario| format!("# {scenario}\n{}", outcomes(scenario)))
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn a_result_of_a_turn_nobody_asked_for_is_nobodys() {
    let mut ledger = Ledger::default();
    ledger.sent(Str::from("mine"));
    ledger.lifecycle("mine", &CommandState::Queued);
    let unnamed = r#"{"type":"result","subtype":"success","result":"","is_error":false}"#;
    let Ok(Message::Result(result)) = Message::from_json(unnamed) else {
        panic!("a result");
    };
    assert!(ledger.result(result).is_empty());
    assert_eq!(ledger.open_ids(), ["mine"]);
}
