//! Rules of one's own.

use std::path::Path;

use regex::Regex;
use serde::Deserialize;

use super::RedactError;

/// Words and patterns that nobody else would take for secrets: names of customers and projects,
/// numbers of tickets.
///
/// ```
/// use claw_transcript::OwnRules;
///
/// let rules = OwnRules::parse(r#"{"rules": [
///     {"name": "customer", "words": ["Acme", "Foo & Sons"], "ignoreCase": true},
///     {"name": "ticket", "regex": "OPS-[0-9]+"}
/// ]}"#)?;
/// assert_eq!(rules.names().collect::<Vec<_>>(), ["customer", "ticket"]);
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
    /// Rules from a file.
    ///
    /// # Errors
    /// The file cannot be read, or a rule is not one.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RedactError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(RedactError::io("read", path))?;
        Self::parse(&text)
    }

    /// Rules from JSON: each has a name and either `words`, which match where they stand alone, or
    /// a `regex`; its first group, when it has one, is the secret.
    ///
    /// # Errors
    /// A rule is not one.
    pub fn parse(text: &str) -> Result<Self, RedactError> {
        let bad = |rule: &str, why: String| RedactError::BadRule {
            rule: rule.to_owned(),
            why,
        };
        let file: RulesFile =
            serde_json::from_str(text).map_err(|error| bad("the file", error.to_string()))?;
        let mut rules = Vec::new();
        for entry in file.rules {
            let name = entry.name;
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                let why = "a name has only small letters, digits and `-`".to_owned();
                return Err(bad(&name, why));
            }
            if super::Detector::ALL
                .iter()
                .any(|known| known.as_str() == name)
            {
                return Err(bad(&name, "a detector has this name already".to_owned()));
            }
            let words: Vec<String> = entry.words.iter().filter_map(|word| alone(word)).collect();
            let pattern = match (entry.regex, words.is_empty()) {
                (Some(pattern), true) => pattern,
                (None, false) => words.join("|"),
                _ => return Err(bad(&name, "give either `words` or a `regex`".to_owned())),
            };
            let pattern = match entry.ignore_case {
                true => format!("(?i:{pattern})"),
                false => pattern,
            };
            let pattern = Regex::new(&pattern).map_err(|error| bad(&name, error.to_string()))?;
            rules.push((name, pattern));
        }
        Ok(Self { rules })
    }

    /// The names of the rules.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(name, _)| &**name)
    }
}

/// A pattern for a word that is not part of a longer one.
fn alone(word: &str) -> Option<String> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let edge = |c: char| if joins(c) { r"\b" } else { "" };
    let (first, last) = (word.chars().next()?, word.chars().next_back()?);
    Some(format!(
        "{}{}{}",
        edge(first),
        regex::escape(word),
        edge(last)
    ))
}
