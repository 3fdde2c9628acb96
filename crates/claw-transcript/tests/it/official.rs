//! Compares our results with those of the official SDK, on every recorded session.
//!
//! `testdata/sessions/answers.json` has its answers; the script that recorded them is beside it.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use claw_transcript::{
    Entry, ForkOptions, MessageFilter, SessionFilter, SessionInfo, SessionLibrary, SessionMessage,
    TranscriptError,
};
use rusty_claw_protocol::{Json, Peek};
use serde_json::{Value, json};

use crate::scratch::{Scratch, testdata};

fn answers() -> Value {
    let text = std::fs::read_to_string(testdata().join("sessions/answers.json")).unwrap();
    // Some answers hold half surrogates, which serde_json refuses.
    Json::from_text(&text).unwrap().to_value()
}

/// Every library with its answers.
fn each(mut check: impl FnMut(&str, &SessionLibrary, &Value)) {
    let answers = answers();
    let answers = answers["answers"].as_object().unwrap();
    assert!(answers.len() >= 57, "answers.json has lost libraries");
    for (name, answer) in answers {
        let folder = if name.starts_with("cli/") {
            testdata().join(name).join("sessions")
        } else {
            testdata().join(name)
        };
        let scratch = Scratch::of(&folder);
        check(name, &scratch.library(), answer);
    }
}

#[test]
fn sessions_are_listed_and_described_alike() {
    each(|name, library, answer| {
        let listed = library.list(&SessionFilter::new()).unwrap();
        let listed: Vec<Value> = listed.iter().map(info).collect();
        assert_eq!(json!(listed), answer["list"], "{name}");
        let typed = library
            .list(&SessionFilter::new().programmatic(false))
            .unwrap();
        let typed: Vec<&str> = typed.iter().map(|info| &*info.session_id).collect();
        assert_eq!(json!(typed), answer["typed"], "{name}");
        for (id, expected) in answer["sessions"].as_object().unwrap() {
            let told = library.info(id).unwrap();
            assert_eq!(
                told.as_ref().map_or(Value::Null, info),
                expected["info"],
                "{name} {id}"
            );
        }
    });
}

#[test]
fn conversations_are_read_alike() {
    each(|name, library, answer| {
        for (id, expected) in answer["sessions"].as_object().unwrap() {
            let told = library.messages(id, &MessageFilter::new());
            if is_absent(&told) {
                // The official SDK reads an empty file as an empty conversation; we reject it.
                assert_eq!(expected["messages"], json!([]), "{name} {id}");
                continue;
            }
            let told = told.unwrap();
            same(&told, &expected["messages"], &format!("{name} {id}"));
            let all = library
                .messages(id, &MessageFilter::new().system(true))
                .unwrap();
            let all: Vec<&str> = all.iter().map(|message| &*message.uuid).collect();
            assert_eq!(json!(all), expected["with_system"], "{name} {id}");

            // Any window into it is a slice of it.
            for (offset, limit) in [(0, 1), (1, 2), (2, 1000)] {
                let filter = MessageFilter::new().offset(offset).limit(limit);
                let part = library.messages(id, &filter).unwrap();
                let slice: Vec<_> = told.iter().skip(offset).take(limit).cloned().collect();
                assert_eq!(part, slice, "{name} {id} {offset} {limit}");
            }
        }
    });
}

#[test]
fn subagents_are_read_alike() {
    let mut seen = 0;
    each(|name, library, answer| {
        for (id, expected) in answer["sessions"].as_object().unwrap() {
            let agents = expected["agents"].as_object().unwrap();
            let told = library.subagents(id);
            assert_eq!(
                if is_absent(&told) {
                    Vec::new()
                } else {
                    told.unwrap()
                },
                agents.keys().cloned().collect::<Vec<_>>(),
                "{name} {id}"
            );
            for (agent, messages) in agents {
                let told = library
                    .subagent_messages(id, agent, &MessageFilter::new())
                    .unwrap();
                same(&told, messages, &format!("{name} {id} {agent}"));
                seen += 1;
            }
        }
    });
    assert!(seen >= 3, "only {seen} subagents were compared");
}

#[test]
fn forks_are_written_alike() {
    let mut cuts = 0;
    each(|name, library, answer| {
        for (id, expected) in answer["sessions"].as_object().unwrap() {
            let (title, lines) = fork(library, id, ForkOptions::new());
            if expected["fork"].get("error").is_some() {
                assert!(lines.is_empty(), "{name} {id}");
                continue;
            }
            let whole: Vec<&str> = strings(&expected["fork"]["lines"]);
            for (at, (ours, theirs)) in lines.iter().zip(&whole).enumerate() {
                assert_eq!(&hashed(ours), theirs, "{name} {id}, line {at}: {ours}");
            }
            assert_eq!(lines.len(), whole.len(), "{name} {id}");
            assert_eq!(json!(title), expected["fork"]["title"], "{name} {id}");
            for (uuid, expected) in expected["forks"].as_object().unwrap() {
                let (_, lines) = fork(library, id, ForkOptions::new().up_to(uuid));
                let told: Vec<String> = lines.iter().map(|line| hashed(line)).collect();
                let told = format!("{} {}", told.len(), digest(&told.join("\n")));
                let all = lines.join("\n");
                assert_eq!(json!(told), *expected, "{name} {id} up to {uuid}:\n{all}");
                cuts += 1;
            }
        }
    });
    assert!(cuts >= 200, "only {cuts} cuts were compared");
}

#[test]
fn changes_are_written_alike() {
    const ID: &str = "00000000-0000-4000-8000-00000000000a";
    const LINE: &str = "{\"type\":\"user\"}\n";
    let edits = &answers()["edits"];
    let appended = |change: &dyn Fn(&SessionLibrary) -> Result<(), TranscriptError>| {
        let scratch = Scratch::new();
        let path = scratch.session("-p", ID, LINE);
        let done = change(&scratch.library());
        let text = std::fs::read_to_string(path).unwrap();
        done.ok()
            .map(|()| text.strip_prefix(LINE).unwrap().to_owned())
    };
    let renamed = edits["rename"].as_object().unwrap();
    assert!(renamed.len() >= 15);
    for (title, expected) in renamed {
        let told = appended(&|library| library.rename(ID, title));
        assert_eq!(json!(told), *expected, "{title:?}");
    }
    for (tag, expected) in edits["tag"].as_object().unwrap() {
        let told = appended(&|library| library.tag(ID, Some(tag)));
        assert_eq!(json!(told), *expected, "{tag:?}");
    }
    assert_eq!(
        json!(appended(&|library| library.tag(ID, None))),
        edits["untag"]
    );

    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, LINE);
    let mark = path.with_extension("").join("archived.json");
    let marked = || {
        let text = std::fs::read_to_string(&mark).unwrap();
        replace(&text, &["at"], "\"", "\"", |_| "NOW".to_owned())
    };
    scratch.library().archive(ID).unwrap();
    assert_eq!(json!(marked()), edits["archived"][0]);
    scratch.library().unarchive(ID).unwrap();
    assert_eq!(json!(marked()), edits["unarchived"]);
    scratch.library().delete(ID).unwrap();
    let left = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(json!(left), edits["left"]);
}

fn is_absent<T>(told: &Result<T, TranscriptError>) -> bool {
    matches!(told, Err(TranscriptError::SessionNotFound { .. }))
}

fn info(info: &SessionInfo) -> Value {
    let ms = |time: SystemTime| {
        u64::try_from(time.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
    };
    without_nothing(json!({
        "sessionId": info.session_id,
        "summary": info.summary,
        "lastModified": ms(info.last_modified),
        "fileSize": info.file_size,
        "customTitle": info.custom_title,
        "firstPrompt": info.first_prompt,
        "gitBranch": info.git_branch,
        "cwd": info.cwd,
        "tag": info.tag,
        "createdAt": info.created_at.map(ms),
        "archived": info.archived,
    }))
}

/// Absent members are absent in the answers, not null.
fn without_nothing(value: Value) -> Value {
    let Value::Object(mut members) = value else {
        panic!("not an object");
    };
    members.retain(|_, value| !value.is_null());
    Value::Object(members)
}

fn same(told: &[SessionMessage], expected: &Value, what: &str) {
    let told: Vec<Value> = told.iter().map(message).collect();
    let uuids = |messages: &[Value]| -> Vec<String> {
        messages
            .iter()
            .map(|m| format!("{} {}", m["type"], m["uuid"]))
            .collect()
    };
    let expected = expected.as_array().unwrap();
    assert_eq!(uuids(&told), uuids(expected), "{what}");
    for (ours, theirs) in told.iter().zip(expected) {
        assert_eq!(ours, theirs, "{what}");
    }
}

fn message(message: &SessionMessage) -> Value {
    let yes = |set: bool| if set { Value::Bool(true) } else { Value::Null };
    let mut value = without_nothing(json!({
        "type": message.role.as_str(),
        "uuid": message.uuid,
        "session_id": message.session_id,
        "message": message.message.as_ref().map(|message| digest(&compact(message.text()))),
        "interruptedByShutdown": yes(message.interrupted_by_shutdown),
        "toolDenialUnanswered": message.tool_denial_unanswered,
        "tool_result_meta": message.not_executed.as_ref().map(|(id, kind)| {
            json!([{"id": id, "non_execution_kind": kind}])
        }),
        "isCompactSummary": yes(message.is_compact_summary),
        "is_meta": yes(message.is_meta),
        "isQueuedCommand": yes(message.is_queued_command),
        "isCompletedLocalCommand": yes(message.is_completed_local_command),
        "timestamp": message.timestamp,
        "origin": message.origin.as_ref().map(|origin| origin.to_value()),
    }));
    value["parent_tool_use_id"] = json!(message.parent_tool_use_id);
    value["parent_agent_id"] = json!(message.parent_agent_id);
    value
}

/// Forks, reads the new file with its random parts numbered, and deletes it again.
fn fork(library: &SessionLibrary, id: &str, options: ForkOptions) -> (String, Vec<String>) {
    let started = SystemTime::now();
    let Ok(new) = library.fork(id, &options) else {
        return (String::new(), Vec::new());
    };
    let path = library.session_files(&new).unwrap().remove(0).path;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with('\n'));
    library.delete(&new).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let title = last["customTitle"].as_str().unwrap().to_owned();
    let mut names = Names {
        seen: HashMap::new(),
        started: ms(started) as i128,
        ended: ms(SystemTime::now()) as i128,
    };
    let lines = text.trim_end().split('\n');
    let lines = lines.map(|line| names.number(&line.replace(&new, "NEW")));
    (title, lines.collect())
}

fn ms(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap().as_millis()
}

struct Names {
    seen: HashMap<String, String>,
    started: i128,
    ended: i128,
}

impl Names {
    /// The same text as the script makes of a line.
    fn number(&mut self, line: &str) -> String {
        const ONE: [&str; 7] = [
            "uuid",
            "parentUuid",
            "logicalParentUuid",
            "source_uuid",
            "headUuid",
            "anchorUuid",
            "tailUuid",
        ];
        const MANY: [&str; 3] = ["uuids", "allUuids", "nameOnlyAnnouncements"];
        // In two passes, as the script does it, so that numbers are given in the same order.
        let once = replace(line, &ONE, "\"", "\"", |uuid| self.name(uuid));
        let twice = replace(&once, &MANY, "[", "]", |list| {
            let names = list.split(',').map(|item| match item.trim_matches('"') {
                "" => String::new(),
                uuid => format!("\"{}\"", self.name(uuid)),
            });
            names.collect::<Vec<_>>().join(",")
        });
        replace(&twice, &["timestamp", "ts"], "\"", "\"", |time| {
            let now = if self.is_now(time) { "NOW" } else { time };
            now.to_owned()
        })
    }

    fn name(&mut self, uuid: &str) -> String {
        if uuid.len() != 36 || !uuid.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit()) {
            return uuid.to_owned();
        }
        let next = format!("u{}", self.seen.len());
        self.seen.entry(uuid.to_owned()).or_insert(next).clone()
    }

    fn is_now(&self, time: &str) -> bool {
        let line = format!(r#"{{"type":"user","timestamp":"{time}"}}"#);
        let ms = Entry::read(line.as_bytes()).and_then(|entry| entry.time_ms());
        ms.is_some_and(|ms| (self.started..=self.ended).contains(&i128::from(ms)))
    }
}

/// Replaces the text between the marks after any of the keys, from left to right.
fn replace(
    line: &str,
    keys: &[&str],
    open: &str,
    close: &str,
    mut with: impl FnMut(&str) -> String,
) -> String {
    let patterns: Vec<String> = keys.iter().map(|key| format!("\"{key}\":{open}")).collect();
    let mut out = String::new();
    let mut rest = line;
    loop {
        let next = patterns
            .iter()
            .filter_map(|pattern| Some((rest.find(pattern.as_str())?, pattern.len())))
            .min();
        let Some((at, length)) = next else {
            return out + rest;
        };
        let (before, behind) = rest.split_at(at + length);
        let (value, behind) = behind.split_once(close).unwrap();
        out.push_str(before);
        out.push_str(&with(value));
        out.push_str(close);
        rest = behind;
    }
}

fn hashed(line: &str) -> String {
    let peek = Peek::new(line.as_bytes()).unwrap();
    format!("{} {}", peek.kind(), digest(line))
}

/// The official SDK parses and prints what it reads; we keep the text.
fn compact(text: &str) -> String {
    let mut in_string = false;
    let mut before = ' ';
    let kept = text.chars().filter(|c| {
        in_string ^= *c == '"' && before != '\\';
        before = if before == '\\' { ' ' } else { *c };
        in_string || *c != ' '
    });
    kept.collect()
}

fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{}:{hash:016x}", text.len())
}

fn strings(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| item.as_str().unwrap()).collect()
}
