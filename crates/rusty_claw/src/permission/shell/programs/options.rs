//! Options by their letters and names.
//!
//! Listed options are harmless; all others need a permission request. A list of harmful options
//! would never be complete.

use super::super::super::protected::is_protected;
use super::super::word::Word;
use super::call::{Call, PATH, refuse};

/// Options that do no more than the plain arguments of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Harmless {
    /// Letters without a value, which may be joined: `-la`.
    pub(super) letters: &'static str,
    /// Letters whose value is the rest of the word or the next one: `-n5`.
    pub(super) valued: &'static str,
    /// Names without their dashes: `--name`, alone or with `=value`.
    pub(super) names: &'static [&'static str],
    /// Whether names may also have one dash; otherwise `-name` is four letters.
    pub(super) one_dash: bool,
}

impl Harmless {
    pub(super) const fn these(
        letters: &'static str,
        valued: &'static str,
        names: &'static [&'static str],
    ) -> Self {
        Self {
            letters,
            valued,
            names,
            one_dash: false,
        }
    }

    /// Names with one or two dashes; no letter has a value.
    pub(super) const fn one_dash(letters: &'static str, names: &'static [&'static str]) -> Self {
        Self {
            letters,
            valued: "",
            names,
            one_dash: true,
        }
    }

    pub(super) fn judge(&self, words: &[Word]) -> Result<(), String> {
        for word in words {
            if !self.covers(&word.text) {
                return refuse("is an option that may do more than the rule says", word);
            }
        }
        Ok(())
    }

    pub(super) fn covers(&self, text: &str) -> bool {
        let Some(option) = text.strip_prefix('-') else {
            return !text.starts_with('+');
        };
        if matches!(option, "" | "-") {
            return true;
        }
        let long = option.strip_prefix('-').or(self.one_dash.then_some(option));
        let name = long.and_then(|long| long.split('=').next());
        // Shortened names are not listed: `--outp` is `--output`.
        if name.is_some_and(|name| self.names.contains(&name)) {
            return true;
        }
        !option.starts_with('-') && self.covers_letters(option)
    }

    /// Returns whether an option of the rule is not listed, so its effect on further words is not
    /// known.
    pub(super) fn has_unlisted(&self, words: &[Word]) -> bool {
        words.iter().any(|word| !self.covers(&word.text))
    }

    /// Returns whether the next word is the value of this option.
    pub(super) fn takes_next(&self, option: &str, valued_names: &str) -> bool {
        match option.strip_prefix("--") {
            Some(name) => valued_names.split(' ').any(|valued| valued == name),
            None => option.find(|c| self.valued.contains(c)) == option.len().checked_sub(1),
        }
    }

    fn covers_letters(&self, letters: &str) -> bool {
        for letter in letters.chars() {
            if self.valued.contains(letter) {
                return true;
            }
            if !self.letters.contains(letter) && !letter.is_ascii_digit() {
                return false;
            }
        }
        true
    }
}

/// Checks words after an option of the rule that is not known to be harmless: the next word may be
/// a file that the option writes, and every word that `is_path` a file that is changed.
pub(super) fn judge_behind(
    call: &Call<'_>,
    covers: impl Fn(&str) -> bool,
    is_path: impl Fn(&Word) -> bool,
) -> Result<(), String> {
    let is_other = |word: &Word| !covers(&word.text);
    let is_open = call.given.last().is_some_and(is_other);
    let is_next =
        |word: &&Word| is_open && is_path(word) && !word.is_option() && !call.may_write(word);
    let next = call.further.first().filter(is_next);
    let is_kept = |word: &&Word| word.home || is_path(word) && is_protected(&word.text);
    let kept = || call.further.iter().find(is_kept);
    match next.or_else(|| kept().filter(|_| call.given.iter().any(is_other))) {
        Some(word) => refuse(PATH, word),
        None => Ok(()),
    }
}

/// Checks an argument that is not an option. Some programs give it a special meaning: editor
/// commands, option files, commands for programs that open files like Perl, shell aliases, and
/// settings: `+x`, `@x`, `|x`, `!x`, `X=y`.
pub(super) fn judge_plain(word: &Word) -> Result<(), String> {
    let text = word.text.as_str();
    let is_order = text.starts_with(['+', '-', '@', '|', '!']) || text.ends_with('|');
    let is_code = ["$(", "${", "`"].iter().any(|m| text.contains(m));
    let first_sign = word.pattern_at.first().copied();
    let may_set = first_sign.is_some_and(|at| !text.get(..at).is_some_and(|t| t.contains('/')));
    if is_order || is_code || may_set || is_assignment(text) {
        return refuse("may be a command or a setting for this program", word);
    }
    Ok(())
}

/// `NAME=value`, which is an assignment in `env`, awk and others.
pub(super) fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name.trim());
    name.is_some_and(|name| !name.is_empty() && !name.starts_with('-') && !name.contains('/'))
}
