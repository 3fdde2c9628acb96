//! What to look for, made ready.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

use super::sieve::{Needle, Sieve};
use crate::error::TranscriptError;

/// What a person asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    Phrase(String),
    Words(Vec<String>),
    Regex(String),
}

/// A query, made ready to be put to many lines.
#[derive(Debug)]
pub(super) struct Pattern {
    /// All of them must be in one text.
    all: Vec<Regex>,
    /// Which lines can match.
    pub(super) sieve: Sieve,
    /// Every match has all texts of at least one of these in it; no list says that nothing is
    /// known.
    pub(super) required: Vec<Vec<Needle>>,
}

impl Pattern {
    pub(super) fn new(wanted: &Wanted, folded: bool, raw: bool) -> Result<Self, TranscriptError> {
        let needle = |text: &String| Needle {
            text: text.clone(),
            folded,
        };
        let (all, required) = match wanted {
            Wanted::Phrase(text) => {
                let regex = compile(&regex::escape(text), folded)?;
                (vec![regex], vec![vec![needle(text)]])
            }
            Wanted::Words(words) => {
                let all = words
                    .iter()
                    .map(|word| compile(&regex::escape(word), folded));
                let all: Vec<Regex> = all.collect::<Result<_, _>>()?;
                (all, vec![words.iter().map(needle).collect()])
            }
            Wanted::Regex(pattern) => {
                let regex = compile(pattern, folded)?;
                let found = required(&parse(pattern)?).unwrap_or_default();
                let required = found.iter().map(|text| vec![needle(text)]);
                (vec![regex], required.collect())
            }
        };
        // Of several texts that are all there, the longest is the rarest.
        let rarest: Option<Vec<Needle>> = required
            .iter()
            .map(|all| all.iter().max_by_key(|needle| needle.text.len()).cloned())
            .collect();
        let rarest = rarest.unwrap_or_default();
        let sieve = if raw {
            Sieve::of_bytes(&rarest)?
        } else {
            Sieve::of_json(&rarest)?
        };
        Ok(Self {
            all,
            sieve,
            required,
        })
    }

    /// Whether some pieces of one text hold all that is asked for together.
    pub(super) fn matches(&self, pieces: &[impl AsRef<str>]) -> bool {
        self.all
            .iter()
            .all(|regex| pieces.iter().any(|piece| regex.is_match(piece.as_ref())))
    }

    /// Where in a piece of text something asked for is, in order and without overlaps; nothing for
    /// matches of no length. Ends when `more` says so.
    pub(super) fn find(&self, piece: &str, mut more: impl FnMut(&Range<usize>) -> bool) {
        if let [one] = &self.all[..] {
            for found in one.find_iter(piece) {
                if !found.is_empty() && !more(&found.range()) {
                    return;
                }
            }
            return;
        }
        // Of several words the one that comes first, then whatever follows it. Each word is looked
        // for once from where it was found last, however often the others come before it.
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
        // `^` and `$` are for the lines of a text, as they are for `grep`.
        .multi_line(true)
        .build();
    built.map_err(|error| TranscriptError::BadPattern {
        why: error.to_string(),
    })
}

/// The expression without regard to [`Needle::folded`]: that widens letters and nothing else, so
/// that what is required here is required there in some case.
fn parse(pattern: &str) -> Result<Hir, TranscriptError> {
    let mut parser = regex_syntax::ParserBuilder::new().multi_line(true).build();
    parser
        .parse(pattern)
        .map_err(|error| TranscriptError::BadPattern {
            why: error.to_string(),
        })
}

/// How many texts are looked for instead of reading every line.
const ALTERNATIVES: usize = 16;

/// Texts of which every match has at least one in it; `None` when there are none to name.
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
            // The one whose shortest text is longest lets the least through.
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
    fn what_a_match_must_have_is_found_in_an_expression() {
        let texts = |pattern: &str| required(&parse(pattern).unwrap());
        let some = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect());
        assert_eq!(texts(r"fn \w+\("), some(&["fn "]));
        assert_eq!(texts(r"^error\[E\d{4}\]"), some(&["error[E"]));
        assert_eq!(texts(r"(cargo|rustc) build"), some(&[" build"]));
        assert_eq!(texts(r"\d(alpha|beta)\d"), some(&["alpha", "beta"]));
        assert_eq!(texts(r"(abc)+x?"), some(&["abc"]));
        // Nothing can be said: any line may match.
        for pattern in [r"\d+", "a*", "(abc)?", "(?i)abc", "abc|", ""] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn several_words_are_marked_in_their_order() {
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
    fn what_is_no_expression_is_said() {
        let error = Pattern::new(&Wanted::Regex("a(".into()), false, false).unwrap_err();
        assert!(error.to_string().contains("unclosed group"), "{error}");
    }
}
