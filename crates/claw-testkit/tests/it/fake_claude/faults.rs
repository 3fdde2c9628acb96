//! The named faults, each of them seen.

use std::time::{Duration, Instant};

use claw_testkit::FakeScript;
use serde_json::{Value, json};

use super::{Fake, kinds};

/// Starts a fault and its first turn.
fn start(name: &str) -> Fake {
    let script = FakeScript::fault(name).unwrap();
    let mut fake = Fake::start_with(&script, &["--permission-prompt-tool", "stdio"], &[]);
    fake.prompt("go");
    fake
}

/// Every line of a turn up to its result.
fn lines(fake: &Fake) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    loop {
        let line = fake.line().expect("a result");
        // By its text: reading a hundred thousand lines as JSON takes a while.
        let last = String::from_utf8_lossy(&line).contains(r#","type":"result","#);
        lines.push(line);
        if last {
            return lines;
        }
    }
}

#[test]
fn every_name_has_a_script_that_survives_writing() {
    assert!(FakeScript::faults().len() >= 15);
    for name in FakeScript::faults() {
        let script = FakeScript::fault(name).unwrap();
        assert!(script.description.starts_with(name));
        let text = script.to_json().unwrap();
        assert_eq!(serde_json::from_str::<FakeScript>(&text).unwrap(), script);
    }
}

#[test]
fn unknown_type_comes_in_mid_turn() {
    let fake = start("unknown_type");
    let frames = fake.up_to(|frame| frame["type"] == "result");
    assert_eq!(
        kinds(&frames),
        [
            "system init",
            "assistant",
            "from_the_future",
            "assistant",
            "result success"
        ]
    );
}

#[test]
fn non_json_line_is_one_line() {
    let lines = lines(&start("non_json_line"));
    let bad: Vec<_> = lines
        .iter()
        .filter(|line| serde_json::from_slice::<Value>(line).is_err())
        .collect();
    assert_eq!(bad, [b"this line is not JSON\n"]);
    assert_eq!(lines.len(), 5);
}

#[test]
fn exit_before_result_has_none() {
    let mut fake = start("exit_before_result");
    fake.until(|frame| frame["type"] == "assistant");
    assert_eq!(fake.line(), None);
    assert_eq!(fake.exit().code(), Some(1));
}

#[test]
fn long_messages_have_their_length() {
    let longest = |name: &str| lines(&start(name)).iter().map(Vec::len).max().unwrap();
    assert!((1_500_000..1_502_000).contains(&longest("message_1_5_mb")));
    let all = lines(&start("total_12_mb"));
    assert_eq!(all.len(), 27);
    assert!(all.iter().map(Vec::len).sum::<usize>() > 12_000_000);
}

#[test]
fn invalid_utf8_is_in_one_line() {
    let lines = lines(&start("invalid_utf8"));
    let bad: Vec<_> = lines
        .iter()
        .filter(|line| std::str::from_utf8(line).is_err())
        .collect();
    assert_eq!(bad.len(), 1);
    let frame: Value = serde_json::from_str(&String::from_utf8_lossy(bad[0])).unwrap();
    assert_eq!(super::text_of(&frame), "broken \u{fffd} byte");
    assert_eq!(lines.len(), 5);
}

#[test]
fn stderr_1_mb_is_written() {
    let mut fake = start("stderr_1_mb");
    // Nothing else reads it, and it does not fit into a pipe.
    let mut stderr = fake.child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut stderr, &mut bytes).unwrap();
        bytes.len()
    });
    fake.result();
    assert_eq!(fake.end(), Some(0));
    assert_eq!(reader.join().unwrap(), 1 << 20);
}

#[test]
fn the_floods_have_their_number_of_messages() {
    assert_eq!(lines(&start("slow_reader_3003")).len(), 3_003);
    assert_eq!(lines(&start("flood_100000")).len(), 100_003);
}

#[test]
fn an_interrupt_with_messages_unread_is_answered_at_once() {
    let mut fake = start("interrupt_unread_10000");
    // The helper reads ahead, so the pipe is never full; the program has written all of them.
    let started = Instant::now();
    while started.elapsed() < super::LIMIT && !fake.is_silent_for(Duration::from_millis(200)) {}
    let asked = Instant::now();
    fake.control("i", &json!({"subtype": "interrupt"}));
    fake.reply_to("i");
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!(fake.result()["terminal_reason"], "aborted_streaming");
}

#[test]
fn the_silent_ones_are_silent() {
    let mut never = Fake::start(&FakeScript::fault("initialize_never").unwrap());
    never.control("r", &json!({"subtype": "initialize"}));
    assert!(never.is_silent_for(Duration::from_millis(100)));
    for name in [
        "silence_33_s",
        "drop_handle",
        "drop_handle_stubborn",
        "permission_never",
    ] {
        let mut fake = start(name);
        fake.until(|frame| frame["type"] == "assistant");
        if name == "permission_never" {
            fake.until(|frame| frame["type"] == "control_request");
        }
        assert!(fake.is_silent_for(Duration::from_millis(100)), "{name}");
        if name == "drop_handle" {
            assert_eq!(fake.end(), Some(0));
        }
        if name == "drop_handle_stubborn" {
            fake.close_stdin();
            fake.signal("-TERM");
            std::thread::sleep(Duration::from_millis(100));
            assert!(fake.alive());
        }
    }
}
