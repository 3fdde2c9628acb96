//! Finds secrets in text.

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::detector::Detector;
use super::error::RedactError;
use super::found::{Form, Found};
use super::own_rules::OwnRules;
use super::parts;
use super::rules::{Rule, Table};
use super::text::Unescaped;

/// The active rules.
pub(super) struct Finder {
    pub(super) table: &'static Table,
    own: Vec<Regex>,
    /// The rules, with the index of each rule's kind.
    rules: Vec<(&'static Rule, usize)>,
    /// Keywords of more than one character. `owners` has the index of each one's rule.
    keywords: AhoCorasick,
    owners: Vec<usize>,
    entropy: f64,
    /// The kinds of finds: own rules, then detectors.
    pub(super) kinds: Vec<(String, Option<Detector>)>,
    /// The number of texts that were searched.
    #[cfg(test)]
    searched: std::sync::atomic::AtomicU64,
}

impl Finder {
    pub(super) fn new(
        own: &OwnRules,
        wanted: impl Fn(Detector) -> bool,
        entropy: f64,
    ) -> Result<Self, RedactError> {
        let table = Table::get()?;
        let names = own.rules.iter().map(|(name, _)| (name.clone(), None));
        let detectors = Detector::ALL
            .into_iter()
            .filter(|detector| wanted(*detector));
        let detectors = detectors.map(|detector| (detector.as_str().to_owned(), Some(detector)));
        let kinds: Vec<_> = names.chain(detectors).collect();
        let kind = |rule: &Rule| kinds.iter().position(|kind| kind.1 == Some(rule.detector));
        let rules = table.rules.iter();
        let rules: Vec<_> = rules.filter_map(|rule| Some((rule, kind(rule)?))).collect();
        let (mut keywords, mut owners) = (Vec::new(), Vec::new());
        for (at, (rule, _)) in rules.iter().enumerate() {
            let long = rule.keywords.iter().filter(|keyword| keyword.len() > 1);
            keywords.extend(long);
            owners.resize(keywords.len(), at);
        }
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(keywords);
        Ok(Self {
            table,
            own: own.rules.iter().map(|(_, regex)| regex.clone()).collect(),
            rules,
            keywords: keywords.map_err(|error| RedactError::bad_rule("keywords", error))?,
            owners,
            entropy,
            kinds,
            #[cfg(test)]
            searched: Default::default(),
        })
    }

    #[cfg(test)]
    pub(super) fn searched(&self) -> u64 {
        self.searched.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Returns whether there are own rules. Then even harmless names of members are searched.
    pub(super) fn has_own_rules(&self) -> bool {
        !self.own.is_empty()
    }

    pub(super) fn kind_of(&self, detector: Detector) -> Option<usize> {
        let mut kinds = self.kinds.iter();
        kinds.position(|(_, known)| *known == Some(detector))
    }

    /// Finds secrets in a text, and in the same text without escapes. Finds may overlap. Random
    /// strings are reported only with `random` (ids and digests look random), and not in the
    /// unescaped text.
    pub(super) fn find(
        &self,
        text: &str,
        unescaped: Option<&Unescaped<'_>>,
        random: bool,
    ) -> Vec<Found> {
        #[cfg(test)]
        self.searched
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut found = self.search(text, random);
        self.find_hex(text, &mut found);
        if let Some(unescaped) = unescaped {
            let inner = self.search(&unescaped.text, false).into_iter();
            found.extend(inner.map(|found| found.in_source(unescaped)));
        }
        found
    }

    fn search(&self, text: &str, random: bool) -> Vec<Found> {
        let mut found = Vec::new();
        let mut add = |start, end, kind, form| {
            if start < end {
                let plain = Found::plain(start, end, kind);
                found.push(Found { form, ..plain });
            }
        };
        for (kind, pattern) in self.own.iter().enumerate() {
            each(pattern, text, |_, (start, end)| {
                add(start, end, kind, Form::Plain);
                true
            });
        }
        let rules = self.rules.iter();
        let mut possible: Vec<bool> = rules.map(|(rule, _)| rule.needs_no_keyword(text)).collect();
        let mut token = 0..0;
        for hit in self.keywords.find_overlapping_iter(text) {
            let owner = self.owners[hit.pattern().as_usize()];
            possible[owner] = true;
            let (rule, kind) = self.rules[owner];
            if rule.wrapped {
                let (start, matches) = (hit.start(), |text: &str| self.matches(rule, text));
                // All keywords in a token share its end.
                if !token.contains(&start) {
                    token = start..start + parts::token_length(&text[start..]);
                }
                let end = parts::end(text, start..token.end, hit.end(), matches);
                add(start, end.unwrap_or_default(), kind, Form::Parts);
            }
        }
        for ((rule, kind), possible) in self.rules.iter().zip(possible) {
            if !possible || (rule.detector == Detector::HighEntropy && !random) {
                continue;
            }
            let Some(regex) = rule.regex.regex() else {
                continue;
            };
            each(regex, text, |whole, span| {
                let end = rule.accepts(self.table, text, whole, span, self.entropy);
                add(span.0, end.unwrap_or(span.0), *kind, Form::Plain);
                end.is_some()
            });
        }
        found
    }

    /// Finds secrets in texts that are written as hexadecimal bytes.
    fn find_hex(&self, text: &str, found: &mut Vec<Found>) {
        let hex = self.table.hex.regex().into_iter();
        for place in hex.flat_map(|hex| hex.find_iter(text)) {
            let digit = |(at, c): (usize, char)| Some((place.start() + at, c.to_digit(16)?));
            let digits: Vec<_> = place.as_str().char_indices().filter_map(digit).collect();
            let pairs = digits.as_chunks::<2>().0.iter();
            let bytes =
                pairs.filter_map(|[(_, high), (_, low)]| u8::try_from(high << 4 | low).ok());
            let bytes: Vec<u8> = bytes.collect();
            let mut start = 0;
            for chunk in bytes.utf8_chunks() {
                for text in chunk.valid().split_inclusive(is_binary) {
                    let inner = match text.len() {
                        0..8 => Vec::new(),
                        _ => self.search(text.trim_end_matches(is_binary), false),
                    };
                    found.extend(inner.iter().map(|inner| {
                        let (first, last) = (start + inner.start, start + inner.end - 1);
                        Found::plain(digits[2 * first].0, digits[2 * last + 1].0 + 1, inner.kind)
                    }));
                    start += text.len();
                }
                start += chunk.invalid().len();
            }
        }
    }

    /// The end of a match at the start of a text.
    fn matches(&self, rule: &Rule, text: &str) -> Option<usize> {
        let found = rule.regex.regex()?.find(text)?;
        if found.start() > 0 {
            return None;
        }
        let whole = (0, found.end());
        rule.accepts(self.table, text, whole, whole, self.entropy)
    }
}

/// Returns whether a character does not occur in texts.
fn is_binary(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
}

/// The number of candidates in a rejected secret that are tried.
const NESTED: u32 = 8;

/// Calls `take` with each match and its secret, the first group that matched. `take` returns
/// whether it accepts the secret.
fn each(pattern: &Regex, text: &str, mut take: impl FnMut((usize, usize), (usize, usize)) -> bool) {
    let mut places = pattern.capture_locations();
    let (mut at, mut rejected, mut nested) = (0, 0, 0);
    while at <= text.len() {
        let Some(whole) = pattern.captures_read_at(&mut places, text, at) else {
            return;
        };
        let whole = (whole.start(), whole.end());
        let group = (1..places.len()).find_map(|group| places.get(group));
        let taken = take(whole, group.unwrap_or(whole));
        nested = if whole.0 < rejected { nested + 1 } else { 0 };
        // A rejected secret may contain another one: `token: password=…`.
        let next = match group {
            Some((start, _)) if !taken && nested < NESTED => start,
            _ => whole.1,
        };
        if !taken {
            rejected = rejected.max(whole.1);
        }
        at = next.max(at + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
}
