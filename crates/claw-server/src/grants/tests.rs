use super::*;

fn request(target_type: TargetType, target: &str, level: PermissionLevel) -> PermissionRequest {
    PermissionRequest {
        target_type,
        target: target.to_owned(),
        level,
        description: String::new(),
        reason: None,
        recursive: false,
    }
}

fn covers(grant: &Grant, request: &PermissionRequest, session: u128, now_ms: i64) -> bool {
    let path_context = PathContext::new("/srv/app");
    grant.covers(&PolicyRequest::new(
        request,
        SessionId::from(session),
        &path_context,
        now_ms,
    ))
}

#[test]
fn a_grant_has_a_level_a_scope_and_an_end() {
    let read = request(TargetType::Tool, "mcp__db__query", PermissionLevel::Read);
    let write = request(TargetType::Tool, "mcp__db__query", PermissionLevel::Write);
    let odd = request(
        TargetType::Tool,
        "mcp__db__query",
        PermissionLevel::from("Sudo"),
    );
    let mut grant = Grant::for_session(&write, SessionId::from(1));
    assert!(covers(&grant, &read, 1, 0) && covers(&grant, &write, 1, 0));
    assert!(!covers(&grant, &odd, 1, 0) && !covers(&grant, &read, 2, 0));
    assert!(!covers(
        &Grant::for_session(&odd, SessionId::from(1)),
        &odd,
        1,
        0
    ));
    assert!(!covers(
        &Grant::for_session(&read, SessionId::from(1)),
        &write,
        1,
        0
    ));
    grant.scope = GrantScope::Tenant;
    grant.expires_at_ms = Some(10);
    assert!(covers(&grant, &read, 2, 9) && !covers(&grant, &read, 2, 10));
    let other = request(TargetType::Tool, "mcp__db", PermissionLevel::Read);
    assert!(!covers(&grant, &other, 2, 0));
}

#[test]
fn what_means_something_else_elsewhere_is_not_covered_there() {
    let mut here = request(TargetType::Path, ".", PermissionLevel::Read);
    here.recursive = true;
    let mut grant = Grant::for_session(&here, SessionId::from(1));
    grant.scope = GrantScope::Tenant;
    let file = |path: &str| request(TargetType::Path, path, PermissionLevel::Read);
    assert!(!covers(&grant, &file("/srv/app/a"), 2, 0));
    grant.folder = Some("/srv/app".into());
    assert!(covers(&grant, &file("/srv/app/a"), 2, 0));
    let etc = PathContext::new("/etc");
    let shadow = file("/etc/shadow");
    assert!(!grant.covers(&PolicyRequest::new(&shadow, SessionId::from(2), &etc, 0)));
}

#[test]
fn a_command_that_somebody_saw_is_no_rule() {
    let run = |command: &str| request(TargetType::Command, command, PermissionLevel::Execute);
    for seen in ["rm *", "git log:*", "rm -r $x; true"] {
        let grant = Grant::for_session(&run(seen), SessionId::from(1));
        assert!(covers(&grant, &run(seen), 1, 0), "{seen}");
        for other in ["rm", "rm -r /", "git log", "git log -p", "rm *  ", ""] {
            assert!(!covers(&grant, &run(other), 1, 0), "{seen} covers {other}");
        }
    }
    let rule = Grant::for_session(&run("git log:*"), SessionId::from(1)).as_rule();
    assert!(covers(&rule, &run("git log -p"), 1, 0));
    assert!(!covers(
        &Grant::for_session(&run(""), SessionId::from(1)),
        &run(""),
        1,
        0
    ));
}

#[test]
fn targets_are_matched_as_what_they_are() {
    use PermissionLevel::Execute;
    #[rustfmt::skip] // A table.
    let table = [
        (TargetType::Domain, "example.com", "example.com", true),
        (TargetType::Domain, "example.com", "EXAMPLE.com", true),
        (TargetType::Domain, "example.com", "api.example.com", false),
        (TargetType::Domain, "*.example.com", "api.example.com", true),
        (TargetType::Domain, "*.example.com", "example.com", false),
        (TargetType::Domain, "*.example.com", "evilexample.com", false),
        (TargetType::Domain, "*.example.com", ".example.com", false),
        (TargetType::Domain, "example.com", "example.com@evil.example", false),
        (TargetType::Domain, "*.", "a.", false),
        (TargetType::Domain, "*.example.com", "evil.example/.example.com", false),
        (TargetType::Command, "git log:*", "git log -3", true),
        (TargetType::Command, "git log:*", "git log -3; rm x", false),
        (TargetType::Command, "git status", "git status --short", false),
        (TargetType::Tool, "WebSearch", "WebSearch", true),
        (TargetType::Tool, "", "", false),
        (TargetType::Unknown("Moon".to_owned()), "x", "x", false),
    ];
    for (kind, granted, wanted, expected) in table {
        let grant =
            Grant::for_session(&request(kind.clone(), granted, Execute), SessionId::from(1))
                .as_rule();
        let request = request(kind, wanted, Execute);
        assert_eq!(
            covers(&grant, &request, 1, 0),
            expected,
            "{granted} for {wanted}"
        );
    }
}

#[test]
fn a_grant_is_for_one_kind_of_target() {
    let tool = request(TargetType::Tool, "make", PermissionLevel::Execute);
    let command = request(TargetType::Command, "make", PermissionLevel::Execute);
    assert!(!covers(
        &Grant::for_session(&tool, SessionId::from(1)),
        &command,
        1,
        0
    ));
    assert!(!covers(
        &Grant::for_session(&command, SessionId::from(1)),
        &tool,
        1,
        0
    ));
}

#[test]
fn a_policy_of_the_sdk_decides_and_asks_what_it_cannot_read() {
    use rusty_claw::permission::{Policy, Rule};

    use crate::event::{InteractionId, InteractionKind};
    let policy = Policy::new()
        .deny(Rule::command("rm"))
        .allow(Rule::command("make"));
    let path_context = PathContext::new("/srv/app");
    let decide = |command: &str| {
        let request = format!(r#"{{"tool_name":"Bash","input":{{"command":"{command}"}}}}"#);
        let request = rusty_claw_protocol::Json::from_text(&request).unwrap();
        let (id, kind) = (InteractionId::new("p"), InteractionKind::Permission);
        let interaction = Interaction::new(id, kind, request);
        let request = PermissionRequest::of_interaction(&interaction);
        policy.decide(
            &PolicyRequest::new(&request, SessionId::from(1), &path_context, 0)
                .interaction(&interaction),
        )
    };
    assert_eq!(decide("make"), PolicyDecision::Allow);
    assert!(matches!(decide("rm x"), PolicyDecision::Deny { .. }));
    assert_eq!(decide("ls"), PolicyDecision::AskUser);
    let request = request(TargetType::Command, "make", PermissionLevel::Execute);
    let unread = PolicyRequest::new(&request, SessionId::from(1), &path_context, 0);
    assert_eq!(policy.decide(&unread), PolicyDecision::AskUser);
}

#[test]
fn a_folder_covers_what_lies_in_it_only_when_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let top = top.to_str().unwrap();
    std::os::unix::fs::symlink("/", format!("{top}/out")).unwrap();
    let path = |path: &str| request(TargetType::Path, path, PermissionLevel::Read);
    let alone = Grant::for_session(&path(top), SessionId::from(1));
    let mut below = alone.clone();
    below.recursive = true;
    assert!(covers(&alone, &path(top), 1, 0));
    assert!(!covers(&alone, &path(&format!("{top}/a")), 1, 0));
    assert!(covers(&below, &path(&format!("{top}/a/b")), 1, 0));
    assert!(covers(&below, &path(top), 1, 0));
    assert!(!covers(&below, &path(&format!("{top}x")), 1, 0));
    assert!(!covers(&below, &path(&format!("{top}/../x")), 1, 0));
    let outside = path(&format!("{top}/out/etc/passwd"));
    assert!(!covers(&below, &outside, 1, 0));
    // Reading a protected path, and writing to one that the grant names, is covered.
    let write = |path: &str| request(TargetType::Path, path, PermissionLevel::Write);
    let mut all = Grant::for_session(&write(top), SessionId::from(1));
    all.recursive = true;
    assert!(covers(&all, &write(&format!("{top}/a")), 1, 0));
    assert!(!covers(&all, &write(&format!("{top}/.git/config")), 1, 0));
    assert!(!covers(&all, &write(&format!("{top}/a/.Claude/x")), 1, 0));
    assert!(covers(&all, &path(&format!("{top}/.git/config")), 1, 0));
    let named = write(&format!("{top}/.git/config"));
    assert!(covers(
        &Grant::for_session(&named, SessionId::from(1)),
        &named,
        1,
        0
    ));
    let mut recursive = path(top);
    recursive.recursive = true;
    assert!(!covers(&alone, &recursive, 1, 0) && covers(&below, &recursive, 1, 0));
}

#[test]
fn grants_are_given_and_taken_back() {
    let request = request(TargetType::Tool, "WebSearch", PermissionLevel::Execute);
    let path_context = PathContext::new("/");
    let asked = PolicyRequest::new(&request, SessionId::from(1), &path_context, 0);
    let mut policy = AskUnlessGranted::new();
    assert_eq!(policy.decide(&asked), PolicyDecision::AskUser);
    policy.grant(Grant::for_session(&request, SessionId::from(1)));
    assert_eq!(policy.decide(&asked), PolicyDecision::Allow);
    assert_eq!(policy.revoke(|grant| grant.target == "WebSearch"), 1);
    assert_eq!(policy.decide(&asked), PolicyDecision::AskUser);
    assert!(matches!(
        DenyAll.decide(&asked),
        PolicyDecision::Deny { .. }
    ));
}
