use std::time::Duration;

use rusty_claw_protocol::Json;
use rusty_claw_protocol::hook::{
    HookDecision, HookEvent, HookInput, HookOutput, HookSpecificOutput, PreToolUseInput,
    PreToolUseOutput, SyncHookOutput, UserPromptSubmitInput,
};

use super::*;
use crate::hook::{HookContext, one_of_each};

fn callback(id: &str, event: &str) -> ControlRequest {
    of_subtype(
        "hook_callback",
        &format!(
            r#","callback_id":"{id}","input":{{"hook_event_name":"{event}","session_id":"s1","tool_name":"Bash","tool_input":{{"command":"ls"}},"tool_use_id":"t1","prompt":"hi"}},"tool_use_id":"t1""#
        ),
    )
}

fn host(hooks: impl IntoIterator<Item = Hook>) -> Host {
    let mut host = Host::default();
    for hook in hooks {
        host.add_hook(hook);
    }
    host
}

#[test]
fn hooks_are_declared_in_order() {
    let none = |_: HookInput, _: HookContext| async { HookOutput::none() };
    let host = host([
        Hook::on(HookEvent::PreToolUse)
            .matching("Bash|Edit")
            .timeout(Duration::from_millis(1500))
            .on_failure_block()
            .run(none),
        Hook::on(HookEvent::Stop).run(none),
        Hook::pre_tool_use(|_, _| async { HookOutput::none() })
            .matching("mcp__.*")
            .timeout(Duration::ZERO),
        Hook::on(HookEvent::from("BrandNew")).run(none),
    ]);
    let mut initialize = InitializeRequest::default();
    host.declare(&mut initialize);
    insta::assert_snapshot!(serde_json::to_string_pretty(&initialize).expect("JSON"));
}

#[test]
fn a_cli_that_would_not_block_is_refused() {
    let hook = || Hook::pre_compact(|_, _| async { HookOutput::none() });
    let check = |hook: Hook, reply: &str| {
        host([hook])
            .check(&Json::from_text(reply).expect("JSON"))
            .is_ok()
    };
    assert!(check(hook(), "{}"));
    assert!(check(hook(), r#"{"hooks_applied":false}"#));
    let block = || hook().on_failure_block();
    assert!(!check(block(), "{}"));
    assert!(check(block(), r#"{"hook_on_failure_supported":true}"#));
    assert!(check(
        block(),
        r#"{"hook_on_failure_supported":true,"hooks_applied":true}"#
    ));
    assert!(!check(
        block(),
        r#"{"hook_on_failure_supported":true,"hooks_applied":false}"#
    ));
}

#[tokio::test]
async fn each_event_reaches_its_typed_hook() {
    let hooks = one_of_each();
    assert_eq!(hooks.len(), 33);
    for (place, hook) in hooks.iter().enumerate() {
        let request = callback(&format!("hook_{place}"), hook.event().as_str());
        assert_eq!(serve(host(one_of_each()), request).await, "{}", "{hook:?}");
    }
}

type Run = fn(HookInput) -> Result<HookOutput, String>;

#[tokio::test]
async fn every_answer_as_it_is_sent() {
    let wrong_event: Run =
        |_| Ok(HookOutput::context(&HookEvent::Stop, "more").expect("Stop takes a context"));
    let made_up: Run = |_| {
        Ok(HookSpecificOutput::PreToolUse(Box::new(PreToolUseOutput {
            permission_decision: Some("perhaps".into()),
            ..PreToolUseOutput::default()
        }))
        .into())
    };
    let made_up_decision: Run = |_| {
        Ok(SyncHookOutput {
            decision: Some(HookDecision::from("perhaps")),
            ..SyncHookOutput::default()
        }
        .into())
    };
    let cases: &[(&str, &str, Run)] = &[
        ("no opinion", "PreToolUse", |_| Ok(HookOutput::none())),
        ("allow", "PreToolUse", |_| Ok(HookOutput::allow())),
        ("allow with", "PreToolUse", |_| {
            Ok(HookOutput::allow_with(
                Json::from_text(r#"{"command":"pwd"}"#).expect("JSON"),
            ))
        }),
        ("allow with no object", "PreToolUse", |_| {
            Ok(HookOutput::allow_with(Json::from_text("1").expect("JSON")))
        }),
        ("deny", "PreToolUse", |_| Ok(HookOutput::deny("no"))),
        ("ask", "PreToolUse", |_| Ok(HookOutput::ask("hm"))),
        ("later", "PreToolUse", |_| Ok(HookOutput::later(Some(5000)))),
        ("an error", "PreToolUse", |_| Err("broken".into())),
        ("for another event", "PreToolUse", wrong_event),
        ("made up", "PreToolUse", made_up),
        ("made up decision", "PreToolUse", made_up_decision),
        ("block", "UserPromptSubmit", |_| Ok(HookOutput::block("no"))),
        ("an error", "UserPromptSubmit", |_| Err("broken".into())),
        ("for another event", "UserPromptSubmit", wrong_event),
        ("context", "Stop", wrong_event),
        ("an error", "Stop", |_| Err("broken".into())),
        ("system message", "PostToolUse", |_| {
            Ok(HookOutput::none().with_system_message("done"))
        }),
        ("an error", "PostToolUse", |_| Err("broken".into())),
        ("an error", "PermissionRequest", |_| Err("broken".into())),
    ];
    let mut table = Table::new();
    for (name, event, run) in cases {
        let run = *run;
        let hook = Hook::on(HookEvent::from(*event))
            .run(move |input: HookInput, _: HookContext| async move { run(input) });
        let answer = serve(host([hook]), callback("hook_0", event)).await;
        table.row(&format!("{event}: {name}"), &answer);
    }
    for id in ["hook_1", "hook_", "hook_x", "hook_-1", "cb", ""] {
        let hook = Hook::typed(|_: PreToolUseInput, _| async { HookOutput::allow() });
        let answer = serve(host([hook]), callback(id, "PreToolUse")).await;
        table.row(&format!("unknown callback {id:?}"), &answer);
    }
    let hook = Hook::typed(|_: UserPromptSubmitInput, _| async { HookOutput::none() });
    let answer = serve(host([hook]), callback("hook_0", "PreToolUse")).await;
    table.row("a typed hook that is sent another event", &answer);
    insta::assert_snapshot!(table.0);
}

#[tokio::test]
async fn hooks_learn_which_call_it_is() {
    let hook = Hook::pre_tool_use(|input, context| async move {
        assert!(!context.is_cancelled());
        HookOutput::deny(format!(
            "{} {} {:?}",
            input.tool_name,
            input.tool_input,
            context.tool_use_id()
        ))
    });
    let answer = serve(host([hook]), callback("hook_0", "PreToolUse")).await;
    assert!(
        answer.contains(r#"Bash {\"command\":\"ls\"} Some(\"t1\")"#),
        "{answer}"
    );
}

#[test]
fn we_answer_before_the_cli_gives_up() {
    let hook = |seconds| {
        Hook::on(HookEvent::PreToolUse)
            .timeout(Duration::from_secs(seconds))
            .run(|_: HookInput, _: HookContext| async { HookOutput::none() })
    };
    let deadline = |host: &Host, event: &str, rest: &str| {
        let line =
            format!(r#","callback_id":"hook_0","input":{{"hook_event_name":"{event}"}}{rest}"#);
        host.deadline(&of_subtype("hook_callback", &line))
            .expect("hooks have one")
            .as_millis()
    };
    let without = host([]);
    assert_eq!(deadline(&without, "PreToolUse", ""), 599_000);
    assert_eq!(deadline(&without, "UserPromptSubmit", ""), 29_000);
    assert_eq!(deadline(&without, "Stop", r#","deadline_ms":5000"#), 4_500);
    assert_eq!(deadline(&host([hook(2)]), "PreToolUse", ""), 1_800);
    assert_eq!(
        deadline(&host([hook(2)]), "PreToolUse", r#","deadline_ms":1000"#),
        900
    );
    assert_eq!(deadline(&host([hook(60)]), "PreToolUse", ""), 59_000);
}

#[test]
fn other_questions_wait_for_ever_unless_said() {
    let host = host([]);
    for subtype in [
        "can_use_tool",
        "elicitation",
        "request_user_dialog",
        "mcp_message",
    ] {
        assert_eq!(host.deadline(&of_subtype(subtype, "")), None, "{subtype}");
    }
}

#[tokio::test]
async fn a_hook_that_goes_on_is_not_cancelled_by_its_answer() {
    let (sent, mut contexts) = tokio::sync::mpsc::unbounded_channel();
    let hook = Hook::stop(move |_, context| {
        sent.send(context).expect("open");
        async { HookOutput::later(None) }
    });
    assert_eq!(
        serve(host([hook]), callback("hook_0", "Stop")).await,
        r#"{"async":true}"#
    );
    assert!(!contexts.recv().await.expect("called").is_cancelled());
}
