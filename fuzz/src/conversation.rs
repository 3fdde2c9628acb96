//! Conversations that repeat one text in every member, so that random bytes vary the text and not
//! the syntax of JSON.

use std::path::Path;

use claw_transcript::SessionFile;
use serde_json::Value;

/// Returns the bytes as a session file if they begin with a brace, or else a file that repeats
/// them as text.
pub fn file(data: &[u8]) -> Vec<u8> {
    match data.first() {
        Some(b'{') => data.to_vec(),
        _ => repeating(&String::from_utf8_lossy(data)),
    }
}

/// A session whose lines have a `%` for the text.
const LINES: &str = include_str!("conversation.jsonl");

fn repeating(text: &str) -> Vec<u8> {
    let quoted = Value::from(text).to_string();
    let inside = &quoted[1..quoted.len() - 1];
    LINES.replace('%', inside).into_bytes()
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
