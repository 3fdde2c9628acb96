//! Finds the lines that may hold a text, without reading JSON.
//!
//! A text lies in a file as JSON writes it, and JSON can write the same text in many ways. All
//! common writers agree on one: characters as they are, and escapes only for quotes, backslashes
//! and control characters. That form is searched for directly. Whatever differs from it has an
//! escape (`\uXXXX` or `\/`) for a character of the text, so that the second thing to look for is
//! exactly these. A line with neither cannot hold the text; a line with one is read.

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

use crate::error::TranscriptError;

/// A text that every match of a query has in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needle {
    pub(super) text: String,
    /// Whether upper and lower case are the same.
    pub(super) folded: bool,
}

/// Says where in a file's bytes a match may be.
#[derive(Debug, Clone)]
pub(super) struct Sieve {
    plain: Plain,
    /// Half characters of UTF-16 that may be written as escapes.
    units: Vec<u16>,
    /// Whether there is a `/` in the text, which may be written with a backslash.
    slash: bool,
    escape: Finder<'static>,
    slashed: Finder<'static>,
}

#[derive(Debug, Clone)]
enum Plain {
    /// Nothing is known about matches: any line may have one.
    Everywhere,
    One(Box<Finder<'static>>),
    Any(Box<Regex>),
}

impl Sieve {
    /// For matches that have at least one of some texts in them; for any when there are none.
    pub(super) fn of_json(needles: &[Needle]) -> Result<Self, TranscriptError> {
        let mut sieve = Self::new(needles, json_form)?;
        for needle in needles {
            let variants = needle.text.chars().flat_map(|c| variants(c, needle.folded));
            for c in variants {
                let mut units = [0; 2];
                sieve.units.extend_from_slice(c.encode_utf16(&mut units));
            }
            sieve.slash |= needle.text.contains('/');
        }
        sieve.units.sort_unstable();
        sieve.units.dedup();
        Ok(sieve)
    }

    /// The same for bytes that are searched as they are.
    pub(super) fn of_bytes(needles: &[Needle]) -> Result<Self, TranscriptError> {
        Self::new(needles, |c, out| out.push(c))
    }

    fn new(needles: &[Needle], form: impl Fn(char, &mut String)) -> Result<Self, TranscriptError> {
        // Bytes that are not UTF-8 are read as U+FFFD, which is then not what the file has.
        let unsure = |needle: &Needle| {
            needle.text.is_empty() || needle.text.contains(char::REPLACEMENT_CHARACTER)
        };
        let plain = match needles {
            [] => Plain::Everywhere,
            needles if needles.iter().any(unsure) => Plain::Everywhere,
            [one] if !one.folded || !has_case(&one.text) => {
                let mut text = String::new();
                one.text.chars().for_each(|c| form(c, &mut text));
                Plain::One(Box::new(Finder::new(text.as_bytes()).into_owned()))
            }
            many => Plain::Any(Box::new(any_of(many, form)?)),
        };
        Ok(Self {
            plain,
            units: Vec::new(),
            slash: false,
            escape: Finder::new(b"\\u"),
            slashed: Finder::new(b"\\/"),
        })
    }

    /// Goes over some bytes that hold whole lines.
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

/// The places at which a match may be, from the start to the end.
#[derive(Debug)]
pub(super) struct Candidates<'s, 'b> {
    sieve: &'s Sieve,
    bytes: &'b [u8],
    // The next place of each sort, once it was looked for; the length when there is none.
    plain: Option<usize>,
    escape: Option<usize>,
    slash: Option<usize>,
}

impl Candidates<'_, '_> {
    /// The next place at or behind `from`.
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
                let unit = rest.get(place + 2..place + 6).and_then(unit_of);
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

/// A character as all common writers of JSON write it.
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

/// One expression for several texts, or for one in any case.
fn any_of(needles: &[Needle], form: impl Fn(char, &mut String)) -> Result<Regex, TranscriptError> {
    let mut pattern = String::new();
    for needle in needles {
        if !pattern.is_empty() {
            pattern.push('|');
        }
        for c in needle.text.chars() {
            let mut written = String::new();
            form(c, &mut written);
            // Letters are written as they are; what is in an escape has one case only.
            let folded = needle.folded && written.chars().eq([c]);
            pattern.push_str(if folded { "(?i:" } else { "(?:" });
            pattern.push_str(&regex::escape(&written));
            pattern.push(')');
        }
    }
    let built = RegexBuilder::new(&pattern).build();
    built.map_err(|error| TranscriptError::BadPattern {
        why: error.to_string(),
    })
}

/// A character and, where case does not count, all that are equal to it.
fn variants(c: char, folded: bool) -> Vec<char> {
    if !folded {
        return vec![c];
    }
    let mut class =
        regex_syntax::hir::ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(c, c)]);
    // Without its tables the crate knows no cases at all, and then neither does the search.
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

/// What the four digits of an escape say.
fn unit_of(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0_u16, |unit, digit| {
        let digit = (*digit as char).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}
