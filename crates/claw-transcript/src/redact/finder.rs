//! Finds secrets in text.

use std::collections::BTreeMap;

use memchr::memmem;
use regex::Regex;

use super::RedactError;
use super::detector::Detector;
use super::rules::OwnRules;
use super::shapes::{SHAPES, Shape};
use super::verify::Candidate;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Which of [`Finder::kinds`].
    pub(super) kind: usize,
}

/// All detectors and rules that are switched on.
pub(super) struct Finder {
    own: Vec<Regex>,
    shapes: Vec<(&'static Shape, Regex, Vec<memmem::Finder<'static>>)>,
    entropy: f64,
    /// What finds are called, own rules first.
    pub(super) kinds: Vec<(String, Option<Detector>)>,
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
        };
        for (name, pattern) in &rules.rules {
            finder.own.push(pattern.clone());
            finder.kinds.push((name.clone(), None));
        }
        for shape in SHAPES.iter().filter(|shape| wanted(shape.detector)) {
            let name = shape.detector.as_str();
            let pattern = Regex::new(shape.pattern).map_err(|error| RedactError::BadRule {
                rule: name.to_owned(),
                why: error.to_string(),
            })?;
            let needs = shape.needs.iter().map(|need| memmem::Finder::new(*need));
            finder.shapes.push((shape, pattern, needs.collect()));
            finder.kinds.push((name.to_owned(), Some(shape.detector)));
        }
        Ok(finder)
    }

    /// Whether names of members must be looked at however harmless they look.
    pub(super) fn has_own_rules(&self) -> bool {
        !self.own.is_empty()
    }

    /// What is in a text, in its order; no two overlap.
    pub(super) fn find(&self, text: &str) -> Vec<Found> {
        let mut found = BTreeMap::new();
        for (kind, pattern) in self.own.iter().enumerate() {
            each(pattern, text, |_, (start, end)| {
                add(&mut found, Found { start, end, kind });
                true
            });
        }
        for (at, (shape, pattern, needs)) in self.shapes.iter().enumerate() {
            let possible = |need: &memmem::Finder<'_>| need.find(text.as_bytes()).is_some();
            if !needs.is_empty() && !needs.iter().any(possible) {
                continue;
            }
            let kind = self.own.len() + at;
            each(pattern, text, |whole, span| {
                let candidate = Candidate {
                    text,
                    whole,
                    span,
                    entropy: self.entropy,
                };
                let (start, end) = span;
                let right = (shape.verify)(&candidate);
                if right {
                    add(&mut found, Found { start, end, kind });
                }
                right
            });
        }
        found.into_values().collect()
    }
}

/// Whoever came first has it.
fn add(found: &mut BTreeMap<usize, Found>, new: Found) {
    // What is known does not overlap, so only the last that begins before this one ends can reach
    // into it.
    let last = found.range(..new.end).next_back();
    if new.start < new.end && last.is_none_or(|(_, known)| known.end <= new.start) {
        found.insert(new.start, new);
    }
}

/// Calls with each match and the part of it that is the secret.
fn each(pattern: &Regex, text: &str, mut take: impl FnMut((usize, usize), (usize, usize)) -> bool) {
    let mut places = pattern.capture_locations();
    let mut at = 0;
    while at <= text.len() {
        let Some(whole) = pattern.captures_read_at(&mut places, text, at) else {
            return;
        };
        let whole = (whole.start(), whole.end());
        let group = places.get(1);
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
