//! Hook inputs and answers, and permissions.

use rusty_claw_protocol::hook::{
    HookCommon, HookEvent, HookInput, HookOutput, HookSpecificOutput, PermissionRequestDecision,
    PreToolUseInput,
};
use rusty_claw_protocol::permission::{PermissionMode, PermissionResult, PermissionUpdate};
use rusty_claw_protocol::wire::read_all;
use rusty_claw_protocol::{Extra, Json};
use serde::Serialize;

use crate::samples::{check, samples};

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn reads_every_declared_hook_input_and_output() {
    let samples = samples("hooks.ndjson");
    let mut events = 0;
    let mut answers = Vec::new();
    for (name, samples) in &samples {
        for sample in samples {
            if name.ends_with("JSONOutput") {
                match check::<HookOutput>(sample) {
                    HookOutput::Sync(output) => {
                        if let Some(specific) = output.hook_specific_output {
                            answers.push(specific.tag().to_owned());
                        }
                    }
                    HookOutput::Async(_) => assert_eq!(name, "AsyncHookJSONOutput"),
                }
            } else {
                let input = check::<HookInput>(sample);
                assert_eq!(input.event().as_str(), name);
                assert!(!matches!(input.event(), HookEvent::Unknown(_)), "{name}");
                assert_eq!(input.common().unwrap().cwd.as_deref(), Some("s-cwd"));
                events += 1;
            }
        }
    }
    assert_eq!(
        events,
        2 * 33,
        "one sample with all members and one without for each event"
    );
    answers.sort();
    answers.dedup();
    assert_eq!(answers.len(), 22, "{answers:?}");
}

#[test]
fn keeps_an_event_that_is_new() {
    let line = r#"{"hook_event_name":"Sunrise","session_id":"s","hue":7}"#;
    let input: HookInput = read_all(line).unwrap();
    assert_eq!(input.event(), HookEvent::from("Sunrise"));
    assert_eq!(input.common(), None);
    let HookInput::Unknown(unknown) = &input else {
        panic!("{input:?}")
    };
    assert_eq!(unknown.session_id(), Some("s"));
    assert_eq!(unknown.raw.text(), line);
}

#[test]
fn builds_an_input_as_the_cli_prints_it() {
    let mut common = HookCommon::new();
    common.session_id = Some("3367ab07".into());
    common.permission_mode = Some(PermissionMode::AcceptEdits);
    let call = Json::from_text(r#"{"command":"ls"}"#).unwrap();
    let input = PreToolUseInput::new(common, "Bash", call, "toolu_1");
    let input = HookInput::PreToolUse(Box::new(input));
    insta::assert_snapshot!(text(&input), @r#"{"hook_event_name":"PreToolUse","session_id":"3367ab07","permission_mode":"acceptEdits","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}"#);
}

#[test]
fn decodes_a_recorded_stop() {
    let line = r#"{"session_id":"80231d6b","transcript_path":"/home/user/t.jsonl","cwd":"/home/user/project","prompt_id":"0ed075ea","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Sub report.","background_tasks":[{"id":"aab8","type":"subagent","status":"running","description":"sub","agent_type":"general-purpose"}],"session_crons":[]}"#;
    let HookInput::Stop(stop) = read_all::<HookInput>(line).unwrap() else {
        panic!("not a Stop")
    };
    insta::assert_debug_snapshot!(stop);
}

#[test]
fn a_null_and_a_missing_member_come_back_as_they_were() {
    for line in [
        r#"{"hook_event_name":"PreCompact","session_id":"s","trigger":"manual","custom_instructions":null}"#,
        r#"{"hook_event_name":"PreCompact","session_id":null,"agent_id":null,"custom_instructions":"x"}"#,
    ] {
        let input: HookInput = read_all(line).unwrap();
        let (written, read): (serde_json::Value, serde_json::Value) = (
            serde_json::to_value(&input).unwrap(),
            serde_json::from_str(line).unwrap(),
        );
        assert_eq!(written, read);
    }
}

/// The exact text of every ready-made answer: the CLI refuses an answer with one wrong member.
#[test]
fn writes_the_common_answers() {
    let input = Json::from_text(r#"{"command":"ls -l"}"#).unwrap();
    let answers = [
        HookOutput::none(),
        HookOutput::allow(),
        HookOutput::allow_with(input.clone()),
        HookOutput::deny("hook says no"),
        HookOutput::ask("hook wants a human"),
        HookOutput::block("not yet"),
        HookOutput::stop("enough"),
        HookOutput::later(None),
        HookOutput::later(Some(5000)),
        HookOutput::replace_output(input),
        HookOutput::permission(PermissionRequestDecision::allow()),
        HookOutput::permission(PermissionRequestDecision::deny("hook denies")),
        HookOutput::context(&HookEvent::UserPromptSubmit, "ups ctx").unwrap(),
        HookOutput::block("no").with_system_message("blocked"),
    ];
    let lines: Vec<String> = answers.iter().map(text).collect();
    for (answer, line) in answers.iter().zip(&lines) {
        assert_eq!(read_all::<HookOutput>(line).as_ref(), Ok(answer), "{line}");
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn context_goes_only_where_the_cli_takes_it() {
    let mut taken = Vec::new();
    let mut refused = Vec::new();
    for (name, _) in samples("hooks.ndjson") {
        let event = HookEvent::from(&*name);
        match HookSpecificOutput::context(&event, "x") {
            Some(output) => {
                assert_eq!(output.event(), event);
                taken.push(name);
            }
            None => refused.push(name),
        }
    }
    insta::assert_snapshot!(taken.join("\n"));
    assert!(refused.iter().any(|name| name == "PermissionRequest"));
}

/// A host may answer in ways that no single type has; nothing of it is lost.
#[test]
fn odd_answers_come_back_as_they_were() {
    for line in [
        r#"{"async":false,"continue":true}"#,
        r#"{"async":true,"continue":true,"hookSpecificOutput":{"hookEventName":"Stop"},"new":1}"#,
        r#"{"async":"yes","asyncTimeout":5,"reason":null}"#,
        r#"{"async":true,"asyncTimeout":1.5}"#,
        r#"{"asyncTimeout":7,"decision":"maybe","hookSpecificOutput":"none"}"#,
    ] {
        let output: HookOutput = read_all(line).unwrap();
        let (written, read): (serde_json::Value, serde_json::Value) = (
            serde_json::to_value(&output).unwrap(),
            serde_json::from_str(line).unwrap(),
        );
        assert_eq!(written, read, "{output:?}");
        assert_eq!(
            matches!(output, HookOutput::Async(_)),
            read["async"] == true
        );
    }
}

#[test]
fn writes_permission_answers() {
    let update = r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch yes *"}],"behavior":"allow","destination":"localSettings"}"#;
    let update: PermissionUpdate = read_all(update).unwrap();
    let PermissionResult::Allow(mut allow) = PermissionResult::allow() else {
        panic!("allow is Allow")
    };
    allow.updated_permissions = Some(vec![
        update,
        PermissionUpdate::SetMode {
            mode: PermissionMode::AcceptEdits,
            destination: "session".into(),
            extra: Extra::new(),
        },
    ]);
    insta::assert_snapshot!(text(&PermissionResult::Allow(allow)), @r#"{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch yes *"}],"behavior":"allow","destination":"localSettings"},{"type":"setMode","mode":"acceptEdits","destination":"session"}]}"#);
    insta::assert_snapshot!(text(&PermissionResult::deny("Not on my watch")), @r#"{"behavior":"deny","message":"Not on my watch"}"#);
}
