//! Changes of files, line by line.

use std::borrow::Cow;

use super::escape;
use crate::export::skim::{self, Fields, quoted};
use crate::members;

/// How many equal lines are shown around a change.
const AROUND: usize = 3;

/// The hunks that the CLI kept of a change. Says how many lines it wrote; 0 when there are none.
pub(super) fn patch(hunks: &str, out: &mut Vec<u8>) -> usize {
    let mut hunks = skim::list(hunks).enumerate().peekable();
    if hunks.peek().is_none() {
        return 0;
    }
    let mut written = 0;
    out.extend_from_slice(b"<pre class=\"diff\">");
    for (at, hunk) in hunks {
        let hunk = Fields::of(hunk);
        let number = |name| hunk.get(name).and_then(|n| n.parse().ok()).unwrap_or(1u64);
        let (mut old, mut new) = (number("oldStart"), number("newStart"));
        if at > 0 {
            out.extend_from_slice(b"<span class=\"gap\"></span>");
        }
        for line in skim::list(hunk.get("lines").unwrap_or_default()) {
            let Some(raw) = quoted(line) else {
                continue;
            };
            written += 1;
            match raw.as_bytes().first() {
                Some(b'+') => {
                    open(out, "i", Some(new), "+");
                    new += 1;
                }
                Some(b'-') => {
                    open(out, "d", Some(old), "−");
                    old += 1;
                }
                Some(b'\\') => open(out, "x", None, " "),
                _ => {
                    open(out, "x", Some(new), " ");
                    old += 1;
                    new += 1;
                }
            }
            escape::json_string(raw.get(1..).unwrap_or(raw), out);
            out.extend_from_slice(b"</span>");
        }
    }
    out.extend_from_slice(b"</pre>");
    written
}

/// How many lines the hunks add and take away.
pub(super) fn size(hunks: &str) -> (usize, usize) {
    let (mut come, mut gone) = (0, 0);
    for hunk in skim::list(hunks) {
        for line in skim::list(skim::get(hunk, "lines").unwrap_or_default()) {
            come += usize::from(line.starts_with("\"+"));
            gone += usize::from(line.starts_with("\"-"));
        }
    }
    (come, gone)
}

/// What replaced what, when the CLI kept no hunks.
pub(super) fn replaced(old: &str, new: &str, out: &mut Vec<u8>) -> usize {
    let old: Cow<'_, str> = members::string(old).unwrap_or_default();
    let new: Cow<'_, str> = members::string(new).unwrap_or_default();
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (old, new) = (lines(&old), lines(&new));
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let tails = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tails.take_while(|(a, b)| a == b).count();
    let (gone, come) = (
        &old_rest[..old_rest.len() - tail],
        &new_rest[..new_rest.len() - tail],
    );
    let before = &old[same.saturating_sub(AROUND)..same];
    let after = &old_rest[old_rest.len() - tail..][..tail.min(AROUND)];
    out.extend_from_slice(b"<pre class=\"diff\">");
    let parts = [
        (before, "x", " "),
        (gone, "d", "−"),
        (come, "i", "+"),
        (after, "x", " "),
    ];
    let mut written = 0;
    for (lines, class, sign) in parts {
        for line in lines {
            open(out, class, None, sign);
            escape::text(line, out);
            out.extend_from_slice(b"</span>");
            written += 1;
        }
    }
    out.extend_from_slice(b"</pre>");
    written
}

fn open(out: &mut Vec<u8>, class: &str, number: Option<u64>, sign: &str) {
    out.extend_from_slice(b"<span class=\"");
    out.extend_from_slice(class.as_bytes());
    out.extend_from_slice(b"\">");
    if let Some(number) = number {
        out.extend_from_slice(b"<i>");
        super::decimal(number, out);
        out.extend_from_slice(b"</i>");
    }
    out.extend_from_slice(b"<b>");
    out.extend_from_slice(sign.as_bytes());
    out.extend_from_slice(b"</b>");
}

#[cfg(test)]
mod tests {
    #[test]
    fn hunks_and_replacements_are_drawn() {
        let mut out = Vec::new();
        let hunks = r#"[{"oldStart":1,"newStart":1,"lines":[" a","-<b>","+\"c\"","\\ No newline"]},{"oldStart":9,"newStart":9,"lines":["+z"]}]"#;
        assert_eq!(super::patch(hunks, &mut out), 5);
        out.push(b'\n');
        let (old, new) = (r#""1\n2\n3\n4\nold\n5""#, r#""1\n2\n3\n4\nnew\nand\n5""#);
        assert_eq!(super::replaced(old, new, &mut out), 7);
        insta::assert_snapshot!(String::from_utf8_lossy(&out).replace("<span", "\n<span"));
    }

    #[test]
    fn odd_hunks_break_nothing() {
        for odd in ["[]", "{}", "1", "[1,[],{\"lines\":[1,\"\",\"é\"]}]"] {
            super::patch(odd, &mut Vec::new());
        }
    }
}
