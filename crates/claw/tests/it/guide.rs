//! The guide about session files shows what the program prints.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use claw_testkit::corpus::write_demo;

/// Runs every `$ claw …` of the guide in its demo folder, in the order of the page.
#[test]
fn the_guide_shows_what_the_program_prints() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/session-files.md");
    let text = std::fs::read_to_string(&guide).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now_ms = i64::try_from(now.unwrap().as_millis()).unwrap();
    write_demo(&dir.path().join("target/demo"), now_ms).unwrap();

    let mut fresh = String::new();
    let mut ran = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        let Some(command) = line.strip_prefix("$ claw ") else {
            continue;
        };
        ran += 1;
        fresh.push_str(printed(dir.path(), command).trim_end());
        fresh.push_str("\n```\n");
        let _shown = lines.by_ref().take_while(|line| *line != "```").count();
    }
    assert!(ran >= 8, "the guide has lost its commands: {ran}");
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        std::fs::write(&guide, &fresh).unwrap();
    }
    assert!(
        fresh == text,
        "the guide shows something else than the program prints; UPDATE_GUIDE=1 writes it anew\n{fresh}"
    );
}

/// What a command prints, both streams, as a person sees it.
fn printed(dir: &Path, command: &str) -> String {
    let words = command.split(' ').map(|word| word.trim_matches('\''));
    // A quoted text of several words is one.
    let mut args: Vec<String> = Vec::new();
    let mut open = false;
    for (raw, word) in command.split(' ').zip(words) {
        match args.last_mut() {
            Some(last) if open => {
                last.push(' ');
                last.push_str(word);
            }
            _ => args.push(word.to_owned()),
        }
        open = (open || raw.starts_with('\'')) && !raw.ends_with('\'');
    }
    let output = Command::new(env!("CARGO_BIN_EXE_claw"))
        .args(&args)
        .env_clear()
        .env("CLAUDE_CONFIG_DIR", "target/demo/.claude")
        // Days are those of the reader.
        .env("TZ", "Etc/UTC")
        .current_dir(dir)
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].concat();
    String::from_utf8(both).unwrap()
}
