//! What is not work of this session, however much it looks like it.

mod lines;
mod sentences;

use std::collections::HashSet;

use self::lines::{is_option, is_past};
pub(super) use self::lines::{may_be_old, shows_something_else};
pub(super) use self::sentences::{is_elsewhere, is_not_done_here};
use crate::progress::parser::exhibits::{heads_manual, is_caption_of_the_past};
use crate::progress::parser::page::Page;
use crate::progress::parser::words::{Words, listed};

/// Commands that show what is in a file, a log or a history.
static SHOWS: Words = Words::new(
    "cat tail head less more bat grep rg ag ack sed awk jq journalctl dmesg zcat zgrep
    zless nl xxd strings diff history fc type man tldr echo printf crontab tac",
);

/// The text as a whole shows something: a file, a diff, a history, a log.
pub(super) fn shows_a_file(page: &Page<'_>) -> bool {
    if begins_as_a_file(page) || is_settings(page) || is_of_the_past(page) {
        return true;
    }
    let mut numbered = 0;
    let mut filled = 0;
    let mut commits = 0;
    let mut options = 0;
    for line in &page.lines {
        let text = line.text;
        if text.is_empty() {
            continue;
        }
        filled += 1;
        if shows_by_command(text)
            || text.starts_with("diff --git ")
            || text.starts_with("@@ -")
            || text.starts_with("--- a/")
            || text.starts_with("+++ b/")
            || (text.starts_with("==> ") && text.ends_with(" <=="))
            || text.starts_with("<?xml")
            || text.starts_with("<!DOCTYPE")
            || text.starts_with("<html")
            || text.starts_with("#!/")
            || is_commit(text)
            || is_subtitle(text)
            || text.starts_with("%Cpu")
            || text.starts_with("stash@{")
            || text.starts_with("Assignee:")
            || is_change_command(text)
            || text.starts_with("-- Logs begin")
            || text.starts_with("[Pipeline] ")
            || text.starts_with("-- Journal begins")
        {
            return true;
        }
        numbered += usize::from(is_numbered(text));
        commits += usize::from(is_one_line_commit(text));
        options += usize::from(is_option(text) && !text.starts_with("-- "));
    }
    // One such line can be chance.
    filled > 0
        && [numbered, commits, options]
            .iter()
            .any(|lines| lines * 2 > filled)
}

/// The first line is source, a title of a document, or says that a list follows.
fn begins_as_a_file(page: &Page<'_>) -> bool {
    let mut filled = page.lines.iter().filter(|line| !line.text.is_empty());
    let Some(first) = filled.next() else {
        return false;
    };
    let titled = first.text.starts_with("# ")
        && filled
            .clone()
            .any(|line| line.text.starts_with("## ") || is_bullet(line.text));
    // A list that is made says how far it is; one that is shown says what it is.
    let listed = ["Showing ", "Listing ", "Displaying "];
    let listed = listed.iter().any(|open| first.text.starts_with(open))
        && !first.text.contains('%')
        && !first.text.contains("...");
    let is_front_matter = first.text == "---"
        && filled
            .clone()
            .next()
            .is_some_and(|line| line.text.contains(": "));
    titled
        || is_past(first.text)
        || is_front_matter
        || (first.text.starts_with("## ") && filled.any(|line| is_bullet(line.text)))
        || listed
        || opens_source(first.text)
        || heads_manual(first.text)
}

/// The first or the last line says that all of it is of another day.
fn is_of_the_past(page: &Page<'_>) -> bool {
    let mut filled = page.lines.iter().filter(|line| !line.text.is_empty());
    let ends = [filled.next(), filled.next_back()];
    let mut ends = ends.into_iter().flatten();
    ends.any(|line| is_caption_of_the_past(line.text))
}

/// The first line of a file of source: a word that opens one, with the signs that go with it.
fn opens_source(text: &str) -> bool {
    const OPENS: &[&str] = &[
        "// ",
        "/*",
        "#include",
        "#!",
        "#[",
        "\"\"\"",
        "'use ",
        "\"use ",
        "<?",
        "[package]",
        "describe(",
        "it(",
        "test(",
    ];
    let words = text.split_whitespace().count();
    let digits = text.contains(|c: char| c.is_ascii_digit());
    let by_sign = OPENS.iter().any(|open| text.starts_with(open));
    by_sign
        || match text.split(' ').next().unwrap_or("") {
            "const" | "let" | "var" | "static" | "type" | "export" => text.contains('='),
            "def" | "class" | "fn" | "pub" | "func" | "struct" | "enum" | "impl" | "mod"
            | "interface" | "namespace" | "function" | "async" | "extern" => {
                text.contains('(') || text.ends_with(['{', ':', ';'])
            }
            "import" => {
                (words <= 2 && !digits) || text.contains(" from ") || text.ends_with([';', '('])
            }
            "from" => text.contains(" import "),
            "package" => words == 2 && !digits,
            "use" | "using" | "require" | "module" => text.ends_with(';'),
            _ => false,
        }
}

fn is_bullet(text: &str) -> bool {
    text.starts_with("- ") || text.starts_with("* ")
}

/// `$ tail -2 /var/log/backup.log.1`
fn shows_by_command(text: &str) -> bool {
    let Some(command) = text
        .strip_prefix("$ ")
        .or_else(|| text.strip_prefix("% "))
        .or_else(|| text.strip_prefix("> $ "))
        .or_else(|| text.strip_prefix("+ "))
    else {
        return false;
    };
    // What pipes into a filter is still the work of the first program.
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    SHOWS.has(first)
        || (first == "git"
            && listed!(
                second,
                "log show diff blame grep reflog shortlog status stash"
            ))
        || (matches!(first, "docker" | "kubectl" | "podman" | "heroku" | "fly") && second == "logs")
        || (first == "gh" && matches!(second, "run" | "pr" | "issue" | "api" | "release"))
        || first == "sudo" && SHOWS.has(second)
}

fn is_hex(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// `12c12`, `40,41d39`: how `diff` says where files differ.
fn is_change_command(text: &str) -> bool {
    let lines = |part: &str| {
        let digits = |c: char| c.is_ascii_digit() || c == ',';
        part.starts_with(|c: char| c.is_ascii_digit()) && part.chars().all(digits)
    };
    let parts = text.split_once(['a', 'c', 'd']);
    parts.is_some_and(|(from, to)| lines(from) && lines(to))
}

/// `nodes: 12` under `cluster:`: names and values, some of them nested.
fn is_settings(page: &Page<'_>) -> bool {
    let mut nested = false;
    let mut names = HashSet::new();
    let mut filled = page.lines.iter().filter(|line| !line.text.is_empty());
    filled.all(|line| {
        let text = line.text.strip_prefix("- ").unwrap_or(line.text);
        let name = text.split(": ").next().unwrap_or("").trim_end_matches(':');
        nested |= text.ends_with(':');
        names.insert(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        name.len() < text.len() && name.chars().all(is_name)
    }) && nested
        && names.len() >= 3
}

/// `commit 4f0c1d2e`
fn is_commit(text: &str) -> bool {
    let hash = text
        .strip_prefix("commit ")
        .map(|rest| rest.split(' ').next().unwrap_or(""));
    hash.is_some_and(|hash| hash.len() >= 7 && is_hex(hash))
}

/// `00:00:12.000 --> 00:00:15.000`
fn is_subtitle(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_digit());
    let times = text.split_once(" --> ");
    starts && times.is_some_and(|(from, to)| from.contains(':') && to.contains(':'))
}

/// `9c1d2e3 Phase 3 of 4: move the tests`, also with the lines of a graph before it.
fn is_one_line_commit(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '|', '/', '\\', ' ']);
    let hash = text.split(' ').next().unwrap_or("");
    let is_hash = (7..=40).contains(&hash.len()) && is_hex(hash);
    is_hash && hash.len() < text.len() && !text[hash.len()..].starts_with(':')
}

/// `   12→text`, the same with a tab, `12: text`, `12 | text`: a file with its lines numbered.
fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < text.len();
    numbered
        && (rest.starts_with('→')
            || rest.starts_with('\t')
            || rest.starts_with(" | ")
            || rest.starts_with(": ")
            || rest.starts_with(":\t")
            || rest.starts_with(" │"))
}
