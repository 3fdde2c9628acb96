//! Lines that show something because of how they are indented or quoted, or because of what is said
//! about all of them: manuals, mails, listings of tests.

use super::words::listed;

/// Captions are short.
const MOST_WORDS: usize = 10;

/// An option or a title of a manual, and all that is indented further under it.
pub(super) fn explained(lines: &[&str]) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    // What is deeper belongs to the head that is open.
    let mut head: Option<usize> = None;
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let depth = indent(line);
        if head.is_some_and(|head| depth <= head) {
            head = None;
        }
        if head.is_none() && opens_manual(line.trim(), depth) && is_deeper(lines, at, depth) {
            head = Some(depth);
        }
        shown[at] = head.is_some();
    }
    shown
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The next line that is not empty stands further in.
fn is_deeper(lines: &[&str], at: usize, depth: usize) -> bool {
    let mut next = lines[at + 1..]
        .iter()
        .filter(|line| !line.trim().is_empty());
    next.next().is_some_and(|line| indent(line) >= depth + 2)
}

/// `-#, --progress-bar` further in, `EXAMPLES` at the edge.
fn opens_manual(text: &str, depth: usize) -> bool {
    let titles = [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "EXAMPLE",
        "EXAMPLES",
        "EXIT STATUS",
        "SEE ALSO",
    ];
    let option = text.trim_start_matches('-');
    let dashes = text.len() - option.len();
    let named = option.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '#' | '?'));
    // Whoever runs a command may show its options, each on a line of its own.
    let goes_on = text.ends_with('\\');
    (depth == 0 && titles.contains(&text))
        || (depth >= 2 && (1..=2).contains(&dashes) && named && !goes_on)
}

/// `CURL(1)                  User Commands                  CURL(1)`: the head of a manual.
pub(super) fn heads_manual(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (first, last) = (words.next().unwrap_or(""), words.next_back().unwrap_or(""));
    let section = first.split_once('(').map(|(_, section)| section);
    first == last
        && section.is_some_and(|section| {
            section.ends_with(')') && section.starts_with(|c: char| c.is_ascii_digit())
        })
}

/// Lines behind `> `, as mails and notes quote what somebody said. Many tools print so, too: what
/// is quoted has sentences, or somebody is named who wrote it.
pub(super) fn quoted(texts: &[&str]) -> Vec<bool> {
    let mut shown = vec![false; texts.len()];
    let mut at = 0;
    while at < texts.len() {
        let quotes = texts[at..].iter().take_while(|text| is_quote(text));
        let length = quotes.count();
        let block = &texts[at..at + length];
        let before = at.checked_sub(1).map_or("", |before| texts[before]);
        let named = block.iter().chain([&before]).any(|text| names_writer(text));
        let told = length >= 2 && block.iter().any(|text| is_sentence(text));
        let of_gradle = block.iter().any(|text| text.starts_with("> Task "));
        if length > 0 && (named || told) && !of_gradle {
            shown[at..at + length].fill(true);
        }
        at += length.max(1);
    }
    shown
}

fn is_quote(text: &str) -> bool {
    text == ">" || text.starts_with("> ") || text.starts_with(">>")
}

/// `On Nov 12 a colleague wrote:`
fn names_writer(text: &str) -> bool {
    let Some(head) = text.strip_suffix(':') else {
        return false;
    };
    let last = head.split_whitespace().next_back().unwrap_or("");
    let last = last.to_lowercase();
    listed!(
        &last,
        "wrote said writes says schrieb écrit escribió scritto escreveu schreef написал написала"
    )
}

/// Several words and a full stop.
fn is_sentence(text: &str) -> bool {
    let ends = text.ends_with(['.', '?', '!']) && !text.ends_with("..");
    ends && text.split_whitespace().count() >= 6
}

/// The names of tests above a line that says how many there are: nothing runs.
pub(super) fn listed_tests(texts: &[&str]) -> Vec<bool> {
    let mut shown = vec![false; texts.len()];
    let Some(end) = texts.iter().rposition(|text| closes_listing(text)) else {
        return shown;
    };
    for (at, text) in texts[..end].iter().enumerate() {
        shown[at] = is_name_of_test(text);
    }
    shown[end] = true;
    shown
}

/// `4 tests collected in 0.05s`, `2/9 tests collected (7 deselected) in 0.05s`, `4 tests, 0
/// benchmarks`, `Total Tests: 4`
fn closes_listing(text: &str) -> bool {
    let text = text.trim_matches('=').trim();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '/');
    let counted = number.len() < text.len();
    let collected = ["test collected", "tests collected"].iter().any(|words| {
        let rest = number.trim_start().strip_prefix(words);
        rest.is_some_and(|rest| rest.starts_with(" in ") || rest.starts_with(" ("))
    });
    let benchmarks = ["test, ", "tests, "].iter().any(|words| {
        let rest = number.trim_start().strip_prefix(words);
        rest.is_some_and(|rest| rest.ends_with("benchmarks") || rest.ends_with("benchmark"))
    });
    (counted && (collected || benchmarks)) || text.starts_with("Total Tests: ")
}

/// `tests/test_cart.py::test_merge[1/2]`, `<Function test_merge[1/2]>`, `cart::merge: test`,
/// `Test #1: merge_1/2`
fn is_name_of_test(text: &str) -> bool {
    let node = text.contains("::") && !text.contains(' ');
    let with_parameters = text.contains(".py::") && !text.contains('%');
    let collected = text.starts_with("collected ") || text.starts_with("collecting ...");
    node || with_parameters
        || collected
        || (text.starts_with('<') && text.ends_with('>'))
        || text.ends_with(": test")
        || text.ends_with(": benchmark")
        || (text.starts_with("Test ") && text.contains('#') && text.contains(": "))
}

/// `(log of last night, 2 of 6 files)`, `Output of the previous run:`, `Yesterday's log:`: said of
/// all that is shown, before it or behind it. "Log of the previous run moved to x" is an event.
pub(super) fn is_caption_of_the_past(text: &str) -> bool {
    let low = text.to_lowercase();
    let words = low.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && *word != "s");
    let words: Vec<&str> = words.take(MOST_WORDS + 1).collect();
    let framed = text.starts_with(['(', '[', '#', '-', '=', '*']) || text.ends_with(':');
    let past = (0..words.len()).find_map(|at| Some((at, at + length_of_past(&words[at..])?)));
    let Some((from, to)) = past.filter(|_| words.len() <= MOST_WORDS) else {
        return false;
    };
    // "nightly log from yesterday"
    let record_before = words[..from].iter().take(2).any(|word| is_record(word))
        && words[..from]
            .iter()
            .any(|word| listed!(word, "of from von der vom"));
    // "last night's log"
    let record_behind = from == 0 && words[to..].iter().take(3).any(|word| is_record(word));
    let ends = to == words.len() || words.last().is_some_and(|word| is_record(word));
    (record_before || record_behind) && (framed || ends)
}

/// How many words say that something is over for long.
fn length_of_past(words: &[&str]) -> Option<usize> {
    match words {
        ["yesterday" | "gestern" | "hier" | "ayer", ..] => Some(1),
        [which, what, ..]
            if listed!(which, "last previous letzter letzten")
                && listed!(what, "night week month run nightly session nacht woche") =>
        {
            Some(2)
        }
        _ => None,
    }
}

fn is_record(word: &str) -> bool {
    listed!(word, "log logs output protokoll transcript excerpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_all_is_told_from_what_happens() {
        let cases = [
            ("(log of last night, 2 of 6 files)", true),
            ("Output of the previous run:", true),
            ("Yesterday's log:", true),
            ("--- nightly log from yesterday ---", true),
            ("Log of the previous run moved to sync.log.1", false),
            ("resuming from last session", false),
            ("comparing with the output of yesterday's build 3/8", false),
        ];
        for (text, want) in cases {
            assert_eq!(is_caption_of_the_past(text), want, "{text}");
        }
    }

    #[test]
    fn manuals_end_where_the_text_comes_back() {
        let cases: &[(&[&str], &[bool])] = &[
            (&["  -q, --quiet", "      45%", "45%"], &[true, true, false]),
            (
                &["EXAMPLES", "", "   45%", "done"],
                &[true, false, true, false],
            ),
            (&["  --quiet \\", "      45%"], &[false, false]),
            (&["--- FAIL: A", "    45%"], &[false, false]),
            (&["FILES", "   45%"], &[false, false]),
        ];
        for (lines, want) in cases {
            assert_eq!(explained(lines), *want, "{lines:?}");
        }
    }
}
