//! What tool servers and dialogs want to know.

use std::time::Duration;

use claw_server::event::PromptKind;
use claw_server::prompts::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{Controller, Json, MobileMessage, MobileProjection, Resolution, UiMessage};
use serde_json::{Value, json};

use super::front_end::FrontEnd;
use super::prompts::busy;

fn form() -> Value {
    json!({"subtype": "elicitation", "mcp_server_name": "lab", "message": "Your name?",
        "mode": "form", "requested_schema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}})
}

fn dialog() -> Value {
    json!({"subtype": "request_user_dialog", "dialog_kind": "refusal_fallback_prompt",
        "payload": {"originalModel": "a", "fallbackModel": "b", "retractedMessageUuids": []}})
}

/// What the CLI is told when nobody wants to answer.
fn is_no(answer: &Value) -> bool {
    answer["action"] == "decline" || answer["behavior"] == "cancelled"
}

async fn asked(front: &mut FrontEnd) -> (String, String) {
    let UiMessage::PromptRequired {
        prompt_id, kind, ..
    } = front.first("PromptRequired").await
    else {
        panic!()
    };
    (prompt_id, kind)
}

async fn resolved(front: &mut FrontEnd, prompt: &str) -> Resolution {
    let UiMessage::PromptResolved {
        prompt_id,
        resolution,
        ..
    } = front.first("PromptResolved").await
    else {
        panic!()
    };
    assert_eq!(prompt_id, prompt);
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
        (form(), PromptKind::Elicitation, accept),
        (dialog(), PromptKind::Dialog, completed),
    ] {
        let id = peer.request(request.clone()).await;
        let (prompt, name) = asked(&mut front).await;
        assert_eq!(name, kind.as_str());
        let pending = registry.pending_prompts(session).await;
        assert_eq!(pending.len(), 1);
        assert_eq!(
            (pending[0].prompt_id.as_str(), &pending[0].kind),
            (&*prompt, &kind)
        );
        assert_eq!(pending[0].request.to_value(), request);
        // They are neither permissions nor questions, and a yes says nothing to them.
        assert!(controller.permissions().pending(session).await.is_empty());
        assert!(registry.pending(session).await.is_empty());
        let yes = PermissionResponse::allow();
        let refused = controller
            .permissions()
            .respond(session, &prompt, yes)
            .await;
        assert!(
            matches!(refused, Err(AnswerRefused::Unfit { .. })),
            "{refused:?}"
        );
        let other = Json::from_text(r#"{"behavior":"allow"}"#).unwrap();
        let refused = registry
            .respond_to_prompt(session, &prompt, other, None)
            .await;
        assert!(
            matches!(refused, Err(AnswerRefused::Unfit { .. })),
            "{refused:?}"
        );
        let wanted: Value = serde_json::from_str(answer).unwrap();
        let answer = || Json::from_text(answer).unwrap();
        let taken = registry.respond_to_prompt(session, &prompt, answer(), Some("phone"));
        taken.await.unwrap();
        assert_eq!(peer.answered(&id).await, wanted);
        let late = registry
            .respond_to_prompt(session, &prompt, answer(), None)
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
            let declined = controller.interactions();
            declined
                .decline(session, &prompt, "Not now", None)
                .await
                .unwrap();
        } else {
            let no = PermissionResponse::deny("Not now");
            controller
                .permissions()
                .respond(session, &prompt, no)
                .await
                .unwrap();
        }
        let answer = peer.answered(&id).await;
        assert!(is_no(&answer), "{answer}");
        assert_eq!(resolved(&mut front, &prompt).await, Resolution::Answered);
    }
}

#[tokio::test]
async fn nobody_answers_in_time_or_the_cli_takes_it_back() {
    let limit = Duration::from_millis(300);
    let controller = Controller::builder().prompt_timeout(Some(limit)).build();
    let (session, mut front, mut peer) = busy(&controller, "").await;
    let registry = controller.interactions();
    for request in [form(), dialog()] {
        let id = peer.request(request.clone()).await;
        let (prompt, _) = asked(&mut front).await;
        let answer = peer.answered(&id).await;
        assert!(is_no(&answer), "{answer}");
        assert_eq!(resolved(&mut front, &prompt).await, Resolution::Expired);
        let late = registry.decline(session, &prompt, "", None).await;
        assert_eq!(late, Err(AnswerRefused::Expired));

        let id = peer.request(request).await;
        let (prompt, _) = asked(&mut front).await;
        peer.cancel(&id).await;
        assert_eq!(resolved(&mut front, &prompt).await, Resolution::Withdrawn);
        let late = registry.decline(session, &prompt, "", None).await;
        assert_eq!(late, Err(AnswerRefused::Withdrawn));
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
            MobileMessage::PromptRequest(told) => break told,
            MobileMessage::PermissionRequest(other) => panic!("{other:?}"),
            _ => {}
        }
    };
    assert_eq!(told.request_id, prompt);
    assert_eq!(told.kind, "Elicitation");
    assert_eq!(told.source.as_deref(), Some("lab"));
    assert_eq!(told.description, "Your name?");
    assert_eq!(told.request, form());
    let message = MobileMessage::PromptRequest(told);
    let text = serde_json::to_string(&message).unwrap();
    assert!(
        text.starts_with(r#"{"type":"prompt_request","requestId":"#),
        "{text}"
    );
    assert_eq!(
        serde_json::from_str::<MobileMessage>(&text).unwrap(),
        message
    );
}
