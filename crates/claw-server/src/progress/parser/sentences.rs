//! What an agent says, cut into sentences, without what it quotes.

/// Stands where code or a quotation was.
const MASK: char = '\u{fffc}';

/// The lines of a text without code, quotations and emphasis. Fenced blocks leave empty lines.
pub(super) fn spoken_lines(lines: &[&str]) -> Vec<String> {
    let mut fence: Option<&str> = None;
    let mut spoken = Vec::with_capacity(lines.len());
    for line in lines {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                // A block that opens and closes on one line is code in the line.
                fence = (!trimmed[3..].contains(mark)).then_some(mark);
                spoken.push(String::new());
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                spoken.push(String::new());
            }
            (Some(_), _) => spoken.push(String::new()),
            (None, None) if trimmed.starts_with('>') => spoken.push(String::new()),
            (None, None) => spoken.push(without_quotes(line)),
        }
    }
    spoken
}

/// The line with code and quotations masked and emphasis taken away.
fn without_quotes(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at + c.len_utf8()..];
        let close = match c {
            '`' => Some("`"),
            '"' => Some("\""),
            '“' | '„' => Some("”"),
            '«' => Some("»"),
            '「' => Some("」"),
            '‘' => Some("’"),
            _ => None,
        };
        let quoted = close.and_then(|close| {
            let alternative = if c == '„' {
                rest.find(['“', '”'])
            } else {
                rest.find(close)
            };
            alternative.map(|end| (end, rest[end..].chars().next().map_or(0, char::len_utf8)))
        });
        match quoted {
            Some((end, width)) => {
                out.push(MASK);
                at += c.len_utf8() + end + width;
                continue;
            }
            // A bullet stays, emphasis goes.
            None if c == '*' && (at > indent || rest.starts_with('*')) => {}
            None if c == '_' && (rest.starts_with('_') || line[..at].ends_with('_')) => {}
            None => out.push(c),
        }
        at += c.len_utf8();
    }
    out
}

/// The sentences of a line, each with what ends it.
pub(super) fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, c)| c);
        let followed = next.is_none_or(char::is_whitespace);
        let ends = match c {
            // "e.g. 5", "approx. 5": one letter or a known short form does not end a sentence.
            '.' => followed && !is_short_form(&line[start..at]),
            '!' | '?' | ';' | '…' => followed,
            '。' | '！' | '？' | '；' => true,
            _ => false,
        };
        // "..." ends with its last dot, and what follows in lower case goes on.
        let goes_on = matches!(c, '.' | '…') && (before == '.' || c == '…') && {
            let rest = line[at + c.len_utf8()..].trim_start();
            rest.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit())
        };
        if ends && !goes_on {
            found.push(&line[start..at + c.len_utf8()]);
            start = at + c.len_utf8();
        }
        before = c;
    }
    if !line[start..].trim().is_empty() {
        found.push(&line[start..]);
    }
    found
}

fn is_short_form(before: &str) -> bool {
    let mut words = before.rsplit(|c: char| c.is_whitespace() || c == '(');
    let word = words.next().unwrap_or("");
    // "in 2.31 s." ends with a unit.
    let unit = words
        .next()
        .is_some_and(|word| word.ends_with(|c: char| c.is_ascii_digit()));
    matches!(
        word.to_lowercase().as_str(),
        "e.g" | "i.e" | "approx" | "ca" | "etc" | "vs" | "z.b" | "no" | "bzw" | "p.ej"
    ) || (word.len() == 1 && !unit && word.chars().all(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_not_said() {
        for (line, want) in [
            ("see `step 2/7` there", "see \u{fffc} there"),
            ("it says \"5 of 20\".", "it says \u{fffc}."),
            ("Step **five** of **nine**", "Step five of nine"),
            ("- item", "- item"),
            ("* item *two*", "* item two"),
            ("an open \" quote", "an open \" quote"),
            ("„3 von 4“ steht da", "\u{fffc} steht da"),
        ] {
            assert_eq!(spoken_lines(&[line]), [want], "{line}");
        }
        assert_eq!(
            spoken_lines(&["a", "```", "step 1/2", "```", "b", "> c"]),
            ["a", "", "", "", "b", ""]
        );
    }

    #[test]
    fn sentences_end_where_they_end() {
        for (line, want) in [
            ("One. Two! Three?", vec!["One.", " Two!", " Three?"]),
            ("Running test 5 of 20...", vec!["Running test 5 of 20..."]),
            (
                "About 45.5 % done. Go on",
                vec!["About 45.5 % done.", " Go on"],
            ),
            ("See e.g. 3/4 here.", vec!["See e.g. 3/4 here."]),
            ("一。二", vec!["一。", "二"]),
            ("a; b", vec!["a;", " b"]),
        ] {
            assert_eq!(sentences(line), want, "{line}");
        }
    }
}
