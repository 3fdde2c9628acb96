//! Patterns of the table of rules.

use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

/// A pattern that is compiled when it is first needed: compiling all of them takes longer than
/// searching a short session.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    pub(super) source: String,
    regex: OnceLock<Option<Regex>>,
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self {
            source,
            regex: OnceLock::new(),
        }
    }
}

impl Pattern {
    /// The compiled pattern. A test compiles all patterns of the table.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let regex = self.regex.get_or_init(|| Regex::new(&self.source).ok());
        regex.as_ref()
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}
