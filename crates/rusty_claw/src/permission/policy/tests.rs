use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use rusty_claw_protocol::hook::McpServerProvenance;
use rusty_claw_protocol::permission::{
    PermissionBehavior, PermissionRuleValue, PermissionUpdate, PermissionUpdateDestination,
};

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
        (Rule::read_only(), read("/w/x"), SURE),
        (Rule::read_only(), read("x"), SURE),
        (Rule::read_only(), read("/x"), UNSURE),
        (Rule::read_only(), read("/w/../x"), UNSURE),
        (Rule::read_only(), read("~/x"), UNSURE),
        (Rule::read_only().at("/v/**"), read("/v/x"), SURE),
        (Rule::read_only().at("/v/**"), read("/w/x"), OTHER),
        (Rule::read_only(), ask("TaskList", json("{}")), SURE),
        (
            Rule::read_only(),
            ask("Grep", json(r#"{"pattern":"x"}"#)),
            SURE,
        ),
        (
            Rule::read_only(),
            ask("Grep", json(r#"{"pattern":"x","path":"/"}"#)),
            UNSURE,
        ),
        (Rule::read_only_anywhere(), read("/x"), SURE),
        (Rule::read_only_anywhere(), bash("ls"), OTHER),
        (
            Rule::read_only(),
            ask("read", json(r#"{"file_path":"/w/x"}"#)),
            UNSURE,
        ),
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
        // One file to a rule that allows; more, perhaps, to one that denies.
        (Rule::path("/w/[ab]/x"), read("/w/[ab]/x"), SURE),
        (Rule::path("/w/[ab]/x"), read("/w/a/x"), UNSURE),
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
fn other_tools_that_take_paths_are_denied_and_never_allowed() {
    let cases = [
        ("Artifact", r#"{"file_path":"/w/s/a"}"#, UNSURE),
        ("Artifact", r#"{"file_paths":["/w/x","/w/s/a"]}"#, UNSURE),
        ("Artifact", r#"{"out_dir":"/w"}"#, UNSURE),
        ("Artifact", r#"{"file_path":"/w/x"}"#, OTHER),
        (
            "Projects",
            r#"{"method":"project_write","local_path":"/w/s/a"}"#,
            UNSURE,
        ),
        (
            "Projects",
            r#"{"method":"project_write","path":"/w/s/a"}"#,
            OTHER,
        ),
        ("EnterWorktree", r#"{"path":"/w/s"}"#, UNSURE),
        ("EnterWorktree", r#"{"name":"x"}"#, OTHER),
        ("Workflow", r#"{"scriptPath":"/w/s/a"}"#, UNSURE),
        ("mcp__disk__get", r#"{"path":"/w/s/a"}"#, UNSURE),
        ("mcp__disk__get", r#"{"in":[{"fileName":"a"}]}"#, UNSURE),
        ("mcp__disk__get", r#"{"directories":["a"]}"#, UNSURE),
        ("mcp__disk__get", r#"{"query":"/w/s/a","file":1}"#, OTHER),
        ("New", r#"{"target_path":"/w/s/a"}"#, UNSURE),
        ("New", r#"{"name":"a"}"#, OTHER),
        ("read", r#"{"file":"x"}"#, UNSURE),
    ];
    for (tool, input, expected) in cases {
        let ask = ask(tool, serde_json::from_str(input).expect("JSON"));
        let rule = Rule::path("s/**");
        assert_eq!(allows_denies(rule, &ask), expected, "{tool} {input}");
    }
}

#[test]
fn paths_and_commands_of_one_rule_add_up() {
    let edit = |path: &str| {
        let input = serde_json::json!({"file_path": path, "old_string": "a", "new_string": "b"});
        ask("Edit", input)
    };
    let both = || Rule::path("src/**").or_command("ls");
    let turned = || Rule::command("ls").at("src/**");
    let edits = || Rule::tool("Edit").at("src/**").or_command("ls");
    let shell = || Rule::tool("Bash").or_command("ls");
    let writes = || Rule::tool("Write").or_command("ls");
    let cases = [
        (both(), read("/w/src/a"), SURE),
        (both(), bash("ls -l"), SURE),
        (both(), read("/w/x"), OTHER),
        (both(), bash("pwd"), OTHER),
        (turned(), read("/w/src/a"), SURE),
        (turned(), bash("ls"), SURE),
        (turned(), bash("pwd"), OTHER),
        (edits(), edit("/w/src/a"), SURE),
        (edits(), bash("ls"), SURE),
        (edits(), read("/w/src/a"), OTHER),
        (edits(), edit("/w/x"), OTHER),
        (shell(), bash("ls"), SURE),
        (shell(), bash("pwd"), UNSURE),
        (
            writes(),
            ask(
                "Write",
                serde_json::json!({"file_path": "/x", "content": ""}),
            ),
            SURE,
        ),
        (writes(), bash("ls"), SURE),
        (writes(), bash("pwd"), OTHER),
    ];
    for (rule, ask, expected) in cases {
        let shown = format!("{rule:?} on {} {}", ask.tool_name(), ask.input());
        assert_eq!(allows_denies(rule, &ask), expected, "{shown}");
    }
}

#[test]
fn another_case_is_denied_and_not_allowed() {
    let cases = [
        (Rule::tool("Read"), ask("read", serde_json::json!({}))),
        (Rule::tool("bash"), bash("ls")),
        (Rule::tool("agent"), ask("Task", serde_json::json!({}))),
        (Rule::path("**/.env"), read("/w/.ENV")),
        (Rule::path("Src/**"), read("/w/src/a")),
        (
            Rule::path("src/**"),
            ask(
                "Grep",
                serde_json::json!({"pattern": "x", "path": "/W/SRC/deep"}),
            ),
        ),
        (Rule::command("rm"), bash("RM x")),
        (
            Rule::mcp_server("Calc"),
            ask("mcp__calc__add", serde_json::json!({})),
        ),
        (
            Rule::tool("mcp__calc__ADD"),
            ask("mcp__calc__add", serde_json::json!({})),
        ),
    ];
    for (rule, ask) in cases {
        let shown = format!("{rule:?} on {} {}", ask.tool_name(), ask.input());
        assert_eq!(allows_denies(rule, &ask), UNSURE, "{shown}");
    }
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
    // It speaks against a shell command too, and never for one.
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
    let text = |path: &str| home.join(path).display().to_string();

    let cases = [
        ("src/**", "project/src/deep/a", true),
        ("src/**", "project/src/new/a", true),
        ("src/**", "project/src/inside/a", true),
        ("src/**", "project/src/out/a", false),
        ("src/**", "project/src/dangling", false),
        ("gone/**", "project/gone/a", false),
    ];
    for (pattern, path, allowed) in cases {
        for pattern in [pattern.to_owned(), format!("{}/{pattern}", text("project"))] {
            let policy = Policy::new().working_in(text("project"));
            let allow = policy.clone().allow(Rule::path(&pattern));
            let verdict = allow.verdict(&read(&text(path)));
            assert_eq!(verdict == Verdict::Allow, allowed, "{pattern} {path}");
        }
    }
    let policy = Policy::new().working_in(text("project"));
    let reads = policy.clone().allow(Rule::read_only());
    assert_eq!(reads.verdict(&read(&text("project/a"))), Verdict::Allow);
    assert_eq!(
        reads.verdict(&read(&text("project/src/out/a"))),
        Verdict::Ask
    );
    // What a link leads to is denied by its own name.
    let denies = policy.deny(Rule::path(&text("secret/**")));
    assert!(matches!(
        denies.verdict(&read(&text("project/src/out/a"))),
        Verdict::Deny(_)
    ));
    assert_eq!(
        denies.verdict(&read(&text("project/src/deep/a"))),
        Verdict::Ask
    );
}

#[test]
fn no_rule_allows_what_the_cli_advises_against() {
    let policy = Policy::new().allow(Rule::any()).allow(Rule::tool("Read"));
    let request = read("/w/a").request().clone();
    assert_eq!(
        policy.verdict(&PermissionAsk::new(request.clone())),
        Verdict::Allow
    );
    let mut dangerous = request.clone();
    dangerous.decision_reason_type = Some(DecisionReasonType::SafetyCheck);
    let dangerous = PermissionAsk::new(dangerous);
    assert_eq!(policy.verdict(&dangerous), Verdict::Ask);
    let mut no_first = request;
    no_first.default_to_no = Some(true);
    let no_first = PermissionAsk::new(no_first);
    assert_eq!(policy.verdict(&no_first), Verdict::Ask);
    let denies = Policy::new().deny(Rule::tool("Read"));
    assert!(matches!(denies.verdict(&no_first), Verdict::Deny(_)));
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
    assert_eq!(
        policy(Rule::read_only()).verdict(&read("/w/a")),
        Verdict::Ask
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
    let mut new = CanUseTool::new("New", Json::default(), "");
    new.requires_user_interaction = Some(true);
    assert_eq!(policy.verdict(&PermissionAsk::new(new)), Verdict::Ask);
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
        let verdict = policy.verdict(&bash(&command));
        assert!(matches!(verdict, Verdict::Deny(_)), "{verdict:?}");
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
