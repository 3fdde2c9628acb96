//! Work beside the turn: background shells, subagents, monitors, workflows.

use serde_json::json;

use super::super::scenario::Scenario;
use super::super::script::{bash, blocks, call, say, tool};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = shells();
    all.extend(agents());
    all
}

fn shells() -> Vec<Scenario> {
    let ticker = json!({"command": "for i in $(seq 30); do echo line $i; sleep 1; done", "description": "ticker", "run_in_background": true});
    vec![
        Scenario::new("task_bash_background", "a background shell: its output read, then stopped")
            .asks_host()
            .api([call("bb", "Bash", ticker), say("Started."), say("Stopped.").forever()])
            .init()
            .ask("go")
            .capture("task", "system/task_started", "task_id")
            .pause(1_200)
            .control("get_task_output", json!({"task_id": "$task"}))
            .control("stop_task", json!({"task_id": "$task"}))
            .until("system/task_notification")
            .control("stop_task", json!({"task_id": "nobody"}))
            .keep_sessions()
            .quick(),
        Scenario::new("task_bash_moved", "a foreground shell moved to the background")
            .asks_host()
            .api([bash("fg", "for i in 1 2 3 4 5 6; do echo tick $i; sleep 1; done"), say("Moved."), say("Ended.")])
            .init()
            .say("go")
            .until("system/task_started")
            .control("background_tasks", json!({"tool_use_id": "toolu_fg"}))
            .until("result")
            .until("result"),
        Scenario::new("task_stop_tool", "the model stops its own background shell")
            .flags("--allowedTools Bash")
            .api([call("bb", "Bash", json!({"command": "while true; do sleep 1; done", "description": "endless", "run_in_background": true})), say("Started.")])
            .init()
            .ask("go")
            .capture("task", "system/task_started", "task_id")
            .then_api([
                call("ts", "ToolSearch", json!({"query": "select:TaskStop", "max_results": 1})),
                call("st", "TaskStop", json!({"task_id": "$task"})),
                say("Stopped."),
                say("I know.").forever(),
            ])
            .ask("stop it"),
        Scenario::new("task_monitor", "the Monitor tool: every event is a turn")
            .asks_host()
            .api([
                call("ts", "ToolSearch", json!({"query": "select:Monitor", "max_results": 1})),
                call("mo", "Monitor", json!({"command": "for i in 1 2; do echo event $i; sleep 1; done", "description": "watch", "timeout_ms": 20000})),
                say("Watching.").forever(),
            ])
            .init()
            .ask("go")
            .until("system/task_notification")
            .until("result")
            .within(90),
        Scenario::new("task_workflow", "the Workflow tool with one agent")
            .asks_host()
            .api([
                call("wf", "Workflow", json!({"script": "export const meta = { name: 'demo', description: 'demo wf' }\nconst r = await agent('WFPROMPT say hi', {label:'a1'})\nreturn { r }"})),
                say("Hi from the workflow.").when("WFPROMPT").after(1_000),
                say("Launched.").forever(),
            ])
            .init()
            .ask("go")
            .until("system/task_notification")
            .until("result")
            .keep_sessions(),
    ]
}

fn agents() -> Vec<Scenario> {
    let agent = |background: bool| json!({"description": "count files", "prompt": "SUBPROMPT count", "subagent_type": "general-purpose", "run_in_background": background});
    let sub_tools = || {
        [
            bash("s1", "ls").when("SUBPROMPT"),
            bash("s2", "touch counted").when("SUBPROMPT"),
            say("Nothing to count.").when("SUBPROMPT"),
        ]
    };
    vec![
        Scenario::new("agent_foreground", "a foreground subagent with two tools, one of which asks")
            .asks_host()
            .partial()
            .api([call("ag", "Agent", agent(false)), say("It counted.")])
            .api(sub_tools())
            .init()
            .ask("go")
            .keep_sessions()
            .quick(),
        Scenario::new("agent_forward_text", "the same with forwardSubagentText and progress summaries")
            .asks_host()
            .api([call("ag", "Agent", agent(false)), say("It counted.")])
            .api(sub_tools())
            .init_with(json!({"forwardSubagentText": true}))
            .ask("go"),
        Scenario::new("agent_background", "a background subagent: a turn of its own when it ends; session states")
            .asks_host()
            .env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
            .api([call("ag", "Agent", agent(true)), say("It is at work."), say("It counted.")])
            .api([bash("s1", "ls").when("SUBPROMPT").after(500), say("Nothing to count.").when("SUBPROMPT").after(1_000)])
            .init()
            .ask_as(1, "go")
            .until("result")
            .until_text("system/session_state_changed", "idle")
            .keep_sessions(),
        Scenario::new("agent_stopped", "a background subagent stopped by the host")
            .api([call("ag", "Agent", agent(true)), say("It is at work."), say("Stopped, then.").forever()])
            .api([say("Too late.").when("SUBPROMPT").after(20_000)])
            .init()
            .ask("go")
            .capture("task", "system/task_started", "task_id")
            .control("stop_task", json!({"task_id": "$task"}))
            .until("system/task_notification"),
        Scenario::new("agent_defined", "agents defined in initialize, one of them the main agent")
            .flags("--agent reviewer")
            .api([call("ag", "Agent", json!({"description": "check", "prompt": "SUBPROMPT check", "subagent_type": "checker", "run_in_background": false})), say("Checked.").when("SUBPROMPT"), say("All reviewed.")])
            .init_with(json!({"agents": {
                "reviewer": {"description": "Reviews things", "prompt": "You review."},
                "checker": {"description": "Checks things", "prompt": "You check.", "tools": ["Read"], "model": "haiku"},
            }}))
            .ask("go"),
        Scenario::new("agent_two_and_unknown", "two foreground subagents side by side and one of an unknown type")
            .asks_host()
            .api([
                blocks([
                    tool("a1", "Agent", json!({"description": "one", "prompt": "ALPHA", "subagent_type": "general-purpose", "run_in_background": false})),
                    tool("a2", "Agent", json!({"description": "two", "prompt": "BETA", "subagent_type": "Explore", "run_in_background": false})),
                    tool("a3", "Agent", json!({"description": "three", "prompt": "GAMMA", "subagent_type": "nobody", "run_in_background": false})),
                ]),
                say("Alpha here.").when("ALPHA"),
                say("Beta here.").when("BETA"),
                say("Two answered."),
            ])
            .init()
            .ask("go"),
    ]
}
