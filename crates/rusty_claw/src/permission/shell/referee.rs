//! Bash as the referee of the reader: used by a test and by a fuzz target.
//!
//! A line that the reader takes for harmless and bash does not must do no harm here. Bash is
//! restricted, so that it neither writes a file nor runs a program by its path, finds no program by
//! its name, has no builtin but the two that the prologue needs, and stops after five seconds of
//! computing. What it refuses is a complaint, and so a finding.

use std::path::Path;
use std::process::{Command, Stdio};

/// The `cat` of a here-document is not a command of the line, so its words are not recorded.
const HERE_TEXT: &str = "$(cat <<'";
const OWN_HERE_TEXT: &str = "$(hand_on <<'";

/// The streams of the record and of what goes nowhere: a restricted bash opens neither.
const STREAMS: [&str; 2] = ["198", "199"];
const NOWHERE: &str = ">/dev/null";
const OWN_NOWHERE: &str = ">&199";

const PROLOGUE: &str = r#"
ulimit -t 5
exec 198>>"$RECORD" 199>/dev/null
PATH=/no-such-folder
cat() { printf '%s\0' "$#" "$@" >&198; }
hand_on() { while IFS= read -r text; do printf '%s\n' "$text"; done; }
set -r
for name in $(compgen -b); do
  case $name in printf | read | enable) ;; *) enable -n "$name" ;; esac
done
enable -n enable
"#;

/// Runs a line in bash, with a `cat` that records its words and no other program to be found.
/// Panics unless these are the expected words, with no complaint and no file written.
pub(crate) fn assert_same_words(line: &str, mut expected: Vec<Vec<String>>, home: &Path) {
    if STREAMS.iter().any(|stream| line.contains(stream)) {
        return;
    }
    let folder = home.join("empty");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(home.join("in"), "x").expect("a file");
    let (mut calls, complaints) = bash(line, &folder, &home.join("record"));
    // A stream that is not open and a file that cannot be read are complaints, and nothing runs.
    // So is a redirection to nowhere that is not written as usual.
    let unopened = [
        "Bad file descriptor",
        "No such file",
        " a directory",
        "/dev/null: restricted",
    ];
    if unopened
        .iter()
        .any(|unopened| complaints.contains(unopened))
    {
        return;
    }
    // Commands of a pipe run concurrently.
    expected.sort();
    calls.sort();
    assert_eq!(calls, expected, "{line:?}");
    assert_eq!(complaints, "", "{line:?}");
    let made = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(made, 0, "{line:?} writes files");
}

/// The words that bash passed to each call of `cat`, and the errors of bash.
fn bash(line: &str, folder: &Path, record: &Path) -> (Vec<Vec<String>>, String) {
    std::fs::write(record, "").expect("a file");
    let line = line.replace(HERE_TEXT, OWN_HERE_TEXT);
    let script = format!("{PROLOGUE}{}", with_own_nowhere(&line));
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
    let same = |word: &str| {
        let word = word.replace(OWN_HERE_TEXT, HERE_TEXT);
        word.replace(OWN_NOWHERE, NOWHERE)
    };
    let mut words = written.split_terminator('\0').map(same);
    let mut calls = Vec::new();
    while let Some(count) = words.next() {
        let count = count.parse().expect("a number");
        calls.push(words.by_ref().take(count).collect());
    }
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    (calls, complaints)
}

/// Replaces redirections to nowhere, but for `&>` and what a backslash may have made a word.
fn with_own_nowhere(line: &str) -> String {
    let mut parts = line.split(NOWHERE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let replaced = !out.ends_with(['&', '\\']);
        out.push_str(if replaced { OWN_NOWHERE } else { NOWHERE });
        out.push_str(part);
    }
    out
}
