//! Laws of the document's dialect: what is in order stays in order, what is of the dialect stays
//! as it is, and what is lost is listed.

use std::path::{Path, PathBuf};

use claw_testkit::corpus::mutations::document_sessions;
use claw_transcript::{Branches, Check, Export, Format, SessionFile, SoftDeletes};

use super::{all_recorded, export, files_of};
use crate::scratch::testdata;

/// Every kind of line that the document has, as a session that is in order.
const ALL_KINDS: &str = r#"{"type":"user","uuid":"msg-001","timestamp":"2025-01-27T10:00:01Z","sessionId":"session-123","message":"go"}
{"type":"assistant","uuid":"msg-002","timestamp":"2025-01-27T10:00:02Z","sessionId":"session-123","parentUuid":"msg-001","subtype":"command","message":"/compact now"}
{"type":"assistant","uuid":"msg-003","timestamp":"2025-01-27T10:00:03Z","sessionId":"session-123","parentUuid":"msg-002","subtype":"thinking","message":"hm"}
{"type":"assistant","uuid":"msg-004","timestamp":"2025-01-27T10:00:04Z","sessionId":"session-123","parentUuid":"msg-003","subtype":"error","message":"bad"}
{"type":"assistant","uuid":"msg-005","timestamp":"2025-01-27T10:00:05Z","sessionId":"session-123","parentUuid":"msg-004","subtype":"tool_use","toolName":"Write","toolArguments":{"a":1},"message":"with text"}
{"type":"system","uuid":"msg-006","timestamp":"2025-01-27T10:00:06Z","sessionId":"session-123","parentUuid":"msg-005","subtype":"tool_result","message":"ok"}
{"type":"system","uuid":"msg-007","timestamp":"2025-01-27T10:00:07Z","sessionId":"session-123","parentUuid":"msg-006","subtype":"error","isError":true,"message":"E"}
{"type":"system","uuid":"msg-008","timestamp":"2025-01-27T10:00:08Z","sessionId":"session-123","parentUuid":"msg-007","subtype":"meta","isMeta":true,"message":"M"}
{"type":"system","uuid":"msg-009","timestamp":"2025-01-27T10:00:09Z","sessionId":"session-123","parentUuid":"msg-008","message":"status"}
{"type":"compact_system","uuid":"msg-010","timestamp":"2025-01-27T10:00:10Z","sessionId":"session-123","parentUuid":"msg-009","message":"conversation_compacting"}
{"type":"compact_system","uuid":"msg-011","timestamp":"2025-01-27T10:00:11Z","sessionId":"session-123","parentUuid":"msg-010","message":"conversation_compacted","metadata":{"preservedMessages":1,"totalMessages":2,"compressionRatio":0.5}}
{"type":"assistant","uuid":"msg-014","timestamp":"2025-01-27T10:00:14Z","sessionId":"session-123","parentUuid":"msg-011","message":"no subtype"}
{"type":"user","uuid":"msg-015","timestamp":"2025-01-27T10:00:15Z","sessionId":"session-123","parentUuid":"msg-014","command":"/foo"}
{"type":"assistant","uuid":"msg-0155","timestamp":"2025-01-27T10:00:15Z","sessionId":"session-123","parentUuid":"msg-015","message":"I ask"}
{"type":"user","uuid":"msg-016","timestamp":"2025-01-27T10:00:16Z","sessionId":"session-123","parentUuid":"msg-0155","message":"side","isSidechain":true,"userType":"external"}
{"type":"assistant","uuid":"msg-017","timestamp":"2025-01-27T10:00:17Z","sessionId":"session-123","parentUuid":"msg-016","message":"sub","subtype":"response","isSidechain":true}
{"type":"assistant","uuid":"msg-018","timestamp":"2025-01-27T10:00:18Z","sessionId":"session-123","parentUuid":"msg-017","message":"main","subtype":"response"}
{"type":"user","uuid":"msg-019","timestamp":"2025-01-27T10:00:19Z","sessionId":"session-123","parentUuid":"msg-018","message":"gone","isDeleted":true}
{"type":"assistant","uuid":"msg-020","timestamp":"2025-01-27T10:00:20Z","sessionId":"session-123","parentUuid":"msg-019","message":"ab","isAborted":true,"subtype":"response"}
"#;

/// A picture alone, an error of the API, and a call that somebody stopped, as the CLI writes them.
fn awkward() -> String {
    let lines = [
        serde_json::json!({"type":"user","message":{"role":"user","content":[
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}}),
        serde_json::json!({"type":"assistant","message":{"id":"msg_1","role":"assistant","model":"m",
            "content":[{"type":"text","text":"a picture","citations":[{"a":1}]}],"stop_reason":"end_turn"}}),
        serde_json::json!({"type":"system","subtype":"api_error","level":"error","error":{"status":529}}),
        serde_json::json!({"type":"user","message":{"role":"user","content":"x"}}),
        serde_json::json!({"type":"assistant","message":{"id":"msg_2","role":"assistant","model":"m",
            "content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"}}),
        serde_json::json!({"type":"user","message":{"role":"user","content":[
            {"type":"text","text":"[Request interrupted by user]"}]}}),
        serde_json::json!({"type":"user","message":{"role":"user","content":"go on"}}),
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
    let found = report.findings();
    found
        .filter(|(_, found)| found.severity == claw_transcript::Severity::Error)
        .map(|(_, found)| format!("{}: {}", found.line, found.message))
        .collect()
}

/// Main files of sessions under a folder.
fn sessions_under(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let agent = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("agent-");
        if path.is_dir() {
            sessions_under(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") && !agent {
            found.push(path);
        }
    }
}

#[test]
fn what_is_in_order_stays_in_order() {
    let mut sessions = all_recorded();
    let mut made = Vec::new();
    sessions_under(&testdata().join("sessions"), &mut made);
    sessions.extend(made.iter().map(|main| files_of(main)));
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
    let mut sessions: Vec<String> = document_sessions()
        .into_iter()
        .map(|made| made.text)
        .collect();
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
        let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
        assert_eq!(lines(&written), lines(&text));
        assert_eq!(report.losses, []);
    }
}

#[test]
fn lines_with_broken_bytes_are_copied_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session-123.jsonl");
    let disk = awkward();
    for before in [
        "", // Among lines of the disk, and not all of one dialect.
        &disk,
    ] {
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
            let line: Result<serde_json::Value, _> = serde_json::from_str(line);
            assert!(line.is_ok(), "{line:?}");
        }
    }
}

#[test]
fn what_hung_under_a_line_that_is_left_out_hangs_under_the_one_above() {
    let dir = tempfile::tempdir().unwrap();
    let files = file_of(dir.path(), ALL_KINDS);
    let form = Export::new(Format::Document)
        .thinking(false)
        .sidechains(false);
    let (text, _) = export(&form, &files);
    let parent = |uuid: &str| {
        let is = |line: &&str| line.contains(&format!("\"uuid\":\"{uuid}\""));
        let line = text
            .lines()
            .find(is)
            .unwrap_or_else(|| panic!("no {uuid} in {text}"));
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["parentUuid"].as_str().unwrap().to_owned()
    };
    assert!(!text.contains("msg-003\",\"timestamp") && !text.contains("\"side\""));
    assert_eq!(
        (parent("msg-004").as_str(), parent("msg-018").as_str()),
        ("msg-002", "msg-0155")
    );
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
            let of = |text: &str| {
                let is = |line: &&str| line.contains(&format!("\"uuid\":\"{uuid}\""));
                text.lines().find(is).unwrap().to_owned()
            };
            assert!(of(&without).contains("\"isDeleted\":true"), "{without}");
            assert!(
                of(&without).contains("[hidden]") && !without.contains(word),
                "{without}"
            );
            assert!(
                of(&with).contains("\"isDeleted\":true") && of(&with).contains(word),
                "{with}"
            );
        }
        assert_eq!(errors(&file_of(dir.path(), &without)), [""; 0], "{without}");
    }
}

#[test]
fn losses_are_listed_to_the_last_member() {
    let dir = tempfile::tempdir().unwrap();
    let files = file_of(dir.path(), &awkward());
    let (_, report) = export(&Export::new(Format::Document), &files);
    let lost: Vec<String> = report
        .losses
        .iter()
        .map(|loss| format!("{} {} {}", loss.what, loss.name, loss.count))
        .collect();
    for expected in [
        "member userType 7",
        "member subtype 1",
        "member error 1",
        "member message.content[].id 1",
        "member message.content[].citations 1",
        "block image 1",
    ] {
        assert!(
            lost.iter().any(|lost| lost == expected),
            "{expected} in {lost:?}"
        );
    }
}
