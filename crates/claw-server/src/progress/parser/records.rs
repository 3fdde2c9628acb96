//! Programs that report to other programs: an object of JSON or `name=value` pairs in each line.

use serde_json::{Map, Value};

use super::page::Page;
use super::reading::{CLEAR_FORM, ended, update};
use super::runners::Found;
use super::vocabulary::{is_failure, is_over, is_work_verb};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// How many lines are looked at, from the last one on.
const LINES: usize = 200;

/// How many records before the last one may stand still.
const LOOK_BACK: usize = 5;

/// Longer lines are data.
const LONGEST: usize = 2_000;

/// How far something is, as one line has it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Record {
    done: Option<f64>,
    total: Option<f64>,
    percent: Option<f64>,
    /// The line calls itself progress.
    named: bool,
    failed: bool,
}

/// The last record, if lines like it came before or it calls itself progress: an object alone may
/// be anything.
pub(super) fn read(page: &Page<'_>) -> Option<Found> {
    let mut records = page.lines.iter().enumerate().rev().take(LINES);
    let (line, last) = records.find_map(|(at, line)| Some((at, record(line.text)?)))?;
    // What else is printed behind it would say how it went on.
    let behind = page.lines[line + 1..].iter().map(|line| line.text);
    let failed = behind.clone().any(tells_failure);
    let is_last = failed || behind.clone().all(|text| !text.starts_with('{'));
    let mut before = records.filter_map(|(_, line)| record(line.text));
    let moves = before.by_ref().take(LOOK_BACK).any(|before| {
        before.total == last.total
            && before.done.is_some() == last.done.is_some()
            && (before.done < last.done || before.percent < last.percent)
    });
    if !is_last || !(moves || last.named) {
        return None;
    }
    let mut update = last.update();
    if failed {
        update.state = ended(true);
    }
    Some(Found { line, update })
}

/// `{"event":"error","message":"disk full"}`, `level=fatal msg="duplicate key"`
fn tells_failure(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let pairs = match text.starts_with('{') {
        true => json(text),
        false => logfmt(text),
    };
    let fails = |(name, value): &(String, String)| {
        let value = value.to_lowercase();
        let kind = listed!(name, "event type status state kind level severity");
        let mut parts = value.split(['_', '-', '.', ' ']);
        kind && parts.any(|part| is_failure(part) || listed!(part, "error fatal panic"))
    };
    pairs.is_some_and(|pairs| pairs.iter().any(fails))
}

impl Record {
    fn update(&self) -> ProseProgress {
        let counted = self.done.zip(self.total);
        let kind = match counted {
            Some(_) => ProgressKind::Count,
            None => ProgressKind::Percent,
        };
        let mut found = update(kind, CLEAR_FORM);
        (found.done, found.total) = counted.unzip();
        found.percent = self.percent;
        let full = match counted {
            Some((done, total)) => done >= total,
            None => self.percent >= Some(100.0),
        };
        if full || self.failed {
            found.state = ended(self.failed);
        }
        found
    }
}

fn record(text: &str) -> Option<Record> {
    if text.len() > LONGEST || !text.contains(['{', '=']) {
        return None;
    }
    let is_json = text.starts_with('{') && text.ends_with('}');
    let pairs = match is_json {
        true => json(text)?,
        false => logfmt(text)?,
    };
    let mut found = Record {
        done: None,
        total: None,
        percent: None,
        named: false,
        failed: false,
    };
    for (name, value) in &pairs {
        let name = name.to_lowercase();
        let number = || value.parse::<f64>().ok().filter(|n| *n >= 0.0);
        let share = value.strip_suffix('%').and_then(|n| n.parse::<f64>().ok());
        let says = |what: &str| value.split(['_', '-', ' ', '.']).any(|word| word == what);
        let first = name.split(['_', '-', '.']).next().unwrap_or("");
        if listed!(
            &name,
            "event type msg message status state kind phase level"
        ) {
            found.named |= says("progress");
            if let Some((done, total)) = value.split_whitespace().find_map(place) {
                (found.done, found.total) = (Some(done), Some(total));
            }
            found.failed |= is_failure(value) || value.as_str() == "error";
        } else if listed!(first, "progress percent pct percentage") || name.ends_with("_pct") {
            // A share from 0 to 1 and one from 0 to 100 look alike.
            let plain = number().filter(|n| *n > 1.0);
            found.percent = share.or(plain).filter(|n| *n <= 100.0);
            found.named |= share.is_some() && !is_json;
            if let Some((done, total)) = place(value) {
                (found.done, found.total) = (Some(done), Some(total));
                found.named |= !is_json;
            }
        } else if let Some((done, total)) = place(value) {
            // "chunk=3/40": what it is called does not matter if it moves.
            (found.done, found.total) = (Some(done), Some(total));
        } else if listed!(first, "total of") {
            found.total = found.total.or(number());
        } else if listed!(&name, "current done position n i index step")
            || is_work_verb(first)
            || is_over(first)
        {
            found.done = found.done.or(number());
        }
    }
    let counted = found.done.zip(found.total);
    if counted.is_none_or(|(done, total)| done > total || total < 1.0) {
        (found.done, found.total) = (None, None);
    }
    (found.done.is_some() || found.percent.is_some()).then_some(found)
}

/// `3/40`
fn place(value: &str) -> Option<(f64, f64)> {
    let (done, total) = value.split_once('/')?;
    let number = |digits: &str| digits.parse::<u32>().ok().map(f64::from);
    Some((number(done)?, number(total)?))
}

fn json(text: &str) -> Option<Vec<(String, String)>> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let plain = |value: Value| match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let pairs = object.into_iter();
    Some(
        pairs
            .filter_map(|(name, value)| Some((name, plain(value)?)))
            .collect(),
    )
}

/// `level=info msg="reindex" progress=40.1%`
fn logfmt(text: &str) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut words = 0;
    for word in text.split_whitespace() {
        words += 1;
        if let Some((name, value)) = word.split_once('=')
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
        {
            pairs.push((name.to_owned(), value.trim_matches('"').to_owned()));
        }
    }
    // A command line and a setting have such pairs, too, but not only those. What a line says in
    // words has a stamp before it.
    let stamped = text.starts_with(|c: char| c.is_ascii_digit());
    (pairs.len() >= 2 && (stamped || pairs.len() * 2 > words)).then_some(pairs)
}
