//! Whole turns, as the CLI prints them.

use claw_testkit::{Background, FakeScript, FakeTurn, Step};
use rusty_claw_protocol::messages::Message;
use serde_json::json;

use super::{Fake, kinds, script, text_of};

const ONE: &str = "0a0a0a0a-0000-4000-8000-000000000001";
const TWO: &str = "0a0a0a0a-0000-4000-8000-000000000002";
const THREE: &str = "0a0a0a0a-0000-4000-8000-000000000003";

const STATES: (&str, &str) = ("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1");

#[test]
fn a_turn_has_the_clis_frames_in_the_clis_order() {
    let mut fake = Fake::start_with(&FakeScript::new(), &[], &[STATES]);
    fake.prompt_with_uuid("hello", ONE);
    let frames = fake.up_to(|frame| frame["state"] == "idle");
    assert_eq!(
        kinds(&frames),
        [
            "system running",
            "command_lifecycle queued",
            "command_lifecycle started",
            "system init",
            "assistant",
            "result success",
            "command_lifecycle completed",
            "system idle",
        ]
    );
    let result = &frames[5];
    assert_eq!(result["user_message_uuid"], ONE);
    assert_eq!(result["user_message_uuids"], json!([ONE]));
    assert_eq!(result["result_index"], 0);
    assert_eq!(result["total_cost_usd"], 0.0008);
    assert_eq!(result["session_id"], frames[3]["session_id"]);
    assert_eq!(frames[4]["user_message_uuid"], ONE);
    fake.prompt("again");
    let result = fake.result();
    assert_eq!(result["result_index"], 1);
    assert_eq!(result["total_cost_usd"], 0.0016);
    assert_eq!(
        result.get("user_message_uuid"),
        None,
        "a prompt without an id"
    );
    assert_eq!(fake.end(), Some(0));
}

#[test]
fn every_frame_decodes_as_a_known_message() {
    let mut fake = Fake::start_with(
        &script([
            Background {
                description: "work".to_owned(),
                after_ms: 1,
                text: "done".to_owned(),
            }
            .into(),
            claw_testkit::Flood::new(2)
                .kind(claw_testkit::FloodKind::Delta)
                .into(),
            claw_testkit::Flood::new(2)
                .kind(claw_testkit::FloodKind::ToolResult)
                .into(),
        ]),
        &["--replay-user-messages", "--session-mirror"],
        &[STATES],
    );
    fake.prompt_with_uuid("hello", ONE);
    fake.close_stdin();
    let mut count = 0;
    while let Some(line) = fake.line() {
        let message = Message::from_json(&String::from_utf8(line).unwrap()).unwrap();
        assert!(!matches!(message, Message::Unknown(_)), "{message:?}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn three_prompts_at_once_are_two_turns() {
    let steps = FakeTurn::new().step(Step::SleepMs(300));
    let mut fake = Fake::start(&FakeScript::new().turn(steps).repeat_last());
    // In one write, so that no pause of this process comes in between.
    let lines = [ONE, TWO, THREE].map(|uuid| {
        let message = json!({"role": "user", "content": "x"});
        format!(
            "{}\n",
            json!({"type": "user", "uuid": uuid, "message": message})
        )
    });
    fake.send_bytes(lines.concat().as_bytes());
    assert_eq!(fake.result()["user_message_uuids"], json!([ONE]));
    assert_eq!(fake.result()["user_message_uuids"], json!([TWO, THREE]));
    assert_eq!(fake.end(), Some(0));
}

#[test]
fn a_result_has_the_structured_output_of_its_script() {
    let mut turn = FakeTurn::new().step(Step::text("t"));
    turn.structured_output = Some(json!({"a": 1}));
    let mut fake = Fake::start(&FakeScript::new().turn(turn));
    fake.prompt("go");
    let result = fake.result();
    assert_eq!(result["structured_output"], json!({"a": 1}));
    assert_eq!(result["result"], "t");
}

#[test]
fn work_in_the_background_ends_in_a_turn_that_nobody_asked_for() {
    let work = Background {
        description: "work".to_owned(),
        after_ms: 150,
        text: "it is done".to_owned(),
    };
    let mut fake = Fake::start(&script([work.into(), Step::text("started")]));
    fake.prompt("go");
    let first = fake.up_to(|frame| frame["type"] == "result");
    assert!(kinds(&first).contains(&"system task_started".to_owned()));
    assert_eq!(first.last().unwrap()["result"], "started");
    // The end of stdin waits for it.
    fake.close_stdin();
    let second = fake.up_to(|frame| frame["type"] == "result");
    assert!(kinds(&second).contains(&"system task_notification".to_owned()));
    assert_eq!(text_of(&second[second.len() - 2]), "it is done");
    assert_eq!(
        second.last().unwrap()["origin"]["kind"],
        "task-notification"
    );
    assert_eq!(fake.exit().code(), Some(0));
}

#[test]
fn work_in_the_background_can_be_stopped() {
    let work = Background {
        description: "work".to_owned(),
        after_ms: 600_000,
        text: String::new(),
    };
    let mut fake = Fake::start(&script([work.into()]));
    fake.prompt("go");
    let started = fake.until(|frame| frame["subtype"] == "task_started");
    fake.result();
    fake.control(
        "s",
        &json!({"subtype": "stop_task", "task_id": started["task_id"]}),
    );
    assert_eq!(
        fake.until(|frame| frame["subtype"] == "task_notification")["status"],
        "stopped"
    );
    assert_eq!(fake.end(), Some(0));
}
