use claw_server::event::{
    AcceptedInput, EndedTurn, InputFailure, InputId, InteractionAnswer, InteractionKind, Lifecycle,
    LifecycleState, TurnEnding,
};
use claw_server::{Json, TextDelta};
use serde_json::json;

use super::super::requests::tests::request;
use super::*;

/// Messages of a session, in the order of its events.
#[derive(Default)]
struct Session {
    messages: Vec<EventsMessage>,
    sequence: u64,
}

impl Session {
    fn fact(&mut self, turn: Option<u64>, fact: Fact) {
        self.sequence += 1;
        let event = SessionEvent::new(self.sequence, 1, 0, fact).turn(turn);
        self.messages.push(EventsMessage::Event(Box::new(event)));
    }

    fn line(&mut self, line: &Value) {
        self.fact(Some(1), Fact::message(line.to_string()));
    }

    fn block(&mut self, message: &str, block: &Value) {
        self.line(&json!({"type": "assistant", "message":
            {"id": message, "role": "assistant", "content": [block]}}));
    }

    fn delta(&mut self, message: &str, offset: u64, text: &str) {
        let delta = TextDelta::new(1, message, 0, offset, text);
        self.messages.push(EventsMessage::Delta(delta));
    }

    fn result(&mut self, id: &str, text: &str, is_error: bool) {
        self.line(
            &json!({"type": "user", "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]}}),
        );
    }

    fn end(&mut self, ending: TurnEnding) {
        let ended = EndedTurn::new(ending);
        self.fact(Some(1), Fact::TurnEnded(ended));
    }
}

fn input(key: &str, text: &str) -> Fact {
    let content = Json::from_text_value(text);
    let mut input = AcceptedInput::new(InputId::new("in-1"), content);
    input.key = Some(key.to_owned());
    Fact::InputAccepted(input)
}

/// Prints messages on a screen, without colours.
fn printed(screen: &mut Screen, messages: &[EventsMessage]) -> String {
    let text: String = messages
        .iter()
        .map(|message| screen.message(message))
        .collect();
    anstream::adapter::strip_str(&text).to_string()
}

fn session() -> Session {
    let mut session = Session::default();
    session.fact(None, input("c-1", "List the files,\nplease"));
    session.fact(Some(1), Fact::TurnStarted(vec![InputId::new("in-1")]));
    session.delta("m1", 0, "I will ");
    session.delta("m1", 7, "look.\u{1b}[31m");
    session.block(
        "m1",
        &json!({"type": "text", "text": "I will look.\u{1b}[31m Now."}),
    );
    let call = |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
    session.block("m1", &call("t1", json!({"command": "ls -l \u{7}| wc"})));
    session.result("t1", "one\ntwo\nthree", false);
    session.block("m1", &call("t2", json!({"command": "rm x"})));
    let asked = request(
        "t2",
        InteractionKind::Permission,
        "Bash",
        &json!({"command": "rm x"}),
    );
    session.fact(Some(1), Fact::InteractionOpened(asked.clone()));
    let mut answer = InteractionAnswer::new(
        asked.id,
        json!({"behavior": "deny", "message": "no"}).into(),
    );
    answer.by = Some("phone".to_owned());
    session.fact(Some(1), Fact::InteractionAnswered(answer));
    session.result("t2", "denied", true);
    session.delta("m2", 0, "Done");
    session.block("m2", &json!({"type": "text", "text": "Done."}));
    session.end(TurnEnding::Succeeded);
    session
}

#[test]
fn a_session_is_rendered_as_it_goes_on() {
    insta::assert_snapshot!(printed(&mut Screen::new(), &session().messages));
}

#[test]
fn repeated_messages_print_nothing() {
    let messages = session().messages;
    let whole = printed(&mut Screen::new(), &messages);
    // A client that resumes receives text and events again.
    for cut in 0..messages.len() {
        for back in 0..=cut {
            let mut screen = Screen::new();
            let mut text = printed(&mut screen, &messages[..cut]);
            text.push_str(&printed(&mut screen, &messages[back..]));
            assert_eq!(text, whole, "cut at {cut}, again from {back}");
        }
    }
}

#[test]
fn the_state_follows_the_events() {
    let mut session = session();
    let mut screen = Screen::new();
    let opened = session.messages.iter().position(|message| {
        matches!(message, EventsMessage::Event(event) if matches!(event.fact, Fact::InteractionOpened(_)))
    });
    let (before, after) = session.messages.split_at(opened.unwrap() + 1);
    printed(&mut screen, before);
    assert_eq!((screen.open().len(), screen.turn()), (1, Some(1)));
    printed(&mut screen, after);
    assert_eq!((screen.open().len(), screen.turn()), (0, None));
    session.fact(
        None,
        Fact::Lifecycle(Lifecycle::new(LifecycleState::Closed)),
    );
    printed(&mut screen, &session.messages);
    assert!(screen.is_closed());
}

#[test]
fn typed_prompts_are_not_printed_again_and_earlier_events_are_not_missing() {
    let mut screen = Screen::new();
    screen.start(4);
    screen.sent("1");
    let text = printed(&mut screen, &session().messages);
    assert!(
        !text.contains("List") && !text.contains("missing"),
        "{text}"
    );
    assert!(text.contains("Done."), "{text}");
}

#[test]
fn trouble_is_reported() {
    let mut session = Session::default();
    session.fact(None, input("c-1", "Go"));
    session.fact(Some(1), Fact::TurnStarted(vec![InputId::new("in-1")]));
    session.delta("m1", 0, "I am not");
    session.end(TurnEnding::Interrupted);
    session.messages.push(EventsMessage::Gap { from: 5, to: 9 });
    session.sequence = 9;
    let failure = InputFailure::new(InputId::new("in-2"), "the queue is full");
    session.fact(None, Fact::InputFailed(failure));
    let mut lost = Lifecycle::new(LifecycleState::Lost);
    lost.reason = Some("killed by signal 9".to_owned());
    session.fact(None, Fact::Lifecycle(lost));
    session.fact(
        None,
        Fact::Lifecycle(Lifecycle::new(LifecycleState::Closed)),
    );
    insta::assert_snapshot!(printed(&mut Screen::new(), &session.messages));
}
