//! The counters and summaries of test runners.
//!
//! Each reader looks for the last thing its runner said and tells on which line that ends. The
//! one that ends last is what the text reports.

mod closings;
mod javascript;
mod jvm;
mod native;
mod python;
mod rust;
mod summaries;
mod tally;
mod tap;

pub(super) use tally::Tally;

use super::page::Page;
use crate::progress::ProseProgress;

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
    rust::nextest,
    rust::cargo,
    python::pytest,
    python::unittest,
    javascript::jest,
    javascript::vitest,
    javascript::playwright,
    javascript::mocha,
    javascript::bun,
    javascript::node,
    javascript::karma,
    javascript::cypress,
    tap::tap,
    jvm::surefire,
    jvm::gradle,
    jvm::junit_console,
    native::ctest,
    native::googletest,
    native::go,
    native::meson,
    native::xctest,
    closings::quickcheck,
    closings::boost,
    closings::check,
    closings::zig,
    closings::julia,
    closings::clojure,
    closings::elm,
    closings::lit,
    summaries::dart,
    summaries::phpunit,
    summaries::bazel,
    summaries::ava,
    summaries::by_name,
    summaries::any,
];

/// The last thing that a test runner said.
pub(super) fn read(page: &Page<'_>) -> Option<Found> {
    let mut last: Option<Found> = None;
    for found in READERS.iter().filter_map(|reader| reader(page)) {
        // Nothing ran.
        if found.update.total == Some(0.0) {
            continue;
        }
        if last.as_ref().is_none_or(|last| found.line > last.line) {
            last = Some(found);
        }
    }
    last
}
