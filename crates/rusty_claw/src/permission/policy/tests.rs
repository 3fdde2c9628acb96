use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use rusty_claw_protocol::hook::McpServerProvenance;
use rusty_claw_protocol::permission::{
    PermissionBehavior, PermissionRuleValue, PermissionUpdate, PermissionUpdateDestination,
};

use super::super::test_cases::{self, text};
use super::*;

fn ask(tool: &str, input: serde_json::Value) -> PermissionAsk {
    PermissionAsk::new(CanUseTool::new(tool, Json::from_value(&input), ""))
}

fn bash(command: &str) -> PermissionAsk {
    ask("Bash", serde_json::json!({ "command": command }))
}

fn read(path: &str) -> PermissionAsk {
    ask("Read", serde_json::json!({ "file_path": path }))
}

/// Whether a policy with only this rule allows the call, and whether it denies it.
fn allows_denies(rule: Rule, ask: &PermissionAsk) -> (bool, bool) {
    let policy = || Policy::new().working_in("/w");
    let allows = policy().allow(rule.clone()).verdict(ask) == Verdict::Allow;
    let denies = policy().deny(rule).verdict(ask) != Verdict::Ask;
    (allows, denies)
}

const SURE: (bool, bool) = (true, true);
const UNSURE: (bool, bool) = (false, true);
const OTHER: (bool, bool) = (false, false);

/// Parses a rule of a case: the calls that build it, such as `tool Edit | at src/**`.
fn rule(text: &str) -> Rule {
    let mut calls = text
        .split(" | ")
        .map(|call| call.split_once(' ').unwrap_or((call, "")));
    let (name, value) = calls.next().expect("a call");
    let rule = match name {
        "any" => Rule::any(),
        "tool" => Rule::tool(value),
        "tools" => Rule::tools(value.split(' ')),
        "mcp_server" => Rule::mcp_server(value),
        "read_only" => Rule::read_only(),
        "read_only_anywhere" => Rule::read_only_anywhere(),
        "path" => Rule::path(value),
        "command" => Rule::command(value),
        "command_exactly" => Rule::command_exactly(value),
        other => panic!("{other}"),
    };
    calls.fold(rule, |rule, (name, value)| match name {
        "at" => rule.at(value),
        "or_command" => rule.or_command(value),
        other => panic!("{other}"),
    })
}

fn check_file(name: &str, count: usize) {
    for case in test_cases::read("policy", name, count) {
        let ask = ask(text(&case, "tool"), case["input"].clone());
        let expected = match text(&case, "fit") {
            "sure" => SURE,
            "unsure" => UNSURE,
            "other" => OTHER,
            fit => panic!("{fit}"),
        };
        let rule = rule(text(&case, "rule"));
        assert_eq!(allows_denies(rule, &ask), expected, "{case}");
    }
}

#[test]
fn rules_match_what_they_say() {
    check_file("rules_match_what_they_say", 58);
    let is_bash = || Rule::when(|ask| ask.tool_name() == "Bash");
    assert_eq!(allows_denies(is_bash(), &bash("x")), SURE);
    assert_eq!(allows_denies(is_bash(), &read("/x")), OTHER);
}

#[test]
fn other_tools_that_take_paths_are_denied_and_never_allowed() {
    check_file(
        "other_tools_that_take_paths_are_denied_and_never_allowed",
        16,
    );
}

#[test]
fn paths_and_commands_of_one_rule_add_up() {
    check_file("paths_and_commands_of_one_rule_add_up", 16);
}

#[test]
fn another_case_is_denied_and_not_allowed() {
    check_file("another_case_is_denied_and_not_allowed", 9);
}

#[test]
fn a_server_is_allowed_only_when_it_is_surely_that_one() {
    let tool = |name: &str, server: Option<&str>| {
        let mut request = CanUseTool::new(name, Json::default(), "");
        request.mcp_server = server.map(|name| McpServerProvenance::new(name, ""));
        PermissionAsk::new(request)
    };
    let cases = [
        ("calc", tool("mcp__calc__add", None), SURE),
        ("calc", tool("mcp__calc__add", Some("calc")), SURE),
        ("calc", tool("mcp__calc__add__all", Some("calc")), SURE),
        ("calc", tool("mcp__calc__add__all", None), UNSURE),
        ("calc", tool("mcp__calc___add", None), UNSURE),
        ("calc__add", tool("mcp__calc__add__all", None), UNSURE),
        (
            "calc",
            tool("mcp__calc__add__all", Some("calc__add")),
            UNSURE,
        ),
        ("my calc", tool("mcp__my_calc__add", None), UNSURE),
        ("my calc", tool("mcp__my_calc__add", Some("my calc")), SURE),
        (
            "my calc",
            tool("mcp__my_calc__add", Some("my_calc")),
            UNSURE,
        ),
        ("calc", tool("mcp__calculator__add", None), OTHER),
        ("calc", tool("calc", None), OTHER),
    ];
    for (server, ask, expected) in cases {
        let shown = format!("{server} on {:?}", ask.request());
        let rule = Rule::mcp_server(server);
        assert_eq!(allows_denies(rule, &ask), expected, "{shown}");
        let rule = Rule::tool(format!("mcp__{server}"));
        assert_eq!(allows_denies(rule, &ask), expected, "{shown}");
    }
}

fn denies(policy: &Policy, ask: &PermissionAsk) -> bool {
    matches!(policy.verdict(ask), Verdict::Deny(_))
}

fn blocked(mut request: CanUseTool, path: &str) -> PermissionAsk {
    request.blocked_path = Some(path.to_owned());
    PermissionAsk::new(request)
}

#[test]
fn the_path_that_the_cli_names_must_fit_too() {
    let asks = |path: &str| blocked(read("/w/src/a").request().clone(), path);
    let rule = || Rule::path("src/**");
    assert_eq!(allows_denies(rule(), &asks("/w/src/a")), SURE);
    assert_eq!(allows_denies(rule(), &asks("/etc/passwd")), UNSURE);
    let read_only = Rule::read_only();
    assert_eq!(allows_denies(read_only, &asks("/etc/passwd")), UNSURE);
    let secret = Rule::path("/etc/**");
    assert_eq!(allows_denies(secret, &asks("/etc/passwd")), UNSURE);
    // It counts against a shell command too, and never for one.
    let shell = |path: &str| blocked(bash("touch a").request().clone(), path);
    assert_eq!(allows_denies(rule(), &shell("/w/src/a")), UNSURE);
    assert_eq!(allows_denies(rule(), &shell("/w/x")), OTHER);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_not_allowed() {
    use std::os::unix::fs::symlink;

    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().canonicalize().expect("a path");
    for folder in ["real/src/deep", "secret"] {
        std::fs::create_dir_all(home.join(folder)).expect("a folder");
    }
    symlink(home.join("real"), home.join("project")).expect("a link");
    symlink(home.join("secret"), home.join("real/src/out")).expect("a link");
    symlink(home.join("secret/new"), home.join("real/src/dangling")).expect("a link");
    symlink("deep", home.join("real/src/inside")).expect("a link");
    symlink(home.join("secret"), home.join("real/gone")).expect("a link");
    let path = |path: &str| home.join(path).display().to_string();

    let cases = [
        ("src/**", "project/src/deep/a", true),
        ("src/**", "project/src/new/a", true),
        ("src/**", "project/src/inside/a", true),
        ("src/**", "project/src/out/a", false),
        ("src/**", "project/src/dangling", false),
        ("gone/**", "project/gone/a", false),
    ];
    for (pattern, name, allowed) in cases {
        for pattern in [pattern.to_owned(), format!("{}/{pattern}", path("project"))] {
            let policy = Policy::new().working_in(path("project"));
            let allow = policy.clone().allow(Rule::path(&pattern));
            let verdict = allow.verdict(&read(&path(name)));
            assert_eq!(verdict == Verdict::Allow, allowed, "{pattern} {name}");
        }
    }
    let policy = Policy::new().working_in(path("project"));
    let reads = policy.clone().allow(Rule::read_only());
    assert_eq!(reads.verdict(&read(&path("project/a"))), Verdict::Allow);
    let outside = read(&path("project/src/out/a"));
    assert_eq!(reads.verdict(&outside), Verdict::Ask);
    // A deny for the target of a link applies to the link.
    let secret = policy.deny(Rule::path(&path("secret/**")));
    assert!(denies(&secret, &outside));
    let inside = read(&path("project/src/deep/a"));
    assert_eq!(secret.verdict(&inside), Verdict::Ask);
}

#[test]
fn no_rule_allows_what_the_cli_advises_against() {
    let policy = Policy::new().allow(Rule::any()).allow(Rule::tool("Read"));
    let with = |change: fn(&mut CanUseTool)| {
        let mut request = read("/w/a").request().clone();
        change(&mut request);
        PermissionAsk::new(request)
    };
    assert_eq!(policy.verdict(&with(|_| {})), Verdict::Allow);
    let is_unsafe = |request: &mut CanUseTool| {
        request.decision_reason_type = Some(DecisionReasonType::SafetyCheck);
    };
    assert_eq!(policy.verdict(&with(is_unsafe)), Verdict::Ask);
    let no_first = with(|request| request.default_to_no = Some(true));
    assert_eq!(policy.verdict(&no_first), Verdict::Ask);
    assert!(denies(&Policy::new().deny(Rule::tool("Read")), &no_first));
}

#[test]
fn no_lasting_rule_is_suggested_where_none_may_be_offered() {
    let mut request = bash("ls").request().clone();
    request.permission_suggestions = Some(vec![PermissionUpdate::add_rules(
        vec![PermissionRuleValue::tool("Bash")],
        PermissionBehavior::Allow,
        PermissionUpdateDestination::Session,
    )]);
    let offered = PermissionAsk::new(request.clone());
    assert_eq!(offered.suggested_rules().count(), 1);
    request.suppress_always_allow_rule = Some(true);
    let suppressed = PermissionAsk::new(request);
    assert_eq!(suppressed.suggested_rules().count(), 0);
}

#[test]
fn without_a_folder_relative_things_are_not_allowed() {
    for (rule, path, expected) in [
        (Rule::path("src/**"), "/w/src/a", Verdict::Ask),
        (Rule::path("/w/**"), "src/a", Verdict::Ask),
        (Rule::path("/w/**"), "/w/a", Verdict::Allow),
        (Rule::read_only(), "/w/a", Verdict::Ask),
    ] {
        let shown = format!("{rule:?} {path}");
        let policy = Policy::new().allow(rule);
        assert_eq!(policy.verdict(&read(path)), expected, "{shown}");
    }
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
    assert!(denies(&policy, &read("/x")));
}

#[test]
fn no_rule_answers_a_question_to_a_person() {
    let tools = Rule::tools(["AskUserQuestion", "ExitPlanMode", "New"]);
    let policy = Policy::new().allow(Rule::any()).allow(tools);
    let mut new = CanUseTool::new("New", Json::default(), "");
    new.requires_user_interaction = Some(true);
    let question = ask("AskUserQuestion", serde_json::json!({}));
    let plan = ask("ExitPlanMode", serde_json::json!({}));
    for ask in [&question, &plan, &PermissionAsk::new(new)] {
        assert_eq!(policy.verdict(ask), Verdict::Ask, "{ask:?}");
    }
    let policy = Policy::new().deny(Rule::tool("AskUserQuestion"));
    assert!(denies(&policy, &question));
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
        @r#"{"behavior":"deny","message":"No rule of this program allows this call of Bash, and no handler is set to ask"}"#
    );
}

#[test]
fn a_command_beyond_the_work_budget_is_denied() {
    // Each `eval` parses the words after it as a script, in which the next `eval` does the same.
    let words = " env eval x eval x".repeat(40);
    let nested = format!("{words} ';' {words}");
    let long = "env eval x ".repeat(65_536 / 11);
    let policy = Policy::new()
        .deny(Rule::command("rm"))
        .allow(Rule::tool("Bash"));
    for command in [nested, long, "x ".repeat(65_536)] {
        assert!(denies(&policy, &bash(&command)));
    }
    assert_eq!(policy.verdict(&bash("env eval ls")), Verdict::Allow);
}

#[test]
fn the_own_folder_of_a_session_is_not_protected() {
    let top = "/no-such/app/.claude/worktrees/x";
    let policy = Policy::new()
        .working_in(top)
        .allow(Rule::tool("Write").at("**/*.rs"));
    let write = |path: &str| {
        let input = serde_json::json!({ "file_path": path, "content": "" });
        policy.verdict(&ask("Write", input))
    };
    assert_eq!(write("src/a.rs"), Verdict::Allow);
    assert_eq!(write(&format!("{top}/src/a.rs")), Verdict::Allow);
    assert_eq!(write(".claude/a.rs"), Verdict::Ask);
    assert_eq!(write("/no-such/app/.claude/a.rs"), Verdict::Ask);
    assert_eq!(write("/no-such/app/.claude/worktrees/y/a.rs"), Verdict::Ask);
}
