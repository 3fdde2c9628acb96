//! Counting, checking, exporting and listing.

use std::path::Path;

use anyhow::{Result, ensure};
use claw_testkit::figure::{Bar, Figure, quick};
use serde_json::Value;

use super::claw;
use super::corpora::Corpus;
use super::tasks::{Runs, Task, in_seconds};
use crate::rounds::times;

const WC: &str = "wc -l";
const USAGE_BAR: Bar = Bar::AtMost(2.0);
const CHECK_BAR: Bar = Bar::AtMost(7.0);
/// MB/s: ten times what the best other tool did when the bar was set.
const HTML_BAR: f64 = 150.0;
const LIST_BAR: Bar = Bar::AtMost(0.3);
const LIST_MEMORY_BAR: f64 = 60e6;

/// Usage totals beside counting lines.
pub(super) fn usage() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(1000.0)?;
    let usage = claw::usage(&corpus.source)?;
    let counted = &usage.json::<Value>()?["total"]["messages"];
    let is_right = *counted == corpus.truth.unique_messages;
    ensure!(is_right, "{counted} messages are counted");
    let figure = Figure::new(
        "usage totals, warm pages, 2 threads, against `wc -l` over the same files",
        "≤ 2× the time of `wc -l`",
    );
    against_lines(figure, USAGE_BAR, usage, &corpus)
}

/// Full validation beside counting lines.
pub(super) fn check() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(1000.0)?;
    let check = claw::check(&corpus.source)?;
    // A program that reads nothing would be fast, too.
    let checked: Value = check.json()?;
    let read = [&checked["filesChecked"], &checked["linesChecked"]];
    let all = [corpus.truth.files, corpus.truth.lines].map(Some);
    let is_all = read.map(Value::as_u64) == all;
    ensure!(is_all, "{read:?} files and lines were checked");
    let figure = Figure::new(
        "full validation, against `wc -l` over the same files",
        "≤ 7× the time of `wc -l`",
    );
    let figure = figure.note(format!("found: {}", checked["total"]));
    against_lines(figure, CHECK_BAR, check, &corpus)
}

fn against_lines(figure: Figure, bar: Bar, ours: Task<'_>, corpus: &Corpus) -> Result<Vec<Figure>> {
    let lines = Task::new(WC, "wc", &corpus.source).args(["-l"]);
    let runs = Runs::measure(&[lines.args(corpus.source.files()?), ours])?;
    let ratio = runs.walls.ratio(WC, claw::NAME)?;
    let figure = figure
        .judged(times(ratio), ratio, bar)
        .timed()
        .note(corpus.described());
    Ok(vec![runs.with_table(figure, corpus.truth.bytes)?])
}

/// Everything as HTML.
pub(super) fn html() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(200.0)?;
    let folder = tempfile::tempdir()?;
    let html = claw::html(&corpus.source, &folder.path().join("html"))?;
    let runs = Runs::measure(&[html])?;
    let pages = pages_in(folder.path())?;
    let is_all = pages >= corpus.truth.main_files;
    ensure!(is_all, "{pages} pages are written");
    let bytes = corpus.truth.bytes;
    let megabytes = bytes as f64 / 1e6;
    let wall = runs.walls.spread(claw::NAME)?;
    let shown = format!("{:.0} MB/s", megabytes / wall.median);
    let bar = Bar::AtMost(megabytes / HTML_BAR);
    let figure = Figure::new("HTML export of everything", "≥ 150 MB/s");
    let figure = figure.judged(shown, wall, bar).timed();
    Ok(vec![runs.with_table(figure, bytes)?])
}

fn pages_in(folder: &Path) -> Result<u64> {
    let mut pages = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        pages += if path.is_dir() {
            pages_in(&path)?
        } else {
            u64::from(path.extension().is_some_and(|ending| ending == "html"))
        };
    }
    Ok(pages)
}

/// A list of ten thousand sessions.
pub(super) fn list() -> Result<Vec<Figure>> {
    let sessions = if quick() { 100 } else { 10_000 };
    let corpus = Corpus::of_sessions(sessions)?;
    let list = claw::list(&corpus.source)?;
    let listed: Vec<Value> = list.json()?;
    let (count, written) = (listed.len() as u64, corpus.truth.main_files);
    let is_all = count == sessions && written == sessions;
    ensure!(is_all, "{count} of {written} sessions are listed");
    let runs = Runs::measure(&[list])?;
    let (wall, peak) = (runs.walls.spread(claw::NAME)?, runs.peak(claw::NAME)?);
    let (time, megabytes) = (in_seconds(wall), peak.max / 1e6);
    let shown = format!("{sessions} sessions in {time}, {megabytes:.1} MB");
    let mut figure = Figure::new("list of 10,000 sessions", "≤ 0.3 s, ≤ 60 MB");
    figure = figure.judged(shown, wall, LIST_BAR).timed();
    figure.passed &= peak.max <= LIST_MEMORY_BAR;
    let figure = figure.note(corpus.described());
    Ok(vec![runs.with_table(figure, corpus.truth.bytes)?])
}
