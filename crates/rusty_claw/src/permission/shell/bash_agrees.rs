//! Checks that bash parses allowed lines as we do: the same programs with the same words.
//!
//! The lines are random. Only lines that a rule for `cat` covers are run. The fuzz target `shell`
//! searches for further lines.

use super::referee::assert_same_words;
use super::{Budget, CommandRule, PathContext, Script};

#[rustfmt::skip] // A table.
const PIECES: &[&str] = &[
    "cat", "cat ", " ", " ", " ", " ", ";", "&", "|", "\n", "$", "(", ")", "`", "'", "\"", "\\", ">", "<",
    "<<E", "x", "=", "#", " # ", "{", "}", ",", "..", "*", "?", "[", "]", "~", "/dev/null", " >/dev/null",
    " 2>&1", " >&2", "1", "2>", "&>", "&&", "||", "|&", "!", "\t", "\\\n", "''", "\"\"", "a", "b", "-x",
    "--", "~/", "/", "^", "%", "@", "+", ":", "é", "if", "time", "\u{a0}", "\r", "&>/dev/null", "a{b", "{x}", ",y}",
    "a{0}", "c}", "!!", "-", "\"$\"", "'$'", "\\$", "\\'", "\"'\"", "'\"'",
    "CI=1 cat ", "CI=1", "RUST_LOG='a,b' cat", "<../in", " < ../in ", "0<../in",
    "\"$(cat <<'E'\nE", "\nE\n)\"", "\"$(cat <<'E'\nit's \"x\" ) $(id) `id`\n\nE\n)\"",
];

/// Constructs whose result is known without running anything, and the words of each command. A
/// pattern expands to itself if no file matches.
const FORMS: &[(&str, &[&[&str]])] = &[
    (
        "cat \"$(cat <<'EOF'\nfix: it's \"done\"\n\n- `x` and $Y; ((\n\nEOF\n)\"",
        &[&["fix: it's \"done\"\n\n- `x` and $Y; (("]],
    ),
    (
        "cat -m \"a $(cat <<'E_1'\n\nE_1\n) b\" && cat c",
        &[&["-m", "a  b"], &["c"]],
    ),
    ("cat \"$(cat <<'E'\nE\n )\" x", &[&["", "x"]]),
    ("CI=1 RUST_LOG=\"a=b,c\" cat x", &[&["x"]]),
    ("cat x < ../in | cat y <../in", &[&["x"], &["y"]]),
    ("cat \"$?\"; cat \"exit: $?.\"", &[&["0"], &["exit: 0."]]),
    ("cat *.rs [!a]? -*", &[&["*.rs", "[!a]?", "-*"]]),
];

#[test]
fn bash_makes_of_known_forms_what_is_judged() {
    let rules = [CommandRule::starting("cat")];
    let home = tempfile::tempdir().expect("a folder");
    for (line, words) in FORMS {
        let script = Script::read(line);
        assert_eq!(
            script.check(&rules, &PathContext::default(), &Budget::default()),
            Ok(()),
            "{line:?}"
        );
        let texts = |part: &super::Part| {
            let texts = part
                .words
                .iter()
                .skip(1)
                .map(|word| word.text.replace("$?", "0"));
            texts.collect::<Vec<_>>()
        };
        let read: Vec<_> = script.parts.iter().map(texts).collect();
        let owned = |words: &&[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let expected: Vec<Vec<String>> = words.iter().map(owned).collect();
        assert_eq!(read, expected, "{line:?}");
        assert_same_words(line, expected, home.path());
    }
}

/// The number of lines to check with bash.
const LINES: usize = 400;

/// A deterministic pseudorandom generator.
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

#[test]
fn bash_reads_what_is_allowed_as_it_was_read_here() {
    let rules = [CommandRule::starting("cat")];
    let home = tempfile::tempdir().expect("a folder");
    let mut chance = Chance(7);
    let mut lines = 0;
    while lines < LINES {
        let line = chance.line();
        let script = Script::read(&line);
        // Words that depend on files are not part of this test.
        let Some(commands) = script.settled_words() else {
            continue;
        };
        if line.contains("||")
            || script
                .check(&rules, &PathContext::default(), &Budget::default())
                .is_err()
        {
            continue;
        }
        lines += 1;
        let arguments = |words: Vec<&str>| words.into_iter().skip(1).map(str::to_owned).collect();
        let expected = commands.into_iter().map(arguments).collect();
        assert_same_words(&line, expected, home.path());
    }
}

#[test]
fn bash_refuses_what_would_do_harm() {
    let home = tempfile::tempdir().expect("a folder");
    for line in [
        "cat x > made",
        "cat x >> ../in",
        "cat x &> made",
        "cat x; kill -9 0",
        "cat x; /bin/sh -c 'kill -9 0'",
        "cat x; cd .. && cat y",
    ] {
        let judged = || assert_same_words(line, vec![vec!["x".to_owned()]], home.path());
        assert!(std::panic::catch_unwind(judged).is_err(), "{line:?}");
        assert!(!home.path().join("empty/made").exists(), "{line:?}");
    }
}
