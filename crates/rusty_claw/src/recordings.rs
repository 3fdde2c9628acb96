//! Recordings of the real CLI.

use std::path::{Path, PathBuf};

use rusty_claw_protocol::{Line, Received};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cli/2.1.325")
}

/// The names of the recordings that have output.
pub(crate) fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("recordings");
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let with_output = folders.filter(|folder| folder.join("stdout.ndjson").is_file());
    let name = |path: PathBuf| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    with_output.map(name).collect()
}

/// A file of a recording: `stdin.ndjson` or `stdout.ndjson`.
pub(crate) fn read(scenario: &str, file: &str) -> String {
    let path = folder().join(scenario).join(file);
    std::fs::read_to_string(path).expect("the recording is there")
}

/// The messages in a file of a recording.
pub(crate) fn messages(scenario: &str, file: &str) -> Vec<Received> {
    let text = read(scenario, file);
    let lines = text.lines().map(Line::decode);
    let message = |line| match line {
        Line::Message(received) => Some(*received),
        _ => None,
    };
    lines.filter_map(message).collect()
}
