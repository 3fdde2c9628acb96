//! Finds secrets in text.

use std::sync::OnceLock;

use memchr::memmem;
use regex::Regex;

use super::RedactError;
use super::detector::Detector;
use super::rules::OwnRules;
use super::shapes::{SHAPES, Shape};
use super::verify::Candidate;

/// The patterns of [`SHAPES`], compiled once per process: compiling one takes longer than searching
/// a short session for it.
static PATTERNS: [OnceLock<Regex>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Which of [`Finder::kinds`].
    pub(super) kind: usize,
    /// Which of those that are known, when it was not found by its shape.
    pub(super) known: Option<usize>,
}

/// All detectors and rules that are switched on.
pub(super) struct Finder {
    own: Vec<Regex>,
    shapes: Vec<(&'static Shape, Regex, Vec<memmem::Finder<'static>>)>,
    entropy: f64,
    /// What finds are called, own rules first.
    pub(super) kinds: Vec<(String, Option<Detector>)>,
    /// How many texts were searched.
    #[cfg(test)]
    searched: std::sync::atomic::AtomicU64,
}

impl Finder {
    pub(super) fn new(
        rules: &OwnRules,
        wanted: impl Fn(Detector) -> bool,
        entropy: f64,
    ) -> Result<Self, RedactError> {
        let mut finder = Self {
            own: Vec::new(),
            shapes: Vec::new(),
            entropy,
            kinds: Vec::new(),
            #[cfg(test)]
            searched: Default::default(),
        };
        for (name, pattern) in &rules.rules {
            finder.own.push(pattern.clone());
            finder.kinds.push((name.clone(), None));
        }
        let shapes = SHAPES.iter().zip(&PATTERNS);
        for (shape, pattern) in shapes.filter(|(shape, _)| wanted(shape.detector)) {
            let name = shape.detector.as_str();
            let read = match pattern.get() {
                Some(pattern) => Ok(pattern.clone()),
                None => Regex::new(shape.pattern),
            };
            let read = read.map_err(|error| RedactError::BadRule {
                rule: name.to_owned(),
                why: error.to_string(),
            })?;
            let pattern = pattern.get_or_init(|| read).clone();
            let needs = shape.needs.iter().map(|need| memmem::Finder::new(*need));
            finder.shapes.push((shape, pattern, needs.collect()));
            finder.kinds.push((name.to_owned(), Some(shape.detector)));
        }
        Ok(finder)
    }

    #[cfg(test)]
    pub(super) fn searched(&self) -> u64 {
        self.searched.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Whether names of members must be looked at however harmless they look.
    pub(super) fn has_own_rules(&self) -> bool {
        !self.own.is_empty()
    }

    /// Which of the kinds a detector's finds are, when it is switched on.
    pub(super) fn kind_of(&self, detector: Detector) -> Option<usize> {
        let mut kinds = self.kinds.iter();
        kinds.position(|(_, known)| *known == Some(detector))
    }

    /// What is in a text, as it was found: some may overlap. Sums and ids look random, so their
    /// texts are searched without the detector of random strings.
    pub(super) fn find(&self, text: &str, random: bool) -> Vec<Found> {
        #[cfg(test)]
        self.searched
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut found = Vec::new();
        let mut add = |(start, end): (usize, usize), kind| {
            if start < end {
                found.push(Found {
                    start,
                    end,
                    kind,
                    known: None,
                });
            }
        };
        for (kind, pattern) in self.own.iter().enumerate() {
            each(pattern, text, |_, span| {
                add(span, kind);
                true
            });
        }
        for (at, (shape, pattern, needs)) in self.shapes.iter().enumerate() {
            let possible = |need: &memmem::Finder<'_>| need.find(text.as_bytes()).is_some();
            if !needs.is_empty() && !needs.iter().any(possible) {
                continue;
            }
            if shape.detector == Detector::HighEntropy && !random {
                continue;
            }
            let kind = self.own.len() + at;
            each(pattern, text, |whole, span| {
                let right = (shape.verify)(&Candidate {
                    text,
                    whole,
                    span,
                    entropy: self.entropy,
                });
                if right {
                    add(span, kind);
                }
                right
            });
        }
        found
    }
}

/// Finds in the order of the text, of which no two overlap. Those that did are one, which covers
/// all that any of them did: what one leaves may be what the other was about. It is called after
/// the one that covers it all, or else after the one that comes first in the order of precedence.
pub(super) fn merged(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.start, found.end));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    let mut rest = found.as_slice();
    while let Some(first) = rest.first() {
        let mut end = first.end;
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.start < end) {
            end = end.max(next.end);
            count += 1;
        }
        let (group, others) = rest.split_at(count);
        let rank = |found: &&Found| {
            let whole = (found.start, found.end) == (first.start, end);
            (!whole, found.known.is_some(), found.kind)
        };
        if let Some(best) = group.iter().min_by_key(rank) {
            let whole = (best.start, best.end) == (first.start, end);
            merged.push(Found {
                start: first.start,
                end,
                kind: best.kind,
                known: best.known.filter(|_| whole),
            });
        }
        rest = others;
    }
    merged
}

/// Calls with each match and the part of it that is the secret: the first group that took part.
fn each(pattern: &Regex, text: &str, mut take: impl FnMut((usize, usize), (usize, usize)) -> bool) {
    let mut places = pattern.capture_locations();
    let mut at = 0;
    while at <= text.len() {
        let Some(whole) = pattern.captures_read_at(&mut places, text, at) else {
            return;
        };
        let whole = (whole.start(), whole.end());
        let group = (1..places.len()).find_map(|group| places.get(group));
        let taken = take(whole, group.unwrap_or(whole));
        // What was refused may hold what is none: `token: password=…`.
        let next = match group {
            Some((start, _)) if !taken => start,
            _ => whole.1,
        };
        at = next.max(at + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
}
