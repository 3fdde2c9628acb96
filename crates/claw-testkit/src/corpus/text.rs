//! Generated texts for sessions.

use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::dice::Dice;

/// Words of made sentences and names of made functions.
const WORDS: &str = include_str!("../../data/words.txt");

/// The size of the source text that pieces are cut from.
const SOURCE_BYTES: usize = 1 << 20;

/// Some word.
pub(super) fn word(dice: &mut Dice) -> &'static str {
    static SPLIT: OnceLock<Vec<&'static str>> = OnceLock::new();
    let words = SPLIT.get_or_init(|| WORDS.split_whitespace().collect());
    words[dice.between(0, words.len())]
}

/// A piece of source text of about this many bytes.
pub(super) fn source(dice: &mut Dice, bytes: usize) -> &'static str {
    static MADE: OnceLock<String> = OnceLock::new();
    let whole = MADE.get_or_init(made_source);
    let from = dice.between(0, whole.len().saturating_sub(bytes));
    let from = whole.ceil_boundary(from);
    let to = whole.ceil_boundary((from + bytes).min(whole.len()));
    &whole[from..to]
}

/// Words without an end, of about this many bytes.
pub(super) fn prose(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word(dice));
    }
    if dice.per_mille(30) {
        text.push_str(" → naïve façade – “quoted” 日本語 🎉");
    }
    if dice.per_mille(10) {
        text.push_str(" line\u{2028}sep\u{2029}para");
    }
    text
}

/// Appends a text as a JSON string, with its quotes.
pub(super) fn push_json(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\t' => "\\t",
            b'\r' => "\\r",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        out.push_str(escape);
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

/// A text as a JSON string.
pub(super) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16 + 2);
    push_json(&mut out, text);
    out
}

/// The next place at which a text may be cut. The standard library has it in newer versions.
trait CeilBoundary {
    fn ceil_boundary(&self, at: usize) -> usize;
}

impl CeilBoundary for str {
    fn ceil_boundary(&self, at: usize) -> usize {
        (at..self.len())
            .find(|at| self.is_char_boundary(*at))
            .unwrap_or(self.len())
    }
}

/// Lines like those of programs: indented, with quotes, backslashes, tabs and comments about as
/// often as there.
fn made_source() -> String {
    let mut dice = Dice::new(0x736f_7572_6365);
    let mut text = String::with_capacity(SOURCE_BYTES + 200);
    while text.len() < SOURCE_BYTES {
        let [a, b, c, d] = [(); 4].map(|()| word(&mut dice));
        let n = dice.between(0, 4096);
        // Writing to a string cannot fail.
        let _ = match dice.between(0, 16) {
            0 => writeln!(text, "\ndef {a}_{b}(self, {c}, {d}=None):"),
            1 => writeln!(text, "    \"\"\"{a} the {b} of a {c}, and {d} it.\"\"\""),
            2 => writeln!(text, "    if {a} is None or {b} > {n}:"),
            3 => writeln!(
                text,
                "        raise ValueError(f\"{a} {{{b}!r}} is not a {c}\")"
            ),
            4 => writeln!(text, "        return self.{a}({b}, {c}={n})"),
            5 => writeln!(text, "    # {a} {b} before the {c}, or the {d} is lost"),
            6 => writeln!(text, "    {a}_{b} = [{c} for {c} in {d} if {c} != '']"),
            7 => writeln!(text, "    for {a}, {b} in enumerate({c}.items()):"),
            8 => writeln!(text, "        self._{a} += {b}.{c}(r\"\\b{d}\\w+\\n\")"),
            9 => writeln!(text, "\tlet {a} = {b}::{c}(&{d})?;"),
            10 => writeln!(text, "\t\t.map(|{a}| {a}.{b}() + {n})"),
            11 => writeln!(
                text,
                "    assert {a}({n}) == {{\"{b}\": {n}, \"{c}\": \"{d}\"}}"
            ),
            12 => writeln!(text, "    }} else {{"),
            13 => writeln!(text),
            14 => writeln!(text, "class {a}{n}({b}):"),
            _ => writeln!(text, "    print(\"{a}: %s → {b}\" % {c}) # {d}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_json_strings_when_written_as_such() {
        let mut dice = Dice::new(1);
        for bytes in [0, 1, 50, 5000, 60_000] {
            let source = source(&mut dice, bytes);
            let back: String = serde_json::from_str(&json(source)).unwrap();
            assert_eq!(back, source);
            assert!(source.len() >= bytes);
            let prose = prose(&mut dice, bytes);
            let back: String = serde_json::from_str(&json(&prose)).unwrap();
            assert_eq!(back, prose);
        }
    }
}
