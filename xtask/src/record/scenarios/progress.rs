//! What says how far the work is: lists of things to do, what is said, what commands print.

mod account;
mod heartbeats;
mod plans;
mod printed;

use serde_json::{Value, json};

use super::super::scenario::Scenario;
use super::super::script::{Reply, bash, blocks, call, say, text_block, tool};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = lists();
    all.extend(words());
    all.extend(agents());
    all.extend(heartbeats::scenarios());
    all.extend(account::scenarios());
    all.extend(printed::scenarios());
    all.extend(plans::scenarios());
    all
}

/// A call that writes the whole list: letters for what is to be done, `-` in front of what is
/// begun and `+` in front of what is done.
fn todo(id: &str, points: &[&str]) -> Value {
    let points: Vec<Value> = points
        .iter()
        .map(|point| {
            let (status, what) = match point.split_at(1) {
                ("+", what) => ("completed", what),
                ("-", what) => ("in_progress", what),
                _ => ("pending", *point),
            };
            json!({"content": what, "status": status, "activeForm": format!("Doing {what}")})
        })
        .collect();
    tool(id, "TodoWrite", json!({"todos": points}))
}

fn step(text: &str, call: Value) -> Reply {
    blocks([text_block(text), call])
}

fn shell(id: &str, command: &str) -> Value {
    tool(
        id,
        "Bash",
        json!({"command": command, "description": "print"}),
    )
}

/// A call of a subagent that is waited for.
fn agent(id: &str, prompt: &str, kind: &str) -> Value {
    tool(
        id,
        "Agent",
        json!({"description": prompt.to_lowercase(), "prompt": prompt, "subagent_type": kind, "run_in_background": false}),
    )
}

fn lists() -> Vec<Scenario> {
    let create = |id: &str, subject: &str| {
        call(
            id,
            "TaskCreate",
            json!({"subject": subject, "description": format!("The {subject}."), "activeForm": format!("Doing the {subject}")}),
        )
    };
    let update = |id: &str, more: Value| call(id, "TaskUpdate", more);
    vec![
        Scenario::new(
            "progress_todo",
            "TodoWrite: a list that is worked off, grows, and is replaced",
        )
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("CLAUDE_CODE_ENABLE_TASKS", "0")
        .flags("--allowedTools TodoWrite")
        .api([
            blocks([todo("t1", &["-read", "write", "test"])]),
            blocks([todo("t2", &["+read", "-write", "test"])]),
            step(
                "Step 1 of 9: this is not what counts.",
                todo("t3", &["+read", "-write", "test", "document"]),
            ),
            blocks([todo("t4", &["+read", "+write", "+test", "+document"])]),
            blocks([todo("t5", &["-ship", "announce"])]),
            say("Half of it is done."),
        ])
        .init()
        .ask("go"),
        Scenario::new(
            "progress_tasks",
            "TaskCreate, TaskUpdate and TaskList: tasks with ids",
        )
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("CLAUDE_CODE_ENABLE_TASKS", "1")
        .flags("--allowedTools TaskCreate,TaskUpdate,TaskList,ToolSearch")
        .api([
            call(
                "ts",
                "ToolSearch",
                json!({"query": "select:TaskCreate,TaskUpdate,TaskList", "max_results": 5}),
            ),
            create("c1", "parser"),
            create("c2", "tests"),
            create("c3", "docs"),
            update("u1", json!({"taskId": "1", "status": "in_progress"})),
            update("u2", json!({"taskId": "1", "status": "completed"})),
            update("u3", json!({"taskId": "2", "status": "in_progress"})),
            update("u4", json!({"taskId": "3", "status": "deleted"})),
            update("u5", json!({"taskId": "99", "status": "completed"})),
            call("l1", "TaskList", json!({})),
            update("u6", json!({"taskId": "1", "status": "pending"})),
            say("One is left."),
        ])
        .init()
        .ask("go"),
        Scenario::new(
            "progress_todo_turns",
            "a list that is taken up again in the next turn",
        )
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("CLAUDE_CODE_ENABLE_TASKS", "0")
        .flags("--allowedTools TodoWrite")
        .api([
            blocks([todo("t1", &["+read", "-write"])]),
            say("More tomorrow."),
            blocks([todo("t2", &["+read", "+write"])]),
            say("All done."),
        ])
        .init()
        .ask("go")
        .ask("on"),
    ]
}

fn words() -> Vec<Scenario> {
    let cargo = "printf '\\nrunning 3 tests\\ntest a ... ok\\ntest b ... ok\\ntest c ... ok\\n\\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\\n'";
    let pytest = "printf '=== test session starts ===\\ncollected 4 items\\n\\ntest_a.py ..F.                  [100%%]\\n\\n=== 1 failed, 3 passed in 0.12s ===\\n'; exit 1";
    vec![
        Scenario::new("progress_words", "an agent that counts aloud, starts again, and talks of other numbers")
            .flags("--allowedTools Bash")
            .api([
                step("I'll run the test suite now. Running test 5 of 20...", shell("w1", "true")),
                step("Running test 12 of 20...", shell("w2", "true")),
                step("Something is off, so I start again. Running test 1 of 20...", shell("w3", "true")),
                say("All 20 of 20 tests ran. The coverage is 85%."),
                say("Version 2/3 of the format is fine. 5 of 20 tests failed yesterday, before the fix."),
            ])
            .init()
            .ask("go")
            .ask("and?"),
        Scenario::new("progress_steps", "an agent that goes on with its steps in the next turn")
            .flags("--allowedTools Bash")
            .api([
                step("Step 1/3: reading the code.", shell("w1", "true")),
                say("Step 2/3: writing the parser. Shall I go on?"),
                say("Step 3/3: testing it."),
            ])
            .init()
            .ask("go")
            .ask("yes"),
        Scenario::new("progress_runners", "commands that print what test runners and builds print")
            .flags("--allowedTools Bash")
            .api([
                bash("r1", cargo),
                bash("r2", pytest),
                bash("r3", "printf '[1/3] Fetching packages...\\n[2/3] Linking...\\n[3/3] Building...\\n'"),
                bash("r4", "cat notes.txt"),
                say("Done."),
            ])
            .file("/home/user/project/notes.txt", "Coverage went from 71% to 85%.\nVersion 2/3.\n")
            .init()
            .ask("go"),
    ]
}

fn agents() -> Vec<Scenario> {
    let flow = "export const meta = { name: 'pair', description: 'two agents' }\nphase('Look')\nconst a = await agent('WFONE say hi', {label:'first'})\nconst b = await agent('WFTWO say ho', {label:'second'})\nreturn { a, b }";
    vec![
        Scenario::new(
            "progress_agent_words",
            "a subagent that counts aloud while its agent waits",
        )
        .flags("--allowedTools Bash")
        .api([
            step(
                "Step 1 of 2: asking a subagent.",
                agent("g1", "SUBWORDS count", "general-purpose"),
            ),
            blocks([text_block("Reviewed 2/8 modules."), shell("s1", "true")]).when("SUBWORDS"),
            say("Reviewed 8/8 modules.").when("SUBWORDS"),
            say("Step 2 of 2: summing up."),
        ])
        .init_with(json!({"forwardSubagentText": true}))
        .ask("go"),
        Scenario::new("progress_agent_todo", "a subagent with a list of its own")
            .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
            .env("CLAUDE_CODE_ENABLE_TASKS", "0")
            .flags("--allowedTools TodoWrite")
            .api([
                blocks([todo("m1", &["-delegate", "sum up"])]),
                blocks([agent("g1", "SUBTODO look", "general-purpose")]),
                blocks([todo("s1", &["-a", "b", "c"])]).when("SUBTODO"),
                blocks([todo("s2", &["+a", "+b", "-c"])]).when("SUBTODO"),
                say("Two of three.").when("SUBTODO"),
                blocks([todo("m2", &["+delegate", "+sum up"])]),
                say("Done."),
            ])
            .init()
            .ask("go"),
        Scenario::new(
            "progress_workflow",
            "a workflow with a phase and two agents, one after the other",
        )
        .asks_host()
        .api([
            call("wf", "Workflow", json!({"script": flow})),
            say("Hi.").when("WFONE").after(300),
            say("Ho.").when("WFTWO").after(300),
            say("Launched.").forever(),
        ])
        .init()
        .ask("go")
        .until("system/task_notification")
        .until("result"),
    ]
}
