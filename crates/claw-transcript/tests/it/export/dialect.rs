//! Invariants of exports in the document's dialect: order is kept, lines of the dialect are
//! unchanged, and losses are listed.

use std::path::Path;

use claw_transcript::{Branches, Check, Export, Format, SessionFile, Severity, SoftDeletes};
use serde_json::{Value, json};

use super::{all_recorded, export, sessions_under};
use crate::mutations::document_sessions;
use crate::scratch::testdata;

/// Every kind of line that the document has, as a session that is in order.
const ALL_KINDS: &str = include_str!("all_kinds.jsonl");

/// A picture without text, an error of the API, and an interrupted call, as the CLI writes them.
fn awkward() -> String {
    let lines = [
        json!({"type":"user","message":{"role":"user","content":[
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}}),
        json!({"type":"assistant","message":{"id":"msg_1","role":"assistant","model":"m",
            "content":[{"type":"text","text":"a picture","citations":[{"a":1}]}],"stop_reason":"end_turn"}}),
        json!({"type":"system","subtype":"api_error","level":"error","error":{"status":529}}),
        json!({"type":"user","message":{"role":"user","content":"x"}}),
        json!({"type":"assistant","message":{"id":"msg_2","role":"assistant","model":"m",
            "content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"}}),
        json!({"type":"user","message":{"role":"user","content":[
            {"type":"text","text":"[Request interrupted by user]"}]}}),
        json!({"type":"user","message":{"role":"user","content":"go on"}}),
    ];
    let mut text = String::new();
    for (at, mut line) in lines.into_iter().enumerate() {
        let id = |at: usize| format!("00000000-0000-4000-8000-{at:012}");
        line["uuid"] = id(at).into();
        line["parentUuid"] = at.checked_sub(1).map(id).into();
        line["sessionId"] = "5e5e5e5e-0000-4000-8000-000000000001".into();
        line["timestamp"] = format!("2026-01-31T12:00:{at:02}.000Z").into();
        line["isSidechain"] = false.into();
        line["userType"] = "external".into();
        line["version"] = "2.1.325".into();
        line["cwd"] = "/home/user/x".into();
        text.push_str(&format!("{line}\n"));
    }
    text
}

fn file_of(folder: &Path, text: &str) -> Vec<SessionFile> {
    let path = folder.join("5e5e5e5e-0000-4000-8000-000000000001.jsonl");
    std::fs::write(&path, text).unwrap();
    vec![SessionFile::at(path).unwrap()]
}

fn errors(files: &[SessionFile]) -> Vec<String> {
    let report = Check::new().threads(1).files(files);
    let found = report.findings().map(|(_, found)| found);
    let errors = found.filter(|found| found.severity == Severity::Error);
    let texts = errors.map(|found| format!("{}: {}", found.line, found.message));
    texts.collect()
}

#[test]
fn what_is_in_order_stays_in_order() {
    let mut sessions = all_recorded();
    sessions.extend(sessions_under(&testdata().join("sessions")));
    let dir = tempfile::tempdir().unwrap();
    let odd = tempfile::tempdir().unwrap();
    sessions.push(file_of(odd.path(), &awkward()));
    let mut clean = 0;
    for files in &sessions {
        if !errors(files).is_empty() {
            continue;
        }
        clean += 1;
        for branches in [Branches::All, Branches::Live] {
            for thinking in [true, false] {
                let form = Export::new(Format::Document).branches(branches.clone());
                let (text, _) = export(&form.thinking(thinking), files);
                let written = file_of(dir.path(), &text);
                let path = files[0].path.display();
                assert_eq!(errors(&written), [""; 0], "{path}\n{text}");
            }
        }
    }
    assert!(clean >= 60, "only {clean} sessions are in order");
}

#[test]
fn lines_of_the_dialect_stay_as_they_are() {
    let made = document_sessions().into_iter();
    let mut sessions: Vec<String> = made.map(|(_, text)| text.to_owned()).collect();
    let flows = testdata().join("sessions/flows/document");
    for file in std::fs::read_dir(flows).unwrap() {
        sessions.push(std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    sessions.push(ALL_KINDS.to_owned());
    assert!(sessions.len() >= 14, "only {}", sessions.len());
    let dir = tempfile::tempdir().unwrap();
    for text in sessions {
        let files = file_of(dir.path(), &text);
        let (written, report) = export(&Export::new(Format::Document), &files);
        assert!(written.lines().eq(text.lines()), "{written}\n{text}");
        assert_eq!(report.losses, []);
    }
}

#[test]
fn lines_with_broken_bytes_are_copied_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session-123.jsonl");
    let disk = awkward();
    // Alone, and among lines of the disk.
    for before in ["", &disk] {
        let (start, end) = ALL_KINDS.split_once("with text").unwrap();
        let parts: [&[u8]; 5] = [
            before.as_bytes(),
            b"\0\0",
            start.as_bytes(),
            b"w\xFFt",
            end.as_bytes(),
        ];
        std::fs::write(&path, parts.concat()).unwrap();
        let files = [SessionFile::at(&path).unwrap()];
        let (written, _) = export(&Export::new(Format::Document), &files);
        assert!(written.contains("w\u{FFFD}t"), "{written}");
        for line in written.lines() {
            let line: Result<Value, _> = serde_json::from_str(line);
            assert!(line.is_ok(), "{line:?}");
        }
    }
}

/// The line of a message.
fn line_of<'t>(text: &'t str, uuid: &str) -> &'t str {
    let is = |line: &&str| line.contains(&format!("\"uuid\":\"{uuid}\""));
    let line = text.lines().find(is);
    line.unwrap_or_else(|| panic!("no {uuid} in {text}"))
}

#[test]
fn what_hung_under_a_line_that_is_left_out_hangs_under_the_one_above() {
    let dir = tempfile::tempdir().unwrap();
    let files = file_of(dir.path(), ALL_KINDS);
    let form = Export::new(Format::Document)
        .thinking(false)
        .sidechains(false);
    let (text, _) = export(&form, &files);
    assert!(!text.contains("msg-003\",\"timestamp") && !text.contains("\"side\""));
    for (uuid, parent) in [("msg-004", "msg-002"), ("msg-018", "msg-0155")] {
        let line: Value = serde_json::from_str(line_of(&text, uuid)).unwrap();
        assert_eq!(line["parentUuid"], parent, "{uuid}");
    }
    assert_eq!(errors(&file_of(dir.path(), &text)), [""; 0]);
}

#[test]
fn what_is_hidden_keeps_its_place_and_says_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for (text, hidden, words) in [
        (
            ALL_KINDS.to_owned(),
            ["msg-005", "msg-018"],
            ["with text", "\"main\""],
        ),
        (
            awkward(),
            [
                "00000000-0000-4000-8000-000000000001",
                "00000000-0000-4000-8000-000000000004",
            ],
            ["a picture", "\"ls\""],
        ),
    ] {
        let files = file_of(dir.path(), &text);
        let mut deleted = SoftDeletes::default();
        hidden.iter().for_each(|uuid| deleted.delete(*uuid));
        let form = Export::new(Format::Document).without(deleted);
        let (without, report) = export(&form, &files);
        let (with, _) = export(&form.clone().deleted_text(true), &files);
        assert!(report.deleted >= 2);
        for (uuid, word) in hidden.iter().zip(words) {
            assert!(!without.contains(word), "{without}");
            for (text, word) in [(&without, "[hidden]"), (&with, word)] {
                let line = line_of(text, uuid);
                let is_marked = line.contains("\"isDeleted\":true");
                assert!(is_marked && line.contains(word), "{word} in {line}");
            }
        }
        assert_eq!(errors(&file_of(dir.path(), &without)), [""; 0], "{without}");
    }
}

#[test]
fn losses_are_listed_to_the_last_member() {
    let dir = tempfile::tempdir().unwrap();
    let files = file_of(dir.path(), &awkward());
    let (_, report) = export(&Export::new(Format::Document), &files);
    let losses = report.losses.iter();
    let lost: Vec<_> = losses
        .map(|loss| (loss.what, &*loss.name, loss.count))
        .collect();
    for expected in [
        ("member", "userType", 7),
        ("member", "subtype", 1),
        ("member", "error", 1),
        ("member", "message.content[].id", 1),
        ("member", "message.content[].citations", 1),
        ("block", "image", 1),
    ] {
        assert!(lost.contains(&expected), "{expected:?} in {lost:?}");
    }
}
