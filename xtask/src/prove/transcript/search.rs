//! Search beside `grep` over the same files, without an index and with one.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::Inputs;
use super::claw::Claw;
use super::corpora::Corpus;
use super::runner::{Rounds, Task};
use super::speed::{times, with_table};
use super::usage::described;
use crate::prove::figure::Figure;

/// In no session.
const ABSENT: &str = "Kolatschen";
/// In most of the messages.
const FREQUENT: &str = "return";

const GREP_BAR: f64 = 1.5;
const FIRST_BAR: f64 = 0.3;
const INDEXED_BAR: f64 = 0.1;
const SIZE_BAR: f64 = 0.02;
const MEMORY_BAR: f64 = 64e6;

const GREP_RARE: &str = "grep -c, a rare text";
const GREP_ABSENT: &str = "grep -c, an absent word";
const RARE: &str = "claw, a rare text";
const ABSENT_WORD: &str = "claw, an absent word";
const FIRST: &str = "claw, the first hit of a frequent word";
const MAKING: &str = "claw, a rare text, making the index";
const INDEXED: &str = "claw, a rare text, with the index";
const INDEXED_ABSENT: &str = "claw, an absent word, with the index";

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.largest(inputs.quick)?;
    let claw = match inputs.claw() {
        Ok(claw) => claw,
        Err(error) => {
            let figure = Figure::new("search, against `grep -c` over the same files", "≤ 1.5×");
            return Ok(vec![figure.measured(format!("missing: {error:#}"), false)]);
        }
    };
    let rare = rare_text(corpus)?;
    let private = corpus.source.private();
    let (kept, made) = (private.join("kept"), private.join("made"));
    let find = |name: &str, text: &str| named(name, claw.search(&corpus.source, text));
    let with = |name: &str, text: &str, folder: &Path| {
        let option = format!("--index={}", folder.display());
        find(name, text).args([option])
    };
    let tasks = [
        grep(GREP_RARE, corpus, &rare)?,
        grep(GREP_ABSENT, corpus, ABSENT)?,
        find(RARE, &rare),
        find(ABSENT_WORD, ABSENT),
        find(FIRST, FREQUENT).args(["-n", "1"]),
        with(MAKING, &rare, &made).onto(&made),
        with(INDEXED, &rare, &kept),
        with(INDEXED_ABSENT, ABSENT, &kept),
    ];
    let hits = same_hits(inputs, corpus, claw, &rare, &kept)?;
    let rounds = inputs.runner.rounds(&tasks, inputs.rounds())?;
    let share = size(&kept)? as f64 / corpus.truth.bytes as f64;
    Ok(vec![
        against_grep(&rounds, corpus)?
            .note(described(corpus))
            .note(format!(
                "the rare text is in {hits} messages; grep has one thread, claw two"
            )),
        first(&rounds)?,
        indexed(&rounds, share)?,
        memory(&rounds)?,
    ])
}

fn against_grep(rounds: &Rounds, corpus: &Corpus) -> Result<Figure> {
    let rare = rounds.ratio(RARE, GREP_RARE)?;
    let absent = rounds.ratio(ABSENT_WORD, GREP_ABSENT)?;
    let figure = Figure::new(
        "search without an index, against `grep -c -F` over the same files",
        "≤ 1.5× the time of `grep`",
    )
    .measured(
        format!(
            "{} for a rare text, {} for an absent word",
            times(rare),
            times(absent)
        ),
        rare.median.max(absent.median) <= GREP_BAR,
    );
    with_table(figure, rounds, corpus)
}

fn first(rounds: &Rounds) -> Result<Figure> {
    let wall = rounds.spread(FIRST, |took| took.wall)?;
    Ok(
        Figure::new("first hit without an index", "≤ 0.3 s").measured(
            format!(
                "{:.3} s ({:.3}–{:.3}), program start included",
                wall.median, wall.min, wall.max
            ),
            wall.median <= FIRST_BAR,
        ),
    )
}

fn indexed(rounds: &Rounds, share: f64) -> Result<Figure> {
    let rare = rounds.spread(INDEXED, |took| took.wall)?;
    let absent = rounds.spread(INDEXED_ABSENT, |took| took.wall)?;
    let making = rounds.spread(MAKING, |took| took.wall)?;
    Ok(Figure::new(
        "search for an absent word with an index, all files looked at for changes; its size",
        "≤ 0.1 s, ≤ 2 % of the files, the same hits",
    )
    .measured(
        format!(
            "{:.3} s ({:.3}–{:.3}); {:.2} %; the same",
            absent.median,
            absent.min,
            absent.max,
            share * 100.0
        ),
        absent.median <= INDEXED_BAR && share <= SIZE_BAR,
    )
    .note(format!(
        "{:.3} s for the rare text: all of its words are in most blocks of generated sessions, which \
         have few words, so that the index has nothing to say",
        rare.median
    ))
    .note(format!(
        "the index is made in {:.2} s, with the first search",
        making.median
    )))
}

fn memory(rounds: &Rounds) -> Result<Figure> {
    let (mut shown, mut worst) = (Vec::new(), 0.0_f64);
    for name in [RARE, FIRST, MAKING, INDEXED] {
        let peak = rounds.spread(name, |took| took.peak)?;
        worst = worst.max(peak.max);
        shown.push(format!("{name} {:.1} MB", peak.max / 1e6));
    }
    Ok(Figure::new("peak memory of these searches", "≤ 64 MB each")
        .measured(
            format!("{:.1} MB at most", worst / 1e6),
            worst <= MEMORY_BAR,
        )
        .note(shown.join("; ")))
}

/// Makes the index that is kept, and sees that it changes no answer; how many hits there are.
fn same_hits(
    inputs: &Inputs,
    corpus: &Corpus,
    claw: &Claw,
    rare: &str,
    kept: &Path,
) -> Result<usize> {
    let mut hits = 0;
    for text in [rare, ABSENT, FREQUENT] {
        let plain = claw
            .search(&corpus.source, text)
            .args(["--json", "-n", "2000"]);
        let (plain_out, _) = inputs.runner.output(&plain)?;
        for _ in 0..2 {
            let option = format!("--index={}", kept.display());
            let (out, _) = inputs.runner.output(&plain.clone().args([option]))?;
            ensure!(out == plain_out, "an index changes the hits of {text:?}");
        }
        if text == rare {
            hits = plain_out.split(|byte| *byte == b'\n').count() - 1;
        }
        ensure!(
            (text == ABSENT) == plain_out.is_empty(),
            "{text:?} is not as rare as it should be"
        );
    }
    Ok(hits)
}

/// A title out of the middle of the corpus.
fn rare_text(corpus: &Corpus) -> Result<String> {
    let files = corpus.source.session_files()?;
    let from_the_middle = files.iter().cycle().skip(files.len() / 2).take(files.len());
    for file in from_the_middle {
        let bytes = std::fs::read(file)?;
        let text = String::from_utf8_lossy(&bytes);
        let title = text.split_once("\"aiTitle\":\"").map(|(_, rest)| rest);
        if let Some((title, _)) = title.and_then(|title| title.split_once('"')) {
            return Ok(title.to_owned());
        }
    }
    None.context("no session has a title")
}

/// Counts lines with a text. A file without one makes it exit with 1.
fn grep(name: &str, corpus: &Corpus, text: &str) -> Result<Task> {
    Ok(Task::new(name, "grep", &corpus.source)
        .args(["-c", "-F", "-e", text])
        .args(corpus.source.session_files()?)
        .may_exit_with(&[1]))
}

fn named(name: &str, mut task: Task) -> Task {
    task.name = name.to_owned();
    task
}

/// How many bytes the files of a folder have.
fn size(folder: &Path) -> Result<u64> {
    let files = super::source::files_below(folder)?;
    Ok(files.iter().map(|(_, bytes, _)| bytes).sum())
}
