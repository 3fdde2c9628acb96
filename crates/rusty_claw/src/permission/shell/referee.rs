//! Bash as the referee of the reader: used by a test and by a fuzz target.

use std::path::Path;
use std::process::{Command, Stdio};

/// The `cat` that hands on a text is no command of the line, and must not record its words.
const HERE_TEXT: &str = "$(cat <<'";
const OWN_HERE_TEXT: &str = "$(hand_on <<'";

/// Runs a line in bash, with a `cat` that records its words and no other program to be found.
/// Panics unless these are the expected words, with no complaint and no file written.
pub(crate) fn assert_same_words(line: &str, mut expected: Vec<Vec<String>>, home: &Path) {
    let folder = home.join("empty");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(home.join("in"), "x").expect("a file");
    let (mut calls, complaints) = bash(line, &folder, &home.join("record"));
    // A stream that is not open and a file that cannot be read are complaints, and nothing runs.
    let unopened = ["Bad file descriptor", "No such file", " a directory"];
    if unopened
        .iter()
        .any(|unopened| complaints.contains(unopened))
    {
        return;
    }
    // Commands of a pipe run at the same time.
    expected.sort();
    calls.sort();
    assert_eq!(calls, expected, "{line:?}");
    assert_eq!(complaints, "", "{line:?}");
    let made = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(made, 0, "{line:?} writes files");
}

/// The words that each call of `cat` got from bash, and what bash complained of.
fn bash(line: &str, folder: &Path, record: &Path) -> (Vec<Vec<String>>, String) {
    std::fs::write(record, "").expect("a file");
    let script = format!(
        "PATH=/no-such-folder; cat() {{ printf '%s\\0' \"$#\" \"$@\" >> \"$RECORD\"; }}\n\
         hand_on() {{ while IFS= read -r text; do printf '%s\\n' \"$text\"; done; }}\n{}",
        line.replace(HERE_TEXT, OWN_HERE_TEXT)
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
    // In quotes it was a text, and is one again.
    let same = |word: &str| word.replace("$(hand_on <<", "$(cat <<");
    let mut words = written.split_terminator('\0').map(same);
    let mut calls = Vec::new();
    while let Some(count) = words.next() {
        let count = count.parse().expect("a number");
        calls.push(words.by_ref().take(count).collect());
    }
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    (calls, complaints)
}
