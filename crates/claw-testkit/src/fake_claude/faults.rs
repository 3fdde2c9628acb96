//! Faults by name, so that every driver in every language means the same.

use serde_json::json;

use super::script::{FakeScript, FakeTurn, InitializeAnswer, UnknownFault};
use super::step::{Flood, Permission, Piece, Step};

/// Name, what it shows, script.
type Fault = (&'static str, &'static str, fn() -> FakeScript);

const FAULTS: &[Fault] = &[
    (
        "unknown_type",
        "a line of a type that nobody knows in mid-turn",
        || {
            turn([
                Step::text("before"),
                Step::Line(json!({"type": "from_the_future", "news": [1, 2, 3],
                    "session_id": "$session_id", "uuid": "$uuid"})),
                Step::text("after"),
            ])
        },
    ),
    ("non_json_line", "a line that is not JSON on stdout", || {
        turn([
            Step::text("before"),
            Step::Line(json!("this line is not JSON")),
            Step::text("after"),
        ])
    }),
    (
        "exit_before_result",
        "the process exits with 1 before the result",
        || {
            turn([
                Step::text("about to fail"),
                Step::Stderr("something went wrong\n".to_owned()),
                Step::Exit(1),
            ])
        },
    ),
    ("message_1_5_mb", "one message of 1.5 MB", || {
        turn([Flood::new(1).bytes(1_500_000).into()])
    }),
    ("total_12_mb", "24 messages of 0.5 MB each", || {
        turn([
            Flood::new(24).bytes(500_000).into(),
            Step::text("all written"),
        ])
    }),
    (
        "invalid_utf8",
        "a byte that is not UTF-8 in an assistant text",
        || {
            turn([
                Step::text("before"),
                Step::Raw(vec![
                    Piece::Text(
                        r#"{"type":"assistant","message":{"id":"msg_fake_utf8","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"broken "#
                            .to_owned(),
                    ),
                    Piece::Hex("ff".to_owned()),
                    Piece::Text(
                        concat!(
                            r#" byte"}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}},"#,
                            r#""parent_tool_use_id":null,"session_id":"$session_id","uuid":"$uuid"}"#,
                            "\n"
                        )
                        .to_owned(),
                    ),
                ]),
                Step::text("after"),
            ])
        },
    ),
    ("stderr_1_mb", "1 MB on stderr before the answer", || {
        turn([Step::StderrBytes(1 << 20), Step::text("written")])
    }),
    (
        "slow_reader_3003",
        "3,003 messages (init, 3,000, a text, the result) as fast as they are read",
        || {
            turn([
                Flood::new(3_000).bytes(200).into(),
                Step::text("all written"),
            ])
        },
    ),
    ("silence_33_s", "33 seconds without a word", || {
        turn([
            Step::text("before"),
            Step::SleepMs(33_000),
            Step::text("after"),
        ])
    }),
    ("initialize_never", "`initialize` gets no answer", || {
        FakeScript::new().initialize(InitializeAnswer::Never)
    }),
    (
        "drop_handle",
        "a turn that never ends; the host lets go of it",
        || turn([Step::text("working"), Step::Hang]),
    ),
    (
        "drop_handle_stubborn",
        "the same, deaf to SIGTERM, the end of stdin and `end_session`",
        || turn([Step::text("working"), Step::Hang]).stubborn(),
    ),
    (
        "interrupt_unread_3000",
        "3,001 messages, so that 3,000 are left behind the first, then silence until the interrupt",
        || turn([Flood::new(3_001).bytes(200).into(), Step::Hang]),
    ),
    (
        "interrupt_unread_10000",
        "10,001 messages, so that 10,000 are left behind the first, then silence until the interrupt",
        || turn([Flood::new(10_001).bytes(200).into(), Step::Hang]),
    ),
    (
        "flood_100000",
        "100,000 messages as fast as they are read",
        || {
            turn([
                Flood::new(100_000).bytes(200).into(),
                Step::text("all written"),
            ])
        },
    ),
    (
        "permission_never",
        "a permission prompt that waits for its answer without limit",
        || {
            turn([
                Permission::new(
                    "Bash",
                    json!({"command": "touch asked", "description": "touch"}),
                )
                .into(),
                Step::text("decided"),
            ])
        },
    ),
];

fn turn<const N: usize>(steps: [Step; N]) -> FakeScript {
    let turn = steps.into_iter().fold(FakeTurn::new(), FakeTurn::step);
    FakeScript::new().turn(turn).repeat_last()
}

impl FakeScript {
    /// The script of a named fault. Every turn of it shows the fault.
    ///
    /// ```
    /// use claw_testkit::FakeScript;
    ///
    /// let script = FakeScript::fault("exit_before_result")?;
    /// assert_eq!(script.turns.len(), 1);
    /// assert!(FakeScript::fault("good_weather").is_err());
    /// # Ok::<(), claw_testkit::UnknownFault>(())
    /// ```
    pub fn fault(name: &str) -> Result<Self, UnknownFault> {
        let Some((name, about, script)) = FAULTS.iter().find(|(known, ..)| *known == name) else {
            return Err(UnknownFault {
                name: name.to_owned(),
            });
        };
        let mut script = script();
        script.description = format!("{name}: {about}");
        Ok(script)
    }

    /// The names that [`FakeScript::fault`] knows.
    pub fn faults() -> Vec<&'static str> {
        FAULTS.iter().map(|(name, ..)| *name).collect()
    }
}
