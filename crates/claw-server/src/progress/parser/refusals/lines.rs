//! Lines that show something: source, hits, markup, data, old logs, listings.

use crate::progress::parser::words::{Words, listed};

/// One line shows source, a hit of a search, markup, data, or an entry of an old log.
pub(in crate::progress::parser) fn shows_something_else(text: &str) -> bool {
    is_hit(text)
        || is_source(text)
        || is_markup(text)
        || is_data(text)
        || is_old_log(text)
        || is_listing(text)
        || is_past(text)
}

/// `src/progress.rs:14:    // …`, `src/progress.rs-14-…`, `14:    // …`
fn is_hit(text: &str) -> bool {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = behind.len() < text.len() && behind.starts_with(':');
    if line && !behind[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return true;
    }
    let name = text.split([':', ' ', '(']).next().unwrap_or("");
    let is_path =
        name.rsplit('/').next().is_some_and(|file| {
            file.contains('.') && !file.ends_with('.') && !file.starts_with('.')
        }) && name.chars().any(char::is_alphabetic);
    let rest = &text[name.len()..];
    let place = rest.strip_prefix([':', '(']).unwrap_or("");
    is_path && place.starts_with(|c: char| c.is_ascii_digit())
}

fn is_source(text: &str) -> bool {
    const OPENS: &[&str] = &[
        "//",
        "/*",
        "* ",
        "fn ",
        "let ",
        "const ",
        "var ",
        "def ",
        "class ",
        "return ",
        "import ",
        "from ",
        "#include",
        "print(",
        "printf(",
        "println!",
        "console.",
        "assert",
        "pub ",
        "func ",
        "if (",
        "for (",
        "while (",
        "for i in",
        "echo ",
        "SELECT ",
        "INSERT ",
        "UPDATE ",
        "export ",
        "TODO",
        "FIXME",
        "XXX",
        "HACK",
        "e.g.",
        "Usage:",
        "usage:",
        "Example:",
        "example:",
        "<!--",
        "-- ",
        "use ",
        "\"\"\"",
        "'''",
        "logger.",
        "log.",
        "puts ",
        "System.out",
        "fmt.",
        "elif ",
        "expect(",
        "describe(",
        "it(",
        "test(",
    ];
    // "-- " also opens the comments of SQL; "--- " is the mark of Go and of diffs.
    OPENS.iter().any(|open| text.starts_with(open))
        || text.ends_with(';')
        || text.starts_with("+ ")
        // A decorator, and not the package that prints: "@kit/docs: checking 1/2".
        || (text.starts_with('@') && !text.contains(": "))
        || text.starts_with("Applying: ")
        || text.starts_with("Subject: ")
        || text.contains("e.g.")
        || text.contains("for example")
        || is_option(text)
        || text.ends_with('{')
        || text.contains("\\n\"")
        || text.contains("%d")
        || text.contains("%s")
        || text.contains("f\"")
        || text.contains("${")
        || text.contains("{}")
        || text.contains("assert_eq!")
        || text.contains("format!(")
}

/// `  --progress   Show how far it is`, `-v`: the help of a program.
pub(super) fn is_option(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('-')
        && chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '-')
        && chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == ' ' || c == ',')
}

fn is_markup(text: &str) -> bool {
    let tag = text.starts_with('<')
        && text[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    tag && (text.contains("</") || text.contains("/>") || text.contains("=\""))
}

/// JSON, YAML with quotes, rows of tables.
fn is_data(text: &str) -> bool {
    let object =
        (text.starts_with('{') && (text.contains("\":") || text == "{")) || text.starts_with("[{");
    let field = text.starts_with('"') && text.contains("\":");
    // Bars are drawn with the same sign, but not on both sides of words.
    let row = text.starts_with('|') && text.ends_with('|') && text.matches('|').count() > 2;
    object || field || row
}

/// `Mar 03 02:00:11 backup[812]: 45% done`: what the system keeps.
fn is_old_log(text: &str) -> bool {
    static MONTHS: Words = Words::new("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec");
    let mut words = text.trim_start_matches('[').split_whitespace();
    let mut next = || words.next().unwrap_or("");
    let (first, second, third) = (next(), next(), next());
    let syslog = MONTHS.has(first)
        && second.starts_with(|c: char| c.is_ascii_digit())
        && third.contains(':');
    let access = text.contains("HTTP/1.") || text.contains("HTTP/2");
    // `build\tRun tests\t2026-03-03T02:00:11.3491034Z …`: a service that keeps logs by their steps.
    let kept = text.split('\t').skip(1).any(starts_with_date);
    syslog || access || kept
}

/// `2026-03-03T02:00:11Z 45% done`: a line with a date may be of an old log; nobody can tell from
/// the line alone. Only a date with a time and a level is how programs that run now print.
pub(in crate::progress::parser) fn may_be_old(text: &str) -> bool {
    let text = text.trim_start_matches('[');
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    let date = starts_with_date(first);
    let level = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        listed!(word, "INFO DEBUG NOTICE info debug notice")
    };
    let timed = first.contains(':') || second.contains(':');
    // mongorestore draws its bar behind the time.
    let drawn = ["[##", "[==", "[>", "[.."]
        .iter()
        .any(|bar| text.contains(bar));
    let stamped = date && timed && (drawn || text.split_whitespace().skip(1).take(6).any(level));
    date && !stamped
}

/// `2026-03-03T02:00:11Z`, `2026/03/03`
fn starts_with_date(text: &str) -> bool {
    text.get(..10).is_some_and(|date| {
        date.bytes().enumerate().all(|(at, b)| match at {
            4 | 7 => matches!(b, b'-' | b'/' | b'.'),
            _ => b.is_ascii_digit(),
        })
    })
}

/// `-rw-r--r-- 1 user user 512 Mar 3 2026 step-2-of-7.md`
fn is_listing(text: &str) -> bool {
    let mode = text.split(' ').next().unwrap_or("");
    mode.len() >= 10
        && mode.starts_with(['-', 'd', 'l'])
        && mode[1..].bytes().take(9).all(|b| b"rwxstST-".contains(&b))
        && mode.contains('r')
}

/// `about 2 days ago`: an entry of a list of what was.
pub(super) fn is_past(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut before = "";
    words.any(|word| {
        let unit = before.trim_end_matches('s');
        let past =
            word == "ago" && listed!(unit, "second minute hour day week month year sec min hr");
        // "rebuilt on 2026-03-01"
        let past = past || (before == "on" && word.len() == 4 && word.starts_with("20"));
        if !word.is_empty() {
            before = word;
        }
        past
    })
}
