//! Tables whose columns are named after verdicts: the last row is the whole.

use super::Found;
use super::vocabulary::{Class, class};
use crate::progress::ProseProgress;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::verdict;

/// The fewest columns of such a table.
const FEWEST: usize = 3;

/// `Test Summary: | Pass  Fail  Total` and rows of numbers under it.
pub(super) fn table(page: &Page<'_>) -> Option<Found> {
    let head = page.lines.iter().rposition(|line| columns(line).is_some());
    let columns = match head {
        Some(head) => columns(&page.lines[head])?,
        // The head may be cut away; the order is Cypress's.
        None => vec![
            Class::Whole,
            Class::Passed,
            Class::Failed,
            Class::Skipped,
            Class::Skipped,
        ],
    };
    let from = head.map_or(0, |head| head + 1);
    let rows = page.lines.iter().enumerate().skip(from).rev();
    let (at, update) = rows
        .map(|(at, line)| (at, row(line, &columns, head.is_none())))
        .find(|(_, row)| row.is_some())?;
    Some(Found::new(at, update?))
}

/// What the columns of a head are, when it is nothing but names of verdicts behind its title.
fn columns(line: &PageLine<'_>) -> Option<Vec<Class>> {
    let mut columns = Vec::new();
    let words = line
        .text
        .split(|c: char| c.is_whitespace() || c == '|' || c == '│');
    for word in words.filter(|word| !word.is_empty()) {
        let class = match word.trim_end_matches(':').to_lowercase().as_str() {
            "tests" | "specs" => Class::Whole,
            word => class(word),
        };
        match class {
            Class::Passed | Class::Failed | Class::Skipped | Class::Whole => columns.push(class),
            // The title stands in front, the time behind.
            _ if columns.is_empty() => {}
            _ if word.eq_ignore_ascii_case("time") => columns.push(Class::Filler),
            _ => return None,
        }
    }
    let has = |class: Class| columns.contains(&class);
    let sure = has(Class::Whole) && has(Class::Passed);
    let bare = !line.text.contains(|c: char| c.is_ascii_digit());
    (columns.len() >= FEWEST && sure && bare).then_some(columns)
}

/// The numbers at the end of a row, one for each column.
fn row(line: &PageLine<'_>, columns: &[Class], headless: bool) -> Option<ProseProgress> {
    let text = line.text.trim_end_matches(['│', '|', ' ']);
    let cells: Vec<&str> = text.split_whitespace().rev().take(columns.len()).collect();
    // Without a head, only the row that says it is the last one.
    let before = text.split_whitespace().rev().nth(columns.len());
    let sums = before.is_some_and(|cell| cell.len() == 5 && cell.contains(':'))
        && (text.contains("specs passed") || text.contains(" failed ("));
    if cells.len() < columns.len() || (headless && !sums) {
        return None;
    }
    let (mut total, mut failed) = (None, false);
    for (column, cell) in columns.iter().rev().zip(cells) {
        let number = match cell {
            "-" => Some(0.0),
            cell => cell.parse::<u32>().ok().map(f64::from),
        };
        match column {
            Class::Filler => {}
            Class::Whole => total = Some(number?),
            Class::Failed => failed |= number? > 0.0,
            _ => {
                number?;
            }
        }
    }
    total.map(|total| verdict(total, failed))
}
