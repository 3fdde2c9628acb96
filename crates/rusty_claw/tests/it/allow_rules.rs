//! Requests that are close to a rule but must not be allowed.

use rusty_claw::Json;
use rusty_claw::control::messages::CanUseTool;
use rusty_claw::permission::rules::{AllowRules, PathContext};
use rusty_claw::permission::{AskKind, PermissionAsk, PermissionUpdate, Policy, Rule, Verdict};
use serde_json::{Value, json};

fn ask(request: &Value) -> PermissionAsk {
    let request = Json::from_value(request).view::<CanUseTool>();
    PermissionAsk::new(request.expect("an object"))
}

fn call(tool: &str, input: Value) -> PermissionAsk {
    ask(&json!({"tool_name": tool, "tool_use_id": "t", "input": input}))
}

fn allows(rule: Rule, ask: &PermissionAsk) -> bool {
    let policy = Policy::new().working_in("/no-such/w").allow(rule);
    policy.verdict(ask) == Verdict::Allow
}

#[test]
fn a_rule_is_for_its_tool_and_its_command() {
    let rules = AllowRules::read(["Read(src/**)", "Bash(make)"]);
    let around = PathContext::new("/no-such/w");
    let covered = |tool: &str, path: &str| rules.path(tool, path, &around).is_covered();
    assert!(covered("Read", "src/a"));
    assert!(!covered("Edit", "src/a") && !covered("Read", "other/a"));
    for unreadable in ["", "$HOME/src/a", "../../../../x"] {
        assert!(!covered("Read", unreadable), "{unreadable:?}");
    }
    assert!(rules.command("make").is_covered());
    assert!(!rules.command("rm -r x").is_covered());
}

#[test]
fn a_folder_in_a_rule_is_no_file() {
    let rules = AllowRules::read(["Read(src/)"]);
    assert_eq!(rules.unread(), ["Read(src/)"]);
}

#[cfg(unix)]
#[test]
fn a_path_and_where_it_leads_must_both_be_covered() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("it is there");
    std::fs::create_dir(top.join("src")).expect("writable");
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, top.join(name));
    link("src/file", "into").expect("writable");
    link("loop", "loop").expect("writable");
    link("/etc", "src/out").expect("writable");
    let around = PathContext::new(&top);
    let covered = |rule: &str, path: &str| {
        let rules = AllowRules::read([rule]);
        rules.path("Read", path, &around).is_covered()
    };
    assert!(covered("Read(src/**)", "src/file"));
    assert!(covered("Read(**)", "into"));
    assert!(!covered("Read(src/**)", "into"), "it is written elsewhere");
    assert!(!covered("Read(src/**)", "src/out/passwd"), "it leads out");
    assert!(!covered("Read(**)", "loop"), "it leads nowhere");
}

#[test]
fn a_rule_for_a_folder_alone_allows_no_search_in_it() {
    let search = call("Grep", json!({"pattern": "x", "path": "src"}));
    assert!(allows(Rule::tool("Grep").at("src/**"), &search));
    assert!(!allows(Rule::tool("Grep").at("src"), &search));
}

#[test]
fn a_tool_that_only_reads_is_not_allowed_with_an_input_of_another_shape() {
    let output = call("BashOutput", json!({"bash_id": "1"}));
    assert!(allows(Rule::read_only(), &output));
    for tool in ["BashOutput", "Read"] {
        let odd = call(tool, json!({}));
        assert!(!allows(Rule::read_only_anywhere(), &odd), "{tool}");
    }
}

#[test]
fn a_rule_that_cannot_be_read_allows_nothing() {
    let rule = || Rule::command("rm x; ls");
    for command in ["rm 'x;' ls", "rm 'x;' ls y", "rm x", "ls"] {
        let run = call("Bash", json!({"command": command}));
        assert!(!allows(rule(), &run), "{command}");
    }
}

#[test]
fn a_lasting_yes_adds_rules_and_changes_no_mode() {
    let suggested = ask(
        &json!({"tool_name": "Edit", "tool_use_id": "t", "input": {"file_path": "/no-such/a"},
        "permission_suggestions": [
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
            {"type": "addRules", "rules": [{"toolName": "Edit"}], "behavior": "allow",
                "destination": "session"}]}),
    );
    assert_eq!(suggested.suggestions().len(), 2);
    let rules: Vec<PermissionUpdate> = suggested.suggested_rules().collect();
    assert!(
        matches!(rules.as_slice(), [PermissionUpdate::AddRules(_)]),
        "{rules:?}"
    );
}

#[test]
fn declined_questions_and_rejected_plans_are_denied() {
    let question = json!({"questions": [{"question": "Which?", "header": "h",
        "multiSelect": false, "options": [{"label": "A", "description": ""}]}]});
    let AskKind::Question(question) = call("AskUserQuestion", question).kind() else {
        panic!("a question")
    };
    assert!(!question.decline("Not now").is_allow());
    let AskKind::Plan(plan) = call("ExitPlanMode", json!({"plan": "x"})).kind() else {
        panic!("a plan")
    };
    assert!(!plan.reject("Smaller").is_allow());
}
