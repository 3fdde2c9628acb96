//! What is not work of this session, however much it looks like it.

use super::page::Page;
use super::tokens::Token;
use crate::progress::parser::words::{Words, listed};

/// Commands that show what is in a file, a log or a history.
static SHOWS: Words = Words::new(
    "cat tail head less more bat grep rg ag ack sed awk jq journalctl dmesg zcat zgrep
    zless nl xxd strings diff history fc type man tldr echo printf crontab tac",
);

/// The text as a whole shows something: a file, a diff, a history, a log.
pub(super) fn shows_a_file(page: &Page<'_>) -> bool {
    if begins_as_a_file(page) {
        return true;
    }
    let mut numbered = 0;
    let mut filled = 0;
    let mut commits = 0;
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
            || text.starts_with("-- Logs begin")
            || text.starts_with("-- Journal begins")
        {
            return true;
        }
        numbered += usize::from(is_numbered(text));
        commits += usize::from(is_one_line_commit(text));
    }
    // One such line can be chance.
    filled > 0 && (numbered * 2 > filled || commits * 2 > filled)
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
    let listed = ["Showing ", "Listing ", "Displaying "];
    titled
        || first.text == "---"
        || (first.text.starts_with("## ") && filled.any(|line| is_bullet(line.text)))
        || listed.iter().any(|open| first.text.starts_with(open))
        || opens_source(first.text)
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

/// One line shows source, a hit of a search, markup, data, or an entry of an old log.
pub(super) fn shows_something_else(text: &str) -> bool {
    is_hit(text)
        || is_source(text)
        || is_markup(text)
        || is_data(text)
        || is_old_log(text)
        || is_listing(text)
        || is_past(text)
}

/// `src/progress.rs:14:    // …`, `src/progress.rs-14-…`
fn is_hit(text: &str) -> bool {
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
        "@",
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
fn is_option(text: &str) -> bool {
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

/// `Mar 03 02:00:11 backup[812]: 45% done`, `2026-03-03T02:00:11Z 45% done`: a log with dates may be
/// old; nobody can tell from the text. Only a date with a time and a level is how programs that
/// run now print their lines.
fn is_old_log(text: &str) -> bool {
    static MONTHS: Words = Words::new("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec");
    let text = text.trim_start_matches('[');
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    let third = words.next().unwrap_or("");
    let syslog = MONTHS.has(first)
        && second.starts_with(|c: char| c.is_ascii_digit())
        && third.contains(':');
    let date = first.get(..10).is_some_and(|date| {
        date.bytes().enumerate().all(|(at, b)| match at {
            4 | 7 => matches!(b, b'-' | b'/' | b'.'),
            _ => b.is_ascii_digit(),
        })
    });
    let access = text.contains("HTTP/1.") || text.contains("HTTP/2");
    let level = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        listed!(word, "INFO DEBUG NOTICE info debug notice")
    };
    let timed = first.contains(':') || second.contains(':');
    // mongorestore draws its bar behind the time.
    let drawn = ["[##", "[==", "[>", "[.."]
        .iter()
        .any(|bar| text.contains(bar));
    let stamped = date && timed && (drawn || text.split_whitespace().skip(1).take(4).any(level));
    syslog || (date && !stamped) || access
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
fn is_past(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut before = "";
    words.any(|word| {
        let unit = before.trim_end_matches('s');
        let past =
            word == "ago" && listed!(unit, "second minute hour day week month year sec min hr");
        if !word.is_empty() {
            before = word;
        }
        past
    })
}

/// What a sentence says is not what is done now: it is a condition, a plan, a wish, or past, or
/// about somebody else.
pub(super) fn is_elsewhere(head: &[Token<'_>]) -> bool {
    static DOCUMENTS: Words = Words::new(
        "tutorial readme documentation docs article book manual course wizard blog
        readme's video transcript changelog log logs badge screenshot template
        placeholder syntax regex pattern ticket",
    );
    is_not_done_here(head) || head.iter().any(|t| t.is_word() && DOCUMENTS.has(&t.low))
}

/// The same, where documents may be what is worked on.
pub(super) fn is_not_done_here(head: &[Token<'_>]) -> bool {
    static ANYWHERE: Words = Words::new(
        "would could should might may can cannot can't unless until yesterday tomorrow
        tonight ago previously previous suppose imagine considered consider considering
        instead wanted planned example instance e.g hypothetically typically usually
        normally always often never every she they his her their team colleague
        colleagues customer customers upstream says said reads prints printed shows
        showed displays logged quote wouldn't couldn't shouldn't don't didn't doesn't
        haven't hasn't won't needs need requires require supports means meaning
        looks flaky out-of-date outdated gestern morgen könnte könnten würde würden
        sollte wenn falls früher vorgestern demain si pourrait faudrait ayer mañana
        podría cuando ieri domani potrebbe ontem amanhã poderia вчера завтра если можно
        gisteren zou colega collègue kollege kollegin equipo équipe he's she's
        they've they're wikipedia say",
    );
    static FIRST: Words = Words::new(
        "if once when whenever after before while you your you're you'll you've please
        als see change set use add run why how what does do did is are was sobald nachdem
        bevor bitte quand lorsque après avant antes después quando dopo prima когда
        после как как-то imagine shall according",
    );
    let words: Vec<&str> = head
        .iter()
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
        .collect();
    let first_of = |words: &[&str]| words.first().is_some_and(|word| FIRST.has(word));
    let last = words.windows(2).any(|pair| {
        matches!(
            pair,
            [
                "last",
                "night"
                    | "week"
                    | "month"
                    | "year"
                    | "time"
                    | "session"
                    | "sprint"
                    | "release"
                    | "friday"
                    | "monday"
            ]
        ) || matches!(
            pair,
            [
                "letzte" | "letzten" | "letzter",
                "woche" | "nacht" | "monat" | "sitzung"
            ]
        ) || matches!(
            pair,
            ["semaine", "dernière"]
                | ["nuit", "dernière"]
                | ["semana", "pasada"]
                | ["semana", "passada"]
        ) || matches!(
            pair,
            [
                "you",
                "can"
                    | "could"
                    | "should"
                    | "need"
                    | "have"
                    | "are"
                    | "will"
                    | "see"
                    | "want"
                    | "may"
                    | "get"
            ]
        ) || matches!(
            pair,
            ["for", "example" | "instance"]
                | ["such", "as"]
                | ["plan", "to"]
                | ["will", "need"]
                | ["earlier", "session" | "today" | "run"]
                | ["up", "to"]
                | ["old", "run" | "session"]
        )
    });
    // In German it is "here".
    let hier = words.contains(&"hier")
        && words
            .iter()
            .any(|word| matches!(*word, "nous" | "j'ai" | "on" | "les" | "avons" | "il"));
    // In Spanish it is "I have".
    let he = words.iter().enumerate().any(|(at, word)| {
        *word == "he"
            && !words
                .get(at + 1)
                .is_some_and(|next| next.ends_with("do") || *next == "ya")
    });
    let past_in_han = words.iter().any(|word| {
        [
            "昨天", "昨日", "上周", "如果", "可以", "어제", "만약", "先週", "もし",
        ]
        .iter()
        .any(|part| word.contains(part))
    });
    first_of(&words)
        || last
        || he
        || hier
        || past_in_han
        || words.iter().any(|word| ANYWHERE.has(word))
}
