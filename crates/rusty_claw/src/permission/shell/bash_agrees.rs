//! What is allowed is read by bash as it was read here: the same programs with the same words.
//!
//! The lines are noise of which only those are run that a rule for `nl` covers, with an `nl` that
//! writes down its words and, but for a `cat` of the shell's own, no other program to be found.

use std::path::Path;
use std::process::{Command, Stdio};

use super::word::Word;
use super::{CommandRule, Script, Surroundings};

#[rustfmt::skip] // A table.
const PIECES: &[&str] = &[
    "nl", "nl ", " ", " ", " ", " ", ";", "&", "|", "\n", "$", "(", ")", "`", "'", "\"", "\\", ">", "<",
    "<<E", "x", "=", "#", " # ", "{", "}", ",", "..", "*", "?", "[", "]", "~", "/dev/null", " >/dev/null",
    " 2>&1", " >&2", "1", "2>", "&>", "&&", "||", "|&", "!", "\t", "\\\n", "''", "\"\"", "a", "b", "-x",
    "--", "~/", "/", "^", "%", "@", "+", ":", "é", "if", "time", "\u{a0}", "\r", "&>/dev/null", "a{b", "{x}", ",y}",
    "a{0}", "c}", "!!", "-", "\"$\"", "'$'", "\\$", "\\'", "\"'\"", "'\"'",
    "CI=1 nl ", "CI=1", "RUST_LOG='a,b' nl", "\"$?\"", "<../in", " < ../in ", "0<../in", "*x", "?", "[a]",
    "\"$(cat <<'E'\nE", "\nE\n)\"", "\"$(cat <<'E'\nit's \"x\" ) $(id) `id`\n\nE\n)\"",
];

/// Lines that must be allowed: the forms whose result is known without running anything.
const FORMS: &[&str] = &[
    "nl \"$(cat <<'EOF'\nfix: it's \"done\"\n\n- `x` and $Y; $(id) :)\n\nEOF\n)\"",
    "nl -m \"a $(cat <<'E_1'\n\nE_1\n) b\" && nl c",
    "nl \"$(cat <<'E'\nE\n )\" x",
    "CI=1 RUST_LOG=\"a=b,c\" nl x",
    "nl x < ../in | nl y <../in",
    "nl \"$?\"; nl \"exit: $?.\"",
    "nl *.rs [!a]? -*",
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
        format!("nl {}", noise.collect::<String>())
    }
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

/// Whether bash reads a line as it is read here, or None when it is not allowed, or when what bash
/// makes of it depends on more than its letters.
fn agrees(line: &str, folder: &Path) -> Option<()> {
    let rules = [CommandRule::starting("nl")];
    let script = Script::read(line);
    // What the home folder makes of a word is not for this test.
    let words = || script.parts.iter().flat_map(|part| &part.words);
    let depends = words().any(|word| word.home || word.text.contains('~'));
    // Which of them is the status cannot be told from the text.
    let quoted = line.matches("$?").count() != line.matches("\"$?\"").count();
    let depends = depends || line.contains("||") || quoted && words().any(|w| w.may_be_option);
    if script.check(&rules, &Surroundings::default()).is_err() {
        return None;
    }
    if depends && !FORMS.contains(&line) {
        return None;
    }
    let record = folder.with_file_name("record");
    let (mut calls, complaints) = bash(line, folder, &record);
    // A stream that is not open and a file that is not there are complaints, and nothing runs.
    if ["Bad file descriptor", "No such file", " a directory"]
        .iter()
        .any(|c| complaints.contains(c))
    {
        return Some(());
    }
    let told = |word: &Word| match word.literal {
        true => word.text.clone(),
        false => word.text.replace("$?", "0"),
    };
    let expected = script.parts.iter().map(|part| {
        let arguments = part.words.iter().skip(1);
        arguments.map(told).collect()
    });
    let mut expected: Vec<Vec<String>> = expected.collect();
    // Commands of a pipe run at the same time.
    expected.sort();
    calls.sort();
    assert_eq!(calls, expected, "{line:?}");
    assert_eq!(complaints, "", "{line:?}");
    let made = std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!(made, 0, "{line:?} writes files");
    Some(())
}

#[test]
fn bash_reads_what_is_allowed_as_it_was_read_here() {
    let home = tempfile::tempdir().expect("a folder");
    // Patterns stand for themselves where there are no files.
    let folder = home.path().join("empty");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(home.path().join("in"), "x").expect("a file");
    for form in FORMS {
        assert_eq!(agrees(form, &folder), Some(()), "{form:?} is not allowed");
    }
    let mut chance = Chance(7);
    let mut lines = 0;
    while lines < LINES {
        lines += usize::from(agrees(&chance.line(), &folder).is_some());
    }
}
