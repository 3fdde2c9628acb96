//! A compiled query.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

use super::sieve::{Sieve, bad_pattern};
use crate::error::TranscriptError;

/// The text of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of them. A phrase is one word.
    Words(Vec<String>),
    Regex(String),
}

/// A query that was compiled, to match many lines.
#[derive(Debug)]
pub(super) struct Pattern {
    /// All of them must match in one text.
    all: Vec<Regex>,
    /// Finds the lines that may match.
    pub(super) sieve: Sieve,
}

impl Pattern {
    pub(super) fn new(wanted: &Wanted, folded: bool, raw: bool) -> Result<Self, TranscriptError> {
        let literal = |text: &String| compile(&regex::escape(text), folded);
        // Every match contains at least one of the needles; without needles, any line may match.
        let (all, needles) = match wanted {
            Wanted::Words(words) => {
                let all = words.iter().map(literal).collect::<Result<_, _>>()?;
                // All words are in a match; the longest is likely to be the rarest.
                let longest = words.iter().max_by_key(|word| word.len());
                (all, longest.cloned().into_iter().collect())
            }
            Wanted::Regex(pattern) => {
                let needles = required(&parse(pattern)?).unwrap_or_default();
                (vec![compile(pattern, folded)?], needles)
            }
        };
        let sieve = if raw {
            Sieve::of_bytes(&needles, folded)?
        } else {
            Sieve::of_json(&needles, folded)?
        };
        Ok(Self { all, sieve })
    }

    /// Returns whether the pieces of one text together match the query.
    pub(super) fn matches(&self, pieces: &[impl AsRef<str>]) -> bool {
        self.all
            .iter()
            .all(|regex| pieces.iter().any(|piece| regex.is_match(piece.as_ref())))
    }

    /// Calls `more` for each match in a piece of text, in order and without overlaps, until it
    /// returns `false`. Empty matches are skipped.
    pub(super) fn find(&self, piece: &str, mut more: impl FnMut(&Range<usize>) -> bool) {
        if let [one] = &self.all[..] {
            for found in one.find_iter(piece) {
                if !found.is_empty() && !more(&found.range()) {
                    return;
                }
            }
            return;
        }
        // Returns the first match of any word, then the next after its end. The next match of each
        // word is remembered, so that a rare word is not searched again for every match of a
        // frequent one.
        let next_of = |word: &Regex, from| {
            let found = word.find_at(piece, from)?.range();
            (!found.is_empty()).then_some(found)
        };
        let mut next: Vec<Option<Range<usize>>> =
            self.all.iter().map(|word| next_of(word, 0)).collect();
        loop {
            let first = next.iter().flatten();
            let first = first.min_by_key(|found| (found.start, usize::MAX - found.end));
            let Some(found) = first.cloned() else {
                return;
            };
            for (word, next) in self.all.iter().zip(&mut next) {
                if next.as_ref().is_some_and(|next| next.start < found.end) {
                    *next = next_of(word, found.end);
                }
            }
            if !more(&found) {
                return;
            }
        }
    }
}

fn compile(pattern: &str, folded: bool) -> Result<Regex, TranscriptError> {
    let built = RegexBuilder::new(pattern)
        .case_insensitive(folded)
        // `^` and `$` match at lines, as in `grep`.
        .multi_line(true)
        .build();
    built.map_err(bad_pattern)
}

/// Parses an expression as case-sensitive: ignoring case only adds other cases of its letters, so
/// the same texts are required in some case.
fn parse(pattern: &str) -> Result<Hir, TranscriptError> {
    let mut parser = regex_syntax::ParserBuilder::new().multi_line(true).build();
    parser.parse(pattern).map_err(bad_pattern)
}

/// The largest number of texts to search for; with more, every line is read.
const ALTERNATIVES: usize = 16;

/// Returns texts of which every match contains at least one; `None` if there are none.
fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(vec![text.to_owned()])
        }
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => {
            let found = parts.iter().filter_map(required);
            // The longest texts exclude the most lines.
            found.max_by_key(|texts| texts.iter().map(String::len).min())
        }
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(required(branch)?);
            }
            (all.len() <= ALTERNATIVES).then_some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_texts_of_an_expression() {
        let texts = |pattern: &str| required(&parse(pattern).unwrap());
        let some = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect());
        assert_eq!(texts(r"fn \w+\("), some(&["fn "]));
        assert_eq!(texts(r"^error\[E\d{4}\]"), some(&["error[E"]));
        assert_eq!(texts(r"(cargo|rustc) build"), some(&[" build"]));
        assert_eq!(texts(r"\d(alpha|beta)\d"), some(&["alpha", "beta"]));
        assert_eq!(texts(r"(abc)+x?"), some(&["abc"]));
        // Any line may match.
        for pattern in [r"\d+", "a*", "(abc)?", "(?i)abc", "abc|", ""] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn several_words_are_marked_in_order() {
        let words = Wanted::Words(vec!["two".into(), "one".into()]);
        let pattern = Pattern::new(&words, false, false).unwrap();
        assert!(pattern.matches(&["one", "two"]));
        assert!(!pattern.matches(&["one", "three"]));
        let mut found = Vec::new();
        pattern.find("one two one", |range| {
            found.push(range.clone());
            true
        });
        assert_eq!(found, [0..3, 4..7, 8..11]);
    }

    #[test]
    fn an_invalid_expression_is_an_error() {
        let error = Pattern::new(&Wanted::Regex("a(".into()), false, false).unwrap_err();
        assert!(error.to_string().contains("unclosed group"), "{error}");
    }
}
