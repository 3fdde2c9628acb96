//! Search beside `grep` over the same files.

use anyhow::{Context, Result, ensure};

use crate::Inputs;
use crate::claw::Claw;
use crate::corpora::Corpus;
use crate::runner::{Rounds, Task};
use crate::speed::{times, with_table};
use crate::usage::described;
use claw_testkit::figure::Figure;

/// In no session.
const ABSENT: &str = "Kolatschen";
/// In most of the messages.
const FREQUENT: &str = "return";

const GREP_BAR: f64 = 1.5;
const FIRST_BAR: f64 = 0.3;
const MEMORY_BAR: f64 = 64e6;

const GREP_RARE: &str = "grep -c, a rare text";
const GREP_ABSENT: &str = "grep -c, an absent word";
const RARE: &str = "claw, a rare text";
const ABSENT_WORD: &str = "claw, an absent word";
const FIRST: &str = "claw, the first hit of a frequent word";

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.largest(inputs.quick)?;
    let claw = match inputs.claw() {
        Ok(claw) => claw,
        Err(error) => {
            let figure = Figure::new("search, against `grep -c` over the same files", "≤ 1.5×");
            return Ok(vec![figure.measured(format!("missing: {error:#}"), false)]);
        }
    };
    let rare = rare_text(corpus)?;
    let find = |name: &str, text: &str| named(name, claw.search(&corpus.source, text));
    let tasks = [
        grep(GREP_RARE, corpus, &rare)?,
        grep(GREP_ABSENT, corpus, ABSENT)?,
        find(RARE, &rare),
        find(ABSENT_WORD, ABSENT),
        find(FIRST, FREQUENT).args(["-n", "1"]),
    ];
    let hits = count_hits(inputs, corpus, claw, &rare)?;
    let rounds = inputs.runner.rounds(&tasks, inputs.rounds())?;
    Ok(vec![
        against_grep(&rounds, corpus)?
            .note(described(corpus))
            .note(format!(
                "the rare text is in {hits} messages; grep has one thread, claw two"
            )),
        first(&rounds)?,
        memory(&rounds)?,
    ])
}

fn against_grep(rounds: &Rounds, corpus: &Corpus) -> Result<Figure> {
    let rare = rounds.ratio(RARE, GREP_RARE)?;
    let absent = rounds.ratio(ABSENT_WORD, GREP_ABSENT)?;
    let figure = Figure::new(
        "search, against `grep -c -F` over the same files",
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
    Ok(Figure::new("first hit of a search", "≤ 0.3 s").measured(
        format!(
            "{:.3} s ({:.3}–{:.3}), program start included",
            wall.median, wall.min, wall.max
        ),
        wall.median <= FIRST_BAR,
    ))
}

fn memory(rounds: &Rounds) -> Result<Figure> {
    let (mut shown, mut worst) = (Vec::new(), 0.0_f64);
    for name in [RARE, FIRST] {
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

/// Searches for each text once. Returns the number of hits of the rare text.
fn count_hits(inputs: &Inputs, corpus: &Corpus, claw: &Claw, rare: &str) -> Result<usize> {
    let mut hits = 0;
    for text in [rare, ABSENT, FREQUENT] {
        let search = claw
            .search(&corpus.source, text)
            .args(["--json", "-n", "2000"]);
        let (out, _) = inputs.runner.output(&search)?;
        if text == rare {
            hits = out.split(|byte| *byte == b'\n').count() - 1;
        }
        ensure!(
            (text == ABSENT) == out.is_empty(),
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
