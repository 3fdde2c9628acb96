//! What is allowed is read by bash as it was read here: the same programs with the same words.
//!
//! The lines are noise of which only those are run that a rule for `nl` covers. The fuzz target
//! `shell` looks for other lines.

use std::path::Path;

use super::referee::{assert_same_words, is_settled};
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

/// Whether bash reads a line as it is read here, or None when it is not allowed, or when what bash
/// makes of it depends on more than its letters.
fn agrees(line: &str, home: &Path) -> Option<()> {
    let script = Script::read(line);
    let rules = [CommandRule::starting("nl")];
    script.check(&rules, &Surroundings::default()).ok()?;
    if !is_settled(line) && !FORMS.contains(&line) {
        return None;
    }
    assert_same_words(line, script.settled_words()?, home);
    Some(())
}

#[test]
fn bash_reads_what_is_allowed_as_it_was_read_here() {
    let home = tempfile::tempdir().expect("a folder");
    for form in FORMS {
        assert_eq!(
            agrees(form, home.path()),
            Some(()),
            "{form:?} is not allowed"
        );
    }
    let mut chance = Chance(7);
    let mut lines = 0;
    while lines < LINES {
        lines += usize::from(agrees(&chance.line(), home.path()).is_some());
    }
}
