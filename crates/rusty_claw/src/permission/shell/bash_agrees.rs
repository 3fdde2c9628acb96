//! What is allowed is read by bash as it was read here: the same programs with the same words.
//!
//! The lines are noise of which only those are run that a rule for `cat` covers. The fuzz target
//! `shell` looks for other lines.

use super::referee::assert_same_words;
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

#[test]
fn bash_reads_what_is_allowed_as_it_was_read_here() {
    let rules = [CommandRule::starting("cat")];
    let home = tempfile::tempdir().expect("a folder");
    let mut chance = Chance(7);
    let mut lines = 0;
    while lines < LINES {
        let line = chance.line();
        let script = Script::read(&line);
        // What the files around make of a word is not for this test.
        let Some(commands) = script.settled_words() else {
            continue;
        };
        if line.contains("||") || script.check(&rules).is_err() {
            continue;
        }
        lines += 1;
        let arguments = |words: Vec<&str>| words.into_iter().skip(1).map(str::to_owned).collect();
        let expected = commands.into_iter().map(arguments).collect();
        assert_same_words(&line, expected, home.path());
    }
}
