//! Time to count and to check, beside `wc -l` over the same files.

use anyhow::{Result, ensure};

use crate::Inputs;
use crate::claw;
use crate::corpora::Corpus;
use crate::peers::{USAGE_PEERS, spare_the_wait};
use crate::runner::{Rounds, Task};
use crate::usage::described;
use claw_testkit::figure::{Bar, Figure, Spread};

const WC: &str = "wc -l";
const USAGE_BAR: f64 = 2.0;
const PEER_BAR: f64 = 2.0;
const CHECK_BAR: f64 = 7.0;

/// Usage totals: ours, every peer's, and counting lines.
pub(crate) fn usage(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.largest(inputs.quick)?;
    let mut tasks = vec![lines(corpus)?];
    let mut peers = Vec::new();
    if let Some(installed) = inputs.peers()? {
        spare_the_wait(&corpus.source)?;
        for peer in USAGE_PEERS {
            tasks.push((peer.task)(installed, &corpus.source));
            peers.push(peer.name);
        }
    }
    let ours = inputs.claw().map(|program| program.usage(&corpus.source));
    let missing = joined(inputs, ours, &mut tasks).err();
    let rounds = inputs.runner.rounds(&tasks, inputs.rounds())?;
    let lines = against_lines(
        Figure::new(
            "usage totals, warm pages, 2 threads, against `wc -l` over the same files",
            "≤ 2× the time of `wc -l`",
        ),
        &rounds,
        missing.as_deref(),
        USAGE_BAR,
    )?
    .note(described(corpus));
    let mut figures = vec![with_table(lines, &rounds, corpus)?];
    if !peers.is_empty() {
        let fastest = rounds.fastest(&peers)?;
        let figure = Figure::new("usage totals against the fastest peer", "≥ 2× faster");
        figures.push(match missing {
            Some(missing) => figure.measured(missing, false),
            None => {
                let ratio = rounds.ratio(fastest, claw::NAME)?;
                figure.judged(
                    format!("{} the speed of {fastest}", times(ratio)),
                    ratio,
                    Bar::AtLeast(PEER_BAR),
                )
            }
        });
    }
    Ok(figures)
}

/// Full validation, and counting lines.
pub(crate) fn check(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.largest(inputs.quick)?;
    let mut tasks = vec![lines(corpus)?];
    let ours = inputs.claw().map(|program| program.check(&corpus.source));
    let printed = joined(inputs, ours, &mut tasks);
    let mut notes = vec![described(corpus)];
    // A program that reads nothing would be fast, too.
    if let Ok(printed) = &printed {
        let checked = claw::checked(printed)?;
        ensure!(
            (checked.files, checked.lines) == (corpus.truth.files, corpus.truth.lines),
            "{} files and {} lines were checked",
            checked.files,
            checked.lines
        );
        notes.push(format!("found: {}", checked.found));
    }
    let missing = printed.err();
    let rounds = inputs.runner.rounds(&tasks, inputs.rounds())?;
    let mut figure = against_lines(
        Figure::new(
            "full validation, against `wc -l` over the same files",
            "≤ 7× the time of `wc -l`",
        ),
        &rounds,
        missing.as_deref(),
        CHECK_BAR,
    )?;
    figure.notes.extend(notes);
    Ok(vec![with_table(figure, &rounds, corpus)?])
}

/// Counts the lines of the same files.
fn lines(corpus: &Corpus) -> Result<Task> {
    Ok(Task::new(WC, "wc", &corpus.source)
        .args(["-l"])
        .args(corpus.source.session_files()?))
}

/// Adds our task if it works, and otherwise prints the reason, so that the others are still
/// measured.
pub(crate) fn joined(
    inputs: &Inputs,
    ours: Result<Task>,
    tasks: &mut Vec<Task>,
) -> Result<Vec<u8>, String> {
    let tried = ours.and_then(|task| Ok((inputs.runner.output(&task)?.0, task)));
    match tried {
        Ok((printed, task)) => {
            tasks.push(task);
            Ok(printed)
        }
        Err(error) => Err(format!("missing: {error:#}")),
    }
}

fn against_lines(
    figure: Figure,
    rounds: &Rounds,
    missing: Option<&str>,
    bar: f64,
) -> Result<Figure> {
    if let Some(missing) = missing {
        return Ok(figure.measured(missing, false));
    }
    let ratio = rounds.ratio(claw::NAME, WC)?;
    Ok(figure.judged(times(ratio), ratio, Bar::AtMost(bar)))
}

pub(crate) fn with_table(figure: Figure, rounds: &Rounds, corpus: &Corpus) -> Result<Figure> {
    let mut figure = figure;
    // First, because a table right behind a list would be a part of it.
    figure.notes.splice(0..0, rounds.table(corpus.truth.bytes)?);
    Ok(figure)
}

/// A ratio, for people.
pub(crate) fn times(ratio: Spread) -> String {
    format!("{:.2}× ({:.2}–{:.2})", ratio.median, ratio.min, ratio.max)
}
