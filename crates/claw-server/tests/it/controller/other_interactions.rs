//! Elicitations of MCP servers, and dialogs.

use std::time::Duration;

use claw_server::event::InteractionKind;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{Answerer, PermissionResponse};
use claw_server::{Controller, Json, MobileMessage, MobileProjection, Resolution, UiMessage};
use serde_json::{Value, json};

use super::front_end::FrontEnd;
use super::interactions::busy;

fn form() -> Value {
    json!({"subtype": "elicitation", "mcp_server_name": "lab", "message": "Your name?",
        "mode": "form", "requested_schema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}})
}

fn dialog() -> Value {
    json!({"subtype": "request_user_dialog", "dialog_kind": "refusal_fallback_prompt",
        "payload": {"originalModel": "a", "fallbackModel": "b", "retractedMessageUuids": []}})
}

/// Whether the CLI received a denial.
fn is_no(answer: &Value) -> bool {
    answer["action"] == "decline"
        || ["cancelled", "deny"]
            .iter()
            .any(|no| answer["behavior"] == *no)
}

/// The id and the kind of the next interaction.
async fn asked(front: &mut FrontEnd) -> (String, String) {
    let is_asked = |message: &UiMessage| message.name().ends_with("Required");
    match front.until(is_asked).await.pop() {
        Some(UiMessage::InteractionRequired {
            interaction_id,
            kind,
            ..
        }) => (interaction_id, kind),
        Some(UiMessage::PermissionRequired { tool_use_id, .. }) => {
            (tool_use_id, "Permission".to_owned())
        }
        other => panic!("{other:?}"),
    }
}

async fn resolved(front: &mut FrontEnd, prompt: &str) -> Resolution {
    let UiMessage::InteractionResolved {
        interaction_id,
        resolution,
        ..
    } = front.first("InteractionResolved").await
    else {
        panic!()
    };
    assert_eq!(interaction_id, prompt);
    resolution
}

#[tokio::test]
async fn a_form_and_a_dialog_are_answered_in_their_own_words() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let registry = controller.interactions();
    let accept = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    let completed = r#"{"behavior":"completed","result":{"choice":"retry"}}"#;
    for (request, kind, answer) in [
        (form(), InteractionKind::Elicitation, accept),
        (dialog(), InteractionKind::Dialog, completed),
    ] {
        let id = peer.request(request.clone()).await;
        let (prompt, name) = asked(&mut front).await;
        assert_eq!(name, kind.as_str());
        let pending = registry.pending_interactions(session).await;
        assert_eq!(pending.len(), 1);
        assert_eq!(
            (pending[0].interaction_id.as_str(), &pending[0].kind),
            (&*prompt, &kind)
        );
        assert_eq!(pending[0].request.to_value(), request);
        // They are neither permissions nor questions, so an allow does not answer them.
        assert!(controller.permissions().pending(session).await.is_empty());
        assert!(registry.pending(session).await.is_empty());
        let yes = PermissionResponse::allow();
        let refused = controller.permissions().respond(session, &prompt, yes);
        assert_matches!(refused.await, Err(AnswerRefused::Unfit { .. }));
        let other = Json::from_text(r#"{"behavior":"allow"}"#).unwrap();
        let refused = registry.respond_to_interaction(session, &prompt, other, Answerer::default());
        assert_matches!(refused.await, Err(AnswerRefused::Unfit { .. }));
        let wanted: Value = serde_json::from_str(answer).unwrap();
        let answer = || Json::from_text(answer).unwrap();
        let taken =
            registry.respond_to_interaction(session, &prompt, answer(), Answerer::by("phone"));
        taken.await.unwrap();
        assert_eq!(peer.answered(&id).await, wanted);
        let late = registry
            .respond_to_interaction(session, &prompt, answer(), Answerer::default())
            .await;
        let by = Some("phone".to_owned());
        assert_eq!(late, Err(AnswerRefused::AlreadyAnswered { by }));
        assert_eq!(resolved(&mut front, &prompt).await, Resolution::Answered);
    }
}

#[tokio::test]
async fn a_no_is_a_no_to_every_kind() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    for (number, request) in [form(), dialog(), form(), dialog()].into_iter().enumerate() {
        let id = peer.request(request).await;
        let (prompt, _) = asked(&mut front).await;
        if number < 2 {
            let registry = controller.interactions();
            let declined = registry.decline(session, &prompt, "Not now", Answerer::default());
            declined.await.unwrap();
        } else {
            let no = PermissionResponse::deny("Not now");
            let denied = controller.permissions().respond(session, &prompt, no);
            denied.await.unwrap();
        }
        let answer = peer.answered(&id).await;
        assert!(is_no(&answer), "{answer}");
        assert_eq!(resolved(&mut front, &prompt).await, Resolution::Answered);
    }
}

#[tokio::test]
async fn an_interaction_expires_or_is_withdrawn_and_then_refuses_answers() {
    let limit = Duration::from_millis(300);
    let controller = Controller::builder().interaction_timeout(limit).build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let permission = json!({"subtype": "can_use_tool", "tool_name": "Bash",
        "input": {"command": "make"}, "tool_use_id": "toolu_1"});
    for request in [permission, form(), dialog()] {
        for (resolution, refusal) in [
            (Resolution::Expired, AnswerRefused::Expired),
            (Resolution::Withdrawn, AnswerRefused::Withdrawn),
        ] {
            let id = peer.request(request.clone()).await;
            let (prompt, kind) = asked(&mut front).await;
            if resolution == Resolution::Withdrawn {
                peer.cancel(&id).await;
            } else {
                let answer = peer.answered(&id).await;
                assert!(is_no(&answer), "{kind}: {answer}");
            }
            assert_eq!(resolved(&mut front, &prompt).await, resolution, "{kind}");
            let yes = PermissionResponse::allow();
            let late = controller.permissions().respond(session, &prompt, yes);
            assert_eq!(late.await, Err(refusal.clone()), "{kind}");
            let late = controller
                .interactions()
                .decline(session, &prompt, "", Answerer::default())
                .await;
            assert_eq!(late, Err(refusal), "{kind}");
        }
    }
}

#[tokio::test]
async fn a_phone_is_told_what_it_needs_to_show_a_form() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let (sink, mut phone) = tokio::sync::mpsc::channel(64);
    let dialect = MobileProjection::new("sess_1");
    controller.watch_in(session, dialect, sink).await.unwrap();
    peer.request(form()).await;
    let (prompt, _) = asked(&mut front).await;
    let told = loop {
        match phone.recv().await.unwrap() {
            MobileMessage::InteractionRequest(told) => break told,
            MobileMessage::PermissionRequest(other) => panic!("{other:?}"),
            _ => {}
        }
    };
    assert_eq!(told.request_id, prompt);
    assert_eq!(told.kind, "Elicitation");
    assert_eq!(told.source.as_deref(), Some("lab"));
    assert_eq!(told.description, "Your name?");
    assert_eq!(told.request, form());
    let message = MobileMessage::InteractionRequest(told);
    let text = serde_json::to_string(&message).unwrap();
    assert!(
        text.starts_with(r#"{"type":"interaction_request","requestId":"#),
        "{text}"
    );
    assert_eq!(
        serde_json::from_str::<MobileMessage>(&text).unwrap(),
        message
    );
}
