//! Bash as the reference for the parser: used by a test and by a fuzz target.
//!
//! A line that the parser considers harmless and bash does not must do no harm here. Bash is
//! restricted, so that it neither writes a file nor runs a program by its path. It finds no program
//! by name, has no builtin but the two that the prologue needs, and stops after five seconds of CPU
//! time. Anything that it refuses is an error message, and so a finding.

use std::path::Path;
use std::process::{Command, Stdio};

/// The `cat` of a here-document is not a command of the line, so its words are not recorded.
const HERE_TEXT: &str = "$(cat <<'";
const OWN_HERE_TEXT: &str = "$(hand_on <<'";

/// The file descriptors of the record and of what a line writes to `/dev/null`, which are only error
/// messages: a restricted bash opens neither.
const STREAMS: [&str; 2] = ["198", "199"];
const NOWHERE: &str = ">/dev/null";
const OWN_NOWHERE: &str = ">&199";

/// The start of each error message.
const ERROR: &str = "bash: line ";
/// Errors of a redirection: a descriptor that is not open, a file that cannot be read, or an unusual
/// form of `/dev/null`. The command does not run, nor do those after `&&`.
const UNOPENED: [&str; 4] = [
    "Bad file descriptor",
    "No such file",
    " a directory",
    "/dev/null: restricted",
];

const PROLOGUE: &str = r#"
ulimit -t 5
exec 198>>"$RECORD" 199>&2
PATH=/no-such-folder
cat() { printf '%s\0' "$#" "$@" >&198; }
hand_on() { while IFS= read -r text; do printf '%s\n' "$text"; done; }
set -r
for name in $(compgen -b); do
  case $name in printf | read | enable) ;; *) enable -n "$name" ;; esac
done
enable -n enable
"#;

/// Runs a line in bash, with a `cat` that records its words and without any other program.
/// Panics unless these are the expected words, with no error message and no file written.
pub(crate) fn assert_same_words(line: &str, mut expected: Vec<Vec<String>>, home: &Path) {
    if STREAMS.iter().any(|stream| line.contains(stream)) {
        return;
    }
    let folder = home.join("empty");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(home.join("in"), "x").expect("a file");
    let (mut calls, complaints) = bash(line, &folder, &home.join("record"));
    // Commands of a pipe run concurrently.
    expected.sort();
    calls.sort();
    if complaints.is_empty() {
        assert_eq!(calls, expected, "{line:?}");
    } else {
        for error in complaints.split(ERROR).filter(|error| !error.is_empty()) {
            let is_unopened = UNOPENED.iter().any(|text| error.contains(text));
            assert!(is_unopened, "{line:?}: {error}");
        }
        for call in &calls {
            let found = expected.iter().position(|words| words == call);
            let found = found.unwrap_or_else(|| panic!("{line:?} runs with {call:?}"));
            expected.swap_remove(found);
        }
    }
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
    // Restores what was replaced in quotes.
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
    // A line can redirect its error messages.
    let complaints = [output.stderr, output.stdout].concat();
    let complaints = String::from_utf8_lossy(&complaints).into_owned();
    (calls, complaints)
}

/// Replaces redirections to `/dev/null`, except after `&`, and after a backslash, which may make a
/// word.
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
