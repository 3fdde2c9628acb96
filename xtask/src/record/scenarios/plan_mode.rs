//! Plan mode: entering, leaving, being sent back.

use serde_json::json;

use super::super::scenario::{Scenario, allow_with, deny};
use super::super::script::{bash, call, say};

fn plan(name: &'static str, about: &'static str) -> Scenario {
    Scenario::new(name, about).flags("--permission-prompt-tool stdio --permission-mode plan")
}

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new("plan_mode_enter", "EnterPlanMode from default mode")
            .asks_host()
            .api([call("p", "EnterPlanMode", json!({})), say("Planning.")])
            .init()
            .ask("go"),
        plan("plan_mode_exit", "a change is refused; ExitPlanMode allowed with setMode acceptEdits")
            .api([
                bash("p1", "touch early"),
                call("p2", "ExitPlanMode", json!({"plan": "# Plan\n1. Do it\n"})),
                bash("p3", "touch late"),
                say("Done."),
            ])
            .answers("can_use_tool", [allow_with(json!({
                "updatedPermissions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}],
            }))])
            .init()
            .ask("go"),
        plan("plan_mode_reject", "ExitPlanMode denied with feedback")
            .api([call("p1", "ExitPlanMode", json!({})), say("I will think again.")])
            .answers("can_use_tool", [deny("Think again")])
            .init()
            .ask("go"),
        plan("plan_mode_exit_with_file", "the plan written to a plan file, get_plan, then ExitPlanMode")
            .api([say("What shall I plan?")])
            .init()
            .ask("hello")
            .capture_asked("plan", "/home/user/.claude/plans/", ".md")
            .then_api([
                call("w", "Write", json!({"file_path": "$plan", "content": "# Plan\n1. Do it\n"})),
                call("p1", "ExitPlanMode", json!({})),
                say("Approved."),
            ])
            .ask("go")
            .control("get_plan", json!({}))
            .keep_sessions(),
    ]
}
