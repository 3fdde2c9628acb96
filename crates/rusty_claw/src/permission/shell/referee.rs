//! Bash as the referee of the reader: used by a test and by a fuzz target.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether what bash makes of a line depends on its letters only: the command behind `||` does not
/// run, and which `$?` is the status cannot be told from the words.
pub(crate) fn is_settled(line: &str) -> bool {
    let statuses = line.matches("\"$?\"").count();
    !line.contains("||") && line.matches("$?").count() == statuses
}

/// Runs a line in bash, with an `nl` that records its words and, but for a `cat` of the shell's
/// own, no other program to be found. Panics unless these are the expected words (the first of
/// each command is its program), with no complaint and no file written.
pub(crate) fn assert_same_words(line: &str, expected: Vec<Vec<String>>, home: &Path) {
    // Patterns stand for themselves where there are no files.
    let folder = home.join("empty");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(home.join("in"), "x").expect("a file");
    let (mut calls, complaints) = bash(line, &folder, &home.join("record"));
    // A stream that is not open and a file that is not there are complaints, and nothing runs.
    let known = ["Bad file descriptor", "No such file", " a directory"];
    if known.iter().any(|known| complaints.contains(known)) {
        return;
    }
    let arguments = |words: Vec<String>| words.into_iter().skip(1).collect();
    let mut expected: Vec<Vec<String>> = expected.into_iter().map(arguments).collect();
    // Commands of a pipe run at the same time.
    expected.sort();
    calls.sort();
    assert_eq!(calls, expected, "{line:?}");
    assert_eq!(complaints, "", "{line:?}");
    let made = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(made, 0, "{line:?} writes files");
}

/// The words that each call of `nl` got from bash, and what bash complained of.
fn bash(line: &str, folder: &Path, record: &Path) -> (Vec<Vec<String>>, String) {
    std::fs::write(record, "").expect("a file");
    let script = format!(
        "PATH=/no-such-folder; nl() {{ printf '%s\\0' \"$#\" \"$@\" >> \"$RECORD\"; }}\n\
         cat() {{ while IFS= read -r text; do printf '%s\\n' \"$text\"; done; }}\n{line}"
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .env_clear()
        .env("RECORD", record)
        .stdin(Stdio::null())
        .output()
        .expect("bash is needed to check how it reads a line");
    let written = std::fs::read(record).expect("a file");
    let written = String::from_utf8(written).expect("text");
    let mut words = written.split_terminator('\0').map(str::to_owned);
    let mut calls = Vec::new();
    while let Some(count) = words.next() {
        let count = count.parse().expect("a number");
        calls.push(words.by_ref().take(count).collect());
    }
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    (calls, complaints)
}
