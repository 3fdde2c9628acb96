//! Several prompts at once, and interrupts.

use serde_json::json;

use super::super::scenario::{Answer, Scenario, allow, uuid};
use super::super::script::{Ending, Reply, bash, say};

/// A text that streams until somebody interrupts it.
fn endless() -> Reply {
    say(&"word ".repeat(40))
        .chunks(20)
        .pace(5)
        .ending(Ending::Hang(12))
}

/// A text that streams for about a second.
fn slow() -> Reply {
    say(&"word ".repeat(40)).chunks(20).pace(50)
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = queues();
    all.extend(interrupts());
    all
}

fn queues() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "queue_two_messages",
            "two prompts while a turn streams run as one turn",
        )
        .api([slow(), say("Both.")])
        .init()
        .say_as(1, "first")
        .asked(1)
        .say_as(2, "second")
        .say_as(3, "third")
        .until("result")
        .until("result")
        .keep_sessions()
        .quick(),
        Scenario::new("queue_three_at_once", "three prompts written back to back")
            .api([slow(), say("The rest.")])
            .init()
            .say("one")
            .say("two")
            .say("three")
            .until("result")
            .until("result"),
        Scenario::new(
            "queue_fold_into_tool_turn",
            "a prompt while a tool runs is folded into the turn",
        )
        .asks_host()
        .api([
            bash("q", "for i in 1 2 3 4; do sleep 1; done"),
            say("Both done."),
        ])
        .init()
        .say_as(1, "first")
        .until("system/task_started")
        .say_as(2, "second")
        .until("result")
        .keep_sessions(),
        Scenario::new(
            "queue_priority",
            "priority later and now while a turn streams",
        )
        .api([endless(), say("Now."), say("Later.")])
        .init()
        .say_as(1, "first")
        .asked(1)
        .pause(300)
        .say_with("later", json!({"uuid": uuid(2), "priority": "later"}))
        .say_with("now", json!({"uuid": uuid(3), "priority": "now"}))
        .until("result")
        .until("result")
        .until("result")
        .keep_sessions(),
        Scenario::new(
            "queue_should_query",
            "shouldQuery:false stores a prompt for the next one",
        )
        .api([say("Answered.")])
        .init()
        .say_with(
            "context only",
            json!({"uuid": uuid(1), "shouldQuery": false}),
        )
        .until("result")
        .ask_as(2, "real question")
        .keep_sessions(),
        Scenario::new(
            "queue_cancel",
            "cancel_async_message drops one waiting prompt; an unknown one",
        )
        .api([slow(), say("Only the third.")])
        .init()
        .say_as(1, "first")
        .asked(1)
        .say_as(2, "second")
        .say_as(3, "third")
        .until_text("command_lifecycle", &uuid(3))
        .control("cancel_async_message", json!({"message_uuid": uuid(2)}))
        .control("cancel_async_message", json!({"message_uuid": uuid(9)}))
        .until("result")
        .until("result"),
    ]
}

fn interrupts() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "interrupt_midstream",
            "interrupt while text streams, then another turn",
        )
        .partial()
        .api([endless(), say("Hello again.")])
        .init()
        .say_as(1, "first")
        .until_text("stream_event", "text_delta")
        .until_text("stream_event", "text_delta")
        .control("interrupt", json!({}))
        .until("result")
        .ask_as(2, "second")
        .keep_sessions()
        .quick(),
        Scenario::new(
            "interrupt_queued_survive",
            "interrupt leaves the waiting prompts",
        )
        .api([endless(), say("The second.")])
        .init()
        .say_as(1, "first")
        .asked(1)
        .pause(200)
        .say_as(2, "second")
        .until_text("command_lifecycle", &uuid(2))
        .control("interrupt", json!({}))
        .until("result")
        .until("result"),
        Scenario::new(
            "interrupt_cancel_queued",
            "interrupt with cancel_queued drops them",
        )
        .api([endless()])
        .init()
        .say_as(1, "first")
        .asked(1)
        .pause(200)
        .say_as(2, "second")
        .until_text("command_lifecycle", &uuid(2))
        .control("interrupt", json!({"cancel_queued": true}))
        .until("result")
        .exits(1),
        Scenario::new(
            "interrupt_pending_permission",
            "interrupt with an open prompt; the late answer is ignored",
        )
        .asks_host()
        .api([bash("i", "touch it"), say("Hello again.")])
        .answers("can_use_tool", [Answer::Hold])
        .init()
        .say("first")
        .until("control_request/can_use_tool")
        .control("interrupt", json!({}))
        .until("result")
        .release(0, allow())
        .ask("second"),
        Scenario::new("interrupt_tool", "interrupt while a Bash tool runs")
            .asks_host()
            .api([bash("i", "for i in $(seq 20); do sleep 1; done")])
            .init()
            .say("first")
            .until("system/task_started")
            .control("interrupt", json!({}))
            .until("result")
            .exits(1)
            .keep_sessions(),
        Scenario::new("interrupt_idle", "interrupt with nothing to interrupt")
            .api([say("Hi.")])
            .init()
            .control("interrupt", json!({}))
            .ask("first")
            .control("interrupt", json!({})),
        Scenario::new(
            "interrupt_before_answer",
            "interrupt before the API has answered",
        )
        .api([say("Too late.").after(5_000)])
        .init()
        .say("first")
        .asked(1)
        .control("interrupt", json!({}))
        .until("result")
        .exits(1),
    ]
}
