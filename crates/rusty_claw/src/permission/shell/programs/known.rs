//! Programs whose options are modelled.

use super::super::word::Word;
use super::call::{Call, PATH, PROTECTED, operands, refuse};
use super::options::{Harmless, judge_behind};

/// How the options of a known program are checked.
pub(super) enum Options {
    /// All options are harmless: none runs, writes or chooses anything.
    All,
    /// Only these are harmless.
    These(Harmless),
}

/// What its operands may be.
#[derive(PartialEq)]
pub(super) enum Operands {
    Any,
    /// Only the last word is an operand: a second one would be written.
    Last,
    /// Only `true` and `false` after these options.
    Switches(&'static [&'static str]),
    /// Targets; `NAME=value` is a setting.
    Targets,
    /// Web addresses; only those of the rule, if it has any. `@name` reads a file.
    Addresses,
    /// `+format`; another one sets the clock, unless it is the value of `-d`.
    Formats,
    /// `+10k` and `-2M` are numbers.
    Tests,
    /// The first is a subcommand, one of these; the others name code, as in `Code`.
    Orders(&'static [&'static str]),
    /// The same, and the others may become part of a command line for a shell.
    Scripts(&'static [&'static str]),
    /// Some shells evaluate numbers as arithmetic, which runs the commands in an index.
    NoArithmetic,
    /// They name code, so they must be in the folder where it runs.
    Code,
    /// Paths to write: they must be in the session's folder and not protected.
    Written,
}

pub(super) struct Known {
    pub(super) names: &'static [&'static str],
    pub(super) options: Options,
    pub(super) operands: Operands,
}

impl Known {
    pub(super) fn judge(&self, call: &Call<'_>) -> Result<(), String> {
        if let Options::These(harmless) = &self.options {
            let is_plain = |word: &&Word| match self.operands {
                Operands::Formats => word.text.starts_with('+'),
                Operands::Tests => is_bound(&word.text),
                _ => false,
            };
            for word in call.further.iter().filter(|word| !is_plain(word)) {
                harmless.judge(std::slice::from_ref(word))?;
            }
            judge_behind(call, |text| harmless.covers(text), |_| true)?;
        }
        match &self.operands {
            Operands::Any | Operands::Tests => Ok(()),
            Operands::Last => {
                let is_last =
                    |word: &Word| call.further.last().is_some_and(|l| std::ptr::eq(l, word));
                let other = operands(call.words()).find(|word| !is_last(word) || word.is_pattern());
                // Some programs treat every word after the first operand as an operand too.
                other.map_or(Ok(()), |word| {
                    refuse("may not be the only file: a second is written", word)
                })
            }
            Operands::Switches(options) => {
                let mut before = "";
                for word in call.words() {
                    let is_value = matches!(word.text.as_str(), "true" | "false");
                    if !(word.is_option() || is_value && options.contains(&before)) {
                        return refuse("may change what the rule says", word);
                    }
                    before = &word.text;
                }
                Ok(())
            }
            Operands::Targets => {
                let setting = call.further.iter().find(|word| {
                    let text = word.text.as_str();
                    let sets = text.contains('=') && !text.starts_with("--");
                    sets || word.is_pattern() || text.contains('$')
                });
                setting.map_or(Ok(()), |word| refuse("may be a setting", word))?;
                code_here(call.further)
            }
            Operands::Addresses => {
                let file = call.further.iter().find(|word| {
                    let in_option = word.is_option() && word.text.contains('@');
                    in_option || word.text.starts_with('@')
                });
                file.map_or(Ok(()), |word| refuse("may stand for a file", word))?;
                self.addresses(call)
            }
            Operands::Formats => {
                let mut is_value = false;
                for word in call.further {
                    let is_format = word.is_option() || word.text.starts_with('+');
                    if !is_format && !is_value {
                        return refuse("may set the clock", word);
                    }
                    is_value = matches!(word.text.as_str(), "-d" | "--date");
                }
                Ok(())
            }
            Operands::Orders(orders) => {
                code_here(call.further)?;
                no_target_files(call.further)?;
                order(call, orders)
            }
            Operands::Scripts(orders) => {
                code_here(call.further)?;
                no_shell_signs(call.further)?;
                order(call, orders)
            }
            Operands::NoArithmetic => {
                let evaluates = |word: &&Word| {
                    word.text.contains("$(") || word.text.contains('`') || word.text.contains("[$")
                };
                let found = call.further.iter().find(evaluates);
                found.map_or(Ok(()), |word| refuse("may be evaluated", word))
            }
            Operands::Code => code_here(call.further),
            Operands::Written => {
                let found = operands(call.further.iter()).find(|word| !call.may_write(word));
                found.map_or(Ok(()), |word| refuse(PATH, word))?;
                self.written_in_folder(call)
            }
        }
    }

    /// The files that `cp`, `mv` and `ln` write if the last word, or the first one after `-t`, is a
    /// folder.
    fn written_in_folder(&self, call: &Call<'_>) -> Result<(), String> {
        if !matches!(call.program, "cp" | "mv" | "ln") {
            return Ok(());
        }
        let has_unlisted = self.has_unlisted(call.given);
        let words: Vec<&Word> = operands(call.words()).collect();
        let is_moved = |at: usize| call.program == "mv" && (has_unlisted || at + 1 < words.len());
        let mut moved = words.iter().enumerate().filter(|(at, _)| is_moved(*at));
        if let Some((_, word)) = moved.find(|(_, word)| call.files.may_hold_protected(&word.text)) {
            return refuse(PROTECTED, word);
        }
        let first = words.first().filter(|_| has_unlisted);
        for folder in words.last().into_iter().chain(first) {
            let may_write = |word: &&&Word| {
                let name = word.text.trim_end_matches('/').rsplit('/').next();
                let path = format!("{}/{}", folder.text, name.unwrap_or_default());
                // `-r` also writes the files inside.
                call.files.may_write(&path) && !(has_unlisted && call.files.may_exist(&path))
            };
            if let Some(word) = words.iter().find(|word| !may_write(word)) {
                return refuse("would overwrite something in a folder", word);
            }
        }
        // `--target-directory=x`.
        match call.given.iter().find(|word| word.text.contains('=')) {
            Some(word) => refuse("may name another folder to write to", word),
            None => Ok(()),
        }
    }

    /// Returns whether every operand is a web address, and the only one if the rule has one.
    fn addresses(&self, call: &Call<'_>) -> Result<(), String> {
        const VALUED: &str = "connect-timeout data header max-time request retry user-agent";
        let Options::These(harmless) = &self.options else {
            return Ok(());
        };
        // An option that is not listed may name a file to write after the address.
        let is_listed = |word: &Word| harmless.covers(&word.text);
        // The word after `-o` or `-sSo` is checked as a file.
        let is_output = |word: &Word| {
            let joined = word.text.strip_suffix('o');
            let is_joined = |rest: &str| !rest.starts_with("--") && harmless.covers(rest);
            word.text == "--output" || joined.is_some_and(is_joined)
        };
        let (last, before) = call.given.split_last().unzip();
        let is_known = last.is_none_or(|last| is_listed(last) || is_output(last));
        let mut named = !is_known || !before.unwrap_or_default().iter().all(is_listed);
        let mut is_value = false;
        for (at, word) in call.words().enumerate() {
            let text = word.text.as_str();
            let is_web = is_web(text);
            if std::mem::take(&mut is_value) {
                continue;
            }
            if word.is_option() {
                is_value = harmless.takes_next(text, VALUED);
            } else if at < call.given.len() {
                named = true;
            } else if named || !is_web {
                return refuse("may be an address that the rule does not mean", word);
            }
        }
        Ok(())
    }

    /// Whether it only reads, whatever its arguments are.
    pub(super) fn is_harmless(&self) -> bool {
        matches!(self.options, Options::All) && self.operands == Operands::Any
    }

    /// Returns whether the program may change files, given these words.
    pub(super) fn may_change(&self, words: &[Word]) -> bool {
        self.has_unlisted(words) || self.operands == Operands::Written
    }

    fn has_unlisted(&self, words: &[Word]) -> bool {
        matches!(&self.options, Options::These(these) if these.has_unlisted(words))
    }
}

/// Returns whether an operand of `curl` is a web address. `curl` also reads `file:/x`, and patterns
/// such as `fil[e-e]:/x`.
fn is_web(text: &str) -> bool {
    if let Some((scheme, _)) = text.split_once("://") {
        return matches!(scheme, "http" | "https");
    }
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_port = host.split_once(':').is_none_or(|(_, port)| is_number(port));
    is_port && !text.contains(['[', ']', '{', '}'])
}

/// `+7`, `+10k`, `-2M`.
fn is_bound(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or_default();
    let digits = number.trim_end_matches(['b', 'c', 'k', 'w', 'G', 'M']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Characters that end the quotes that an old `npm` puts around words, or are special in them.
const SHELL_SIGNS: &[char] = &[
    '$', '`', '"', '\\', '\n', '\'', ';', '&', '|', '<', '>', '(', ')',
];

/// Checks that words stay words in a command line for a shell.
pub(super) fn no_shell_signs(words: &[Word]) -> Result<(), String> {
    let for_shell = |word: &&Word| word.text.contains(SHELL_SIGNS);
    match words.iter().find(for_shell) {
        Some(word) => refuse("may be more than a word to the shell of a script", word),
        None => Ok(()),
    }
}

/// Checks that files and folders are below the one where the program runs, and that no word reads
/// further words from a file (`@x`).
pub(super) fn code_here(words: &[Word]) -> Result<(), String> {
    let is_elsewhere = |word: &&Word| {
        let text = word.text.as_str();
        let leads_out = |piece: &str| {
            piece.starts_with(['/', '~']) || piece.split('/').any(|name| name == "..")
        };
        word.home || text.starts_with('@') || text.split(['=', ':', ',']).any(leads_out)
    };
    let found = words.iter().find(is_elsewhere);
    found.map_or(Ok(()), |word| {
        refuse("may name code of another place", word)
    })
}

/// Checks that `--target` of cargo is the name of a platform, not a file, which can name a linker.
fn no_target_files(words: &[Word]) -> Result<(), String> {
    let is_platform = |text: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        text.chars().all(is_plain) && !text.ends_with(".json")
    };
    let joined = words
        .iter()
        .map(|word| (word, word.text.strip_prefix("--target=")));
    let next = words.windows(2).filter_map(|two| match two {
        [option, value] if option.text == "--target" => Some((value, Some(&*value.text))),
        _ => None,
    });
    let mut values = joined.chain(next);
    let found = values.find(|(_, value)| value.is_some_and(|value| !is_platform(value)));
    found.map_or(Ok(()), |(word, _)| refuse("may be a file", word))
}

/// Options that may precede a subcommand. For others it is not known whether they take the next
/// word.
const BEFORE_ORDERS: &[&str] = &[
    "-q",
    "-s",
    "-v",
    "--frozen",
    "--help",
    "--locked",
    "--offline",
    "--quiet",
    "--silent",
    "--verbose",
    "--version",
];

fn order(call: &Call<'_>, orders: &[&str]) -> Result<(), String> {
    for word in call.given.iter().chain(call.further) {
        let text = word.text.as_str();
        if orders.contains(&text) {
            return Ok(());
        }
        if !BEFORE_ORDERS.contains(&text) {
            return refuse("is an order that may do more than the rule says", word);
        }
    }
    Ok(())
}
