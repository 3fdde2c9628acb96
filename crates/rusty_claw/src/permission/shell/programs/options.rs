//! Options by their letters and names.

use super::super::word::Word;
use super::refuse;

/// Options of a program that do no more than its plain arguments do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Harmless {
    /// Letters without a value, which may be joined: `-la`.
    pub(super) letters: &'static str,
    /// Letters whose value is the rest of the word or the next one: `-n5`.
    pub(super) valued: &'static str,
    /// Names without their dashes: `--name`, alone or with `=value`.
    pub(super) names: &'static [&'static str],
    /// Whether names are written with one dash, too; elsewhere `-name` is four letters.
    pub(super) one_dash: bool,
}

impl Harmless {
    pub(super) fn judge(&self, words: &[Word]) -> Result<(), String> {
        for word in words {
            if !self.covers(&word.text) {
                return refuse("is an option that may do more than the rule says", word);
            }
        }
        Ok(())
    }

    fn covers(&self, text: &str) -> bool {
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

/// Letters that do nothing to other files in any program worth its name: help, version, how much
/// to say, how to sort a list.
const UNKNOWN: Harmless = Harmless {
    letters: "ahlnqtvV",
    valued: "",
    names: &[],
    one_dash: false,
};

/// Beginnings of words in option names that run, write, choose or load something.
const SUSPECT: &[&str] = &[
    "action",
    "alias",
    "apply",
    "askpass",
    "bin",
    "build",
    "cmd",
    "checkpoint",
    "chdir",
    "code",
    "command",
    "compress",
    "conf",
    "config",
    "cookie",
    "context",
    "debugger",
    "define",
    "delete",
    "dest",
    "dir",
    "dump",
    "editor",
    "env",
    "eval",
    "exec",
    "ext",
    "file",
    "filter",
    "fix",
    "force",
    "header",
    "helper",
    "hook",
    "html",
    "import",
    "in",
    "include",
    "init",
    "interpreter",
    "junit",
    "key",
    "lib",
    "listen",
    "load",
    "log",
    "macro",
    "manifest",
    "module",
    "node",
    "open",
    "option",
    "out",
    "override",
    "overwrite",
    "pack",
    "pager",
    "patch",
    "path",
    "plugin",
    "pre",
    "prefix",
    "proc",
    "prog",
    "program",
    "proxy",
    "rc",
    "receive",
    "record",
    "remote",
    "remove",
    "replace",
    "report",
    "require",
    "rm",
    "root",
    "rsh",
    "rsync",
    "run",
    "runner",
    "rules",
    "save",
    "script",
    "set",
    "shell",
    "source",
    "spawn",
    "store",
    "strategy",
    "target",
    "template",
    "temp",
    "tmp",
    "to",
    "tool",
    "trace",
    "unlink",
    "update",
    "upload",
    "use",
    "var",
    "wrapper",
    "write",
    "xml",
];

/// Names that a program may take in a shortened form.
const SHORTENED: &[&str] = &[
    "command",
    "compress-program",
    "config",
    "delete",
    "directory",
    "editor",
    "eval",
    "exec",
    "ext-diff",
    "file",
    "in-place",
    "init-file",
    "load",
    "open-files-in-pager",
    "output",
    "pager",
    "plugin",
    "pre",
    "prefix",
    "rcfile",
    "receive-pack",
    "require",
    "rsh",
    "run",
    "script",
    "shell",
    "template",
    "to-command",
    "upload-pack",
    "use-compress-program",
    "write",
];

/// Judges words by what their options are called: for programs that nobody has listed.
pub(super) fn suspect(words: &[Word]) -> Result<(), String> {
    for word in words {
        let text = word.text.as_str();
        if text.starts_with('+') || is_assignment(text) {
            return refuse("may be an order or a setting to this program", word);
        }
        if let Some(long) = text.strip_prefix("--") {
            if sounds_dangerous(long) {
                return refuse("sounds like running, writing or choosing something", word);
            }
        } else {
            UNKNOWN.judge(std::slice::from_ref(word))?;
        }
    }
    Ok(())
}

/// Whether a name without its dashes sounds like more than a plain argument.
pub(super) fn sounds_dangerous(long: &str) -> bool {
    let name = long
        .split('=')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    // Two dashes alone end the options; `--no-…` takes something away.
    if name.is_empty() || name.starts_with("no-") {
        return false;
    }
    let mut parts = name.split(['-', '_', '.', ':']);
    SHORTENED.iter().any(|whole| whole.starts_with(&name))
        || parts.any(|part| SUSPECT.iter().any(|suspect| is_word(part, suspect)))
}

/// Short suspects stand for themselves only: `in` is not in `include-ignored`, nor `to` in `total`.
fn is_word(part: &str, suspect: &str) -> bool {
    if suspect.len() <= 3 {
        let stem = part.trim_end_matches('s');
        stem == suspect
            || part == suspect
            || matches!(suspect, "cmd" | "env" | "out" | "tmp") && part.starts_with(suspect)
    } else {
        part.starts_with(suspect)
    }
}

/// `NAME=value`, which sets something in programs like make.
pub(super) fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else {
        return false;
    };
    let name = name.trim_end_matches(['+', ':', '?', '!']);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
