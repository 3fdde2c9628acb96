//! Rules that users write.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::detector::Detector;
use super::error::RedactError;

/// Words and patterns that are secret to one user: names of customers and projects, numbers of
/// tickets.
///
/// ```
/// use claw_transcript::OwnRules;
///
/// OwnRules::parse(r#"{"rules": [
///     {"name": "customer", "words": ["Acme", "Foo & Sons"], "ignoreCase": true},
///     {"name": "ticket", "regex": "OPS-[0-9]+"}
/// ]}"#)?;
/// # Ok::<(), claw_transcript::RedactError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct OwnRules {
    pub(super) rules: Vec<(String, Regex)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    rules: Vec<RuleEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RuleEntry {
    name: String,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    regex: Option<String>,
    #[serde(default)]
    ignore_case: bool,
}

impl OwnRules {
    /// Reads rules from a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or a rule is invalid.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RedactError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(RedactError::io("read", path))?;
        Self::parse(&text)
    }

    /// Parses rules from JSON: each has a name and either `words`, which match only whole words, or
    /// a `regex`, whose first group, if it has one, is the secret.
    ///
    /// # Errors
    /// Returns an error if a rule is invalid.
    pub fn parse(text: &str) -> Result<Self, RedactError> {
        let bad = |rule: &str, why: &str| RedactError::bad_rule(rule, why);
        let file: RulesFile =
            serde_json::from_str(text).map_err(|error| RedactError::bad_rule("the file", error))?;
        let mut rules = Vec::new();
        for entry in file.rules {
            let name = entry.name;
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                return Err(bad(&name, "a name has only small letters, digits and `-`"));
            }
            if Detector::ALL.iter().any(|known| known.as_str() == name) {
                return Err(bad(&name, "a detector already has this name"));
            }
            let words: Vec<String> = entry.words.iter().filter_map(|word| alone(word)).collect();
            let pattern = match (entry.regex, words.is_empty()) {
                (Some(pattern), true) => pattern,
                (None, false) => words.join("|"),
                _ => return Err(bad(&name, "give either `words` or a `regex`")),
            };
            let pattern = RegexBuilder::new(&pattern)
                .case_insensitive(entry.ignore_case)
                .build()
                .map_err(|error| RedactError::bad_rule(&name, error))?;
            rules.push((name, pattern));
        }
        Ok(Self { rules })
    }
}

/// A pattern for a word that is not part of a longer one.
fn alone(word: &str) -> Option<String> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let edge = |c: char| if joins(c) { r"\b" } else { "" };
    let (first, last) = (word.chars().next()?, word.chars().next_back()?);
    let word = regex::escape(word);
    Some(format!("{}{word}{}", edge(first), edge(last)))
}
