//! A word as the shell passes it to a program.

/// The text without quotes, and what in it the shell will still expand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// The positions of the wildcards for file names.
    pub(super) pattern_at: Vec<usize>,
    /// Whether it begins with a `~` that the shell expands.
    pub(super) home: bool,
    /// Whether a part of it was quoted or escaped.
    pub(super) quoted: bool,
    /// Whether no shell expands it.
    pub(super) literal: bool,
    /// Whether its expansion may begin with a dash, or is not known: `*.rs`, `"$?"`.
    pub(super) may_be_option: bool,
}

impl Word {
    /// A word without quotes and wildcards.
    pub(super) fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            literal: true,
            ..Self::default()
        }
    }

    /// Whether the shell treats both in the same way: `~/a` and `'~/a'` differ.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
            && self.pattern_at == other.pattern_at
            && self.home == other.home
            && self.may_be_option == other.may_be_option
    }

    pub(super) fn is_pattern(&self) -> bool {
        !self.pattern_at.is_empty()
    }

    /// Whether programs treat it as an option.
    pub(super) fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }
}

/// The words as text for a person, truncated if they are long.
pub(super) fn shown(words: &[Word]) -> String {
    const LONGEST: usize = 80;
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let joined = texts.join(" ");
    let line: String = joined
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
