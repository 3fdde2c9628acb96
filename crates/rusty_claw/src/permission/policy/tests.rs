use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;

use super::*;

fn ask(tool: &str, input: serde_json::Value) -> PermissionAsk {
    PermissionAsk::new(CanUseTool {
        tool_name: tool.into(),
        input: Json::from_value(&input).into(),
        ..CanUseTool::default()
    })
}

fn bash(command: &str) -> PermissionAsk {
    ask("Bash", serde_json::json!({ "command": command }))
}

fn read(path: &str) -> PermissionAsk {
    ask("Read", serde_json::json!({ "file_path": path }))
}

/// Whether a policy of this one rule allows the call, and whether it denies it.
fn allows_denies(rule: Rule, ask: &PermissionAsk) -> (bool, bool) {
    let policy = || Policy::new().working_in("/w");
    let allows = policy().allow(rule.clone()).verdict(ask) == Verdict::Allow;
    let denies = policy().deny(rule).verdict(ask) != Verdict::Ask;
    (allows, denies)
}

const SURE: (bool, bool) = (true, true);
const UNSURE: (bool, bool) = (false, true);
const OTHER: (bool, bool) = (false, false);

#[test]
fn rules_match_what_they_say() {
    let json = |text: &str| serde_json::from_str(text).expect("JSON");
    let cases = [
        (Rule::any(), read("/x"), SURE),
        (Rule::tool("Read"), read("/x"), SURE),
        (Rule::tool("Read"), bash("ls"), OTHER),
        (Rule::tool("Task"), ask("Agent", json("{}")), SURE),
        (Rule::tool("Agent"), ask("Task", json("{}")), SURE),
        (
            Rule::mcp_server("calc"),
            ask("mcp__calc__add", json("{}")),
            SURE,
        ),
        (
            Rule::mcp_server("calc"),
            ask("mcp__calculator__add", json("{}")),
            OTHER,
        ),
        (
            Rule::tool("mcp__calc"),
            ask("mcp__calc__add", json("{}")),
            SURE,
        ),
        (
            Rule::tool("mcp__calc__*"),
            ask("mcp__calc__add", json("{}")),
            SURE,
        ),
        (
            Rule::tool("mcp__calc__add"),
            ask("mcp__calc__add", json("{}")),
            SURE,
        ),
        (
            Rule::tool("mcp__calc__sub"),
            ask("mcp__calc__add", json("{}")),
            OTHER,
        ),
        (Rule::read_only(), read("/x"), SURE),
        (
            Rule::read_only(),
            ask("Read", json(r#"{"file":1}"#)),
            UNSURE,
        ),
        (
            Rule::read_only(),
            ask("Write", json(r#"{"file_path":"/x","content":""}"#)),
            OTHER,
        ),
        (
            Rule::read_only(),
            ask("WebFetch", json(r#"{"url":"http://x","prompt":""}"#)),
            OTHER,
        ),
        (Rule::read_only(), bash("ls"), OTHER),
        (Rule::when(|ask| ask.tool_name() == "Bash"), bash("x"), SURE),
        (
            Rule::when(|ask| ask.tool_name() == "Bash"),
            read("/x"),
            OTHER,
        ),
        (Rule::path("/w/src/**"), read("/w/src/a.rs"), SURE),
        (Rule::path("src/**"), read("/w/src/a.rs"), SURE),
        (Rule::path("src/**"), read("src/a.rs"), SURE),
        (Rule::path("src/**"), read("/w/src/../secret"), OTHER),
        (Rule::path("src/**"), read("~/src/a.rs"), UNSURE),
        (Rule::path("/w/[ab]/**"), read("/w/a/x"), UNSURE),
        (Rule::path("src/**"), bash("cat src/a.rs"), OTHER),
        (Rule::path("src/**"), ask("Read", json("{}")), UNSURE),
        (Rule::tool("Edit").at("src/**"), read("/w/src/a.rs"), OTHER),
        (
            Rule::tools(["Edit", "Write"]).at("src/**").at("docs/**"),
            ask("Write", json(r#"{"file_path":"/w/docs/a","content":""}"#)),
            SURE,
        ),
        (
            Rule::path("src/**"),
            ask(
                "NotebookEdit",
                json(r#"{"notebook_path":"/w/src/a","new_source":""}"#),
            ),
            SURE,
        ),
        (
            Rule::path("src/**"),
            ask("Grep", json(r#"{"pattern":"x","path":"/w/src"}"#)),
            SURE,
        ),
        (
            Rule::path("src/*.rs"),
            ask("Grep", json(r#"{"pattern":"x","path":"/w/src"}"#)),
            UNSURE,
        ),
        (
            Rule::path("**/.env"),
            ask("Grep", json(r#"{"pattern":"x"}"#)),
            UNSURE,
        ),
        (Rule::path("**/.env"), read("/w/a/.env"), SURE),
        (
            Rule::path("/etc/**"),
            ask("Grep", json(r#"{"pattern":"x"}"#)),
            OTHER,
        ),
        (
            Rule::path("src/**"),
            ask("Glob", json(r#"{"pattern":"../*","path":"src"}"#)),
            UNSURE,
        ),
        (
            Rule::path("src/**"),
            ask("Glob", json(r#"{"pattern":"*.rs","path":"src"}"#)),
            SURE,
        ),
        (Rule::command("git log"), bash("git log -1"), SURE),
        (Rule::command("git log"), bash("git log | sh"), UNSURE),
        (Rule::command("git log"), read("/x"), OTHER),
        (
            Rule::command("ls").or_command("pwd"),
            bash("ls && pwd"),
            SURE,
        ),
        (Rule::command_exactly("make"), bash("make"), SURE),
        (Rule::command_exactly("make"), bash("make install"), UNSURE),
        (Rule::command("ls"), ask("Bash", json("{}")), UNSURE),
        (
            Rule::command("ls"),
            ask(
                "Bash",
                json(r#"{"command":"ls","dangerouslyDisableSandbox":true}"#),
            ),
            UNSURE,
        ),
        (
            Rule::command("ls"),
            ask("PowerShell", json(r#"{"command":"ls"}"#)),
            UNSURE,
        ),
        (
            Rule::command("ls"),
            ask(
                "Monitor",
                json(r#"{"description":"","timeout_ms":1,"command":"ls"}"#),
            ),
            SURE,
        ),
    ];
    for (rule, ask, expected) in cases {
        let shown = format!("{rule:?} on {} {}", ask.tool_name(), ask.input());
        assert_eq!(allows_denies(rule, &ask), expected, "{shown}");
    }
}

#[test]
fn without_a_folder_relative_things_are_not_allowed() {
    let policy = |rule: Rule| Policy::new().allow(rule);
    assert_eq!(
        policy(Rule::path("src/**")).verdict(&read("/w/src/a")),
        Verdict::Ask
    );
    assert_eq!(
        policy(Rule::path("/w/**")).verdict(&read("src/a")),
        Verdict::Ask
    );
    assert_eq!(
        policy(Rule::path("/w/**")).verdict(&read("/w/a")),
        Verdict::Allow
    );
}

#[test]
fn the_first_rule_that_matches_decides() {
    let policy = Policy::new()
        .deny_because(Rule::command("rm"), "no rm")
        .ask(Rule::command("git push"))
        .allow(Rule::tool("Bash"))
        .deny(Rule::any());
    assert_eq!(policy.verdict(&bash("rm x")), Verdict::Deny("no rm".into()));
    assert_eq!(policy.verdict(&bash("git push")), Verdict::Ask);
    assert_eq!(policy.verdict(&bash("anything $(else)")), Verdict::Allow);
    assert!(matches!(policy.verdict(&read("/x")), Verdict::Deny(_)));
}

#[test]
fn no_rule_answers_a_question_to_a_person() {
    let policy = Policy::new().allow(Rule::any()).allow(Rule::tools([
        "AskUserQuestion",
        "ExitPlanMode",
        "New",
    ]));
    for tool in ["AskUserQuestion", "ExitPlanMode"] {
        assert_eq!(
            policy.verdict(&ask(tool, serde_json::json!({}))),
            Verdict::Ask
        );
    }
    let new = PermissionAsk::new(CanUseTool {
        tool_name: "New".into(),
        requires_user_interaction: Some(true),
        ..CanUseTool::default()
    });
    assert_eq!(policy.verdict(&new), Verdict::Ask);
    let denies = Policy::new().deny(Rule::tool("AskUserQuestion"));
    let question = ask("AskUserQuestion", serde_json::json!({}));
    assert!(matches!(denies.verdict(&question), Verdict::Deny(_)));
}

#[tokio::test]
async fn policies_compose() {
    let inner = Policy::new().allow(Rule::tool("Read"));
    let policy = Policy::new()
        .deny(Rule::path("**/.env"))
        .then_handler(inner);
    assert!(!policy.decide(read("/w/.env")).await.is_allow());
    assert!(policy.decide(read("/w/a")).await.is_allow());
    let nobody = policy.decide(bash("ls")).await;
    insta::assert_snapshot!(
        serde_json::to_string(nobody.result()).expect("JSON"),
        @r#"{"behavior":"deny","message":"No rule of this program allows this call of Bash, and there is nobody to ask"}"#
    );
}
