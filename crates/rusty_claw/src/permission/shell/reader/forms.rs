//! Forms whose result is known without running anything.

use super::super::word::Word;

/// Variables that only change verbosity, language or strictness. None names a program, a file or an
/// address.
#[rustfmt::skip] // A table.
const HARMLESS_VARIABLES: &[&str] = &[
    "CARGO_INCREMENTAL", "CARGO_TERM_COLOR", "CARGO_TERM_VERBOSE", "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS",
    "FORCE_COLOR", "GIT_TERMINAL_PROMPT", "LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "NODE_ENV",
    "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_LOG",
    "RUST_TEST_THREADS", "TZ",
];

/// Splits off the text of `(cat <<'E'`, lines, `E` and `)`. Returns `None` for any other form.
pub(super) fn here_text(behind_dollar: &str) -> Option<(&str, &str)> {
    let marked = behind_dollar.strip_prefix("(cat <<'")?;
    let (mark, body) = marked.split_once("'\n")?;
    let is_mark = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if mark.is_empty() || !mark.chars().all(is_mark) {
        return None;
    }
    let end = format!("{mark}\n");
    let begins_line = |at: &usize| *at == 0 || body.get(..*at).is_some_and(|b| b.ends_with('\n'));
    let mut ends = body.match_indices(&end).map(|(at, _)| at);
    let at = ends.find(begins_line)?;
    let rest = body.get(at + end.len()..)?.trim_start_matches([' ', '\t']);
    let text = body.get(..at)?.trim_end_matches('\n');
    // Some versions of bash end the text at a line such as `E)`.
    let ends_early = |line: &str| line.trim_start().starts_with(mark);
    // Bash 3.2 ends the substitution at its first bracket, and the rest is in double quotes.
    let may_go_on = text.contains(')') && text.contains(['$', '`', '"']);
    if may_go_on || text.lines().any(ends_early) {
        return None;
    }
    Some((text, rest.strip_prefix(')')?))
}

/// Returns whether a word before a command sets a listed variable to a plain value. A value with a
/// slash would be a path.
pub(super) fn sets_harmless_variable(word: &Word) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.,:=+-@%".contains(c);
    let set = word.text.split_once('=').filter(|_| word.literal);
    set.is_some_and(|(name, value)| {
        HARMLESS_VARIABLES.contains(&name) && value.chars().all(is_plain)
    })
}

pub(super) fn is_name(text: &str) -> bool {
    // `x+=1` and `x[1]=1` set variables too.
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '[' | ']'))
}
