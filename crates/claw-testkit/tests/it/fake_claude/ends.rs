//! How it ends, and how it refuses to.

use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use claw_testkit::{FakeScript, Flood, Step};
use serde_json::json;

use super::{Fake, script};

#[test]
fn one_bad_line_ends_it_with_nothing_on_stdout() {
    for (line, said) in [
        (
            "not json",
            "Error parsing streaming input line (type=unknown, 8 chars): SyntaxError\n",
        ),
        (
            "null",
            "Error parsing streaming input line (type=unknown, 4 chars): TypeError\n",
        ),
        (
            "{\"type\":\"user\"}",
            "Error: Expected message role 'user', got 'undefined'\n",
        ),
        (
            "{\"type\":\"control_request\",\"request_id\":\"r\"}",
            "Error: Missing request on control_request\n",
        ),
        (
            "{\"type\":\"\0\"}",
            "Error parsing streaming input line (type=unknown, 12 chars): SyntaxError\n",
        ),
    ] {
        let mut fake = Fake::start(&FakeScript::new());
        fake.send_bytes(format!("{line}\n").as_bytes());
        assert_eq!(fake.exit().code(), Some(1), "{line:?}");
        assert_eq!(fake.stderr(), said);
        assert_eq!(fake.line(), None);
    }
}

#[test]
fn odd_lines_that_the_cli_takes_are_taken() {
    let mut fake = Fake::start(&FakeScript::new());
    fake.send_bytes(b"\n[1]\n7\n\"x\"\n{}\n{\"type\":\"keep_alive\"}\r\n{\"type\":\"who\"}\n");
    fake.send_bytes(b"{\"type\":\"control_response\",\"response\":{\"request_id\":\"nobody\"}}\n");
    fake.send_bytes(b"\xEF\xBB\xBF{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a \\ud83d \xff\"}}");
    fake.close_stdin();
    assert_eq!(
        fake.result()["result"],
        "fake-claude, turn 1: a \u{fffd} \u{fffd}"
    );
    assert_eq!(fake.exit().code(), Some(0));
}

#[test]
fn the_end_of_stdin_lets_the_turn_finish() {
    let mut fake = Fake::start(&script([Step::SleepMs(100), Step::text("done")]));
    fake.prompt("go");
    fake.close_stdin();
    assert_eq!(fake.result()["result"], "done");
    assert_eq!(fake.exit().code(), Some(0));
    let mut idle = Fake::start(&FakeScript::new());
    assert_eq!(idle.end(), Some(0));
    assert_eq!(idle.line(), None);
}

#[test]
fn end_session_ends_it_at_once() {
    let mut fake = Fake::start(&script([Step::Hang]));
    fake.prompt("go");
    fake.until(|frame| frame["subtype"] == "init");
    fake.control("e", &json!({"subtype": "end_session"}));
    assert_eq!(fake.reply_to("e")["subtype"], "success");
    assert_eq!(fake.exit().code(), Some(0));
    assert_eq!(fake.line(), None);
}

#[test]
fn signals_end_it_as_they_end_the_cli() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 0)] {
        let mut fake = Fake::start(&script([Step::Hang]));
        fake.prompt("go");
        fake.until(|frame| frame["subtype"] == "init");
        fake.signal(signal);
        assert_eq!(fake.exit().code(), Some(code), "{signal}");
    }
}

#[test]
fn it_can_be_deaf_to_everything_but_sigkill() {
    let mut fake = Fake::start(&script([Step::Hang]).stubborn());
    fake.prompt("go");
    fake.until(|frame| frame["subtype"] == "init");
    fake.control("e", &json!({"subtype": "end_session"}));
    fake.reply_to("e");
    fake.signal("-TERM");
    fake.signal("-HUP");
    fake.close_stdin();
    std::thread::sleep(Duration::from_millis(150));
    assert!(fake.alive());
    fake.signal("-KILL");
    assert_eq!(fake.exit().signal(), Some(9));
}

#[test]
fn it_can_exit_and_die_in_mid_turn() {
    let mut fake = Fake::start(&script([Step::text("x"), Step::Exit(7)]));
    fake.prompt("go");
    assert_eq!(fake.exit().code(), Some(7));
    for signal in [9, 15, 11] {
        let mut fake = Fake::start(&script([Step::text("x"), Step::Kill(signal)]));
        fake.prompt("go");
        fake.until(|frame| frame["type"] == "assistant");
        assert_eq!(fake.exit().signal(), Some(signal));
    }
}

#[test]
fn it_can_hang_until_stdin_ends() {
    let mut fake = Fake::start(&script([Step::Hang]));
    fake.prompt("go");
    fake.until(|frame| frame["subtype"] == "init");
    assert!(fake.is_silent_for(Duration::from_millis(100)));
    assert_eq!(fake.end(), Some(0));
    assert_eq!(fake.line(), None, "no result");
}

#[test]
fn a_reader_that_does_not_read_cannot_keep_it_alive() {
    let home = tempfile::tempdir().unwrap();
    let (name, value) = script([Flood::new(100_000).into()]).env().unwrap();
    let mut child = super::command(home.path())
        .args(super::STREAMS)
        .env(name, value)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let frames = concat!(
        r#"{"type":"user","message":{"role":"user","content":"go"}}"#,
        "\n",
        r#"{"type":"control_request","request_id":"e","request":{"subtype":"end_session"}}"#,
        "\n",
    );
    std::io::Write::write_all(&mut stdin, frames.as_bytes()).unwrap();
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(0));
            break;
        }
        if started.elapsed() > super::LIMIT {
            child.kill().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
