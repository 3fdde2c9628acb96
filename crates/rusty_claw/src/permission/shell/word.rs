//! A word as the shell hands it to a program.

/// The text after quotes are taken away, and what in it the shell will still replace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Where signs of a file name pattern stand.
    pub(super) pattern_at: Vec<usize>,
    /// Whether it begins with a `~` that stands for a folder.
    pub(super) home: bool,
    /// Whether some of its letters were in quotes or behind a backslash.
    pub(super) quoted: bool,
    /// Whether no shell makes anything else of it.
    pub(super) literal: bool,
    /// Whether its expansion may begin with a dash, or is not known: `*.rs`, `"$?"`.
    pub(super) may_be_option: bool,
}

impl Word {
    /// A word without quotes and signs.
    pub(super) fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            literal: true,
            ..Self::default()
        }
    }

    /// Whether the shell makes the same of both: `~/a` and `'~/a'` are not the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
            && self.pattern_at == other.pattern_at
            && self.home == other.home
            && self.may_be_option == other.may_be_option
    }

    pub(super) fn is_pattern(&self) -> bool {
        !self.pattern_at.is_empty()
    }

    /// Whether a program takes it for an option.
    pub(super) fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }
}

/// Words for a person, cut when they are long.
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
