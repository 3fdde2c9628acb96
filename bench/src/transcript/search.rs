//! Search beside `grep` over the same files.

use anyhow::{Context, Result, ensure};
use claw_testkit::figure::{Bar, Figure};

use super::claw;
use super::corpora::Corpus;
use super::tasks::{Runs, Task, in_seconds};
use crate::rounds::times;

/// In no session.
const ABSENT: &str = "Kolatschen";
/// In most of the messages.
const FREQUENT: &str = "return";

const GREP_BAR: Bar = Bar::AtMost(1.5);
const FIRST_BAR: Bar = Bar::AtMost(0.3);
const MEMORY_BAR: f64 = 64e6;

const GREP_RARE: &str = "grep -c, a rare text";
const GREP_ABSENT: &str = "grep -c, an absent word";
const CLAW_RARE: &str = "claw, a rare text";
const CLAW_ABSENT: &str = "claw, an absent word";
const FIRST: &str = "claw, the first hit of a frequent word";

pub(super) fn measure() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(1000.0)?;
    let files = corpus.source.files()?;
    let rare = rare_text(&corpus)?;
    let search = |name, text: &str| claw::search(name, &corpus.source, text);
    let hits = |text: &str| {
        let json = ["--json", "-n", "2000"];
        let found = search(claw::NAME, text)?.args(json).printed()?;
        anyhow::Ok(found.iter().filter(|byte| **byte == b'\n').count())
    };
    let [rarely, never, often] = [hits(&rare)?, hits(ABSENT)?, hits(FREQUENT)?];
    let is_rare = rarely > 0 && never == 0 && often > rarely;
    ensure!(is_rare, "{rarely}, {never} and {often} hits");
    let grep = |name, text: &str| {
        let grep = Task::new(name, "grep", &corpus.source).args(["-c", "-F", "-e", text]);
        grep.args(&files).may_exit_with(1)
    };
    let runs = Runs::measure(&[
        grep(GREP_RARE, &rare),
        grep(GREP_ABSENT, ABSENT),
        search(CLAW_RARE, &rare)?,
        search(CLAW_ABSENT, ABSENT)?,
        search(FIRST, FREQUENT)?.args(["-n", "1"]),
    ])?;
    let against_grep = against_grep(&runs)?.note(corpus.described()).note(format!(
        "the rare text is in {rarely} messages; grep has one thread, claw two"
    ));
    let first = runs.walls.spread(FIRST)?;
    let shown = format!("{}, program start included", in_seconds(first));
    let worst = runs.peak(CLAW_RARE)?.max.max(runs.peak(FIRST)?.max);
    Ok(vec![
        runs.with_table(against_grep, corpus.truth.bytes)?,
        Figure::new("first hit of a search", "≤ 0.3 s")
            .judged(shown, first, FIRST_BAR)
            .timed(),
        Figure::new("peak memory of these searches", "≤ 64 MB each").measured(
            format!("{:.1} MB at most", worst / 1e6),
            worst <= MEMORY_BAR,
        ),
    ])
}

fn against_grep(runs: &Runs) -> Result<Figure> {
    let rare = runs.walls.ratio(GREP_RARE, CLAW_RARE)?;
    let absent = runs.walls.ratio(GREP_ABSENT, CLAW_ABSENT)?;
    let is_rare_worst = rare.median > absent.median;
    let worst = if is_rare_worst { rare } else { absent };
    let (rare, absent) = (times(rare), times(absent));
    let shown = format!("{rare} for a rare text, {absent} for an absent word");
    let name = "search, against `grep -c -F` over the same files";
    let figure = Figure::new(name, "≤ 1.5× the time of `grep`");
    Ok(figure.judged(shown, worst, GREP_BAR).timed())
}

/// A title out of the middle of the corpus.
fn rare_text(corpus: &Corpus) -> Result<String> {
    let files = corpus.source.files()?;
    for file in files[files.len() / 2..].iter().chain(&files) {
        let bytes = std::fs::read(file)?;
        let text = String::from_utf8_lossy(&bytes);
        let title = text.split_once("\"aiTitle\":\"").map(|(_, rest)| rest);
        if let Some((title, _)) = title.and_then(|title| title.split_once('"')) {
            return Ok(title.to_owned());
        }
    }
    None.context("no session has a title")
}
