//! Requests of the host outside and inside a turn.

use serde_json::json;

use super::super::scenario::Scenario;
use super::super::script::{call, say};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = asking();
    all.extend(changing());
    all.extend(commands());
    all
}

fn asking() -> Vec<Scenario> {
    let nothing = || json!({});
    vec![
        Scenario::new("control_get", "requests that only ask")
            .file("/home/user/project/apple.txt", "a\n")
            .api([say("Hi.")])
            .init()
            .ask("hello")
            .control("get_binary_version", nothing())
            .control("get_session_cost", nothing())
            .control("list_models", nothing())
            .control("get_settings", nothing())
            .control("get_hooks_listing", nothing())
            .control("list_permission_rules", nothing())
            .control("get_status", nothing())
            .control("get_plan", nothing())
            .control("get_workspace_diff", nothing())
            .control("export_conversation", nothing())
            .control("file_suggestions", json!({"query": "app"}))
            .control("get_usage", json!({"skip_behaviors": true}))
            .control("get_context_usage", json!({"detail": "summary"}))
            .control("get_context_usage", nothing())
            .control("get_task_output", json!({"task_id": "nobody"}))
            .control("mcp_status", nothing())
            .quick(),
        Scenario::new(
            "control_unsupported",
            "names from the schema that this mode refuses, and one from nowhere",
        )
        .file("/home/user/project/sub/x", "")
            .init()
        .control("set_color", json!({"color": "red"}))
        .control("list_directory", json!({"path": "."}))
        .control("start_shell_task", json!({"command": "echo hi"}))
        .control("claim_session", json!({"cwd": "/home/user/other"}))
        .control("register_repo_root", json!({"directory": "nowhere"}))
            .control("register_repo_root", json!({"directory": "sub"}))
        .control("message_rated", json!({"rating": "good"}))
            .control("message_rated", json!({"messageUuid": super::super::scenario::uuid(1), "sentiment": "positive", "surface": "assistant_text", "cleared": false}))
        .control("submit_feedback", json!({"text": "nice"}))
        .control("frobnicate", json!({})),
        Scenario::new(
            "control_read_file",
            "read_file inside and outside, seed_read_state",
        )
        .file("/home/user/project/apple.txt", "a\n")
        .init()
        .control("read_file", json!({"path": "/home/user/project/apple.txt"}))
        .control(
            "read_file",
            json!({"path": "apple.txt", "max_bytes": 10, "encoding": "utf-8"}),
        )
        .control("read_file", json!({"path": "/home/user/outside.txt"}))
        .control(
            "seed_read_state",
            json!({"path": "/home/user/project/apple.txt", "mtime": 1}),
        ),
        Scenario::new(
            "control_during_turn",
            "requests answered while a turn streams",
        )
        .api([
            say(&"word ".repeat(40)).chunks(20).pace(60),
            say("ok"),
            say("With the other model."),
        ])
        .init()
        .say("first")
        .asked(1)
        .control("mcp_status", json!({}))
        .control("get_settings", json!({}))
        .control("set_permission_mode", json!({"mode": "acceptEdits"}))
        .control("set_model", json!({"model": "claude-sonnet-5"}))
        .control("get_context_usage", json!({"detail": "summary"}))
        .control("get_usage", json!({}))
        .control("rename_session", json!({"title": "In passing"}))
        .until("result")
        .ask("second"),
        Scenario::new(
            "control_side_question",
            "side_question answered, and one cancelled by the host",
        )
        .api([
            say("Hi."),
            say("Four.").when("two and two"),
            say("Too late.").when("three and three").after(8_000),
        ])
        .init()
        .ask("hello")
        .control("side_question", json!({"question": "what is two and two?"}))
        .control_async(
            "side",
            "side_question",
            json!({"question": "what is three and three?"}),
        )
        .until_text("system/control_request_progress", "\"side\"")
        .asked(3)
        .send(json!({"type": "control_cancel_request", "request_id": "side"}))
        .until_text("control_response", "\"side\""),
    ]
}

fn changing() -> Vec<Scenario> {
    vec![
        Scenario::new("control_settings", "settings changed at run time, also wrongly")
            .init()
            .control("apply_flag_settings", json!({"settings": {"permissions": {"allow": ["Bash(ls:*)"]}}}))
            .control("apply_flag_settings", json!({"settings": {"permissions": "bogus"}}))
            .control("update_settings", json!({"source": "localSettings", "settings": {"model": "claude-sonnet-5"}}))
            .control("update_settings", json!({"source": "userSettings", "settings": {"effortLevel": "high"}}))
            .control("update_settings", json!({"source": "localSettings", "settings": {"outputStyle": "default"}}))
            .control("get_settings", json!({})),
        Scenario::new("control_modes", "permission modes, thinking and models, also wrong ones")
            .api([say("ok"), say("Hi.")])
            .init()
            .control("set_permission_mode", json!({"mode": "plan"}))
            .control("set_permission_mode", json!({"mode": "bypassPermissions"}))
            .control("set_permission_mode", json!({"mode": "zzz"}))
            .control("set_permission_mode", json!({"mode": "default"}))
            .control("set_max_thinking_tokens", json!({"max_thinking_tokens": 2000}))
            .control("set_max_thinking_tokens", json!({"max_thinking_tokens": null, "thinking_display": "summarized"}))
            .control("set_model", json!({"model": "no-such-model"}))
            .control("set_model", json!({}))
            .ask("hello"),
        Scenario::new("control_reload", "plugins, skills and output styles read again after a skill appeared")
            .file("/home/user/project/.claude/skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets people.\n---\nGreet.\n")
            .init()
            .control("reload_plugins", json!({}))
            .control("reload_skills", json!({}))
            .control("reload_output_styles", json!({}))
            .control("set_has_subscribers", json!({"has_subscribers": true}))
            .control("set_prompt_suggestions_paused", json!({"paused": true}))
            .send(json!({"type": "update_environment_variables", "variables": {"FOO": "bar"}})),
        Scenario::new("control_titles", "--name, rename_session, /rename, generate_session_title")
            .session_id(801)
            .arg("--name")
            .arg("From the flag")
            .api([say("Hi."), say(r#"{"title": "A generated title"}"#).forever()])
            .init()
            .ask("hello")
            .control("rename_session", json!({"title": "From the host"}))
            .ask("/rename From the prompt")
            .control("generate_session_title", json!({"description": "greetings"}))
            .keep_sessions(),
        Scenario::new("control_set_cwd", "set_cwd to a folder that is not trusted, and nowhere")
            .file("/home/user/other/x", "")
            .api([say("Hi."), say("Still here.")])
            .init()
            .ask("hello")
            .control("set_cwd", json!({"path": "/home/user/other"}))
            .control("set_cwd", json!({"path": "/home/user/nowhere"}))
            .ask("where are we?"),
        Scenario::new("control_end_session", "end_session ends the process at once")
            .api([say("Hi.")])
            .init()
            .ask("hello")
            .control("end_session", json!({"reason": "done"})),
        Scenario::new("control_rewind_files", "checkpoints: dry run, rewind to the second and the first prompt, unknown")
            .flags("--permission-mode acceptEdits --replay-user-messages")
            .env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true")
            .file("/home/user/project/a.txt", "v0\n")
            .api([
                call("f0", "Read", json!({"file_path": "/home/user/project/a.txt"})),
                call("f1", "Edit", json!({"file_path": "/home/user/project/a.txt", "old_string": "v0", "new_string": "v1"})),
                call("f2", "Write", json!({"file_path": "/home/user/project/b.txt", "content": "new"})),
                say("Changed."),
                call("f3", "Edit", json!({"file_path": "/home/user/project/a.txt", "old_string": "v1", "new_string": "v2"})),
                say("Changed again."),
            ])
            .init()
            .ask_as(1, "first")
            .ask_as(2, "second")
            .control("rewind_files", json!({"user_message_id": super::super::scenario::uuid(2), "dry_run": true}))
            .control("rewind_files", json!({"user_message_id": super::super::scenario::uuid(2)}))
            .control("rewind_files", json!({"user_message_id": super::super::scenario::uuid(1)}))
            .control("rewind_files", json!({"user_message_id": "nobody", "dry_run": true}))
            .control("rewind_files", json!({"user_message_id": "nobody"}))
            .keep_sessions(),
    ]
}

fn commands() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "slash_commands",
            "/context /usage /cost, a project command, an unknown one, /model /help /exit",
        )
        .file(
            "/home/user/project/.claude/commands/hello.md",
            "Say hello to $ARGUMENTS\n",
        )
        .api([say("Hello, world."), say("I do not know that.")])
        .init()
        .ask_as(1, "/context")
        .ask_as(2, "/usage")
        .ask_as(3, "/cost")
        .ask_as(4, "/hello world")
        .ask_as(5, "/nosuchcommand x")
        .ask_as(6, "/model sonnet")
        .ask_as(7, "/help")
        .ask_as(8, "/exit")
        .keep_sessions(),
        Scenario::new(
            "slash_clear",
            "/clear changes the session id inside one process",
        )
        .api([say("Hi."), say("Who are you?")])
        .init()
        .ask_as(1, "hello")
        .ask_as(2, "/clear")
        .ask_as(3, "after clear")
        .keep_sessions()
        .quick(),
        Scenario::new("slash_goal", "/goal: set, judged twice, reached; shown; set again and cleared")
            .api([
                say("I counted one."),
                say(r#"{"ok": false, "reason": "one is left"}"#),
                say("I counted the other."),
                say(r#"{"ok": true, "reason": "both are counted"}"#),
                say("Again."),
                say(r#"{"ok": true, "reason": "still counted"}"#),
            ])
            .init()
            .ask("/goal both files are counted")
            .ask("/goal")
            .ask("/goal both files stay counted")
            .ask("/goal clear"),
        Scenario::new("slash_goal_deferred", "a goal is not judged while background work runs")
            .flags("--allowedTools Bash")
            .api([
                call("bg", "Bash", json!({"command": "for i in 1 2 3; do sleep 1; done", "description": "wait", "run_in_background": true})),
                say("Waiting."),
                say("It ended."),
                say(r#"{"ok": true, "reason": "it ended"}"#),
            ])
            .init()
            .ask("/goal the shell has ended")
            .until("result"),
        Scenario::new(
            "slash_more",
            "/status /config /permissions /hooks /mcp /memory /agents /todos /release-notes",
        )
        .init()
        .ask("/status")
        .ask("/config")
        .ask("/permissions")
        .ask("/hooks")
        .ask("/mcp")
        .ask("/agents"),
    ]
}
