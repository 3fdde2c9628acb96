//! The Test Anything Protocol.

use super::Found;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{ended, label, tests_running};

/// `1..12`
fn plan_of(line: &PageLine<'_>) -> Option<f64> {
    let rest = line.text.strip_prefix("1..").filter(|_| line.indent == 0)?;
    let number = rest.split(' ').next()?;
    number
        .parse::<u32>()
        .ok()
        .map(f64::from)
        .filter(|&n| n > 0.0)
}

/// The number and the name of a verdict, and whether it is a failure.
fn verdict_of<'a>(line: &PageLine<'a>) -> Option<(&'a str, bool)> {
    if line.indent > 0 {
        return None;
    }
    let (rest, bad) = match line.text.strip_prefix("not ok ") {
        Some(rest) => (rest, true),
        None => (line.text.strip_prefix("ok ")?, false),
    };
    let number = rest.split([' ', '\t']).next()?;
    number.parse::<u32>().ok()?;
    let excused = rest.contains("# TODO") || rest.contains("# SKIP") || rest.contains("# skip");
    let name = rest[number.len()..].trim_start_matches([' ', '-']);
    Some((name, bad && !excused))
}

pub(super) fn tap(page: &Page<'_>) -> Option<Found> {
    let (plan, total) = page.last(plan_of)?;
    let verdicts: Vec<(usize, (&str, bool))> = page
        .read()
        .filter_map(|(at, line)| Some((at, verdict_of(line)?)))
        .filter(|(at, _)| page.unbroken(*at, page.lines.len().saturating_sub(1)) || *at > plan)
        .collect();
    let last = verdicts.last().map_or(plan, |(at, _)| (*at).max(plan));
    let failed = verdicts.iter().any(|(_, (_, bad))| *bad);
    let bailed = page.last(|line| line.text.starts_with("Bail out!").then_some(()));
    let done = verdicts.len() as f64;
    let mut update = tests_running(Some(done), Some(total.max(done)));
    if let Some((at, ())) = bailed {
        update.state = ended(true);
        return Some(Found::new(at.max(last), update));
    }
    if done >= total {
        update.state = ended(failed);
    } else {
        update.label = verdicts.last().and_then(|(_, (name, _))| label(name));
    }
    // The numbers that some runners add at the end say the same.
    let end = page
        .lines
        .iter()
        .rposition(|line| line.text.starts_with("# ") && done > 0.0)
        .unwrap_or(0);
    Some(Found::new(last.max(end), update))
}
