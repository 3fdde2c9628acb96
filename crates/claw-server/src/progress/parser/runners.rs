//! The counters and summaries of test runners.
//!
//! Most runners say the same things in words of their own: how many tests they start (`course`),
//! what became of each (`marks`), and how many passed and failed at the end (`rows`, `closing`,
//! `tables`). A few have forms that must be known by name. Each reader looks for the last thing
//! that was said and tells on which line that ends; the one that ends last is what the text
//! reports.

mod closing;
mod closings;
mod course;
mod go;
mod javascript;
mod jvm;
mod marks;
mod python;
mod rows;
mod tables;
mod tally;
mod tap;
mod vocabulary;

pub(super) use closing::said;
pub(super) use course::judged;
pub(super) use tally::Tally;

use super::page::Page;
use crate::progress::{ProgressState, ProseProgress};

/// An update and the last line that it was read from.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) update: ProseProgress,
}

impl Found {
    fn new(line: usize, update: ProseProgress) -> Self {
        Self { line, update }
    }
}

type Reader = fn(&Page<'_>) -> Option<Found>;

/// Where two end on the same line, the earlier one of this list is right.
const READERS: &[Reader] = &[
    python::pytest,
    javascript::jest,
    javascript::karma,
    javascript::webdriverio,
    jvm::surefire,
    go::go,
    closings::boost,
    closings::check,
    closings::dart,
    tables::table,
    closing::closing,
    tap::tap,
    course::dotted,
    course::marked,
    course::counted,
    course::begun,
    closings::judged_share,
];

/// The last thing that a test runner said.
pub(super) fn read(page: &Page<'_>) -> Option<Found> {
    let mut last: Option<Found> = None;
    for found in READERS.iter().filter_map(|reader| reader(page)) {
        // Nothing ran, and nothing kept it from running.
        if found.update.total == Some(0.0) && found.update.state != ProgressState::Failed {
            continue;
        }
        let later = |last: &Found| found.line > last.line && !repeats(last, &found);
        if last.as_ref().is_none_or(later) {
            last = Some(found);
        }
    }
    last
}

/// Behind its summary a runner shows again which tests failed: "(4/164) torn_write".
pub(super) fn repeats(last: &Found, found: &Found) -> bool {
    let over = last.update.state != ProgressState::Running;
    over && found.update.total == last.update.total && found.update.done < last.update.done
}
