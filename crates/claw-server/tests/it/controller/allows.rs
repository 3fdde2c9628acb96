//! Every path to an allow without a person.

use claw_server::Controller;
use claw_server::grants::{PermissionPolicy, PolicyDecision, PolicyRequest};
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{PermissionResponse, Remember};
use rusty_claw::dialog::REFUSAL_FALLBACK_PROMPT;
use serde_json::{Value, json};

use super::hindered_log::HinderedLog;
use super::interactions::busy;

/// A policy with the same decision for every request.
struct Always {
    decision: PolicyDecision,
    has_people: bool,
}

impl PermissionPolicy for Always {
    fn decide(&self, _asked: &PolicyRequest<'_>) -> PolicyDecision {
        self.decision.clone()
    }

    fn supports_interaction(&self) -> bool {
        self.has_people
    }
}

fn controller(decision: PolicyDecision, has_people: bool) -> Controller {
    let policy = Always {
        decision,
        has_people,
    };
    Controller::builder().policy(policy).build()
}

fn question() -> Value {
    json!({"questions": [{"question": "Which?", "header": "h", "multiSelect": false,
        "options": [{"label": "A", "description": ""}]}]})
}

#[tokio::test]
async fn a_policy_that_allows_everything_allows_nothing_that_is_for_a_person() {
    let controller = controller(PolicyDecision::Allow, true);
    let (_, mut front, mut peer) = busy(&controller, "").await;
    let id = peer.bash("toolu_0", "ls").await;
    assert_eq!(peer.answered(&id).await["behavior"], "allow");
    let command = json!({"command": "ls"});
    for (number, (tool, input, flag)) in [
        ("AskUserQuestion", question(), json!({})),
        ("ExitPlanMode", json!({"plan": "x"}), json!({})),
        (
            "Bash",
            command.clone(),
            json!({"requires_user_interaction": true}),
        ),
        ("Bash", command.clone(), json!({"default_to_no": true})),
        (
            "Bash",
            command,
            json!({"decision_reason_type": "safetyCheck"}),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let call = format!("toolu_{}", number + 1);
        let mut request = json!({"subtype": "can_use_tool", "tool_name": tool, "input": input,
            "tool_use_id": call});
        request
            .as_object_mut()
            .unwrap()
            .extend(flag.as_object().unwrap().clone());
        peer.request(request).await;
        let is_about = |text: &str| text.contains(&format!("\"{call}\""));
        let told = front.until(|message| {
            let text = serde_json::to_string(message).unwrap();
            is_about(&text) && (text.contains("Required") || text.contains("InteractionResolved"))
        });
        let told = told.await.pop().unwrap();
        assert!(told.name().ends_with("Required"), "{tool} {flag}: {told:?}");
    }
}

#[tokio::test]
async fn nobody_to_ask_is_a_no() {
    let controller = controller(PolicyDecision::AskUser, false);
    let (_, _front, mut peer) = busy(&controller, "").await;
    let id = peer.bash("toolu_1", "ls").await;
    let answer = peer.answered(&id).await;
    assert_eq!(answer["behavior"], "deny", "{answer}");
    let form = json!({"subtype": "elicitation", "mcp_server_name": "lab", "message": "Name?"});
    let id = peer.request(form).await;
    assert_eq!(peer.answered(&id).await["action"], "decline");
    let dialog = json!({"subtype": "request_user_dialog", "payload": {},
        "dialog_kind": REFUSAL_FALLBACK_PROMPT});
    let id = peer.request(dialog).await;
    assert_eq!(peer.answered(&id).await["behavior"], "cancelled");
}

#[tokio::test]
async fn a_policy_that_denies_is_obeyed() {
    let reason = "Not here".to_owned();
    let controller = controller(PolicyDecision::Deny { reason }, true);
    let (_, _front, mut peer) = busy(&controller, "").await;
    let id = peer.bash("toolu_1", "ls").await;
    let answer = peer.answered(&id).await;
    assert_eq!(answer["behavior"], "deny");
    assert_eq!(answer["message"], "Not here");
}

#[tokio::test]
async fn a_grant_is_for_its_tenant_and_ends_with_its_session() {
    let controller = Controller::builder().build();
    let (ada, mut front, mut peer) = busy(&controller, "ada").await;
    let registry = controller.permissions();
    let scopes = [Remember::Tenant, Remember::Session];
    for (command, scope) in ["make", "ls"].into_iter().zip(scopes) {
        let id = peer.ask(command, "Bash", json!({"command": command})).await;
        front.first("PermissionRequired").await;
        let yes = PermissionResponse::allow().remember(scope);
        registry.respond(ada, command, yes).await.unwrap();
        assert_eq!(peer.answered(&id).await["behavior"], "allow");
    }
    assert_eq!(registry.grants("ada").await.len(), 2);
    let (_, mut front, mut other) = busy(&controller, "bob").await;
    other
        .ask("toolu_1", "Bash", json!({"command": "make"}))
        .await;
    front.first("PermissionRequired").await;
    peer.close(&controller, ada).await;
    let left = registry.grants("ada").await;
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].target, "make");
}

/// The session's loop may receive the cancellation and the answer in either order; the answer is
/// discarded in both. The log blocks the loop until both are queued.
#[tokio::test]
async fn an_answer_to_a_question_that_was_withdrawn_never_counts() {
    let (gate, opened) = tokio::sync::watch::channel(true);
    let log = HinderedLog::new();
    log.before_append(move |_, _| {
        let mut opened = opened.clone();
        Box::pin(async move {
            let _ = opened.wait_for(|is_open| *is_open).await;
            Ok(())
        })
    });
    let controller = Controller::builder().log(log).build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    for number in 0..10 {
        let call = format!("toolu_{number}");
        let id = peer.bash(&call, "ls").await;
        front.first("PermissionRequired").await;
        gate.send_replace(false);
        peer.say("Wait").await;
        peer.cancel(&id).await;
        // The SDK answers this request itself, so the line before it has been read.
        let request = json!({"subtype": "mcp_message", "server_name": "none",
            "message": {"jsonrpc": "2.0", "id": 1, "method": "ping"}});
        let read = peer.request(request).await;
        peer.answered(&read).await;
        let yes = PermissionResponse::allow();
        let answer = controller.permissions().respond(session, &call, yes);
        let release = async {
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            gate.send_replace(true);
        };
        let (answer, ()) = tokio::join!(answer, release);
        assert_eq!(answer, Err(AnswerRefused::Withdrawn), "{number}");
    }
}
