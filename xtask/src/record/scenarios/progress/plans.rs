//! Plans that are made, refused, agreed to and made again.

use serde_json::json;

use super::super::super::scenario::{Answer, Scenario, allow, deny};
use super::super::super::script::{Reply, call, say};

fn enter(id: &str) -> Reply {
    call(id, "EnterPlanMode", json!({}))
}

fn leave(id: &str, plan: &str) -> Reply {
    call(id, "ExitPlanMode", json!({ "plan": plan }))
}

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "progress_plan_again",
            "a plan that is refused, agreed to, and another one",
        )
        .asks_host()
        .answers("can_use_tool", [deny("Smaller steps"), allow(), allow()])
        .api([
            enter("e1"),
            leave("x1", "# Plan\n1. All at once\n"),
            leave("x2", "# Plan\n1. A part\n2. The rest\n"),
            enter("e2"),
            leave("x3", "# Plan\n1. Clean up\n"),
            say("Both are agreed to."),
        ])
        .init()
        .ask("go"),
        Scenario::new(
            "progress_plan_turns",
            "planning that goes on in the next turn",
        )
        .asks_host()
        .answers("can_use_tool", [allow()])
        .api([
            enter("e1"),
            say("What matters more, speed or size?"),
            leave("x1", "# Plan\n1. Make it fast\n"),
            say("Now I begin."),
        ])
        .init()
        .ask("go")
        .ask("speed"),
        Scenario::new(
            "progress_plan_stopped",
            "a plan that waits when the turn is interrupted, and is agreed to later",
        )
        .asks_host()
        .answers("can_use_tool", [Answer::Hold, allow()])
        .api([
            enter("e1"),
            leave("x1", "# Plan\n1. Do it\n"),
            leave("x2", "# Plan\n1. Do it well\n"),
            say("Now I begin."),
        ])
        .init()
        .say("go")
        .until("control_request")
        .control("interrupt", json!({}))
        .until("result")
        .ask("think again"),
    ]
}
