//! Ends: stdin closed at every moment, signals, warm spares.

use serde_json::json;

use super::super::scenario::{Answer, Scenario};
use super::super::script::{Ending, Reply, bash, call, say};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = ends_of_stdin();
    all.extend(signals());
    all.extend(spares());
    all
}

fn background_bash(command: &str) -> Reply {
    call(
        "bg",
        "Bash",
        json!({"command": command, "description": "in the background", "run_in_background": true}),
    )
}

fn background_agent() -> Reply {
    call(
        "ag",
        "Agent",
        json!({"description": "report", "prompt": "SUBPROMPT report", "subagent_type": "general-purpose"}),
    )
}

fn ends_of_stdin() -> Vec<Scenario> {
    vec![
        Scenario::new("eof_immediately", "stdin closed with no input at all").close(),
        Scenario::new("eof_after_init", "stdin closed after initialize")
            .init()
            .close(),
        Scenario::new(
            "eof_midturn",
            "stdin closed while the turn streams: it completes",
        )
        .api([say(&"word ".repeat(40)).chunks(20).pace(40)])
        .init()
        .say("go")
        .asked(1)
        .close()
        .until("result"),
        Scenario::new("eof_pending_permission", "stdin closed with an open prompt")
            .asks_host()
            .api([bash("p", "touch it"), say("Never mind.")])
            .answers("can_use_tool", [Answer::Hold])
            .init()
            .say("go")
            .until("control_request/can_use_tool")
            .close()
            .until("result"),
        Scenario::new(
            "eof_pending_hook",
            "stdin closed with an open hook callback",
        )
        .flags("--allowedTools Bash")
        .api([bash("p", "ls"), say("Never mind.")])
        .answers("hook:PreToolUse", [Answer::Hold])
        .init_hooks(&["PreToolUse"])
        .say("go")
        .until("control_request/hook_callback")
        .close()
        .until("result"),
        Scenario::new(
            "eof_background_bash",
            "stdin closed while a background shell lives: one more turn",
        )
        .flags("--allowedTools Bash")
        .api([
            background_bash("sleep 2; echo done"),
            say("Started."),
            say("It ended."),
        ])
        .init()
        .ask("go")
        .close()
        .until("result"),
        Scenario::new(
            "eof_background_agent",
            "stdin closed while a background agent lives: one more turn",
        )
        .api([
            background_agent(),
            say("Started."),
            say("The report.").when("SUBPROMPT").after(1_500),
            say("It reported."),
        ])
        .init()
        .ask("go")
        .close()
        .until("result"),
        Scenario::new(
            "eof_oneshot_background_bash",
            "one prompt, stdin closed, and a background shell",
        )
        .flags("--allowedTools Bash")
        .api([
            background_bash("sleep 2; echo done"),
            say("Started."),
            say("It ended."),
        ])
        .init_async()
        .say("go")
        .close()
        .until("result")
        .until("result"),
        Scenario::new(
            "eof_endless_background",
            "stdin closed while an endless background shell lives: only SIGTERM ends it",
        )
        .flags("--allowedTools Bash")
        .api([
            background_bash("while true; do sleep 1; done"),
            say("Started."),
        ])
        .init()
        .ask("go")
        .close()
        .pause(1_500)
        .signal("TERM")
        .races("system/task_updated")
        .races("system/task_notification")
        .races("system/background_tasks_changed")
        .exits(143),
        Scenario::new(
            "end_session_background",
            "end_session kills an endless background shell",
        )
        .flags("--allowedTools Bash")
        .api([
            background_bash("while true; do sleep 1; done"),
            say("Started."),
        ])
        .init()
        .ask("go")
        .control("end_session", json!({})),
    ]
}

fn signals() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (names, signal, code) in [
        (
            ["sigterm_idle", "sigterm_midstream", "sigterm_midtool"],
            "TERM",
            143,
        ),
        (
            ["sighup_idle", "sighup_midstream", "sighup_midtool"],
            "HUP",
            129,
        ),
        (
            ["sigint_idle", "sigint_midstream", "sigint_midtool"],
            "INT",
            0,
        ),
    ] {
        let [idle, stream, tool] = names;
        all.push(
            Scenario::new(idle, "a signal while idle")
                .init()
                .signal(signal)
                .exits(code),
        );
        all.push(
            Scenario::new(stream, "a signal while text streams")
                .partial()
                .api([say(&"word ".repeat(40))
                    .chunks(20)
                    .pace(5)
                    .ending(Ending::Hang(12))])
                .init()
                .say("go")
                .until_text("stream_event", "text_delta")
                .signal(signal)
                .exits(code),
        );
        all.push(
            Scenario::new(tool, "a signal while a tool runs")
                .flags("--allowedTools Bash")
                .api([bash("s", "for i in $(seq 15); do sleep 1; done")])
                .init()
                .say("go")
                .until("system/task_started")
                .signal(signal)
                .exits(code),
        );
    }
    all
}

fn spares() -> Vec<Scenario> {
    vec![
        Scenario::new("spare_claimed", "--await-claim, claimed for another folder, then a turn")
            .flags("--await-claim")
            .file("/home/user/other/x", "")
            .api([say("Claimed.")])
            .init()
            .control("claim_session", json!({
                "cwd": "/home/user/other", "permission_mode": "acceptEdits", "append_system_prompt": "Be brief.",
                "title": "A claimed session", "sdk_mcp_servers": [], "include_initialize": true,
            }))
            .ask("hello")
            .quick(),
        Scenario::new("spare_unclaimed", "--await-claim and a prompt before the claim, then the end")
            .flags("--await-claim")
            .init()
            .control("claim_session", json!({"cwd": "/home/user/nowhere"})),
    ]
}
