//! Lists of words that can be read and are quick to look into.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Some words, written in one text with space between them.
#[derive(Debug)]
pub(super) struct Words {
    text: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    pub(super) const fn new(text: &'static str) -> Self {
        Self {
            text,
            set: OnceLock::new(),
        }
    }

    fn set(&self) -> &HashSet<&'static str> {
        self.set
            .get_or_init(|| self.text.split_whitespace().collect())
    }

    /// The word is one of them.
    pub(super) fn has(&self, word: &str) -> bool {
        self.set().contains(word)
    }

    /// The word begins with one of them.
    pub(super) fn begin(&self, word: &str) -> bool {
        let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
        let set = self.set();
        ends.take(24).any(|end| set.contains(&word[..end]))
    }

    /// One of them is somewhere in the word.
    pub(super) fn inside(&self, word: &str) -> bool {
        self.set().iter().any(|part| word.contains(part))
    }
}

/// Whether a word is one of those in a text.
macro_rules! listed {
    ($word:expr, $words:literal) => {{
        static WORDS: crate::progress::parser::words::Words =
            crate::progress::parser::words::Words::new($words);
        WORDS.has($word)
    }};
}

pub(super) use listed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_at_the_start_or_inside() {
        static SOME: Words = Words::new("migrat über\n 処理");
        assert!(SOME.has("über") && !SOME.has("überall"));
        assert!(SOME.begin("migrated") && SOME.begin("überall") && !SOME.begin("mig"));
        assert!(SOME.inside("再処理中") && !SOME.inside("再"));
    }
}
