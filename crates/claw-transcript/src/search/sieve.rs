//! Finds the lines that may contain a text, without parsing JSON.
//!
//! JSON can write the same text in many ways. Common writers use one form: characters are written
//! as they are, and only quotes, backslashes and control characters are escaped. That form is
//! searched for directly. Any other form has an escape (`\uXXXX` or `\/`) for a character of the
//! text, so these are searched for too. A line with neither cannot contain the text; other lines
//! are parsed.

use memchr::memmem::Finder;
use regex::bytes::Regex;

use crate::error::TranscriptError;
use crate::json;

/// Finds the positions of possible matches in a file's bytes.
#[derive(Debug, Clone)]
pub(super) struct Sieve {
    plain: Plain,
    /// UTF-16 units that may be written as escapes.
    units: Vec<u16>,
    /// Whether the text contains a `/`, which may be escaped.
    slash: bool,
    escape: Finder<'static>,
    slashed: Finder<'static>,
}

#[derive(Debug, Clone)]
enum Plain {
    /// Any line may match.
    Everywhere,
    One(Box<Finder<'static>>),
    Any(Box<Regex>),
}

impl Sieve {
    /// Finds matches that contain at least one of some texts in JSON; any line if there are none.
    /// Ignores case if `folded`.
    pub(super) fn of_json(needles: &[String], folded: bool) -> Result<Self, TranscriptError> {
        let mut sieve = Self::new(needles, folded, json_form)?;
        for needle in needles {
            let variants = needle.chars().flat_map(|c| variants(c, folded));
            for c in variants {
                let mut units = [0; 2];
                sieve.units.extend_from_slice(c.encode_utf16(&mut units));
            }
            sieve.slash |= needle.contains('/');
        }
        sieve.units.sort_unstable();
        sieve.units.dedup();
        Ok(sieve)
    }

    /// Like [`Sieve::of_json`], for bytes that are not JSON.
    pub(super) fn of_bytes(needles: &[String], folded: bool) -> Result<Self, TranscriptError> {
        Self::new(needles, folded, |c, out| out.push(c))
    }

    fn new(
        needles: &[String],
        folded: bool,
        form: impl Fn(char, &mut String),
    ) -> Result<Self, TranscriptError> {
        // Invalid UTF-8 is read as U+FFFD, which is not in the file.
        let unsure =
            |needle: &String| needle.is_empty() || needle.contains(char::REPLACEMENT_CHARACTER);
        let plain = match needles {
            [] => Plain::Everywhere,
            needles if needles.iter().any(unsure) => Plain::Everywhere,
            [one] if !folded || !has_case(one) => {
                let mut text = String::new();
                one.chars().for_each(|c| form(c, &mut text));
                Plain::One(Box::new(Finder::new(text.as_bytes()).into_owned()))
            }
            many => Plain::Any(Box::new(any_of(many, folded, form)?)),
        };
        Ok(Self {
            plain,
            units: Vec::new(),
            slash: false,
            escape: Finder::new(b"\\u"),
            slashed: Finder::new(b"\\/"),
        })
    }

    /// Searches bytes that consist of whole lines.
    pub(super) fn over<'s, 'b>(&'s self, bytes: &'b [u8]) -> Candidates<'s, 'b> {
        Candidates {
            sieve: self,
            bytes,
            plain: None,
            escape: None,
            slash: None,
        }
    }
}

/// The positions of possible matches, in order.
#[derive(Debug)]
pub(super) struct Candidates<'s, 'b> {
    sieve: &'s Sieve,
    bytes: &'b [u8],
    // The next position of each kind, if known; the length if there is none.
    plain: Option<usize>,
    escape: Option<usize>,
    slash: Option<usize>,
}

impl Candidates<'_, '_> {
    /// The next position at or after `from`.
    pub(super) fn next_from(&mut self, from: usize) -> Option<usize> {
        let Self { sieve, bytes, .. } = *self;
        let rest = bytes.get(from..)?;
        let end = bytes.len();
        let known = |place: Option<usize>| place.filter(|place| *place >= from);
        let found = |place: Option<usize>| place.map_or(end, |place| from + place);
        let plain = known(self.plain).unwrap_or_else(|| match &sieve.plain {
            Plain::Everywhere => from,
            Plain::One(finder) => found(finder.find(rest)),
            Plain::Any(regex) => found(regex.find(rest).map(|found| found.start())),
        });
        let escape = known(self.escape).unwrap_or_else(|| {
            if sieve.units.is_empty() {
                return end;
            }
            let mut places = sieve.escape.find_iter(rest);
            found(places.find(|place| {
                let unit = json::unit(rest, *place);
                unit.is_some_and(|unit| sieve.units.binary_search(&unit).is_ok())
            }))
        });
        let slash = known(self.slash).unwrap_or_else(|| {
            if !sieve.slash {
                return end;
            }
            found(sieve.slashed.find(rest))
        });
        (self.plain, self.escape, self.slash) = (Some(plain), Some(escape), Some(slash));
        let next = plain.min(escape).min(slash);
        (next < end).then_some(next)
    }
}

/// Writes a character like all common JSON writers.
fn json_form(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\0'..'\u{20}' => out.push_str(&format!("\\u{:04x}", c as u32)),
        _ => out.push(c),
    }
}

/// Builds one expression for several texts, or for one in any case.
fn any_of(
    needles: &[String],
    folded: bool,
    form: impl Fn(char, &mut String),
) -> Result<Regex, TranscriptError> {
    let mut pattern = String::new();
    for needle in needles {
        if !pattern.is_empty() {
            pattern.push('|');
        }
        for c in needle.chars() {
            let mut written = String::new();
            form(c, &mut written);
            // Only letters that are not escaped have cases.
            let folded = folded && written.chars().eq([c]);
            pattern.push_str(if folded { "(?i:" } else { "(?:" });
            pattern.push_str(&regex::escape(&written));
            pattern.push(')');
        }
    }
    Regex::new(&pattern).map_err(bad_pattern)
}

/// The error for an invalid expression.
pub(super) fn bad_pattern(error: impl ToString) -> TranscriptError {
    TranscriptError::BadPattern {
        why: error.to_string(),
    }
}

/// A character and, if case is ignored, its other cases.
fn variants(c: char, folded: bool) -> Vec<char> {
    if !folded {
        return vec![c];
    }
    let mut class =
        regex_syntax::hir::ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(c, c)]);
    // Without its tables the crate does not fold case, so the search does not either.
    if class.try_case_fold_simple().is_err() {
        return vec![c];
    }
    class
        .iter()
        .flat_map(|range| range.start()..=range.end())
        .collect()
}

fn has_case(text: &str) -> bool {
    text.chars().any(|c| variants(c, true).len() > 1)
}
