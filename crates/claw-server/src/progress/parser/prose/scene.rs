//! What a text has spoken of so far, which a later sentence may take for granted.

use super::tests::names_tests;
use super::words;
use crate::progress::parser::subagents::is_agent;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// What was spoken of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scene {
    /// Tests were named: "12 of 340 failed" means them.
    pub(super) tests: bool,
    /// Sub-agents were named: "the reviewers" are some of them.
    pub(super) agents: bool,
    /// How many of them were sent out: "all have ended" means so many.
    pub(super) agents_sent: Option<f64>,
    /// The text says that there is more to do, or that things move.
    pub(super) goes_on: bool,
    /// The next sentence tells what is still to do.
    pub(super) rest_follows: bool,
}

impl Scene {
    /// Nothing was said yet; `all` are the sentences to come.
    pub(super) fn before<'a>(mut all: impl Iterator<Item = &'a str>) -> Self {
        Self {
            goes_on: all.any(goes_on),
            ..Self::default()
        }
    }

    /// The sentence after the one that is read.
    pub(super) fn look_ahead(&mut self, next: Option<&str>) {
        self.rest_follows = next.is_some_and(tells_the_rest);
    }

    /// What the sentence that was read tells about sub-agents.
    pub(super) fn note_agents(&mut self, update: &ProseProgress) {
        if update.kind == ProgressKind::Subagent {
            self.agents = true;
            self.agents_sent = update.total.or(self.agents_sent);
        }
    }

    /// Another sentence was said.
    pub(super) fn take_in(&mut self, tokens: &[Token<'_>]) {
        self.tests |= names_tests(tokens);
        self.agents |= words(tokens).any(is_agent);
    }
}

/// "within it, 30 of 80 files are done": a part of what was told before.
pub(super) fn is_part_of_it(tokens: &[Token<'_>]) -> bool {
    let mut words = words(tokens);
    words
        .next()
        .is_some_and(|word| listed!(word, "within inside therein darin innerhalb"))
}

/// "Next I'll take …", "Good progress.", "Moving on": said of work that is not over.
fn goes_on(sentence: &str) -> bool {
    let going = ["going fine", "going well", "under way", "underway"];
    if going.iter().any(|words| sentence.contains(words)) {
        return true;
    }
    let mut words = sentence
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .take(6);
    let first = words.next().unwrap_or("").to_lowercase();
    let second = words.next().unwrap_or("").to_lowercase();
    match first.as_str() {
        "next" | "continuing" | "onwards" | "remaining" | "left" => true,
        "status" | "progress" | "update" | "zwischenstand" => true,
        "quick" | "short" => matches!(second.as_str(), "status" | "update"),
        "good" | "solid" | "steady" => second == "progress",
        "moving" | "carrying" | "on" => matches!(second.as_str(), "on" | "to"),
        _ => false,
    }
}

/// "I still have to …", "The rest …", "Left: …".
fn tells_the_rest(sentence: &str) -> bool {
    let low = sentence.trim_start().to_lowercase().replace('’', "'");
    [
        "i still",
        "i'm still",
        "i'm on ",
        "still ",
        "the rest",
        "the remaining",
        "remaining",
        "left",
        "what's left",
        "next",
        "at this pace",
        "at this rate",
        "der rest",
        "le reste",
        "quedan",
        "faltan",
        "restent",
        "il reste",
    ]
    .iter()
    .any(|start| low.starts_with(start))
        || low.contains(" i'm on ")
        || low.contains(" to go")
}
