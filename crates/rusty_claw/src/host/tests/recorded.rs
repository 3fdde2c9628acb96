//! All requests in recordings of the real CLI.

use std::collections::BTreeMap;

use super::*;
use crate::permission::{AskKind, PermissionAnswer, Policy, Rule};
use crate::recordings;

/// Every request of the recordings, with the recording's name.
fn requests() -> Vec<(String, Str, ControlRequest)> {
    let mut requests = Vec::new();
    for name in recordings::names() {
        for received in recordings::messages(&name, "stdout.ndjson") {
            if let Message::ControlRequest {
                request_id,
                request,
                ..
            } = received.message
            {
                requests.push((name.clone(), request_id, request));
            }
        }
    }
    requests
}

fn count(requests: &[(String, Str, ControlRequest)]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, _, request) in requests {
        *counts.entry(request.tag().to_owned()).or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn nobody_there_allows_nothing() {
    let requests = requests();
    let counts = count(&requests);
    let kinds: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(
        kinds,
        [
            "can_use_tool",
            "elicitation",
            "hook_callback",
            "mcp_message",
            "request_user_dialog"
        ]
    );
    assert!(
        counts["can_use_tool"] >= 50 && counts["hook_callback"] >= 100,
        "{counts:?}"
    );
    for (name, _, request) in requests {
        let kind = request.tag().to_owned();
        let pre_tool_use = format!("{request:?}").contains("PreToolUse(");
        let answer = serve(Host::default(), request).await;
        let right = match kind.as_str() {
            "can_use_tool" => answer.starts_with(r#"{"behavior":"deny""#),
            "elicitation" => answer == r#"{"action":"decline"}"#,
            "hook_callback" if pre_tool_use => answer.contains(r#""permissionDecision":"deny""#),
            "hook_callback" => {
                answer.starts_with("null") || answer.contains(r#""decision":"block""#)
            }
            "request_user_dialog" => answer.contains("unsupported dialog kind"),
            _ => answer.contains("error") || answer.starts_with("null"),
        };
        assert!(right, "{name}: {kind} answered with {answer}");
    }
}

#[tokio::test]
async fn an_open_policy_still_answers_no_question() {
    let (mut asked, mut unsafe_calls) = (0, 0);
    for (name, _, request) in requests() {
        let ControlRequest::CanUseTool(tool) = &request else {
            continue;
        };
        let person = matches!(tool.tool_name.as_str(), "AskUserQuestion" | "ExitPlanMode");
        // No rule allows a call that the CLI's own safety check objects to.
        let objected = tool
            .decision_reason_type
            .as_ref()
            .is_some_and(|reason| reason.as_str() == "safetyCheck");
        asked += usize::from(person);
        unsafe_calls += usize::from(objected);
        let host = Host {
            permissions: Some(Arc::new(Policy::new().allow(Rule::any()))),
            ..Host::default()
        };
        let answer = serve(host, request).await;
        let allowed = answer.contains("allow\"");
        assert_eq!(allowed, !person && !objected, "{name}: {answer}");
    }
    assert!(asked >= 5, "{asked} questions to a person");
    assert!(unsafe_calls >= 1, "{unsafe_calls} calls objected to");
}

/// The answer in the recording, which the CLI accepted.
fn recorded_answer(name: &str, request_id: &str) -> serde_json::Value {
    let lines = recordings::read(name, "stdin.ndjson");
    lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .find(|line| line["response"]["request_id"] == request_id)
        .map(|line| line["response"]["response"].clone())
        .expect("answered")
}

#[tokio::test]
async fn questions_and_plans_are_answered_as_recorded() {
    let mut compared = 0;
    for (name, request_id, request) in requests() {
        let recorded = match name.as_str() {
            "perm_ask_user_question" | "plan_mode_exit" | "plan_mode_reject" => {
                recorded_answer(&name, &request_id)
            }
            _ => continue,
        };
        let answers: Vec<(String, String)> = recorded["updatedInput"]["answers"]
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(question, choices)| {
                let choices = choices.as_str().expect("text").split(", ");
                choices.map(|choice| (question.clone(), choice.to_owned()))
            })
            .collect();
        let message = recorded["message"].as_str().map(str::to_owned);
        let mode = recorded["updatedPermissions"][0]["mode"]
            .as_str()
            .map(Into::into);
        let handler = move |ask: PermissionAsk| {
            let answer = match (ask.kind(), &message) {
                (_, Some(message)) => PermissionAnswer::deny(message),
                (AskKind::Question(_), _) if answers.is_empty() => PermissionAnswer::allow(),
                (AskKind::Question(question), _) => question.answer(answers.clone()).into(),
                (AskKind::Plan(plan), _) => plan.approve(mode.clone()),
                _ => PermissionAnswer::allow(),
            };
            async move { answer }
        };
        let host = Host {
            permissions: Some(Arc::new(handler)),
            ..Host::default()
        };
        let answer = serve(host, request).await;
        let mut answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
        // Our answer has the id of the call, as in the official SDKs; the recorder's has not.
        answer.as_object_mut().expect("object").remove("toolUseID");
        let mut recorded = recorded;
        if recorded["updatedInput"]["answers"].is_null() {
            // An unchanged input is the same as none.
            recorded
                .as_object_mut()
                .expect("object")
                .remove("updatedInput");
        }
        assert_eq!(answer, recorded, "{name}");
        compared += 1;
    }
    assert!(compared >= 4, "{compared} answers compared");
}
