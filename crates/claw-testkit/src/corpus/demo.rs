//! A small library of sessions that a person can read: for trying things out, and for pictures.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::calendar;

/// The files, as the data itself explains them.
const FILES: &str = include_str!("../../demo/sessions.txt");

/// Writes the demo under `out/.claude/projects`, as of `now_ms` after 1970, and returns the session
/// files.
///
/// # Errors
/// If a file cannot be written.
pub fn write_demo(out: &Path, now_ms: i64) -> io::Result<Vec<PathBuf>> {
    let mut sessions = Vec::new();
    for file in FILES.split("\n---- ").skip(1) {
        let (head, text) = file.split_once('\n').unwrap_or((file, ""));
        let (name, written) = head.split_once('\t').unwrap_or((head, ""));
        let path = out.join(".claude/projects").join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, with_times(text, now_ms))?;
        if let Ok(before) = written.parse::<i64>() {
            let file = fs::File::options().append(true).open(&path)?;
            file.set_modified(calendar::system_time(now_ms - before))?;
            sessions.push(path);
        }
    }
    Ok(sessions)
}

fn with_times(text: &str, now_ms: i64) -> String {
    let mut parts = text.split(r#""timestamp":"-"#);
    let mut dated = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (before, rest) = part.split_once('"').unwrap_or((part, ""));
        let at = calendar::timestamp(now_ms - before.parse::<i64>().unwrap_or_default());
        // Writing to a string cannot fail.
        let _ = write!(dated, r#""timestamp":"{at}"{rest}"#);
    }
    dated
}
