//! Conversations that repeat one text in every member, so that random bytes vary the text and not
//! the syntax of JSON.

use std::path::Path;

use claw_transcript::SessionFile;
use serde_json::{Value, json};

/// Returns the bytes as a session file if they begin with a brace, or else a file that repeats
/// them as text.
pub fn file(data: &[u8]) -> Vec<u8> {
    match data.first() {
        Some(b'{') => data.to_vec(),
        _ => repeating(&String::from_utf8_lossy(data)),
    }
}

fn repeating(text: &str) -> Vec<u8> {
    let block = |content: Value| json!({"role": "assistant", "id": "m", "model": text, "content": [content]});
    let messages = [
        ("user", json!({"role": "user", "content": text})),
        (
            "assistant",
            block(json!({"type": "thinking", "thinking": text, "signature": "s"})),
        ),
        ("assistant", block(json!({"type": "text", "text": text}))),
        (
            "assistant",
            block(
                json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": text, text: [text]}}),
            ),
        ),
        (
            "user",
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]}),
        ),
        (
            "assistant",
            block(
                json!({"type": "tool_use", "id": "e", "name": text, "input": {"file_path": text, "old_string": text, "new_string": "x"}}),
            ),
        ),
    ];
    let mut file = Vec::new();
    let mut parent = Value::Null;
    for (at, (kind, message)) in messages.into_iter().enumerate() {
        let uuid = format!("00000000-0000-4000-8000-{at:012}");
        let line = json!({
            "parentUuid": parent, "uuid": uuid, "type": kind, "message": message, "cwd": text, "gitBranch": text,
            "sessionId": "5e5e5e5e-0000-4000-8000-000000000001", "timestamp": "2026-01-01T00:00:00.000Z",
        });
        file.extend_from_slice(format!("{line}\n").as_bytes());
        parent = uuid.into();
    }
    let title = json!({"type": "custom-title", "customTitle": text, "sessionId": "s"});
    file.extend_from_slice(format!("{title}\n").as_bytes());
    file
}

/// Writes a session file and calls a function with it and an empty folder beside it.
pub fn with_session<T>(bytes: &[u8], judge: impl FnOnce(&SessionFile, &Path) -> T) -> T {
    let folder = super::scratch::folder();
    let path = folder.join("5e5e5e5e-0000-4000-8000-000000000001.jsonl");
    std::fs::write(&path, bytes).expect("a file can be written");
    let into = folder.join("into");
    // The folder of the previous run, if any.
    let _ = std::fs::remove_dir_all(&into);
    let file = SessionFile::at(&path).expect("a file");
    judge(&file, &into)
}
