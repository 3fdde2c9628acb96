//! What is allowed is read by bash as it was read here: the same programs with the same words.
//!
//! The lines are noise of which only those are run that a rule for `cat` covers, with a `cat` that
//! writes down its words and no other program to be found.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{CommandRule, Script};

#[rustfmt::skip] // A table.
const PIECES: &[&str] = &[
    "cat", "cat ", " ", " ", " ", " ", ";", "&", "|", "\n", "$", "(", ")", "`", "'", "\"", "\\", ">", "<",
    "<<E", "x", "=", "#", " # ", "{", "}", ",", "..", "*", "?", "[", "]", "~", "/dev/null", " >/dev/null",
    " 2>&1", " >&2", "1", "2>", "&>", "&&", "||", "|&", "!", "\t", "\\\n", "''", "\"\"", "a", "b", "-x",
    "--", "~/", "/", "^", "%", "@", "+", ":", "é", "if", "time", "\u{a0}", "\r", "&>/dev/null", "a{b", "{x}", ",y}",
    "a{0}", "c}", "!!", "-", "\"$\"", "'$'", "\\$", "\\'", "\"'\"", "'\"'",
];

/// How many lines bash reads.
const LINES: usize = 400;

/// Numbers that look random and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).expect("small")).expect("small")
    }

    fn line(&mut self) -> String {
        let pieces = 2 + self.below(12);
        let noise = (0..pieces).map(|_| PIECES[self.below(PIECES.len())]);
        format!("cat {}", noise.collect::<String>())
    }
}

/// The words that each call of `cat` got from bash, and what bash complained of.
fn bash(line: &str, folder: &Path, record: &Path) -> (Vec<Vec<String>>, String) {
    std::fs::write(record, "").expect("a file");
    let script = format!(
        "PATH=/no-such-folder; cat() {{ printf '%s\\0' \"$#\" \"$@\" >> \"$RECORD\"; }}\n{line}"
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .env_clear()
        .env("RECORD", record)
        .stdin(Stdio::null())
        .output()
        .expect("this test needs bash");
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

#[test]
fn bash_reads_what_is_allowed_as_it_was_read_here() {
    let rules = [CommandRule::starting("cat")];
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("empty");
    std::fs::create_dir(&folder).expect("a folder");
    let record = home.path().join("record");
    let mut chance = Chance(7);
    let mut lines = 0;
    while lines < LINES {
        let line = chance.line();
        let script = Script::read(&line);
        // What the files around make of a word is not for this test.
        let words = || script.parts.iter().flat_map(|part| &part.words);
        let depends = words().any(|word| word.is_pattern() || word.home || word.text.contains('~'));
        if depends || line.contains("||") || script.check(&rules).is_err() {
            continue;
        }
        lines += 1;
        let (mut calls, complaints) = bash(&line, &folder, &record);
        // A stream that is not open is a complaint, and nothing runs.
        if complaints.contains("Bad file descriptor") {
            continue;
        }
        let expected = script.parts.iter().map(|part| {
            let arguments = part.words.iter().skip(1);
            arguments.map(|word| word.text.clone()).collect()
        });
        let mut expected: Vec<Vec<String>> = expected.collect();
        // Commands of a pipe run at the same time.
        expected.sort();
        calls.sort();
        assert_eq!(calls, expected, "{line:?}");
        assert_eq!(complaints, "", "{line:?}");
        let made = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(made, 0, "{line:?} writes files");
    }
}
