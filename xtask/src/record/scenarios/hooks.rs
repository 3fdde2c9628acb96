//! Hooks: callbacks of the host and commands from settings.

use serde_json::{Value, json};

use super::super::scenario::{Answer, Scenario, allow_with, reply};
use super::super::script::{bash, blocks, call, error, say, tool};
use super::LAB;

/// Every hook event that can be registered.
const ALL: [&str; 33] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = events();
    all.extend(decisions());
    all.extend(commands());
    all
}

/// The output of one hook event.
fn output(event: &str, mut fields: Value) -> Answer {
    fields["hookEventName"] = event.into();
    reply(json!({"hookSpecificOutput": fields}))
}

fn events() -> Vec<Scenario> {
    let agent = json!({"description": "report", "prompt": "SUBPROMPT report", "subagent_type": "general-purpose", "run_in_background": false});
    vec![
        Scenario::new("hooks_turn", "every event registered: tools, failure, batch, permission, subagent, stop")
            .asks_host()
            .flags("--include-hook-events")
            // What stands in the project's folder is read while the CLI starts, often before the hooks
            // are registered; what stands in a folder below it is read when a file there is.
            .file("/home/user/project/sub/CLAUDE.md", "Be brief.\n")
            .file("/home/user/project/sub/x", "x\n")
            .api([
                blocks([
                    tool("h1", "Bash", json!({"command": "touch f1", "description": "create"})),
                    tool("h2", "Read", json!({"file_path": "/home/user/project/none"})),
                ]),
                call("h3", "Agent", agent),
                say("The report.").when("SUBPROMPT"),
                call("h4", "Read", json!({"file_path": "/home/user/project/sub/x"})),
                say("All done."),
            ])
            .init_hooks(&ALL)
            .say("go")
            .until_text("control_request", "\"InstructionsLoaded\"")
            .until("result")
            .quick(),
        Scenario::new("hooks_compact_clear", "every event registered: model switch, /compact, /clear")
            .api([say("One."), say("ok"), say("<analysis>a</analysis><summary>Fine.</summary>"), say("Two.")])
            .init_hooks(&ALL)
            .ask("one")
            .control("set_model", json!({"model": "claude-sonnet-5"}))
            .ask("/compact")
            .ask("/clear")
            .ask("two"),
        Scenario::new("hooks_elicitation", "every event registered: elicitation, its result, a notification")
            .flags("--allowedTools mcp__lab")
            .arg("--mcp-config")
            .arg(LAB)
            .answers("elicitation", [reply(json!({"action": "accept", "content": {"name": "Ann"}})), reply(json!({"action": "accept"}))])
            .api([call("e1", "mcp__lab__ask_form", json!({})), call("e2", "mcp__lab__ask_url", json!({})), say("Asked.")])
            .init_hooks(&ALL)
            .ask("go"),
        Scenario::new("hooks_stop_failure", "every event registered: the turn fails")
            .api([error(403, "permission_error", "not allowed")])
            .init_hooks(&ALL)
            .ask("go")
            .exits(1),
        Scenario::new("hooks_expansion_config", "every event registered: a project command, settings changed, a folder added")
            .file("/home/user/project/.claude/commands/hello.md", "Say hello to $ARGUMENTS\n")
            .file("/home/user/project/sub/x", "")
            .api([say("Hello, world.")])
            .init_hooks(&ALL)
            .control("register_repo_root", json!({"directory": "sub"}))
            .ask("/hello world")
            .control("update_settings", json!({"source": "userSettings", "settings": {"effortLevel": "high"}})),
        Scenario::new("hooks_worktree_cwd", "every event registered: EnterWorktree, ExitWorktree, a change of folder")
            .flags("--permission-prompt-tool stdio --permission-mode acceptEdits")
            .file("/home/user/project/sub/x", "")
            .file("/home/user/tree/x", "")
            .answers("hook:WorktreeCreate", [output("WorktreeCreate", json!({"worktreePath": "/home/user/tree"}))])
            .api([
                bash("c", "cd sub && pwd"),
                call("ts", "ToolSearch", json!({"query": "select:EnterWorktree,ExitWorktree", "max_results": 5})),
                call("w1", "EnterWorktree", json!({"name": "side"})),
                call("w2", "ExitWorktree", json!({"action": "remove", "discard_changes": true})),
                say("Back."),
            ])
            .init_hooks(&ALL)
            .ask("go"),
        Scenario::new("hooks_files", "every event registered: a watched file, the settings and the folders change")
            .asks_host()
            .file("/home/user/project/.claude/settings.json", "{}")
            .file("/home/user/project/watched.txt", "a\n")
            .answers("hook:SessionStart", [output("SessionStart", json!({"watchPaths": ["/home/user/project/watched.txt"]}))])
            .answers("can_use_tool", [allow_with(json!({"updatedPermissions": [
                {"type": "addDirectories", "directories": ["/home/user/other"], "destination": "session"},
            ]}))])
            .file("/home/user/other/x", "")
            .api([
                bash("f1", "touch made"),
                bash("f2", "echo b > watched.txt; echo '{\"env\":{\"A\":\"1\"}}' > .claude/settings.json; for i in 1 2 3; do sleep 1; done"),
                bash("f3", "cd /home/user/other"),
                say("Changed."),
            ])
            .init_hooks(&ALL)
            .ask("/clear")
            .ask("go"),
        Scenario::new("hooks_denied", "every event registered: a call that nobody may ask about")
            .flags("--permission-prompt-tool stdio --permission-mode plan")
            .api([bash("d", "touch it"), say("Oh well.")])
            .init_hooks(&ALL)
            .ask("go"),
    ]
}

fn decisions() -> Vec<Scenario> {
    let bash_output =
        json!({"stdout": "REPLACED", "stderr": "", "interrupted": false, "isImage": false});
    let failing = |name, about, matcher: Value| {
        Scenario::new(name, about)
            .flags("--permission-mode acceptEdits")
            .answers(
                "hook:cb",
                [
                    Answer::Hold,
                    Answer::Fail("the hook crashed"),
                    reply(json!({"hookSpecificOutput": 7})),
                ],
            )
            .api([
                bash("q1", "ls"),
                bash("q2", "ls"),
                bash("q3", "ls"),
                say("Done."),
            ])
            .init_with(json!({"hooks": {"PreToolUse": [matcher]}}))
            .ask("go")
    };
    vec![
        Scenario::new("hooks_pre_tool_use", "PreToolUse: deny, allow with other input, ask, context")
            .asks_host()
            .answers("hook:PreToolUse", [
                output("PreToolUse", json!({"permissionDecision": "deny", "permissionDecisionReason": "hook says no"})),
                output("PreToolUse", json!({"permissionDecision": "allow", "updatedInput": {"command": "touch renamed"}})),
                output("PreToolUse", json!({"permissionDecision": "ask", "permissionDecisionReason": "hook wants a human"})),
                output("PreToolUse", json!({"additionalContext": "some context"})),
            ])
            .api([bash("p1", "touch denied"), bash("p2", "touch allowed"), bash("p3", "touch asked"), bash("p4", "ls"), say("Done.")])
            .init_hooks(&["PreToolUse"])
            .ask("go")
            .keep_sessions(),
        Scenario::new("hooks_post_tool_use", "PostToolUse: a system message, another output, block, async")
            .flags("--allowedTools Bash")
            .answers("hook:PostToolUse", [
                reply(json!({"systemMessage": "noted", "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "post context"}})),
                output("PostToolUse", json!({"updatedToolOutput": bash_output})),
                reply(json!({"decision": "block", "reason": "look again"})),
                reply(json!({"async": true})),
            ])
            .api([bash("p1", "ls"), bash("p2", "ls"), bash("p3", "ls"), bash("p4", "ls"), say("Done.")])
            .init_hooks(&["PostToolUse"])
            .ask("go"),
        Scenario::new("hooks_prompt_and_stop", "UserPromptSubmit: context and block; Stop: block once, continue false")
            .answers("hook:UserPromptSubmit", [
                output("UserPromptSubmit", json!({"additionalContext": "prompt context"})),
                reply(json!({"decision": "block", "reason": "prompt blocked"})),
            ])
            .answers("hook:Stop", [
                reply(json!({"decision": "block", "reason": "keep going once"})),
                reply(json!({"continue": false, "stopReason": "enough"})),
            ])
            .api([say("Done."), say("Really done.")])
            .init_hooks(&["UserPromptSubmit", "Stop"])
            .ask("go")
            .ask("block me")
            .keep_sessions(),
        failing("hooks_failures", "PreToolUse: no answer in time, an error, a malformed answer", json!({"hookCallbackIds": ["cb"], "timeout": 1})),
        failing("hooks_failures_block", "the same with onFailure block", json!({"hookCallbackIds": ["cb"], "timeout": 1, "onFailure": "block"})),
        Scenario::new("hooks_matcher", "two matchers, only one of which fits")
            .flags("--allowedTools Bash")
            .api([bash("m", "ls"), say("Done.")])
            .init_with(json!({"hooks": {"PreToolUse": [
                {"matcher": "Bash", "hookCallbackIds": ["one", "two"]},
                {"matcher": "Write", "hookCallbackIds": ["three"]},
            ]}}))
            .ask("go"),
    ]
}

fn commands() -> Vec<Scenario> {
    let settings = json!({"hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "echo session context"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo prompt context"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo before; echo warn >&2"}]}],
        "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo blocked >&2; exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "exit 1"}]}],
    }});
    let slow = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "for i in 1 2 3 4 5; do echo step $i; sleep 1; done"}]}],
    }});
    let with_command = |name, about, settings: &Value| {
        Scenario::new(name, about)
            .flags("--include-hook-events --allowedTools Bash")
            .file(
                "/home/user/project/.claude/settings.json",
                settings.to_string(),
            )
            .api([bash("c1", "ls"), say("Done.")])
            .init()
            .ask("go")
    };
    vec![
        with_command(
            "hooks_commands",
            "command hooks from project settings, with hook events",
            &settings,
        )
        .quick(),
        with_command(
            "hooks_command_progress",
            "a slow command hook that prints as it goes",
            &slow,
        ),
        with_command(
            "hooks_command_json",
            "a command hook that answers in JSON, one that times out, one that is not there",
            &json!({"hooks": {"PreToolUse": [{"hooks": [
                {"type": "command", "command": "echo '{\"systemMessage\":\"from a command\",\"suppressOutput\":true}'"},
                {"type": "command", "command": "sleep 20", "timeout": 1},
                {"type": "command", "command": "/home/user/nowhere"},
            ]}]}}),
        ),
        Scenario::new("hooks_setup", "the Setup event of --init")
            .flags("--init --include-hook-events")
            .file(
                "/home/user/project/.claude/settings.json",
                json!({"hooks": {
                    "Setup": [{"hooks": [{"type": "command", "command": "echo set up"}]}],
                }})
                .to_string(),
            )
            .api([say("Hi.")])
            .init()
            .ask("hello"),
    ]
}
