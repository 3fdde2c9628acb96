//! The table of rules, `rules.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::Deserialize;

use super::checks::{self, Check};
use super::detector::Detector;
use super::error::RedactError;
use super::member_name::SecretNames;
use super::pattern::Pattern;
use super::structure::Structure;

/// The number of bytes around a match that `unless_before` and `unless_after` see.
const AROUND: usize = 128;

/// The table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// Bytes in hexadecimal.
    pub(super) hex: Pattern,
    parts: BTreeMap<String, String>,
    /// The rules, in order of precedence.
    #[serde(rename = "rule")]
    pub(super) rules: Vec<Rule>,
    pub(super) names: SecretNames,
    pub(super) structure: Structure,
    allow: Lists,
}

/// A rule. `rules.toml` explains the fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    #[serde(rename = "id")]
    _id: String,
    pub(super) detector: Detector,
    #[serde(rename = "description")]
    _description: String,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    pub(super) regex: Pattern,
    #[serde(default)]
    pub(super) wrapped: bool,
    #[serde(default)]
    unless: Vec<Pattern>,
    unless_match: Option<Pattern>,
    unless_before: Option<Pattern>,
    unless_after: Option<Pattern>,
    #[serde(default)]
    allow: Vec<Allow>,
    check: Option<Check>,
    #[serde(default)]
    entropy: f64,
    #[serde(rename = "redacted")]
    _redacted: Vec<String>,
    #[serde(rename = "kept")]
    _kept: Vec<String>,
}

/// A list of texts that are not secret.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Allow {
    Placeholders,
    Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    placeholders: Pattern,
    /// In lower case.
    words: BTreeSet<String>,
    accounts: BTreeSet<String>,
}

impl Table {
    /// The table of this crate, parsed once per process.
    pub(super) fn get() -> Result<&'static Self, RedactError> {
        static TABLE: OnceLock<Table> = OnceLock::new();
        match TABLE.get() {
            Some(table) => Ok(table),
            None => {
                let table = Self::parse(include_str!("rules.toml"))?;
                Ok(TABLE.get_or_init(|| table))
            }
        }
    }

    fn parse(text: &str) -> Result<Self, RedactError> {
        let mut table: Self = toml::from_str(text)
            .map_err(|error| RedactError::bad_rule("rules.toml", error.message()))?;
        let about = format!("(?:{})", table.names.about().join("|"));
        table.parts.insert("about".to_owned(), about);
        for pattern in table.rules.iter_mut().flat_map(Rule::patterns) {
            for (name, part) in &table.parts {
                pattern.source = pattern.source.replace(&format!("{{{name}}}"), part);
            }
        }
        Ok(table)
    }

    /// Returns whether a word is ordinary.
    pub(super) fn is_word(&self, text: &str) -> bool {
        self.allow.words.contains(&text.to_lowercase())
    }

    /// Returns whether an account name is common.
    pub(super) fn is_shared_account(&self, name: &str) -> bool {
        self.allow.accounts.contains(&name.to_lowercase())
    }
}

impl Rule {
    fn patterns(&mut self) -> impl Iterator<Item = &mut Pattern> {
        let optional = [
            &mut self.unless_match,
            &mut self.unless_before,
            &mut self.unless_after,
        ];
        let others = self.unless.iter_mut().chain(optional.into_iter().flatten());
        others.chain([&mut self.regex])
    }

    /// Returns whether the rule is tried in a text that contains none of its longer keywords.
    pub(super) fn needs_no_keyword(&self, text: &str) -> bool {
        let single = |keyword: &String| match keyword.as_bytes() {
            [byte] => memchr::memchr(*byte, text.as_bytes()).is_some(),
            _ => false,
        };
        self.keywords.is_empty() || self.keywords.iter().any(single)
    }

    /// The end of the secret of a match; `None` if it is not secret. `entropy` replaces the
    /// threshold of the rule for random strings.
    pub(super) fn accepts(
        &self,
        table: &Table,
        text: &str,
        whole: (usize, usize),
        span: (usize, usize),
        entropy: f64,
    ) -> Option<usize> {
        let secret = &text[span.0..span.1];
        let before = boundary(text, whole.0.saturating_sub(AROUND))..whole.0;
        let after = span.1..boundary(text, (span.1 + AROUND).min(text.len()));
        let around = [
            (&self.unless_match, &text[whole.0..whole.1]),
            (&self.unless_before, &text[before]),
            (&self.unless_after, &text[after]),
        ];
        let excluded = (self.unless.iter()).any(|pattern| pattern.is_match(secret))
            || around.iter().any(|(pattern, text)| {
                let pattern = pattern.as_ref();
                pattern.is_some_and(|pattern| pattern.is_match(text))
            })
            || self.allow.iter().any(|list| match list {
                Allow::Placeholders => table.allow.placeholders.is_match(secret),
                Allow::Words => table.is_word(secret),
            });
        let least = match self.detector {
            Detector::HighEntropy => entropy,
            _ => self.entropy,
        };
        if excluded || checks::bits(secret.trim_end_matches('=')) < least {
            return None;
        }
        let length = match self.check {
            Some(check) => check.accepted(secret)?,
            None => secret.len(),
        };
        Some(span.0 + length)
    }
}

/// The last character boundary at or before a position.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    let starts = |at: &usize| text.is_char_boundary(*at);
    (0..=at).rev().find(starts).unwrap_or_default()
}

#[cfg(test)]
impl Rule {
    /// The rule's id, examples that must be redacted, and examples that must be kept.
    pub(super) fn examples(&self) -> (&str, &[String], &[String]) {
        (&self._id, &self._redacted, &self._kept)
    }

    pub(super) fn compiles(&self) -> bool {
        let optional = [&self.unless_match, &self.unless_before, &self.unless_after];
        let mut all = self.unless.iter().chain(optional.into_iter().flatten());
        all.all(|pattern| pattern.regex().is_some()) && self.regex.regex().is_some()
    }
}
