//! Events of a session as they are kept.

use claw_server::Json;
use claw_server::event::{
    AcceptedInput, Amount, EndedTurn, Fact, InputFailure, InputId, InputMode, Interaction,
    InteractionAnswer, InteractionId, InteractionKind, Lane, Lifecycle, LifecycleState,
    ProgressSource, ProgressUpdate, Regression, SessionEvent, TurnEnding, WorkKind,
};
use claw_server::{TaskStatus, TodoItem, TodoStatus};

use crate::recorded;

fn json(text: &str) -> Json {
    Json::from_text(text).unwrap()
}

fn every_fact() -> Vec<Fact> {
    let input = || InputId::new("in_1");
    let prompt = || InteractionId::new("toolu_1");
    let mut accepted = AcceptedInput::new(input(), json(r#""Run the tests""#));
    accepted.key = Some("phone-17".into());
    accepted.mode = InputMode::Steer;
    accepted.from = Some("phone".into());
    accepted.metadata = Some(json(r#"{"client_version":"1.2.3"}"#));
    let mut asked = Interaction::new(
        prompt(),
        InteractionKind::Permission,
        json(r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}"#),
    );
    asked = asked.in_group("b_1", 0, 2);
    asked.tool_use_id = Some("toolu_1".into());
    asked.tool_name = Some("Bash".into());
    asked.expires_at_ms = Some(1_794_700_300_000);
    let mut answer = InteractionAnswer::new(prompt(), json(r#"{"behavior":"allow"}"#));
    answer.by = Some("phone".into());
    let mut lost = Lifecycle::new(LifecycleState::Lost);
    lost.exit_code = Some(137);
    lost.reason = Some("killed by the system".into());
    lost.lost = vec!["2 background tasks".into()];
    let mut lane = Lane::subagent("toolu_1");
    lane.task_id = Some("a1".into());
    lane.name = Some("Explore".into());
    let mut list = ProgressUpdate::new("todo", WorkKind::Checklist, ProgressSource::Todo)
        .in_lane(lane)
        .label("Writing it")
        .detail("slowly")
        .counted(1_u32, 3_u32);
    list.tool_uses = Some(4);
    list.elapsed_ms = Some(61_000);
    list.items = vec![TodoItem {
        text: "Write it".into(),
        status: TodoStatus::InProgress,
    }];
    list.per_minute = Amount::new(0.5);
    list.left_ms = Some(240_000);
    list.regression = Some(Regression::ListGrew);
    let mut said = ProgressUpdate::new("said/Percent", WorkKind::Percent, ProgressSource::Prose)
        .state(TaskStatus::Completed);
    said.percent = Amount::new(99.5);
    said.confidence = Amount::new(0.6).unwrap();
    vec![
        Fact::message(r#"{"type":"system","subtype":"init"}"#),
        Fact::message("panic: something printed this"),
        Fact::Message(vec![b'{', 0xff, b'}'].into()),
        Fact::InputAccepted(accepted),
        Fact::InputDelivered(input()),
        Fact::InputProcessed(input()),
        Fact::InputFailed(InputFailure::new(input(), "the process was lost").indeterminate()),
        Fact::InteractionOpened(asked),
        Fact::InteractionAnswered(answer),
        Fact::InteractionExpired(prompt()),
        Fact::InteractionWithdrawn(prompt()),
        Fact::TurnStarted(vec![input(), InputId::new("in_2")]),
        Fact::TurnEnded(EndedTurn::new(TurnEnding::Succeeded)),
        Fact::TurnEnded(EndedTurn::new(TurnEnding::TimedOut).because("no answer in 10 min")),
        Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)),
        Fact::Lifecycle(lost),
        Fact::Progress(Box::new(list)),
        Fact::Progress(Box::new(said)),
        Fact::Unknown {
            kind: "confetti".into(),
            body: json(r#"{"colour":"green","n":1.50}"#),
        },
    ]
}

fn events() -> impl Iterator<Item = SessionEvent> {
    (1..).zip(every_fact()).map(|(sequence, fact)| {
        SessionEvent::new(sequence, 2, 1_794_700_000_000, fact)
            .turn(3)
            .input(InputId::new("in_1"))
    })
}

#[test]
fn every_kind_of_event_is_written_so_and_read_again() {
    let lines: Vec<String> = events()
        .map(|event| {
            let text = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<SessionEvent>(&text).unwrap(), event);
            text
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_a_newer_version_wrote_survives() {
    let text =
        r#"{"v":2,"seq":1,"epoch":1,"at":5,"node":{"id":"a"},"kind":"confetti","body":[1,2.50]}"#;
    let event: SessionEvent = serde_json::from_str(text).unwrap();
    assert_eq!(event.version, 2);
    assert_eq!(event.fact.kind(), "confetti");
    assert_eq!(serde_json::to_string(&event).unwrap(), text);

    // A new member does not make a prompt unknown: it waits for an answer all the same.
    let text = r#"{"v":2,"seq":1,"epoch":1,"at":5,"kind":"interaction_opened","body":{"id":"p","kind":"Vote","request":{},"colour":"red"}}"#;
    let event: SessionEvent = serde_json::from_str(text).unwrap();
    let Fact::InteractionOpened(prompt) = event.fact else {
        panic!("{event:?}");
    };
    assert_eq!(prompt.kind, InteractionKind::Unknown("Vote".into()));

    // New names in a progress event do not make it unknown.
    let text = r#"{"v":1,"seq":1,"epoch":1,"at":5,"kind":"progress","body":{"subject":"x","kind":"Voyage","state":"Becalmed","source":"Stars","confidence":0.25,"regression":"Storm"}}"#;
    let event: SessionEvent = serde_json::from_str(text).unwrap();
    let Fact::Progress(update) = &event.fact else {
        panic!("{event:?}");
    };
    assert_eq!(update.source, ProgressSource::Unknown("Stars".into()));
    assert_eq!(serde_json::to_string(&event).unwrap(), text);

    // A known name with another shape is kept whole.
    let text = r#"{"v":2,"seq":1,"epoch":1,"at":5,"kind":"turn_ended","body":"well"}"#;
    let event: SessionEvent = serde_json::from_str(text).unwrap();
    assert!(matches!(event.fact, Fact::Unknown { .. }));
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
}

#[test]
fn an_event_without_its_stamp_is_refused() {
    for missing in ["seq", "epoch", "at", "kind"] {
        let whole = r#"{"v":1,"seq":1,"epoch":1,"at":5,"kind":"message","body":{}}"#;
        let text = whole.replace(&format!("\"{missing}\""), "\"other\"");
        let error = serde_json::from_str::<SessionEvent>(&text).unwrap_err();
        assert!(error.to_string().contains(missing), "{error}");
    }
}

#[test]
fn lines_come_back_byte_for_byte() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(3000), "}".repeat(3000));
    let odd: [&[u8]; 9] = [
        b"",
        b"{",
        b" {\"type\":\"x\"}",
        b"{\"type\":\"x\"}\r",
        b"{\"type\": \"x\",\t\"n\":1e400}",
        b"{\"half\":\"\\ud83d\"}",
        b"{\"raw control\":\"\x01\"}",
        b"[1]",
        deep.as_bytes(),
    ];
    let recorded = recorded::cli_lines();
    assert!(recorded.len() > 2000, "{}", recorded.len());
    let odd = odd.into_iter().map(<[u8]>::to_vec);
    for line in odd.chain(recorded) {
        let event = SessionEvent::new(1, 1, 1, Fact::Message(line.clone().into()));
        let text = serde_json::to_string(&event).unwrap();
        let back: SessionEvent = serde_json::from_str(&text).unwrap();
        let Fact::Message(raw) = back.fact else {
            panic!("{text}");
        };
        assert_eq!(raw.as_bytes(), line, "{text}");
    }
}
