//! A pattern of a line, as a row of a table.

use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

use super::Found;
use crate::progress::ProgressKind;

/// A row: the pattern of a line and the kind of its update. The groups `done`, `total` and
/// `percent` of the pattern are the numbers of the update, and `label` names the work.
#[derive(Debug)]
pub(super) struct Form {
    /// Tests refer to the row by this name.
    pub(super) name: &'static str,
    pub(super) kind: ProgressKind,
    pub(super) pattern: &'static str,
}

/// The compiled rows of a table. If several match a line, the first one wins.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<(&'static Form, Regex)>,
    set: RegexSet,
}

impl Table {
    /// Compiles the rows. A row that is not a valid regular expression is skipped here, and fails
    /// the test of its table.
    pub(super) fn new(forms: &'static [Form]) -> Self {
        let rows = forms.iter().filter_map(|form| {
            let pattern = Regex::new(&expand(form.pattern)).ok()?;
            Some((form, pattern))
        });
        let rows: Vec<_> = rows.collect();
        let patterns = rows.iter().map(|(_, pattern)| pattern.as_str());
        let set = RegexSet::new(patterns).unwrap_or_default();
        Self { rows, set }
    }

    /// The first row that matches.
    pub(super) fn find<'t>(&self, text: &'t str) -> Option<(&'static Form, Captures<'t>)> {
        let index = self.set.matches(text).into_iter().next()?;
        let (form, pattern) = self.rows.get(index)?;
        Some((form, pattern.captures(text)?))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.set.len().min(self.rows.len())
    }
}

/// A pattern outside a table.
pub(super) fn pattern(pattern: &str) -> Option<Regex> {
    Regex::new(&expand(pattern)).ok()
}

/// Returns whether a pattern matches.
pub(super) fn occurs(regex: &LazyLock<Option<Regex>>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

const WORDS: [&str; 10] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// `{done}`, `{total}`, `{percent}`, `{passed}`, `{left}` and `{also}` are named groups for
/// numbers; `{n}` is any number. With a `!` after the name, the number may be a word.
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

/// The update of a row, or `None` if its numbers are inconsistent.
pub(super) fn found(line: usize, form: &Form, captures: &Captures<'_>) -> Option<Found> {
    let mut found = Found::new(line, form.kind, 0.9);
    let update = &mut found.update;
    update.done = number(captures, "done");
    update.total = number(captures, "total");
    update.percent = number(captures, "percent");
    let label = captures.name("label").map(|label| label.as_str().trim());
    update.label = label.filter(|label| !label.is_empty()).map(str::to_owned);
    makes_sense(&found).then_some(found)
}

/// Returns whether the numbers of an update are consistent.
pub(super) fn makes_sense(found: &Found) -> bool {
    let update = &found.update;
    let is_part = match (update.done, update.total) {
        (Some(done), Some(total)) => done <= total,
        _ => true,
    };
    let numbers = [update.done, update.total, update.percent];
    let are_numbers = numbers.iter().flatten().all(|n| n.is_finite());
    is_part && are_numbers && update.percent.is_none_or(|percent| percent <= 100.0)
}
