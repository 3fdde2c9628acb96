//! Changes of files, line by line.

use std::borrow::Cow;

use super::text::Terminal;
use crate::members::{self, Members};

/// The number of unchanged lines around a change.
const AROUND: usize = 3;

#[derive(Debug)]
pub(super) struct DiffLine<'p> {
    /// `i` for an added line, `d` for a removed one, `x` for others, `gap` between hunks.
    pub(super) class: &'static str,
    pub(super) number: Option<u64>,
    pub(super) text: Terminal<'p>,
}

impl<'p> DiffLine<'p> {
    fn new(class: &'static str, number: Option<u64>, text: Cow<'p, str>) -> Self {
        let text = Terminal(text);
        Self {
            class,
            number,
            text,
        }
    }

    pub(super) fn sign(&self) -> &'static str {
        match self.class {
            "i" => "+",
            "d" => "−",
            _ => " ",
        }
    }
}

/// The lines of the hunks that the CLI kept.
pub(super) fn patch(hunks: &str) -> Vec<DiffLine<'_>> {
    let mut lines = Vec::new();
    for hunk in members::list(hunks) {
        let hunk = Members::read(hunk).unwrap_or_default();
        let number = |name| hunk.get(name).and_then(|n| n.parse().ok()).unwrap_or(1u64);
        let (mut old, mut new) = (number("oldStart"), number("newStart"));
        if !lines.is_empty() {
            lines.push(DiffLine::new("gap", None, "".into()));
        }
        for line in members::list(hunk.get("lines").unwrap_or_default()) {
            let Some(line) = members::string(line) else {
                continue;
            };
            let (class, number) = match line.as_bytes().first() {
                Some(b'+') => ("i", Some(new)),
                Some(b'-') => ("d", Some(old)),
                Some(b'\\') => ("x", None),
                _ => ("x", Some(new)),
            };
            old = old.saturating_add(u64::from(class != "i" && number.is_some()));
            new = new.saturating_add(u64::from(class != "d" && number.is_some()));
            // The sign is one byte.
            let text = match line {
                Cow::Borrowed(line) => line.get(1..).unwrap_or(line).into(),
                Cow::Owned(line) => line.get(1..).unwrap_or(&line).to_owned().into(),
            };
            lines.push(DiffLine::new(class, number, text));
        }
    }
    lines
}

/// The lines of a replacement for which the CLI kept no hunks.
pub(super) fn replacement(old: &str, new: &str) -> Vec<DiffLine<'static>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let tails = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tails.take_while(|(a, b)| a == b).count();
    let (removed, after) = old_rest.split_at(old_rest.len() - tail);
    let parts = [
        ("x", &old[same.saturating_sub(AROUND)..same]),
        ("d", removed),
        ("i", &new_rest[..new_rest.len() - tail]),
        ("x", &after[..tail.min(AROUND)]),
    ];
    let lines = parts.into_iter().flat_map(|(class, lines)| {
        let line = move |line: &&str| DiffLine::new(class, None, (*line).to_owned().into());
        lines.iter().map(line)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::html::block::Block;

    #[test]
    fn hunks_and_replacements_are_drawn() {
        let hunks = r#"[{"oldStart":1,"newStart":1,"lines":[" a","-<b>","+\"c\"","\\ No newline"]},{"oldStart":9,"newStart":9,"lines":["+z"]}]"#;
        let (old, new) = ("1\n2\n3\n4\nold\n5", "1\n2\n3\n4\nnew\nand\n5");
        let drawn = [patch(hunks), replacement(old, new)]
            .map(|lines| Block::Diff(lines).to_string())
            .join("\n");
        insta::assert_snapshot!(drawn.replace("<span", "\n<span"));
    }

    #[test]
    fn odd_hunks_break_nothing() {
        let last = r#"[{"oldStart":18446744073709551615,"newStart":18446744073709551615,"lines":["+","-"," "]}]"#;
        for odd in ["[]", "{}", "1", "[1,[],{\"lines\":[1,\"\",\"é\"]}]", last] {
            patch(odd);
        }
    }
}
