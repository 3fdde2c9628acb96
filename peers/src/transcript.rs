//! Session files: other tools that count tokens and write HTML, beside `claw`.

mod tools;

use anyhow::Result;
use claw_bench::Group;
use claw_bench::rounds::times;
use claw_bench::transcript::claw;
use claw_bench::transcript::corpora::{Corpus, Source};
use claw_bench::transcript::tasks::Runs;
use claw_testkit::corpus::traps;
use claw_testkit::figure::{Bar, Figure};

use self::tools::{HTML, TOOLS, Totals};

/// Groups of figures.
pub(crate) const GROUPS: &[Group] = &[
    ("traps-peers", right_traps),
    ("truth-peers", totals),
    ("usage-peers", usage_speed),
    ("html-peers", html_speed),
];

const USAGE_BAR: Bar = Bar::AtLeast(2.0);
const HTML_BAR: Bar = Bar::AtLeast(10.0);
const PRICES: &str = "claude-transcript does not price, so only its tokens are judged";

/// How many of the thirty traps each tool counts right.
fn right_traps() -> Result<Vec<Figure>> {
    let mut figure = Figure::new(
        "traps right, by other tools: tokens, and cost within 0.01 %",
        "no bar",
    )
    .note(PRICES);
    let mut scores = Vec::new();
    for tool in TOOLS {
        // Otherwise a tool that is missing would be wrong about every trap.
        tools::installed()?;
        // Written for each tool: one of them may change a file.
        let folder = tempfile::tempdir()?;
        let traps = traps::write_all(folder.path())?;
        let mut wrong = Vec::new();
        for trap in &traps {
            let source = Source::at(folder.path().join(trap.name))?;
            // A tool that fails on a trap is wrong about it; the others are still to come.
            let differences = match tool.totals(&source) {
                Ok(totals) => totals.differences(&Totals::of_trap(trap)),
                Err(error) => format!("{error:#}"),
            };
            if !differences.is_empty() {
                wrong.push(format!("{}: {differences}", trap.name));
            }
        }
        let right = traps.len() - wrong.len();
        scores.push(format!("{} {right} of {}", tool.name, traps.len()));
        figure = figure.list(&format!("{} is wrong", tool.name), wrong);
    }
    Ok(vec![figure.measured(scores.join(", "), true)])
}

/// What each tool counts in a large corpus.
fn totals() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(1000.0)?;
    let truth = Totals::of_corpus(&corpus.truth);
    let mut figure = Figure::new(
        "tokens and cost of a corpus against the truth, by other tools",
        "no bar",
    )
    .note(corpus.described())
    .note(PRICES);
    let mut exact = 0;
    for tool in TOOLS {
        let found = tool.totals(&corpus.source)?.differences(&truth);
        exact += usize::from(found.is_empty());
        figure = figure.note(format!("{}: {found}", tool.name));
    }
    let shown = format!("{exact} of {} are exact", TOOLS.len());
    Ok(vec![figure.measured(shown, true)])
}

/// Usage totals: ours and every tool's.
fn usage_speed() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(1000.0)?;
    let mut tasks = vec![claw::usage(&corpus.source)?];
    for tool in TOOLS {
        tasks.push(tool.task(&corpus.source)?);
    }
    let runs = Runs::measure(&tasks)?;
    let mut fastest = (f64::INFINITY, "");
    for tool in TOOLS {
        let median = runs.walls.spread(tool.name)?.median;
        if median < fastest.0 {
            fastest = (median, tool.name);
        }
    }
    let figure = Figure::new("usage totals against the fastest peer", "≥ 2× faster");
    Ok(vec![judged(figure, &runs, fastest.1, USAGE_BAR, &corpus)?])
}

/// Everything as HTML: ours and that of another tool.
fn html_speed() -> Result<Vec<Figure>> {
    let corpus = Corpus::of_megabytes(200.0)?;
    let folder = tempfile::tempdir()?;
    let runs = Runs::measure(&[
        tools::html(&corpus.source, &folder.path().join("theirs"))?,
        claw::html(&corpus.source, &folder.path().join("ours"))?,
    ])?;
    let figure = Figure::new(
        "HTML export of everything, against the fastest peer",
        "≥ 10× its MB/s",
    );
    Ok(vec![judged(figure, &runs, HTML, HTML_BAR, &corpus)?])
}

fn judged(figure: Figure, runs: &Runs, peer: &str, bar: Bar, corpus: &Corpus) -> Result<Figure> {
    let ratio = runs.walls.ratio(claw::NAME, peer)?;
    let shown = format!("{} the speed of {peer}", times(ratio));
    let figure = figure.judged(shown, ratio, bar).note(corpus.described());
    runs.with_table(figure, corpus.truth.bytes)
}
