//! Who may do what: prompts, rules, modes and wrong answers.

use serde_json::json;

use super::super::scenario::{Answer, Scenario, allow, allow_with, deny, reply};
use super::super::script::{bash, blocks, call, say, tool};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = answers();
    all.extend(several());
    all.extend(without_asking());
    all
}

fn touch(id: &str, name: &str) -> serde_json::Value {
    tool(
        id,
        "Bash",
        json!({"command": format!("touch {name}"), "description": "create it"}),
    )
}

fn answers() -> Vec<Scenario> {
    let rule = json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch second"}], "behavior": "allow", "destination": "session"}]);
    vec![
        Scenario::new("perm_allow", "allow with updatedInput, with a session rule, and without either")
            .asks_host()
            .api([
                bash("a1", "touch original"),
                bash("a2", "touch second"),
                bash("a3", "touch third"),
                say("Done."),
            ])
            .answers("can_use_tool", [
                allow_with(json!({"updatedInput": {"command": "touch changed"}, "updatedPermissions": rule, "decisionClassification": "user_permanent"})),
                allow(),
            ])
            .init()
            .ask("go")
            .keep_sessions()
            .quick(),
        Scenario::new("perm_deny", "deny: the model gets the message and the turn goes on")
            .asks_host()
            .api([bash("d1", "touch forbidden"), say("Understood.")])
            .answers("can_use_tool", [deny("Not on my watch")])
            .init()
            .ask("go")
            .quick(),
        Scenario::new("perm_deny_interrupt", "deny with interrupt, then another turn")
            .asks_host()
            .api([bash("d1", "touch forbidden"), say("Hello again.")])
            .answers("can_use_tool", [reply(json!({"behavior": "deny", "message": "Stop", "interrupt": true}))])
            .init()
            .ask("go")
            .ask("and now?")
            .keep_sessions(),
        Scenario::new("perm_local_rule", "a rule for localSettings and a directory, then used")
            .asks_host()
            .api([bash("l1", "mkdir made"), bash("l2", "mkdir made2"), say("Done.")])
            .answers("can_use_tool", [allow_with(json!({"updatedPermissions": [
                {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "mkdir:*"}], "behavior": "allow", "destination": "localSettings"},
                {"type": "addDirectories", "directories": ["/home/user/other"], "destination": "session"},
            ]}))])
            .init()
            .ask("go")
            .control("list_permission_rules", json!({})),
        Scenario::new("perm_malformed_replies", "wrong answers: bad behavior, no message, error, empty, bad updatedInput")
            .asks_host()
            .api([
                bash("m1", "touch one"),
                bash("m2", "touch two"),
                bash("m3", "touch three"),
                bash("m4", "touch four"),
                bash("m5", "touch five"),
                say("Hm."),
            ])
            .answers("can_use_tool", [
                reply(json!({"behavior": "maybe"})),
                reply(json!({"behavior": "deny"})),
                Answer::Fail("the host crashed"),
                reply(json!({})),
                allow_with(json!({"updatedInput": "not an object"})),
            ])
            .init()
            .ask("go"),
        Scenario::new("perm_never_answered", "no answer; initialize again lists what is open; then an interrupt")
            .asks_host()
            .api([bash("n1", "touch nothing")])
            .answers("can_use_tool", [Answer::Hold])
            .init()
            .say("go")
            .until("control_request/can_use_tool")
            .init()
            .control("interrupt", json!({}))
            .until("result")
            .exits(1),
        Scenario::new("perm_ask_user_question", "AskUserQuestion: answered, without answers, denied")
            .asks_host()
            .api([question("q1"), question("q2"), question("q3"), say("Thanks.")])
            .answers("can_use_tool", [
                allow_with(json!({"updatedInput": {"questions": questions(), "answers": {"Which color?": "Blue", "Which sizes?": "S, L"}}})),
                allow_with(json!({"updatedInput": {"questions": questions()}})),
                deny("No questions, please"),
            ])
            .init()
            .ask("go")
            .keep_sessions()
            .quick(),
    ]
}

fn questions() -> serde_json::Value {
    json!([
        {"question": "Which color?", "header": "Color", "multiSelect": false, "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
        {"question": "Which sizes?", "header": "Sizes", "multiSelect": true, "options": [{"label": "S", "description": "small"}, {"label": "L", "description": "large"}]},
    ])
}

fn question(id: &str) -> super::super::script::Reply {
    call(id, "AskUserQuestion", json!({"questions": questions()}))
}

fn several() -> Vec<Scenario> {
    let read = |id: &str| {
        tool(
            id,
            "Read",
            json!({"file_path": format!("/home/user/outside/{id}.txt")}),
        )
    };
    let agent = |id: &str, prompt: &str| {
        tool(
            id,
            "Agent",
            json!({"description": "make a file", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": false}),
        )
    };
    vec![
        Scenario::new("perm_parallel_reads", "three open prompts, answered in reverse order")
            .asks_host()
            .file("/home/user/outside/p1.txt", "1")
            .file("/home/user/outside/p2.txt", "2")
            .file("/home/user/outside/p3.txt", "3")
            .api([blocks([read("p1"), read("p2"), read("p3")]), say("Read.")])
            .answers("can_use_tool", [Answer::Hold, Answer::Hold, Answer::Hold])
            .init()
            .say("go")
            .until("control_request/can_use_tool")
            .until("control_request/can_use_tool")
            .until("control_request/can_use_tool")
            .release(2, allow())
            .release(1, deny("not this one"))
            .release(0, allow())
            .until("result"),
        Scenario::new("perm_parallel_writes", "three writes in one message are asked one after the other")
            .asks_host()
            .api([blocks([touch("w1", "x1"), touch("w2", "x2"), touch("w3", "x3")]), say("Written.")])
            .init()
            .ask("go"),
        Scenario::new("perm_parallel_subagents", "two foreground subagents, each with an open prompt")
            .asks_host()
            .api([
                blocks([agent("g1", "ALPHA make a file"), agent("g2", "BETA make a file")]),
                blocks([touch("ga", "alpha")]).when("ALPHA"),
                blocks([touch("gb", "beta")]).when("BETA"),
                say("Alpha is made.").when("ALPHA"),
                say("Beta is made.").when("BETA"),
                say("Both are made."),
            ])
            .answers("can_use_tool", [Answer::Hold, Answer::Hold])
            .init()
            .say("go")
            .until("control_request/can_use_tool")
            .until("control_request/can_use_tool")
            .release(1, allow())
            .release(0, allow())
            .until("result"),
        Scenario::new("perm_request_hook_wins", "a PermissionRequest hook decides; the prompt is withdrawn")
            .asks_host()
            .api([bash("h1", "touch yes"), bash("h2", "touch no"), say("Done.")])
            .answers("can_use_tool", [Answer::Hold, Answer::Hold])
            .answers("hook:PermissionRequest", [
                reply(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}})),
                reply(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "hook says no"}}})),
            ])
            .init_hooks(&["PermissionRequest"])
            .ask("go"),
        Scenario::new("perm_request_variants", "prompts for an ask rule, outside read and write, MCP, WebFetch, a pipe, settings")
            .asks_host()
            .flags(r#"--settings {"permissions":{"ask":["Bash(git:*)"]}}"#)
            .arg("--mcp-config")
            .arg(super::LAB)
            .file("/home/user/outside/p1.txt", "1")
            .api([
                bash("v1", "git status"),
                call("v2", "Read", json!({"file_path": "/home/user/outside/p1.txt"})),
                call("v3", "Write", json!({"file_path": "/home/user/outside/new.txt", "content": "x"})),
                call("v4", "mcp__lab__echo", json!({"text": "hi"})),
                call("v5", "ToolSearch", json!({"query": "select:WebFetch", "max_results": 1})),
                call("v6", "WebFetch", json!({"url": "http://127.0.0.1:1/", "prompt": "what"})),
                bash("v7", "curl -s http://127.0.0.1:1/ | sh"),
                call("v8", "Write", json!({"file_path": "/home/user/project/.claude/settings.json", "content": "{}"})),
                bash("v9", "cd /home/user/other && ls $(echo .)"),
                say("All asked."),
            ])
            .answers("can_use_tool", vec![deny("no"); 9])
            .init()
            .ask("go"),
    ]
}

fn without_asking() -> Vec<Scenario> {
    let one = |name, about| {
        Scenario::new(name, about)
            .api([bash("t1", "touch it"), say("Oh well.")])
            .init()
            .ask("go")
    };
    vec![
        one("perm_deny_rule", "a deny rule")
            .flags("--permission-mode default --disallowedTools Bash(touch:*)"),
        one("perm_dontask", "mode dontAsk")
            .flags("--permission-mode dontAsk")
            .quick(),
        one("perm_no_host", "default mode without a host that answers")
            .flags("--permission-mode default"),
        one("perm_prompts_none", "--permission-prompts none")
            .flags("--permission-mode default --permission-prompts none"),
        one("perm_accept_edits", "mode acceptEdits").flags("--permission-mode acceptEdits"),
        one("perm_allow_rule", "an allow rule from settings")
            .flags(r#"--settings {"permissions":{"allow":["Bash(touch:*)"],"deny":["WebFetch"]}}"#),
        one(
            "perm_bypass",
            "mode bypassPermissions, in a declared sandbox",
        )
        .env("IS_SANDBOX", "1")
        .flags("--permission-mode bypassPermissions --allow-dangerously-skip-permissions"),
        one("perm_managed", "a deny rule from managed settings")
            .arg("--managed-settings")
            .arg(r#"{"permissions":{"deny":["Bash(touch:*)"]}}"#),
    ]
}
