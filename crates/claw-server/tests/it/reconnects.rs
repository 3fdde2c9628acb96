//! Clients that reconnect.

use claw_server::event::{Fact, SessionEvent};
use claw_server::{
    Dialect, MobileMessage, MobileProjection, Sequenced, SequencedMessage, TextDelta, UiMessage,
    UiProjection,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::laws::Tested;
use crate::random::Random;
use crate::reconnecting::{Resumable, Resume, by_the_number_alone, from_the_log, reconnects};
use crate::recorded::{self, Session};
use crate::{generator, json_of};

/// Each check replays the rest of a session, so at most this many places of one session are tried.
/// The proof tries more.
const PLACES: usize = 16;

#[test]
fn a_client_that_reconnects_has_what_one_has_that_stayed() {
    let mut times = 0;
    for seed in 0..100 {
        let items = generator::session(seed);
        let mut random = Random::new(seed);
        let ui = reconnects::<UiProjection>(&items, &mut random, PLACES, from_the_log);
        let mobile = reconnects::<MobileProjection>(&items, &mut random, PLACES, from_the_log);
        for one in [ui, mobile] {
            times += one.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        }
    }
    assert!(times > 2_000, "{times}");
}

#[test]
fn so_it_is_in_every_recording() {
    let mut times = 0;
    for Session { name, items } in recorded::all() {
        let mut random = Random::new(items.len() as u64);
        // The longest have hundreds of events, and others like them are shorter.
        if items.len() < 60 {
            let again = reconnects::<UiProjection>(&items, &mut random, usize::MAX, from_the_log);
            times += again.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        }
    }
    assert!(times > 1_000, "{times}");
}

/// The number of sessions, of fifty, in which a server breaks the law at any place.
fn broken<D: Resumable>(resume: Resume<D>) -> usize {
    let is_broken = |seed: &u64| {
        let items = generator::session(*seed);
        reconnects::<D>(&items, &mut Random::new(*seed), usize::MAX, resume).is_err()
    };
    (0..50).filter(is_broken).count()
}

/// What the law is worth: servers that are wrong break it.
#[test]
fn a_server_that_does_it_wrong_breaks_the_law() {
    let ui = broken::<UiProjection>(by_the_number_alone);
    let mobile = broken::<MobileProjection>(by_the_number_alone);
    assert!(ui > 10 && mobile > 10, "{ui}, {mobile}");
    let hasty = broken::<Hasty>(from_the_log);
    assert!(hasty > 5, "{hasty}");
}

#[test]
fn a_client_can_reconnect_at_every_place() {
    assert_eq!(broken::<UiProjection>(from_the_log), 0);
}

/// Increases the cursor while text is provisional.
#[derive(Debug, Serialize, Deserialize)]
struct Hasty(UiProjection);

impl Tested for Hasty {
    const NAME: &'static str = "hasty";

    fn fresh() -> Self {
        Self(UiProjection::new(1))
    }
}

impl Dialect for Hasty {
    type Message = UiMessage;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<UiMessage>) {
        self.0.event(event, messages);
    }

    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<UiMessage>) {
        self.0.delta(delta, messages);
    }

    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<UiMessage>) {
        self.0.gap(from, to, messages);
    }

    fn sequence(&self) -> u64 {
        self.0.sequence()
    }
}

fn event(sequence: u64, line: Value) -> SessionEvent {
    SessionEvent::new(sequence, 1, 0, Fact::message(line.to_string().as_str())).turn(1)
}

fn text(sequence: u64, text: &str) -> SessionEvent {
    let content = json!([{"type": "text", "text": text}]);
    let message = json!({"id": "msg_1", "role": "assistant", "content": content});
    event(sequence, json!({"type": "assistant", "message": message}))
}

fn note(sequence: u64) -> SessionEvent {
    let note = json!({"type": "system", "subtype": "informational", "content": "hi"});
    event(sequence, note)
}

/// The messages, shortened, with their cursors.
fn lines(messages: &[SequencedMessage<UiMessage>]) -> Vec<(String, u64)> {
    let word = |message: &UiMessage| match message {
        UiMessage::TextChunk { text, .. } => text.clone(),
        UiMessage::Gap { from, to, .. } => format!("gap {from}-{to}"),
        other => other.name().to_owned(),
    };
    let line = |said: &SequencedMessage<UiMessage>| (word(&said.message), said.after);
    messages.iter().map(line).collect()
}

fn expected(lines: &[(&str, u64)]) -> Vec<(String, u64)> {
    let own = |(word, after): &(&str, u64)| ((*word).to_owned(), *after);
    lines.iter().map(own).collect()
}

#[test]
fn the_number_rests_while_text_hangs_in_the_air() {
    let mut dialect = Sequenced::new(UiProjection::new(1), 0);
    let mut messages = Vec::new();
    dialect.event(&note(1), &mut messages);
    dialect.delta(&TextDelta::new(1, "msg_1", 0, 0, "Hel"), &mut messages);
    dialect.event(&note(2), &mut messages);
    dialect.delta(&TextDelta::new(1, "msg_1", 0, 3, "lo"), &mut messages);
    dialect.event(&text(3, "Hello"), &mut messages);
    dialect.event(&note(4), &mut messages);
    let told = [
        ("Display", 1),
        ("Hel", 1),
        ("Display", 1),
        ("lo", 1),
        ("Display", 4),
    ];
    assert_eq!(lines(&messages), expected(&told));
    assert_eq!(
        json_of(&messages[1]),
        r#"{"message":{"TextChunk":{"text":"Hel","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}},"after":1}"#
    );
}

#[test]
fn what_the_log_forgot_is_a_gap_and_never_nothing() {
    let told = |after: u64, first: u64| {
        let mut dialect = Sequenced::new(UiProjection::new(1), after);
        let mut messages = Vec::new();
        for sequence in first..=9 {
            dialect.event(&note(sequence), &mut messages);
        }
        lines(&messages)
    };
    // The log has all events.
    assert_eq!(told(7, 1), expected(&[("Display", 8), ("Display", 9)]));
    // No unread event is missing, but work that began in the gap and still runs is unknown.
    assert_eq!(told(8, 5), expected(&[("gap 1-4", 8), ("Display", 9)]));
    assert_eq!(
        told(7, 8),
        expected(&[("gap 1-7", 7), ("Display", 8), ("Display", 9)])
    );
    // Unread events are missing.
    assert_eq!(told(4, 9), expected(&[("gap 5-8", 8), ("Display", 9)]));
    assert_eq!(told(0, 9), expected(&[("gap 1-8", 8), ("Display", 9)]));

    let mut phone = Sequenced::new(MobileProjection::new("sess_1"), 3);
    let mut messages = Vec::new();
    phone.event(&note(9), &mut messages);
    let said = |said: &SequencedMessage<MobileMessage>| (json_of(&said.message), said.after);
    let gap = r#"{"type":"gap","from":4,"to":8,"conversationId":"sess_1"}"#;
    assert_eq!(
        messages.iter().map(said).collect::<Vec<_>>(),
        [(gap.to_owned(), 8)]
    );
}

/// The log has forgotten the beginning of a turn, and a line of it is taken back later.
#[test]
fn behind_a_gap_places_in_a_text_are_counted_anew() {
    let line = |sequence: u64, id: &str, text: &str| {
        let content = json!([{"type": "text", "text": text}]);
        let message = json!({"id": format!("msg_{id}"), "role": "assistant", "content": content});
        event(
            sequence,
            json!({"type": "assistant", "uuid": id, "message": message}),
        )
    };
    let back = json!({"type": "system", "subtype": "model_refusal_fallback",
        "retracted_message_uuids": ["c"]});
    let kept = [
        line(3, "b", "Second. "),
        line(4, "c", "Third. "),
        event(5, back),
        line(6, "d", "Fourth."),
    ];
    // The reader has seen up to 3, and what it had of the turn is thrown away with the gap.
    let mut dialect = Sequenced::new(UiProjection::new(1), 3);
    let mut messages = Vec::new();
    for event in &kept {
        dialect.event(event, &mut messages);
    }
    let mut text = "First. Second. ".to_owned();
    for SequencedMessage { message, .. } in messages {
        match message {
            UiMessage::Gap { from, to, .. } => {
                assert_eq!((from, to), (1, 2));
                text.clear();
            }
            UiMessage::TextChunk { text: more, .. } => text.push_str(&more),
            UiMessage::TextRetracted { offset, length, .. } => {
                text.replace_range(offset as usize..(offset + length) as usize, "");
            }
            _ => {}
        }
    }
    assert_eq!(text, "Fourth.");
}
