//! Patterns of lines and sentences, alone or in a table.
//!
//! A table is a text with a row per line: a tag, a name and a pattern, separated by tabs. Lines that
//! begin with `#` are comments. In a pattern, `{done}`, `{total}`, `{percent}`, `{passed}`, `{left}`
//! and `{also}` are named groups for numbers, and `{n}` is any number. With a `!` after the name,
//! the number may be a word. The group `label` names the work.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Match, Regex, RegexSet};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};

use super::found::Found;
use crate::progress::ProgressKind;

#[derive(Debug)]
pub(super) struct Form<T> {
    /// For most tables, the kind of the update.
    pub(super) tag: T,
    /// Tests refer to the row by this name.
    pub(super) name: &'static str,
    regex: Regex,
}

/// The compiled rows of a table. If several match a line, the first one wins.
#[derive(Debug)]
pub(super) struct Table<T> {
    forms: Vec<Form<T>>,
    set: RegexSet,
}

impl<T: DeserializeOwned> Table<T> {
    /// Compiles the rows. An invalid row is skipped here, and fails the test of its table.
    pub(super) fn new(table: &'static str) -> Self {
        let forms: Vec<_> = rows(table).filter_map(form).collect();
        let patterns = forms.iter().map(|form| form.regex.as_str());
        let set = RegexSet::new(patterns).unwrap_or_default();
        Self { forms, set }
    }

    pub(super) fn find<'t>(&self, text: &'t str) -> Option<(&Form<T>, Captures<'t>)> {
        let index = self.set.matches(text).into_iter().next()?;
        let form = self.forms.get(index)?;
        Some((form, form.regex.captures(text)?))
    }

    /// The names of the rows, all of which are valid.
    #[cfg(test)]
    pub(super) fn names(&self, table: &str) -> Vec<&'static str> {
        assert_eq!(self.set.len(), rows(table).count(), "a row is invalid");
        self.forms.iter().map(|form| form.name).collect()
    }
}

fn rows(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|row| !row.starts_with('#'))
}

fn form<T: DeserializeOwned>(row: &'static str) -> Option<Form<T>> {
    let mut columns = row.splitn(3, '\t');
    Some(Form {
        tag: T::deserialize(StrDeserializer::<Error>::new(columns.next()?)).ok()?,
        name: columns.next()?,
        regex: Regex::new(&expand(columns.next()?)).ok()?,
    })
}

/// A pattern outside a table, compiled when it is first used.
#[derive(Debug)]
pub(super) struct Pattern {
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) const fn new(pattern: &'static str) -> Self {
        Self {
            pattern,
            regex: OnceLock::new(),
        }
    }

    fn regex(&self) -> Option<&Regex> {
        let regex = || Regex::new(&expand(self.pattern)).ok();
        self.regex.get_or_init(regex).as_ref()
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.regex()?.find(text)
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    pub(super) fn all<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        let regex = self.regex().into_iter();
        regex.flat_map(move |regex| regex.captures_iter(text))
    }

    /// The text without the matches.
    pub(super) fn removed_from<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let regex = self.regex();
        regex.map_or(text.into(), |regex| regex.replace_all(text, ""))
    }

    /// The text after a match at its start.
    pub(super) fn after<'t>(&self, text: &'t str) -> &'t str {
        &text[self.find(text).map_or(0, |prefix| prefix.end())..]
    }
}

const WORDS: [&str; 10] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

fn expand(pattern: &str) -> String {
    const NUMBER: &str = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:\.[0-9]+)?";
    let words = WORDS.join("|");
    let mut expanded = pattern.to_owned();
    for name in ["done", "total", "percent", "passed", "left", "also"] {
        let named = format!("(?P<{name}>{NUMBER})");
        let worded = format!("(?P<{name}>{NUMBER}|(?i:{words}))");
        expanded = expanded
            .replace(&format!("{{{name}}}"), &named)
            .replace(&format!("{{{name}!}}"), &worded);
    }
    expanded
        .replace("{n}", &format!("(?:{NUMBER})"))
        .replace("{of}", r"(?: ?/ ?| of (?:the )?| out of )")
}

/// The number of a group. Thousands are separated by commas: `1,204`.
pub(super) fn number(captures: &Captures<'_>, name: &str) -> Option<f64> {
    let text = captures.name(name)?.as_str();
    let word = WORDS
        .iter()
        .position(|word| word.eq_ignore_ascii_case(text));
    if let Some(index) = word {
        return Some(index as f64 + 1.0);
    }
    text.replace(',', "").parse().ok()
}

/// The update of a match, or `None` if its numbers are inconsistent.
pub(super) fn found(line: usize, kind: ProgressKind, captures: &Captures<'_>) -> Option<Found> {
    let mut found = Found::new(line, kind, 0.9);
    let update = &mut found.update;
    update.done = number(captures, "done");
    update.total = number(captures, "total");
    update.percent = number(captures, "percent");
    let label = captures.name("label").map(|label| label.as_str().trim());
    update.label = label.filter(|label| !label.is_empty()).map(str::to_owned);
    found.if_consistent()
}
