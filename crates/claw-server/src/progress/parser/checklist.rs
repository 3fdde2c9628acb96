//! Lists with boxes or ticks.

use super::reading::{CLEAR_FORM, label, update};
use super::runners::Found;
use crate::progress::{ProgressKind, ProgressState, TextOrigin};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Done,
    Open,
    /// In hand; not done yet.
    Doing,
    Dropped,
    Failed,
}

/// The mark of an item and its words.
fn item(line: &str) -> Option<(Mark, &str)> {
    let text = line
        .trim_start()
        .trim_start_matches(['⎿', '└', '│', '├', '─', ' ']);
    let bullet = text.strip_prefix(['-', '*', '+', '•']).unwrap_or(text);
    let numbered = bullet.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = match numbered.strip_prefix(['.', ')']) {
        Some(rest) if numbered.len() < bullet.len() => rest,
        _ => bullet,
    }
    .trim_start();
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, rest) = rest.split_once(']')?;
        let mark = match inside {
            "x" | "X" | "✓" | "✔" | "✅" => Mark::Done,
            "" | " " | "_" => Mark::Open,
            "~" | "/" | ">" | "." | "…" => Mark::Doing,
            "-" | "—" => Mark::Dropped,
            "!" | "✗" | "✘" => Mark::Failed,
            _ => return None,
        };
        // A box is followed by words, a link by its address.
        return rest.starts_with([' ', '\t']).then(|| (mark, rest.trim()));
    }
    let first = text.chars().next()?;
    // "3. Write the query ⏳"
    let listed = text.len() < line.trim_start().len();
    let last = text.trim_end_matches(['\u{fe0f}', ' ']).chars().next_back();
    if let Some(mark) = last
        .and_then(glyph)
        .filter(|_| listed && glyph(first).is_none())
    {
        return Some((mark, text));
    }
    let mark = glyph(first)?;
    let rest = text[first.len_utf8()..].trim_start_matches('\u{fe0f}');
    let has_words = rest.chars().any(char::is_alphabetic);
    has_words.then(|| (mark, rest.trim()))
}

fn glyph(c: char) -> Option<Mark> {
    Some(match c {
        '✅' | '🟩' | '🟢' | '☑' | '☒' | '✔' | '✓' | '🗹' => Mark::Done,
        '⬜' | '☐' | '◻' | '◽' | '□' | '▢' | '🔲' | '○' | '◯' | '⬛' => {
            Mark::Open
        }
        '⏳' | '⏸' | '🟨' | '🟧' | '🔄' | '⌛' | '🚧' | '◐' | '◑' | '▶' | '🔃' | '⏵' | '■'
        | '◼' | '🟡' => Mark::Doing,
        '⏭' | '🚫' | '➖' => Mark::Dropped,
        '❌' | '🟥' | '🔴' | '✗' | '✘' => Mark::Failed,
        _ => return None,
    })
}

/// A row of a table with the state of one task: exactly one of its cells is a mark or the word
/// for one. Where there are more, things are compared.
fn row(line: &str) -> Option<(Mark, &str)> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut marks = inside.split('|').filter_map(cell_mark);
    let mark = marks.next().filter(|_| marks.next().is_none())?;
    let named = |cell: &&str| cell_mark(cell).is_none() && cell.chars().any(char::is_alphabetic);
    Some((mark, inside.split('|').find(named)?.trim()))
}

fn cell_mark(cell: &str) -> Option<Mark> {
    let cell = cell.trim();
    let first = cell.chars().next()?;
    let words = cell[first.len_utf8()..].trim_start_matches('\u{fe0f}');
    let last = cell.trim_end_matches('\u{fe0f}').chars().next_back();
    let mark = glyph(first).or_else(|| glyph(last?));
    if let Some(mark) = mark.filter(|_| words.len() <= 30) {
        return Some(mark);
    }
    match cell.to_lowercase().as_str() {
        "done" | "complete" | "completed" | "finished" | "[x]" | "x" | "fertig" | "erledigt" => {
            Some(Mark::Done)
        }
        "todo" | "to do" | "open" | "pending" | "not started" | "[ ]" | "offen" => Some(Mark::Open),
        "in progress" | "wip" | "doing" | "running" | "in arbeit" => Some(Mark::Doing),
        "skipped" | "dropped" | "n/a" => Some(Mark::Dropped),
        "failed" => Some(Mark::Failed),
        _ => None,
    }
}

/// The marks of a table whose header says that a column holds the state of each row.
fn table(lines: &[&str]) -> Option<Found> {
    let last = lines.iter().rposition(|line| row(line).is_some())?;
    let first = last + 1
        - lines[..=last]
            .iter()
            .rev()
            .take_while(|line| row(line).is_some())
            .count();
    let header = lines[..first]
        .iter()
        .rev()
        .take(2)
        .find(|line| line.chars().any(char::is_alphabetic))?;
    let low = header.to_lowercase();
    let names = low.trim().strip_prefix('|')?.strip_suffix('|')?.split('|');
    let at = lines[last]
        .trim()
        .trim_matches('|')
        .split('|')
        .position(|cell| cell_mark(cell).is_some());
    // Over the marks stands a word for states, or nothing.
    let of_state = names.map(str::trim).nth(at?).is_some_and(|name| {
        matches!(
            name,
            "" | "result"
                | "outcome"
                | "ergebnis"
                | "status"
                | "state"
                | "done"
                | "done?"
                | "progress"
                | "stand"
                | "erledigt"
                | "état"
                | "estado"
                | "stato"
                | "✓"
                | "✅"
        )
    });
    let items: Vec<_> = lines[first..=last]
        .iter()
        .filter_map(|line| row(line))
        .collect();
    let own = is_own(lines, first, last, TextOrigin::Prose);
    (of_state && own && items.len() >= 2).then(|| counted(&items, last))
}

/// The last list of a text. In the output of a tool a list may be a file that is shown, so there
/// it must be the whole text or say what it is.
pub(super) fn read(lines: &[&str], origin: TextOrigin) -> Option<Found> {
    let table = (origin == TextOrigin::Prose)
        .then(|| table(lines))
        .flatten();
    let list = list(lines, origin);
    match (&table, &list) {
        (Some(rows), Some(items)) if rows.line > items.line => table,
        (_, Some(_)) => list,
        _ => table,
    }
}

fn list(lines: &[&str], origin: TextOrigin) -> Option<Found> {
    let last = lines.iter().rposition(|line| item(line).is_some())?;
    let mut items = Vec::new();
    let mut first = last;
    let mut blanks = 0;
    for at in (0..=last).rev() {
        match item(lines[at]) {
            Some(found) => {
                items.push(found);
                first = at;
                blanks = 0;
            }
            None if lines[at].trim().is_empty() && blanks < 1 => blanks += 1,
            // An item may run over several lines; its rest is indented.
            None if lines[at].starts_with("  ") && blanks == 0 => {}
            None => break,
        }
    }
    items.reverse();
    // Nothing is begun, and the text ends with a question: a proposal.
    let asks = lines
        .iter()
        .rfind(|line| !line.trim().is_empty())
        .is_some_and(|line| line.trim_end().ends_with('?'));
    if asks && items.iter().all(|(mark, _)| *mark == Mark::Open) {
        return None;
    }
    if items.len() < 2
        || !is_own(lines, first, last, origin)
        || mixed(&items, &lines[first..=last], origin)
    {
        return None;
    }
    Some(counted(&items, last))
}

/// The update of a list that ends on the line.
fn counted(items: &[(Mark, &str)], line: usize) -> Found {
    let count = |mark: Mark| items.iter().filter(|(found, _)| *found == mark).count();
    let done = count(Mark::Done);
    let open = count(Mark::Open) + count(Mark::Doing);
    let failed = count(Mark::Failed);
    let mut found = update(ProgressKind::Checklist, CLEAR_FORM);
    found.done = Some(done as f64);
    found.total = Some(items.len() as f64);
    found.state = match (open, failed) {
        (0, 0) => ProgressState::Finished,
        (0, _) => ProgressState::Failed,
        _ => ProgressState::Running,
    };
    let next = items.iter().find(|(mark, _)| *mark == Mark::Doing);
    let next = next.or_else(|| items.iter().find(|(mark, _)| *mark == Mark::Open));
    found.label = next.and_then(|(_, words)| label(words));
    Found {
        line,
        update: found,
    }
}

/// Ticks alone are a list of good things, not a list of work; and the ticks of a test runner are
/// verdicts. A list of work has boxes, or something that is still open.
fn mixed(items: &[(Mark, &str)], lines: &[&str], origin: TextOrigin) -> bool {
    let boxes = lines
        .iter()
        .any(|line| line.contains('[') || line.contains(['☑', '☒', '☐', '⬜', '◻', '□']));
    let open = items
        .iter()
        .any(|(mark, _)| matches!(mark, Mark::Open | Mark::Doing));
    let only_verdicts = !boxes && !open;
    only_verdicts
        && (origin == TextOrigin::ToolOutput
            || items.iter().all(|(mark, _)| *mark != Mark::Done)
            || items.len() < 2
            || lines.iter().all(|line| !line.contains(['✅', '✓', '✔'])))
}

/// Words over a list that say whose it is.
fn is_own(lines: &[&str], first: usize, last: usize, origin: TextOrigin) -> bool {
    let before = lines[..first]
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty() && !line.trim().starts_with('|'));
    let heading = before
        .map(|line| format!(" {} ", line.to_lowercase()))
        .unwrap_or_default();
    let says = |words: &[&str]| words.iter().any(|word| heading.contains(word));
    match origin {
        TextOrigin::ToolOutput => {
            let plain_heading = !heading.trim_start().starts_with('#')
                && says(&[
                    "todo",
                    "tasks",
                    "task list",
                    "plan",
                    "progress",
                    "checklist",
                    "aufgaben",
                    "tâches",
                    "tareas",
                ]);
            // A list of the agent's tools has no bullets of Markdown.
            let glyphs = lines[first..=last].iter().all(|line| {
                line.trim().is_empty()
                    || line.contains(['☑', '☒', '☐', '◻', '◼', '✔', '⬜', '✅', '□', '■', '◐'])
            });
            let rest_is_empty = lines[last + 1..].iter().all(|line| line.trim().is_empty());
            rest_is_empty
                && ((before.is_none() && glyphs)
                    || plain_heading
                    || (glyphs
                        && !heading.trim_start().starts_with('#')
                        && heading.trim_end().ends_with(':')))
        }
        TextOrigin::Prose => {
            let elsewhere = says(&[
                "template",
                "i'd ",
                "i would",
                "in case you",
                "if you",
                "proposal",
                "proposed",
                "example",
                "for instance",
                "e.g.",
                "you can",
                "you could",
                "you should",
                "please",
                "looks like",
                "renders",
                "syntax",
                "support",
                "platform",
                "compatib",
                "requirements",
                "benefits",
                "advantages",
                "roadmap",
                " pros ",
                " cons ",
                "compar",
                "yesterday",
                "last week",
                "last session",
                "previous session",
                "changelog",
                "contributing",
                "acceptance criteria",
                "the team",
                " he ",
                " she ",
                " their ",
                "todo.md",
                "beispiel",
                "vorlage",
                "exemple",
                "ejemplo",
            ]);
            let asked = heading.trim_end().ends_with('?');
            // A document that has a list, unless the list is about the document.
            let document = says(&[
                "readme",
                "docs",
                "issue",
                "pull request",
                " pr ",
                "the file",
                "ticket",
                "guide",
                ".md",
            ]) && says(&[
                " has", " have", "contain", "says", "lists", "shows", "there ", "in the",
                "from the", "reads",
            ]);
            !elsewhere && !document && !asked
        }
    }
}
