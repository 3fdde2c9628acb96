use std::time::Duration;

use rusty_claw_protocol::Json;
use rusty_claw_protocol::permission::{
    PermissionDecisionClassification, PermissionMode, PermissionResult,
};

use super::*;
use crate::SessionError;
use crate::permission::{AskKind, PermissionAnswer, Policy, Rule};

const BASH: &str = r#","tool_name":"Bash","display_name":"Shell","input":{"command":"touch a"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch a *"}],"behavior":"allow","destination":"localSettings"},{"type":"setMode","mode":"acceptEdits","destination":"session"}],"blocked_path":"/w/a","decision_reason":"Outside","decision_reason_type":"workingDir","tool_use_id":"t1","agent_id":"a1","default_to_no":true,"title":"Shell?","description":"make a","server_policy_ask_only":true"#;
const QUESTION: &str = r#","tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which color?","header":"Color","options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}],"multiSelect":false},{"question":"Which sizes?","header":"Sizes","options":[{"label":"S","description":"small"},{"label":"L","description":"large"}],"multiSelect":true}],"answers":{"Which color?":"Red"},"metadata":{"source":"x"}},"tool_use_id":"t1","requires_user_interaction":true"#;
const PLAN: &str = r##","tool_name":"ExitPlanMode","input":{"plan":"# Plan","planFilePath":"/p.md"},"tool_use_id":"t1","requires_user_interaction":true"##;

fn host(handler: impl PermissionHandler) -> Host {
    Host {
        permissions: Some(Arc::new(handler)),
        ..Host::default()
    }
}

type Decide = fn(PermissionAsk) -> PermissionAnswer;

#[tokio::test]
async fn every_answer_as_it_is_sent() {
    let cases: &[(&str, &str, Decide)] = &[
        ("allow", BASH, |_| PermissionAnswer::allow()),
        ("allow with another input", BASH, |_| {
            PermissionAnswer::allow_with(Json::from_text(r#"{"command":"ls"}"#).expect("JSON"))
        }),
        ("allow always", BASH, |ask| {
            PermissionAnswer::allow().and_always(ask.suggested_rules())
        }),
        ("allow with all suggestions", BASH, |ask| {
            PermissionAnswer::allow().with_updates(ask.suggestions().to_vec())
        }),
        ("allow with the first suggestion", BASH, |ask| {
            PermissionAnswer::allow().with_updates(ask.suggestions().first().cloned())
        }),
        ("allow, nothing to update", BASH, |_| {
            PermissionAnswer::allow().with_updates(None)
        }),
        ("allow once", BASH, |_| {
            PermissionAnswer::allow().classified(PermissionDecisionClassification::UserTemporary)
        }),
        ("deny", BASH, |_| PermissionAnswer::deny("Not here")),
        ("deny, updates left out", BASH, |ask| {
            PermissionAnswer::deny("Not here").and_always(ask.suggestions().to_vec())
        }),
        ("deny and interrupt", BASH, |_| {
            PermissionAnswer::deny_and_interrupt("Stop")
                .classified(PermissionDecisionClassification::UserReject)
        }),
        ("a result of the protocol", BASH, |_| {
            PermissionResult::deny("By hand").into()
        }),
        ("an input that is no object", BASH, |_| {
            PermissionAnswer::allow_with(Json::from_text("[1]").expect("JSON"))
        }),
        ("a behaviour that does not exist", BASH, |_| {
            let made_up = Json::from_text(r#"{"behavior":"perhaps"}"#).expect("JSON");
            made_up.view::<PermissionResult>().expect("object").into()
        }),
        ("an empty message", BASH, |_| PermissionAnswer::deny("")),
        ("an error", BASH, |_| {
            Err::<PermissionAnswer, _>("the database is gone").into()
        }),
        ("questions answered", QUESTION, |ask| {
            ask.answer([
                ("Which color?", "Blue"),
                ("Which sizes?", "S"),
                ("Which sizes?", "L"),
            ])
            .into()
        }),
        ("one question answered in other words", QUESTION, |ask| {
            ask.answer([("Which sizes?", "huge")]).into()
        }),
        ("a question nobody asked", QUESTION, |ask| {
            ask.answer([("Which shape?", "round")]).into()
        }),
        ("two choices where one is taken", QUESTION, |ask| {
            ask.answer([("Which color?", "Red"), ("Which color?", "Blue")])
                .into()
        }),
        ("no answer at all", QUESTION, |ask| {
            ask.answer(Vec::<(String, String)>::new()).into()
        }),
        ("answers where nothing was asked", BASH, |ask| {
            ask.answer([("Which color?", "Red")]).into()
        }),
        ("plan approved", PLAN, |ask| match ask.kind() {
            AskKind::Plan(plan) => plan.approve(None),
            _ => PermissionAnswer::deny("not a plan"),
        }),
        ("plan approved in a mode", PLAN, |ask| match ask.kind() {
            AskKind::Plan(plan) => plan.approve(Some(PermissionMode::AcceptEdits)),
            _ => PermissionAnswer::deny("not a plan"),
        }),
        ("plan rejected", PLAN, |ask| match ask.kind() {
            AskKind::Plan(plan) => plan.reject(format!(
                "{:?} in {:?} is too short",
                plan.text(),
                plan.file()
            )),
            _ => PermissionAnswer::deny("not a plan"),
        }),
    ];
    let mut table = Table::new();
    for (name, request, decide) in cases {
        let decide = *decide;
        let host = host(move |ask: PermissionAsk| async move { decide(ask) });
        assert!(host.asks_permissions());
        table.row(
            name,
            &serve(host, of_subtype("can_use_tool", request)).await,
        );
    }
    table.row(
        "nobody there",
        &serve(Host::default(), of_subtype("can_use_tool", BASH)).await,
    );
    let policy = host(Policy::new().allow(Rule::any()));
    table.row(
        "a policy about questions",
        &serve(policy, of_subtype("can_use_tool", QUESTION)).await,
    );
    insta::assert_snapshot!(table.0);
}

#[test]
fn a_question_shows_what_the_cli_said() {
    let ControlRequest::CanUseTool(request) = of_subtype("can_use_tool", BASH) else {
        panic!("another request");
    };
    let ask = PermissionAsk::new(*request);
    assert_eq!((ask.tool_name(), ask.display_name()), ("Bash", "Shell"));
    assert_eq!(ask.input().text(), r#"{"command":"touch a"}"#);
    assert_eq!(ask.suggestions().len(), 2);
    assert!(ask.may_allow_always() && ask.default_to_no() && ask.server_policy_ask_only());
    assert!(!ask.needs_person());
    assert_eq!(ask.blocked_path(), Some("/w/a"));
    assert_eq!(ask.decision_reason(), Some("Outside"));
    assert_eq!(
        ask.decision_reason_type().map(|kind| kind.as_str()),
        Some("workingDir")
    );
    assert_eq!(
        (ask.agent_id(), ask.tool_use_id().as_str()),
        (Some("a1"), "t1")
    );
    assert_eq!(
        (ask.title(), ask.description()),
        (Some("Shell?"), Some("make a"))
    );
    // Inputs are not printed.
    assert!(!format!("{ask:?}").contains("touch"));
    let answer = PermissionAnswer::allow_with(ask.input().clone());
    assert!(!format!("{answer:?}").contains("touch"));
}

#[test]
fn an_unreadable_question_is_no_question() {
    let rest = r#","tool_name":"AskUserQuestion","input":{"questions":5},"tool_use_id":"t1""#;
    let ControlRequest::CanUseTool(request) = of_subtype("can_use_tool", rest) else {
        panic!("another request");
    };
    let ask = PermissionAsk::new(*request);
    assert!(matches!(ask.kind(), AskKind::Tool));
    assert!(ask.needs_person());
    assert!(matches!(
        ask.answer([("a", "b")]),
        Err(SessionError::Unsendable { .. })
    ));
}

/// The session's deadline for a callback that does not return.
#[tokio::test(start_paused = true)]
async fn a_late_answer_is_a_deny_and_the_callback_hears_of_it() {
    let (told, hears) = tokio::sync::oneshot::channel();
    let told = std::sync::Mutex::new(Some(told));
    let mut host = host(move |ask: PermissionAsk| {
        let told = told.lock().expect("lock").take();
        tokio::spawn(async move {
            ask.cancelled().await;
            told.map(|told| told.send(()))
        });
        std::future::pending::<PermissionAnswer>()
    });
    host.permission_timeout = Some(Duration::from_secs(60));
    let request = of_subtype("can_use_tool", BASH);
    let deadline = host.deadline(&request).expect("set");
    assert_eq!(deadline, Duration::from_secs(60));
    let served = Arc::new(host).serve(request, call());
    assert!(tokio::time::timeout(deadline, served).await.is_err());
    hears.await.expect("the prompt is taken off the screen");
}

#[tokio::test]
async fn an_answer_cancels_nothing_and_a_withdrawal_does() {
    let (sent, mut asks) = tokio::sync::mpsc::unbounded_channel();
    let host = Arc::new(host(move |ask: PermissionAsk| {
        sent.send(ask).expect("open");
        async { PermissionAnswer::allow() }
    }));
    let call = call();
    host.serve(of_subtype("can_use_tool", BASH), call.clone())
        .await;
    let ask = asks.recv().await.expect("asked");
    assert!(!ask.is_cancelled());
    call.cancelled.cancel();
    assert!(ask.is_cancelled());
}
