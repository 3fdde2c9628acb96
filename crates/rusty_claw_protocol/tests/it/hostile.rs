//! Lines that break readers, and what must hold for each of them.

use claw_testkit::hostile::{self, Expect, HostileLine};
use rusty_claw_protocol::messages::{Message, ResultMessage};
use rusty_claw_protocol::{Line, Peek};
use serde_json::value::RawValue;

/// Says what is wrong with how a line is read; `None` when all is well.
fn fault(line: &HostileLine) -> Option<String> {
    let decoded = Line::decode(line.bytes.clone());
    if decoded.raw().as_bytes() != line.bytes {
        return Some("the raw bytes differ".to_owned());
    }
    let (expected_type, expected_final) = match (&line.expect, decoded.message()) {
        (Expect::NotJson, None) => return None,
        (Expect::NotJson, Some(message)) => {
            return Some(format!("it was read as {:?}", message.message_type()));
        }
        (Expect::Message { .. }, None) => return Some("it was refused".to_owned()),
        (
            Expect::Message {
                message_type,
                is_final,
            },
            Some(_),
        ) => (message_type, *is_final),
    };
    let message = decoded.message()?;
    if message.message_type() != expected_type {
        return Some(format!("its type was read as {:?}", message.message_type()));
    }
    if message.is_final() != expected_final {
        return Some("the end of the turn was misread".to_owned());
    }
    let Some(peek) = Peek::new(&line.bytes) else {
        return Some("it has no peek".to_owned());
    };
    if peek.kind() != expected_type {
        return Some(format!("its type was peeked as {:?}", peek.kind()));
    }
    let written = match serde_json::to_string(message) {
        Ok(written) => written,
        Err(error) => return Some(format!("it cannot be written: {error}")),
    };
    if let Err(error) = serde_json::from_str::<&RawValue>(&written) {
        return Some(format!("what is written is not JSON: {error}"));
    }
    match Message::from_json(&written) {
        Err(error) => Some(format!("what is written cannot be read: {error}")),
        Ok(again) if again.message_type() != expected_type => Some(format!(
            "what is written is of the type {:?}",
            again.message_type()
        )),
        Ok(again) if again.is_error() != message.is_error() => {
            Some("what is written changed its outcome".to_owned())
        }
        Ok(_) => None,
    }
}

fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], bytes.len()),
        None => text.into_owned(),
    }
}

/// All faults at once: when something breaks, the whole picture is wanted.
fn check(lines: &[HostileLine]) {
    let faults: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let fault = fault(line)?;
            Some(format!(
                "{}: {fault}\n    {}",
                line.name,
                shortened(&line.bytes)
            ))
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} of {} lines are misread:\n{}",
        faults.len(),
        lines.len(),
        faults.join("\n")
    );
}

#[test]
fn no_hostile_line_is_misread() {
    let lines = hostile::lines(0);
    assert!(lines.len() >= 80);
    check(&lines);
}

#[test]
fn other_seeds_are_no_better_for_the_attacker() {
    let known = hostile::lines(0);
    for seed in 1..8 {
        let mut lines = hostile::lines(seed);
        lines.retain(|line| !known.contains(line));
        assert!(lines.len() > 50, "the seed {seed} changes nothing");
        check(&lines);
    }
}

/// The 64 MB line is for the benchmark profile; this one is long enough to leave every small buffer.
#[test]
fn a_huge_line_is_read() {
    check(&[hostile::huge_line(8 << 20)]);
}

/// The subtype decides whether a turn failed, so a second one must not be half heard.
#[test]
fn the_last_of_two_subtypes_decides_that_a_turn_failed() {
    let line = r#"{"type":"result","subtype":"success","subtype":"error_max_turns"}"#;
    let message = Message::from_json(line).unwrap();
    assert!(message.is_error(), "{message:?}");
}

/// The error variant has its subtype as a field, which must not hide the second one.
#[test]
fn the_last_of_two_subtypes_decides_that_a_turn_succeeded() {
    let line = r#"{"type":"result","subtype":"error_max_turns","subtype":"success"}"#;
    let message = Message::from_json(line).unwrap();
    assert!(
        matches!(message, Message::Result(ResultMessage::Success { .. })),
        "{message:?}"
    );
}

/// Members of control frames that are not where they belong are neither lost nor made up.
#[test]
fn odd_control_frames_are_written_as_they_came() {
    for line in [
        r#"{"type":"control_request","subtype":"interrupt","request_id":7}"#,
        r#"{"type":"control_request","subtype":"interrupt"}"#,
        r#"{"type":"control_request","request_id":"a","request":{"subtype":"interrupt"},"more":1}"#,
        r#"{"type":"control_request","request_id":{},"request":{"subtype":"interrupt"}}"#,
        r#"{"type":"control_response","request_id":"out","response":{"subtype":"success","request_id":"in"}}"#,
        r#"{"type":"control_response","response":{"subtype":"success","request_id":7}}"#,
        r#"{"type":"control_response","response":{"subtype":"success"}}"#,
        r#"{"type":"control_response","request_id":null,"response":{"subtype":"success"}}"#,
        r#"{"type":"control_response","subtype":"success","request_id":null,"response":{"a":1}}"#,
        // Of two payloads the last counts, also when it is none.
        r#"{"type":"control_request","request_id":"a","request":{"subtype":"interrupt"},"request":null}"#,
    ] {
        let message = Message::from_json(line).unwrap();
        let before: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            serde_json::to_value(&message).unwrap(),
            before,
            "{message:?}"
        );
    }
}

/// A line with thousands of new members costs no more than its length.
#[test]
fn many_new_members_are_kept_in_good_time() {
    let members: Vec<String> = (0..200_000)
        .map(|index| format!("\"new{index}\":{index}"))
        .collect();
    let line = format!(r#"{{"type":"assistant",{}}}"#, members.join(","));
    let start = std::time::Instant::now();
    let Message::Assistant(assistant) = Message::from_json(&line).unwrap() else {
        panic!("an assistant")
    };
    assert_eq!(
        assistant
            .extra
            .get("new199999")
            .map(|kept| kept.to_string())
            .as_deref(),
        Some("199999")
    );
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
