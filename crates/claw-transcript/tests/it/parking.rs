//! Parking of tool calls.

use std::fs::OpenOptions;
use std::path::PathBuf;

use claw_transcript::{Parked, SessionCall, SessionCalls, TranscriptError};
use rusty_claw_protocol::Json;
use serde_json::{Value, json};

use crate::scratch::Scratch;

const ID: &str = "00000000-0000-4000-8000-00000000000a";

/// A line of the main conversation.
fn line(uuid: &str, parent: Option<&str>, kind: &str, message: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"message":{message},"type":"{kind}","uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","userType":"external","entrypoint":"sdk-cli","cwd":"/p","sessionId":"{ID}","version":"2.1.325","gitBranch":"HEAD"}}"#
    )
}

fn prompt(uuid: &str, parent: Option<&str>) -> String {
    line(uuid, parent, "user", r#"{"role":"user","content":"go"}"#)
}

/// A line of the reply `m1` that makes a call.
fn call(id: &str, uuid: &str, parent: &str, input: &str) -> String {
    let message = format!(
        r#"{{"id":"m1","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{input}}}]}}"#
    );
    line(uuid, Some(parent), "assistant", &message)
}

fn result(id: &str, uuid: &str, parent: &str) -> String {
    let message = format!(
        r#"{{"role":"user","content":[{{"tool_use_id":"{id}","type":"tool_result","content":"done"}}]}}"#
    );
    line(uuid, Some(parent), "user", &message)
}

/// One prompt, and a reply with the calls `t1`, `t2` and `t3`.
fn three_calls() -> Vec<String> {
    vec![
        prompt("u1", None),
        call("t1", "a1", "u1", r#"{"command":"one"}"#),
        call(
            "t2",
            "a2",
            "a1",
            r#"{ "command": "zwei \u00fc \ud83d", "n": 1.50 }"#,
        ),
        call("t3", "a3", "a2", r#"{"command":"three"}"#),
        r#"{"type":"last-prompt","lastPrompt":"go"}"#.to_owned(),
    ]
}

struct Stored {
    scratch: Scratch,
    path: PathBuf,
}

impl Stored {
    fn with(content: impl AsRef<[u8]>) -> Self {
        let scratch = Scratch::new();
        let path = scratch.session("-p", ID, content);
        Self { scratch, path }
    }

    fn of(lines: &[String]) -> Self {
        Self::with(lines.join("\n") + "\n")
    }

    fn calls(&self) -> SessionCalls {
        self.scratch.library().calls(ID).unwrap()
    }

    fn park(&self, id: &str) -> Result<Parked, TranscriptError> {
        let calls = self.calls().last_reply;
        let call = calls.into_iter().find(|call| call.id == id);
        let call = call.unwrap_or_else(|| SessionCall {
            id: id.to_owned(),
            name: "Bash".to_owned(),
            input: Json::from_text("{}").unwrap(),
            cwd: None,
        });
        self.scratch.library().park(ID, &call, "default")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap()
    }

    /// Expects that a call is not parked, and that nothing is written.
    fn refuses(&self, id: &str, why: &str) {
        let before = self.text();
        let refused = self.park(id).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
        assert_eq!(self.text(), before);
    }
}

#[test]
fn a_parked_call_is_one_line_with_the_input_as_written() {
    let stored = Stored::of(&three_calls());
    let before = stored.text();
    assert_eq!(stored.park("t2").unwrap(), Parked::Appended);
    let text = stored.text();
    let added = text.strip_prefix(&before).unwrap();
    let line = added.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'));
    let input = r#""toolInput":{ "command": "zwei \u00fc \ud83d", "n": 1.50 },"#;
    assert!(line.contains(input), "{line}");
    let line = line.replace(r"\ud83d", "");
    let mut parsed: Value = serde_json::from_str(&line).unwrap();
    for made in ["uuid", "timestamp"] {
        assert!(parsed[made].as_str().unwrap().len() > 20, "{line}");
        parsed.as_object_mut().unwrap().remove(made);
    }
    let expected = json!({
        "type": "attachment", "parentUuid": "a3", "isSidechain": false, "userType": "external",
        "entrypoint": "sdk-cli", "cwd": "/p", "sessionId": ID, "version": "2.1.325",
        "gitBranch": "HEAD",
        "attachment": {
            "type": "hook_deferred_tool", "toolUseID": "t2", "toolName": "Bash",
            "toolInput": {"command": "zwei ü ", "n": 1.5}, "hookName": "settings",
            "hookEvent": "PreToolUse", "permissionMode": "default",
        },
    });
    assert_eq!(parsed, expected);
}

#[test]
fn the_last_parked_call_is_found_and_not_parked_again() {
    let stored = Stored::of(&three_calls());
    assert_eq!(stored.calls().parked, None);
    assert_eq!(stored.park("t1").unwrap(), Parked::Appended);
    let once = stored.text();
    assert_eq!(stored.park("t1").unwrap(), Parked::AlreadyThere);
    assert_eq!(stored.text(), once);
    assert_eq!(stored.park("t3").unwrap(), Parked::Appended);
    let calls = stored.calls();
    assert_eq!(calls.parked.as_deref(), Some("t3"));
    let ids: Vec<&str> = calls.last_reply.iter().map(|call| &*call.id).collect();
    assert_eq!(ids, ["t1", "t2", "t3"]);
    assert_eq!(stored.park("t1").unwrap(), Parked::Appended);
}

#[test]
fn a_call_with_a_result_is_not_parked() {
    let mut lines = three_calls();
    lines.push(result("t1", "r1", "a1"));
    let stored = Stored::of(&lines);
    let calls = stored.calls();
    assert!(calls.has_result("t1") && !calls.has_result("t2"));
    assert_eq!(calls.last_reply.len(), 3);
    stored.refuses("t1", "it has a result");
    assert_eq!(stored.park("t2").unwrap(), Parked::Appended);
    let line = stored.text();
    assert!(
        line.lines()
            .last()
            .unwrap()
            .contains(r#""parentUuid":"r1""#)
    );
}

#[test]
fn calls_outside_the_last_reply_are_not_parked() {
    let stored = Stored::of(&three_calls());
    stored.refuses("t4", "no such call");
    // The agent changed the input of the call in its file.
    let call = stored.calls().last_reply.remove(0);
    let other = Stored::with(stored.text().replace("\"one\"", "\"another\""));
    let refused = other.scratch.library().park(ID, &call, "default");
    assert!(refused.unwrap_err().to_string().contains("no such call"));
    // A prompt follows.
    let mut lines = three_calls();
    lines.push(prompt("u2", Some("a3")));
    let stored = Stored::of(&lines);
    assert_eq!(stored.calls().last_reply, []);
    stored.refuses("t1", "no such call");
    // A rewind left the call on another branch.
    let mut lines = three_calls();
    lines.push(prompt("u2", None));
    Stored::of(&lines).refuses("t1", "no such call");
    // A subagent makes it.
    let lines = three_calls().into_iter();
    let lines = lines.map(|line| line.replace("\"isSidechain\":false", "\"isSidechain\":true"));
    let stored = Stored::of(&lines.collect::<Vec<_>>());
    assert_eq!(stored.calls().last_reply, []);
}

#[test]
fn nothing_is_parked_while_a_writer_is_alive() {
    let stored = Stored::of(&three_calls());
    let writer = OpenOptions::new().append(true).open(&stored.path).unwrap();
    stored.refuses("t1", "has this conversation open");
    drop(writer);
    assert_eq!(stored.park("t1").unwrap(), Parked::Appended);
}

#[test]
fn a_torn_line_is_ended_unless_it_may_be_a_result() {
    let whole = three_calls().join("\n") + "\n";
    let parked = Stored::with(&whole);
    parked.park("t1").unwrap();
    let parked_line = parked.text().strip_prefix(&whole).unwrap().to_owned();
    let result = result("t1", "r1", "a1");
    for cut in (1..result.len()).step_by(5) {
        if r#"{"type":""#.starts_with(&result[..cut]) {
            continue;
        }
        let stored = Stored::with(format!("{whole}{}", &result[..cut]));
        assert!(stored.calls().is_damaged, "{cut}");
        if cut % 50 == 1 {
            stored.refuses("t1", "may be its result");
        }
    }
    for cut in (1..parked_line.len() - 1).step_by(5) {
        let torn = format!("{whole}{}", &parked_line[..cut]);
        let stored = Stored::with(&torn);
        assert!(!stored.calls().is_damaged, "{cut}");
        if cut % 50 == 1 {
            assert_eq!(stored.park("t1").unwrap(), Parked::Appended);
            let text = stored.text();
            assert!(text.starts_with(&(torn + "\n{")), "{text}");
            assert_eq!(stored.calls().parked.as_deref(), Some("t1"));
        }
    }
    // The line is whole, only its end is missing.
    let stored = Stored::with(whole.trim_end());
    assert_eq!(stored.park("t1").unwrap(), Parked::Appended);
    let text = stored.text();
    assert!(text.starts_with(&whole));
    // Damage before the reply is no reason.
    let stored = Stored::with(format!("{{\"parent\n{whole}"));
    assert!(!stored.calls().is_damaged);
}
