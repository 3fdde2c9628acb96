//! Leave that is given without a question: by policies, and by people for later.

use claw_server::grants::DenyAll;
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{Controller, SessionSetup, UiMessage};
use rusty_claw::permission::{Policy, Rule};
use serde_json::json;

use super::front_end::{go, open};
use super::interactions::busy;

#[tokio::test]
async fn leave_for_a_folder_is_none_for_another_folder() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "ada").await;
    let id = peer.ask("toolu_1", "Grep", json!({"pattern": "x"})).await;
    front.first("PermissionRequired").await;
    let always = PermissionResponse::allow().remember(Remember::Tenant);
    let registry = controller.permissions();
    registry.respond(session, "toolu_1", always).await.unwrap();
    assert_eq!(peer.answered(&id).await["behavior"], "allow");
    let elsewhere = |setup: SessionSetup| setup.tenant("ada").folder("/etc");
    let (other, mut front, mut peer) = open(&controller, elsewhere).await;
    go(&controller, other, &mut peer).await;
    peer.ask("toolu_1", "Read", json!({"file_path": "/etc/shadow"}))
        .await;
    front.first("PermissionRequired").await;
}

#[tokio::test]
async fn tenants_have_policies_and_grants_of_their_own() {
    let controller = Controller::builder()
        .tenant_policy("batch", DenyAll)
        .build();
    let (_, _front, mut peer) = busy(&controller, "batch").await;
    let id = peer.bash("toolu_1", "make").await;
    assert_eq!(peer.answered(&id).await["behavior"], "deny");
    let question = json!({"questions": [{"question": "Which?", "header": "h",
        "multiSelect": false, "options": [{"label": "A", "description": ""}]}]});
    let id = peer.ask("toolu_2", "AskUserQuestion", question).await;
    assert_eq!(peer.answered(&id).await["behavior"], "deny");

    let (session, mut front, mut peer) = busy(&controller, "ada").await;
    let make = || json!({"command": "make test"});
    let id = peer.ask("toolu_1", "Bash", make()).await;
    front.first("PermissionRequired").await;
    let always = PermissionResponse::allow().remember(Remember::Tenant);
    let registry = controller.permissions();
    registry.respond(session, "toolu_1", always).await.unwrap();
    assert_eq!(peer.answered(&id).await["behavior"], "allow");
    // The same again needs no question, also in another session of the tenant; more does.
    let (other, mut other_front, mut other_peer) = busy(&controller, "ada").await;
    let id = other_peer.ask("toolu_1", "Bash", make()).await;
    assert_eq!(other_peer.answered(&id).await["behavior"], "allow");
    let told = other_front.first("InteractionResolved").await;
    let UiMessage::InteractionResolved { by, .. } = told else {
        panic!("{told:?}");
    };
    assert_eq!(by.as_deref(), Some("policy: grant of make test"));
    let more = json!({"command": "make test && rm -r x"});
    other_peer.ask("toolu_2", "Bash", more).await;
    other_front.first("PermissionRequired").await;
    assert_eq!(registry.pending(other).await.len(), 1);
    let grants = registry.grants("ada").await;
    assert_eq!(grants.len(), 1);
    assert!(registry.revoke("ada", &grants[0]).await.unwrap());
    peer.ask("toolu_3", "Bash", make()).await;
    front.first("PermissionRequired").await;
}

/// A yes that is remembered is for what the person saw.
#[tokio::test]
async fn leave_for_one_place_is_none_for_another() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let glob = |pattern: &str| json!({"pattern": pattern});
    let file = |path: &str| json!({"file_path": path});
    let cases = [
        (
            "Glob",
            glob("*.rs"),
            vec![glob("/home/user/.ssh/**"), glob("../../**/*.key")],
        ),
        ("Glob", glob("/srv/**"), vec![glob("/home/user/.ssh/**")]),
        (
            "mcp__disk__write",
            file("/srv/a"),
            vec![file("/home/user/.bashrc")],
        ),
        (
            "EnterWorktree",
            json!({"path": "/srv/a"}),
            vec![json!({"path": "/home/user"})],
        ),
    ];
    let mut asked = 0;
    for (tool, seen, others) in cases {
        asked += 1;
        let call = format!("toolu_{asked}");
        let id = peer.ask(&call, tool, seen).await;
        front.first("PermissionRequired").await;
        let always = PermissionResponse::allow().remember(Remember::Session);
        let registry = controller.permissions();
        registry.respond(session, &call, always).await.unwrap();
        assert_eq!(peer.answered(&id).await["behavior"], "allow");
        for other in others {
            asked += 1;
            let call = format!("toolu_{asked}");
            peer.ask(&call, tool, other.clone()).await;
            let is_end = |message: &UiMessage| {
                matches!(message.name(), "PermissionRequired" | "InteractionResolved")
            };
            // The end of the one before comes first.
            let told = loop {
                let told = front.until(is_end).await.pop().unwrap();
                match &told {
                    UiMessage::InteractionResolved { interaction_id, .. }
                        if *interaction_id != call => {}
                    _ => break told,
                }
            };
            assert_eq!(
                told.name(),
                "PermissionRequired",
                "{tool} {other} was allowed"
            );
            let no = PermissionResponse::deny("no");
            registry.respond(session, &call, no).await.unwrap();
        }
    }
}

#[tokio::test]
async fn what_the_cli_advises_against_is_asked_whatever_was_granted() {
    let rules = Policy::new()
        .deny_because(Rule::command("git push"), "Not from here")
        .allow(Rule::command("make"));
    let controller = Controller::builder().tenant_policy("ada", rules).build();
    let (session, mut front, mut peer) = busy(&controller, "ada").await;
    let id = peer.bash("toolu_1", "make test").await;
    assert_eq!(peer.answered(&id).await["behavior"], "allow");
    let id = peer.bash("toolu_2", "git push").await;
    assert_eq!(peer.answered(&id).await["message"], "Not from here");
    let registry = controller.permissions();
    // Leave for a command is none to leave the sandbox with it.
    let outside = || json!({"command": "ls", "dangerouslyDisableSandbox": true});
    for (call, input) in [
        ("toolu_3", json!({"command": "ls"})),
        ("toolu_4", outside()),
    ] {
        let id = peer.ask(call, "Bash", input).await;
        front.first("PermissionRequired").await;
        let always = PermissionResponse::allow().remember(Remember::Session);
        registry.respond(session, call, always).await.unwrap();
        assert_eq!(peer.answered(&id).await["behavior"], "allow");
    }
    let id = peer.ask("toolu_5", "Bash", outside()).await;
    assert_eq!(
        peer.answered(&id).await["behavior"],
        "allow",
        "this was granted"
    );
    let line = json!({"type": "control_request", "request_id": "r", "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"},
        "tool_use_id": "toolu_6", "decision_reason_type": "safetyCheck"}});
    peer.write(line).await;
    front
        .until(|message| {
            matches!(message, UiMessage::PermissionRequired { tool_use_id, .. }
        if tool_use_id == "toolu_6")
        })
        .await;
}

#[tokio::test]
async fn rules_for_one_folder_are_judged_in_the_folder_of_the_session_too() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (named, other) = (top.join("named"), top.join("other"));
    std::fs::create_dir_all(named.join("src")).unwrap();
    std::fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink("/etc", other.join("src")).unwrap();
    let rules = Policy::new()
        .working_in(named.to_str().unwrap())
        .allow(Rule::tool("Read").at("src/**"));
    let controller = Controller::builder().tenant_policy("ada", rules).build();
    for (folder, is_allowed) in [(named, true), (other, false)] {
        let place = |setup: SessionSetup| setup.tenant("ada").folder(&folder);
        let (session, mut front, mut peer) = open(&controller, place).await;
        go(&controller, session, &mut peer).await;
        let id = peer
            .ask("toolu_1", "Read", json!({"file_path": "src/passwd"}))
            .await;
        if is_allowed {
            assert_eq!(peer.answered(&id).await["behavior"], "allow");
            continue;
        }
        let asked = |message: &UiMessage| {
            ["PermissionRequired", "InteractionResolved"].contains(&message.name())
        };
        let told = front.until(asked).await;
        assert_eq!(
            told.last().unwrap().name(),
            "PermissionRequired",
            "{told:?}"
        );
    }
}
