use std::time::Duration;

use rusty_claw_protocol::Json;
use rusty_claw_protocol::hook::{
    HookDecision, HookEvent, HookInput, HookOutput, HookSpecificOutput, PreToolUseInput,
    PreToolUseOutput, SyncHookOutput, UserPromptSubmitInput,
};

use super::*;
use crate::hook::{Hook, HookContext, one_of_each};

fn callback(id: &str, event: &str) -> ControlRequest {
    of_subtype(
        "hook_callback",
        &format!(
            r#","callback_id":"{id}","input":{{"hook_event_name":"{event}","session_id":"s1","tool_name":"Bash","tool_input":{{"command":"ls"}},"tool_use_id":"t1","prompt":"hi","command_name":"x"}},"tool_use_id":"t1""#
        ),
    )
}

fn host(hooks: impl IntoIterator<Item = Hook>) -> Host {
    let mut host = Host::default();
    for hook in hooks {
        host.hooks.add(hook);
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
    let none = |_: HookInput, _: HookContext| async { HookOutput::none() };
    let check = |hook: Hook, reply: &str| {
        host([hook])
            .check(&Json::from_text(reply).expect("JSON"))
            .is_ok()
    };
    let watches = || Hook::on(HookEvent::PreCompact).run(none);
    assert!(check(watches(), "{}"));
    assert!(check(watches(), r#"{"hooks_applied":false}"#));
    let guards = [
        watches().on_failure_block(),
        Hook::on(HookEvent::PreToolUse).run(none),
        Hook::on(HookEvent::UserPromptSubmit).run(none),
        Hook::on(HookEvent::PermissionRequest).run(none),
    ];
    let supported = r#"{"hook_on_failure_supported":true}"#;
    let applied = r#"{"hook_on_failure_supported":true,"hooks_applied":true}"#;
    let not_applied = r#"{"hook_on_failure_supported":true,"hooks_applied":false}"#;
    let replies = [
        ("{}", false),
        (r#"{"hooks_applied":true}"#, false),
        (r#"{"hook_on_failure_supported":false}"#, false),
        (supported, true),
        (applied, true),
        (not_applied, false),
    ];
    for hook in guards {
        for (reply, expected) in replies {
            assert_eq!(check(hook.clone(), reply), expected, "{hook:?} {reply}");
        }
    }
}

#[test]
fn the_name_of_a_hook_does_not_depend_on_others() {
    let none = |_: HookInput, _: HookContext| async { HookOutput::none() };
    let on = |event| Hook::on(event).run(none);
    let names = |hooks: Vec<Hook>| {
        let mut initialize = InitializeRequest::default();
        host(hooks).declare(&mut initialize);
        let declared = initialize.hooks.expect("hooks");
        let names = declared
            .iter()
            .flat_map(|(_, matchers)| matchers)
            .flat_map(|matcher| matcher.hook_callback_ids.clone());
        names.map(|name| name.to_string()).collect::<Vec<_>>()
    };
    let bash = || on(HookEvent::PreToolUse).matching("Bash");
    assert_eq!(names(vec![bash()]), ["PreToolUse(Bash)#0"]);
    let others = vec![
        on(HookEvent::PreToolUse),
        on(HookEvent::PreToolUse).matching("Edit"),
        on(HookEvent::PreToolUse),
        bash(),
        bash(),
    ];
    assert_eq!(
        names(others),
        [
            "PreToolUse#0",
            "PreToolUse(Edit)#0",
            "PreToolUse#1",
            "PreToolUse(Bash)#0",
            "PreToolUse(Bash)#1",
        ]
    );
}

#[tokio::test]
async fn a_guard_that_is_not_told_what_it_guards_blocks() {
    fn would_allow() -> [Hook; 4] {
        [
            HookEvent::PreToolUse,
            HookEvent::UserPromptSubmit,
            HookEvent::PermissionRequest,
            HookEvent::UserPromptExpansion,
        ]
        .map(|event| {
            Hook::on(event).run(|input: HookInput, _: HookContext| async move {
                match input {
                    HookInput::PreToolUse(_) => HookOutput::allow(),
                    _ => HookOutput::none(),
                }
            })
        })
    }
    // The event, and the rest of the request.
    let cases = r#"
PreToolUse
PreToolUse ,"input":null
PreToolUse ,"input":{}
PreToolUse ,"input":"PreToolUse"
PreToolUse ,"input":{"hook_event_name":"BrandNew"}
PreToolUse ,"input":{"hook_event_name":"Stop"}
PreToolUse ,"input":{"hook_event_name":"PreToolUse","tool_input":{}}
PreToolUse ,"input":{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":{}}
PreToolUse ,"input":{"hook_event_name":"PreToolUse","tool_name":"Bash"}
PreToolUse ,"input":{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}
PreToolUse ,"input":{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}
UserPromptSubmit
UserPromptSubmit ,"input":{"hook_event_name":"UserPromptSubmit"}
UserPromptSubmit ,"input":{"hook_event_name":"UserPromptSubmit","prompt":["hi"]}
UserPromptSubmit ,"input":{"hook_event_name":"UserPromptSubmit","prompt":"half \ud83d"}
PermissionRequest ,"input":{"hook_event_name":"PermissionRequest","tool_name":"Bash"}
PermissionRequest ,"input":{"hook_event_name":"PermissionRequest","tool_input":{}}
UserPromptExpansion ,"input":{"hook_event_name":"UserPromptExpansion","prompt":"/x"}
UserPromptExpansion ,"input":{"hook_event_name":"UserPromptExpansion","command_name":"x"}
"#;
    let mut table = Table::new();
    for case in cases.trim().lines() {
        let (event, rest) = case.split_once(' ').unwrap_or((case, ""));
        let rest_of_request = format!(r##","callback_id":"{event}#0"{rest}"##);
        let request = of_subtype("hook_callback", &rest_of_request);
        let answer = serve(host(would_allow()), request).await;
        table.row(&format!("{event} {rest}"), &answer);
    }
    insta::assert_snapshot!(table.0);
}

#[test]
fn a_late_hook_is_answered_for_by_the_event_it_was_registered_for() {
    let request = of_subtype("hook_callback", r##","callback_id":"PreToolUse(Bash)#0""##);
    let answer = shown(refusal(&request, "it is late"));
    assert!(
        answer.contains(r#""permissionDecision":"deny""#),
        "{answer}"
    );
}

#[tokio::test]
async fn each_event_reaches_its_typed_hook() {
    let hooks = one_of_each();
    assert_eq!(hooks.len(), 33);
    for hook in &hooks {
        let event = hook.event().as_str();
        let request = callback(&format!("{event}#0"), event);
        assert_eq!(serve(host(one_of_each()), request).await, "{}", "{hook:?}");
    }
}

type Run = fn(HookInput) -> Result<HookOutput, String>;

#[tokio::test]
async fn every_answer_as_it_is_sent() {
    let wrong_event: Run =
        |_| Ok(HookOutput::context(&HookEvent::Stop, "more").expect("Stop takes a context"));
    let made_up: Run = |_| {
        let mut output = PreToolUseOutput::new();
        output.permission_decision = Some("perhaps".into());
        Ok(HookSpecificOutput::PreToolUse(Box::new(output)).into())
    };
    let made_up_decision: Run = |_| {
        let mut output = SyncHookOutput::new();
        output.decision = Some(HookDecision::from("perhaps"));
        Ok(output.into())
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
        let answer = serve(host([hook]), callback(&format!("{event}#0"), event)).await;
        table.row(&format!("{event}: {name}"), &answer);
    }
    for id in ["PreToolUse#1", "PreToolUse", "hook_0", "Stop#0", "cb", ""] {
        let hook = Hook::typed(|_: PreToolUseInput, _| async { HookOutput::allow() });
        let answer = serve(host([hook]), callback(id, "PreToolUse")).await;
        table.row(&format!("unknown callback {id:?}"), &answer);
    }
    let hook = Hook::typed(|_: UserPromptSubmitInput, _| async { HookOutput::none() });
    let answer = serve(host([hook]), callback("UserPromptSubmit#0", "PreToolUse")).await;
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
    let answer = serve(host([hook]), callback("PreToolUse#0", "PreToolUse")).await;
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
        let line = format!(
            r##","callback_id":"{event}#0","input":{{"hook_event_name":"{event}"}}{rest}"##
        );
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

#[test]
fn questions_to_people_wait_as_long_as_said() {
    let mut host = host([]);
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    host.permission_timeout = seconds(1);
    host.elicitation_timeout = seconds(2);
    host.dialog_timeout = seconds(3);
    let deadline = |subtype| host.deadline(&of_subtype(subtype, ""));
    assert_eq!(deadline("can_use_tool"), seconds(1));
    assert_eq!(deadline("elicitation"), seconds(2));
    assert_eq!(deadline("request_user_dialog"), seconds(3));
    assert_eq!(deadline("mcp_message"), None);
}

#[tokio::test]
async fn a_hook_that_goes_on_is_not_cancelled_by_its_answer() {
    let (sent, mut contexts) = tokio::sync::mpsc::unbounded_channel();
    let hook = Hook::stop(move |_, context| {
        sent.send(context).expect("open");
        async { HookOutput::later(None) }
    });
    assert_eq!(
        serve(host([hook]), callback("Stop#0", "Stop")).await,
        r#"{"async":true}"#
    );
    assert!(!contexts.recv().await.expect("called").is_cancelled());
}
