//! What can be made to appear on stdout and stderr.

use std::time::{Duration, Instant};

use claw_testkit::{Flood, FloodKind, Piece, Replay, Step};
use serde_json::{Value, json};

use super::{Fake, script, text_of};

#[test]
fn a_flood_is_numbered_sized_and_has_ids_of_its_own() {
    let mut fake = Fake::start(&script([Flood::new(300).bytes(2_000).into()]));
    fake.prompt("go");
    let frames = fake.up_to(|frame| frame["type"] == "result");
    let texts: Vec<&Value> = frames
        .iter()
        .filter(|frame| frame["type"] == "assistant")
        .collect();
    assert_eq!(texts.len(), 300);
    let mut ids = std::collections::BTreeSet::new();
    for (at, frame) in texts.iter().enumerate() {
        assert!(text_of(frame).starts_with(&format!("message {} of 300 ", at + 1)));
        assert_eq!(text_of(frame).len(), 2_000);
        ids.insert(frame["uuid"].as_str().unwrap());
    }
    assert_eq!(ids.len(), 300);
}

#[test]
fn a_flood_keeps_its_rate_and_kind() {
    let deltas = Flood::new(20).per_second(100).kind(FloodKind::Delta);
    let results = Flood::new(3).kind(FloodKind::ToolResult);
    let mut fake = Fake::start(&script([deltas.into(), results.into()]));
    let started = Instant::now();
    fake.prompt("go");
    let frames = fake.up_to(|frame| frame["type"] == "result");
    assert!(
        started.elapsed() >= Duration::from_millis(190),
        "{:?}",
        started.elapsed()
    );
    let deltas = frames
        .iter()
        .filter(|frame| frame["event"]["delta"]["type"] == "text_delta");
    assert_eq!(deltas.count(), 20);
    let results = frames
        .iter()
        .filter(|frame| frame["message"]["content"][0]["type"] == "tool_result");
    assert_eq!(results.count(), 3);
}

#[test]
fn streamed_messages_have_deltas_and_the_time_of_each_line() {
    let flood = Flood::new(10).bytes(60).kind(FloodKind::Streamed);
    let mut fake = Fake::start(&script([flood.into()]));
    fake.prompt("go");
    let frames = fake.up_to(|frame| frame["type"] == "result");
    let (mut streamed, mut messages, mut last) = (String::new(), 0, 0);
    for frame in &frames {
        let times: Vec<u64> = Flood::written_at(&frame.to_string()).collect();
        let delta = frame["event"]["delta"]["text"].as_str();
        if let Some(delta) = delta {
            assert_eq!(delta.len(), 60);
            streamed.push_str(delta);
        } else if frame["type"] == "assistant" {
            assert_eq!(frame["message"]["content"][0]["text"], streamed.as_str());
            streamed.clear();
            messages += 1;
        } else {
            continue;
        }
        assert!(times.len() == 1 && times[0] > last, "{frame}");
        last = times[0];
    }
    assert_eq!(messages, 2);
}

#[test]
fn a_recording_is_replayed_without_its_control_frames() {
    let recording = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/cli/2.1.325/text_basic/stdout.ndjson"
    );
    let lines = std::fs::read_to_string(recording).unwrap();
    let data: Vec<&str> = lines
        .lines()
        .filter(|line| !line.starts_with(r#"{"type":"control_"#))
        .collect();
    assert!(
        data.len() < lines.lines().count(),
        "the recording has control frames"
    );
    let spec = Replay {
        file: recording.into(),
        times: 2,
    };
    let mut fake = Fake::start(&script([spec.into()]));
    fake.prompt("go");
    fake.until(|frame| frame["subtype"] == "init");
    for expected in data.iter().chain(&data) {
        assert_eq!(fake.line().unwrap().trim_ascii(), expected.as_bytes());
    }
    assert_eq!(fake.frame()["type"], "result");
}

#[test]
fn raw_bytes_go_out_as_they_are() {
    let pieces = vec![
        Piece::Text("{\"a\":\"".to_owned()),
        Piece::Hex("ff 00 c3".to_owned()),
    ];
    let mut fake = Fake::start(&script([Step::Raw(pieces), Step::Exit(0)]));
    fake.prompt("go");
    fake.until(|frame| frame["subtype"] == "init");
    assert_eq!(
        fake.line().unwrap(),
        b"{\"a\":\"\xff\x00\xc3",
        "no newline at the end"
    );
    assert_eq!(fake.line(), None);
}

#[test]
fn stderr_gets_text_and_bytes() {
    let mut fake = Fake::start(&script([
        Step::Stderr("careful\n".to_owned()),
        Step::StderrBytes(5_000),
    ]));
    fake.prompt("go");
    fake.result();
    assert_eq!(fake.end(), Some(0));
    let text = fake.stderr();
    assert!(text.starts_with("careful\n"));
    assert_eq!(text.len(), 5_008);
}

#[test]
fn it_reads_stdin_while_nobody_reads_stdout() {
    let home = tempfile::tempdir().unwrap();
    let mut flood = script([Flood::new(10_000).bytes(200).into()]);
    flood.record_stdin = Some(home.path().join("stdin.ndjson"));
    let (name, value) = flood.env().unwrap();
    let mut child = super::command(home.path())
        .args(super::STREAMS)
        .env(name, value)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "go"}});
    let request = json!({"type": "control_request", "request_id": "r",
        "request": {"subtype": "mcp_status", "filler": "x".repeat(1_000)}});
    std::io::Write::write_all(&mut stdin, format!("{prompt}\n").as_bytes()).unwrap();
    // More than a pipe holds: this returns only because the other side reads.
    for _ in 0..300 {
        std::io::Write::write_all(&mut stdin, format!("{request}\n").as_bytes()).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 300 + 10_002);
    assert!(
        text.lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    let read = std::fs::read_to_string(home.path().join("stdin.ndjson")).unwrap();
    assert_eq!(read.lines().count(), 301);
}
