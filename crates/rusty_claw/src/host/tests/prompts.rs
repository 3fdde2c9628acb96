use rusty_claw_protocol::Json;
use rusty_claw_protocol::control;

use super::*;
use crate::dialog::{Dialog, DialogAnswer, REFUSAL_FALLBACK_PROMPT};
use crate::elicitation::ElicitationKind;

const FORM: &str = r#","mcp_server_name":"lab","message":"Your name?","mode":"form","requested_schema":{"type":"object","properties":{"name":{"type":"string"}}},"property_order":["name"]"#;
const PAGE: &str = r#","mcp_server_name":"lab","display_name":"The lab","message":"Sign in","mode":"url","url":"https://example.com/login","elicitation_id":"el-1""#;
const PAGE_WITHOUT_URL: &str = r#","mcp_server_name":"lab","message":"Sign in","mode":"url""#;
const REFUSED: &str = r#","dialog_kind":"refusal_fallback_prompt","payload":{"originalModel":"a","fallbackModel":"b","apiRefusalCategory":"cyber"}"#;

fn json(text: &str) -> Json {
    Json::from_text(text).expect("JSON")
}

type Elicit = fn(ElicitationAsk) -> ElicitationAnswer;
type Show = fn(DialogAsk) -> DialogAnswer;

#[tokio::test]
async fn every_answer_to_an_elicitation() {
    let told: Elicit = |ask| {
        ElicitationAnswer::accept(Json::from_value(&serde_json::json!({
            "told": format!("{} {} {} {:?}", ask.server_name(), ask.display_name(), ask.message(), ask.kind()),
        })))
    };
    let cases: &[(&str, &str, Elicit)] = &[
        ("accept", FORM, |_| {
            ElicitationAnswer::accept(json(r#"{"name":"Ada"}"#))
        }),
        ("what a form tells", FORM, told),
        ("what a page tells", PAGE, told),
        ("what an odd one tells", PAGE_WITHOUT_URL, told),
        ("no object", FORM, |_| ElicitationAnswer::accept(json("5"))),
        ("visit", PAGE, |ask| match ask.kind() {
            ElicitationKind::Url { .. } => ElicitationAnswer::accept_visit(),
            _ => ElicitationAnswer::decline(),
        }),
        ("decline", FORM, |_| ElicitationAnswer::decline()),
        ("cancel", FORM, |_| ElicitationAnswer::cancel()),
        ("an error", FORM, |_| {
            Err::<ElicitationAnswer, _>("broken").into()
        }),
        ("made up", FORM, |_| {
            let made_up = json(r#"{"action":"perhaps"}"#);
            let made_up: control::ElicitationAnswer = made_up.view().expect("object");
            made_up.into()
        }),
    ];
    let mut table = Table::new();
    for (name, request, answer) in cases {
        let answer = *answer;
        let handler = move |ask: ElicitationAsk| async move { answer(ask) };
        let host = Host {
            elicitations: Some(Arc::new(handler)),
            ..Host::default()
        };
        table.row(name, &serve(host, of_subtype("elicitation", request)).await);
    }
    table.row(
        "nobody there",
        &serve(Host::default(), of_subtype("elicitation", FORM)).await,
    );
    insta::assert_snapshot!(table.0);
}

#[tokio::test]
async fn an_elicitation_that_is_withdrawn_is_cancelled() {
    let handler = |_: ElicitationAsk| std::future::pending::<ElicitationAnswer>();
    let host = Host {
        elicitations: Some(Arc::new(handler)),
        ..Host::default()
    };
    let call = call();
    let answer = Arc::new(host).serve(of_subtype("elicitation", FORM), call.clone());
    call.cancelled.cancel();
    assert_eq!(shown(answer.await), r#"{"action":"cancel"}"#);
}

#[tokio::test]
async fn every_answer_to_a_dialog() {
    let cases: &[(&str, &str, Show)] = &[
        ("fallback", REFUSED, |ask| match ask.dialog() {
            Dialog::RefusalFallback(prompt) => {
                assert_eq!(
                    (
                        prompt.original_model.as_str(),
                        prompt.fallback_model.as_str()
                    ),
                    ("a", "b")
                );
                DialogAnswer::retry_with_fallback()
            }
            _ => DialogAnswer::cancelled(),
        }),
        ("closed", REFUSED, |_| DialogAnswer::cancelled()),
        ("an error", REFUSED, |_| {
            Err::<DialogAnswer, _>("broken").into()
        }),
        ("made up", REFUSED, |_| {
            let made_up = json(r#"{"behavior":"perhaps"}"#);
            let made_up: control::DialogAnswer = made_up.view().expect("object");
            made_up.into()
        }),
        (
            "a kind of its own",
            r#","dialog_kind":"mine","payload":{"a":1}"#,
            |ask| {
                assert_eq!(ask.dialog(), Dialog::Unknown);
                DialogAnswer::completed(ask.payload().clone())
            },
        ),
        (
            "not declared",
            r#","dialog_kind":"other","payload":{}"#,
            |_| DialogAnswer::completed(Json::NULL),
        ),
    ];
    let mut table = Table::new();
    for (name, request, show) in cases {
        let show = *show;
        let handler = move |ask: DialogAsk| async move { show(ask) };
        let host = Host {
            dialog_kinds: vec![REFUSAL_FALLBACK_PROMPT.into(), "mine".into()],
            dialogs: Some(Arc::new(handler)),
            ..Host::default()
        };
        let mut initialize = InitializeRequest::default();
        host.declare(&mut initialize);
        assert_eq!(
            initialize.supported_dialog_kinds,
            Some(vec![REFUSAL_FALLBACK_PROMPT.into(), "mine".into()])
        );
        table.row(
            name,
            &serve(host, of_subtype("request_user_dialog", request)).await,
        );
    }
    table.row(
        "nobody there",
        &serve(Host::default(), of_subtype("request_user_dialog", REFUSED)).await,
    );
    insta::assert_snapshot!(table.0);
}

#[tokio::test]
async fn what_nobody_serves_is_said_to_be_unsupported() {
    let mut table = Table::new();
    for subtype in [
        "oauth_token_refresh",
        "host_auth_token_refresh",
        "set_model",
        "brand_new",
    ] {
        table.row(
            subtype,
            &serve(Host::default(), of_subtype(subtype, "")).await,
        );
    }
    insta::assert_snapshot!(table.0);
}
