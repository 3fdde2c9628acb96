//! The recorded sessions of the repository, as events.

use std::path::{Path, PathBuf};

use claw_server::{Output, Recording};
use serde::Deserialize;

/// How a recording went.
#[derive(Debug, Deserialize)]
struct Meta {
    exit_code: Option<i32>,
    signal: Option<i32>,
    /// How writes and lines followed each other: `in 1, out 8, eof`.
    exchange: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cli/2.1.325")
}

/// The names of all recordings, in order.
pub(crate) fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("the recordings are there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("stdout.ndjson").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 250, "{}", names.len());
    names
}

/// What came of a recording, with the end of its process.
pub(crate) fn play(name: &str) -> Output {
    let folder = folder().join(name);
    let read = |file: &str| std::fs::read(folder.join(file)).expect("the recording is there");
    let lines = |file: &str| -> Vec<Vec<u8>> {
        let bytes = read(file);
        let lines = bytes.split(|byte| *byte == b'\n').map(Vec::from);
        lines.filter(|line| !line.is_empty()).collect()
    };
    let meta: Meta = serde_json::from_slice(&read("meta.json")).expect("meta is JSON");
    let mut host = lines("stdin.ndjson").into_iter();
    let mut cli = lines("stdout.ndjson").into_iter();
    let mut recording = Recording::new();
    for step in meta.exchange.split(", ") {
        match step.split_once(' ') {
            Some(("in", count)) => {
                let count = count.parse().expect("a count");
                host.by_ref()
                    .take(count)
                    .for_each(|line| recording.host(line));
            }
            Some(("out", count)) => {
                let count = count.parse().expect("a count");
                cli.by_ref()
                    .take(count)
                    .for_each(|line| recording.cli(line));
            }
            _ => assert_eq!(step, "eof", "{name}"),
        }
    }
    assert_eq!(cli.next(), None, "{name}");
    recording.ended(meta.exit_code, meta.signal);
    recording.into_output()
}
