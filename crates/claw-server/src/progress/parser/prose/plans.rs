//! Lines that tell what will be done.

use super::words;
use crate::progress::parser::counters::counters;
use crate::progress::parser::numbers::Notation;
use crate::progress::parser::tokens::tokens;
use crate::progress::parser::vocabulary::is_steps;
use crate::progress::parser::words::listed;

/// For each line whether it belongs to a plan.
pub(super) fn lines(lines: &[&str], notation: Notation) -> Vec<bool> {
    let mut planned = vec![false; lines.len()];
    let mut under = false;
    for (at, line) in lines.iter().enumerate() {
        if let Some(heading) = heading(line) {
            under = names_plan(heading);
        }
        planned[at] = under;
    }
    mark_rows(lines, &mut planned, notation);
    planned
}

/// The words of a heading: "## Plan", "**Plan**", "Plan:".
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let words = line.trim_start_matches('#');
    let marked = words.len() < line.len();
    let alone = line.len() <= 40 && line.ends_with(':');
    (marked || alone).then(|| words.trim().trim_end_matches(':'))
}

pub(super) fn names_plan(heading: &str) -> bool {
    let low = heading.to_lowercase();
    let mut words = low.split(|c: char| !c.is_alphanumeric());
    low.split_whitespace().count() <= 5
        && words.any(|word| {
            listed!(
            word,
            "plan estimate proposal proposed approach roadmap options option example examples idea
                suggestion vorschlag optionen proposition propuesta"
        )
        })
}

/// "Phase 1 of 3: …", "Phase 2 of 3: …", "Phase 3 of 3: …" one under the other: nobody is at all
/// of them at once.
fn mark_rows(lines: &[&str], planned: &mut [bool], notation: Notation) {
    let mut row: Vec<usize> = Vec::new();
    let mut total = 0.0;
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let short = line.len() <= 400 && line.bytes().any(|b| b.is_ascii_digit());
        let tokens = if short {
            tokens(line, notation)
        } else {
            Vec::new()
        };
        let step = counters(&tokens).into_iter().next().filter(|place| {
            let named = words(&tokens[..place.first]).all(is_steps);
            named && words(&tokens[..place.first]).count() <= 1
        });
        match step {
            Some(step)
                if step.done == row.len() as f64 + 1.0
                    && (row.is_empty() || step.total == total) =>
            {
                total = step.total;
                row.push(at);
            }
            _ => row.clear(),
        }
        if row.len() >= 3 && row.len() as f64 == total {
            for &at in &row {
                planned[at] = true;
            }
        }
    }
}
