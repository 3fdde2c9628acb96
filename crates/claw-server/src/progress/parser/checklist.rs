//! Lists with boxes or ticks.

use super::form::Pattern;
use super::found::Found;
use crate::progress::{ProgressKind, ProgressState};

/// An item of a list, with its box or its sign.
static ITEM: Pattern = Pattern::new(concat!(
    r"^\s*(?:[-*+•] |[0-9]+[.)] )?\s*(?:\[(?P<box>[ xX✓✔~/>!\-])\]|(?P<sign>[☑☒☐✅⬜✔✓◻🔲⏳⏸🔄🚧🟩🟨🟧❌]))\u{fe0f}?\s+",
    r"(?P<words>\S.*)$",
));

/// Words of a list that is not a list of current work: it compares, explains or asks.
static REFUSED: Pattern = Pattern::new(
    r"(?i)\b(?:template|example|syntax|markdown|readme|issue|ticket|pull request|pr|copy|paste|acceptance|criteria|supported|features?|yesterday|last|their|users?|team|would|could|checklist for|before you|file)\b|\?\s*$|^>",
);

/// A list that an agent writes.
pub(super) fn said(lines: &[&str]) -> Option<Found> {
    let last = lines.iter().rposition(|line| ITEM.matches(line))?;
    let above = lines[..=last].iter().rev();
    let length = above
        .take_while(|line| line.trim().is_empty() || ITEM.matches(line))
        .count();
    let first = last + 1 - length;
    let title = lines[..first].iter().rfind(|line| !line.trim().is_empty());
    let is_fenced = lines
        .iter()
        .any(|line| line.trim_start().starts_with("```"));
    let asks = lines.iter().any(|line| line.trim_end().ends_with('?'));
    if is_fenced || asks || title.is_some_and(|title| REFUSED.matches(title)) {
        return None;
    }
    count(lines, first, last)
}

/// A list that a tool prints: only items, below at most one title.
pub(super) fn printed(lines: &[&str]) -> Option<Found> {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let others = filled.filter(|line| !ITEM.matches(line));
    let mut others = others.map(|line| line.trim());
    let title = others.next();
    let is_list = others.next().is_none() && title.is_none_or(|title| title.ends_with(':'));
    is_list.then(|| said(lines)).flatten()
}

fn count(lines: &[&str], first: usize, last: usize) -> Option<Found> {
    let (mut done, mut open, mut boxes) = (0_u32, 0_u32, 0_u32);
    let mut label = None;
    for line in &lines[first..=last] {
        let Some(captures) = ITEM.captures(line) else {
            continue;
        };
        let mark = captures.name("box").or(captures.name("sign"))?.as_str();
        boxes += u32::from(captures.name("box").is_some() || "☑☐☒".contains(mark));
        if mark == "❌" || mark == "!" {
            return None;
        }
        if "xX✓✔☑☒✅🟩".contains(mark) {
            done += 1;
        } else {
            open += 1;
            label = label.or(captures.name("words"));
        }
    }
    let total = done + open;
    // Ticks without a box and without an open item are praise, not progress.
    if total < 2 || (boxes == 0 && open == 0) {
        return None;
    }
    let mut found = Found::new(last, ProgressKind::Checklist, 0.9);
    found.update.done = Some(f64::from(done));
    found.update.total = Some(f64::from(total));
    found.update.label = label.map(|words| words.as_str().trim().to_owned());
    if open == 0 {
        found.update.state = ProgressState::Finished;
    }
    Some(found)
}
