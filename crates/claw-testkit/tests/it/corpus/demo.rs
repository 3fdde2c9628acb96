//! The library that people try things out on.

use std::fs;

use claw_testkit::corpus::write_demo;
use serde_json::Value;

#[test]
fn the_demo_is_a_library_of_sessions_and_one_of_them_is_torn() {
    let out = tempfile::tempdir().unwrap();
    let files = write_demo(out.path(), 1_794_700_000_000).unwrap();
    assert_eq!(files.len(), 7);
    let mut torn = 0;
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let id = file.file_stem().unwrap().to_str().unwrap();
        for line in text.lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(line) => assert_eq!(line["sessionId"], id),
                Err(_) => torn += 1,
            }
        }
    }
    assert_eq!(torn, 1);
    let agents = files[0].with_extension("").join("subagents");
    assert_eq!(fs::read_dir(agents).unwrap().count(), 2);
}

#[test]
fn the_same_moment_gives_the_same_bytes() {
    let texts = || {
        let out = tempfile::tempdir().unwrap();
        let files = write_demo(out.path(), 1_794_700_000_000).unwrap();
        files
            .iter()
            .map(|file| fs::read(file).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(), texts());
}
