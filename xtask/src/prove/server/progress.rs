//! Progress read from texts, against labels by others than the reader's author.

use anyhow::Result;
use claw_server::progress::TextOrigin;

use super::Inputs;
use super::progress_score::{Score, Split, score};
use crate::prove::figure::Figure;

const PRECISION_BAR: f64 = 0.97;
const RECALL_BAR: f64 = 0.9;
/// Of both halves and both sources together.
const TEXTS: usize = 120;

/// Texts with labels, half of them held out.
struct Set {
    file: &'static str,
    /// Behind the name of a figure.
    which: &'static str,
}

const SETS: [Set; 3] = [
    Set {
        file: "texts.jsonl",
        which: "",
    },
    // Somebody who knew neither the reader nor the first set wrote it when the reader was there.
    Set {
        file: "fresh_texts.jsonl",
        which: ", second set",
    },
    // Two others wrote it while the reader was made again; all of it is held out.
    Set {
        file: "sealed_texts.jsonl",
        which: ", third set",
    },
];

const SOURCES: [(TextOrigin, &str); 2] = [
    (TextOrigin::Prose, "what an agent says"),
    (TextOrigin::ToolOutput, "what tools print"),
];

/// A quick run judges the half that may be looked at: a half that every run of CI measures is not
/// held out for long.
pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let folder = inputs.root.join("testdata/server/progress");
    let mut figures = Vec::new();
    for set in SETS {
        let file = folder.join(set.file);
        let of = |split, source| score(&file, split, source);
        let mut texts = 0;
        let mut sources = Vec::new();
        for (source, of_what) in SOURCES {
            let (held_out, dev) = (of(Split::HeldOut, source)?, of(Split::Dev, source)?);
            texts += held_out.texts + dev.texts;
            let name = format!("progress read from {of_what}");
            sources.push((name, held_out, dev));
        }
        for (name, held_out, dev) in sources {
            let which = set.which;
            if inputs.quick && dev.texts == 0 {
                continue;
            }
            figures.push(if inputs.quick {
                seen(
                    format!("{name}{which}, the half that may be looked at"),
                    dev,
                )
            } else {
                figure(
                    format!("{name}{which}, held-out half"),
                    &held_out,
                    dev,
                    texts,
                )
            });
        }
    }
    Ok(figures)
}

fn figure(name: String, held_out: &Score, dev: Score, texts: usize) -> Figure {
    let passed = held_out.precision() >= PRECISION_BAR
        && held_out.recall() >= RECALL_BAR
        && texts >= TEXTS
        && held_out.without_progress * 5 >= held_out.texts * 2;
    let figure = Figure::new(
        name,
        "precision ≥ 0.97, recall ≥ 0.9; ≥ 120 texts in all, ≥ 40 % without progress",
    )
    .measured(told(held_out), passed);
    if dev.texts == 0 {
        return figure.note("nobody who wrote the reader saw a line of this set");
    }
    figure
        .note(format!(
            "the half that was looked at while the reader was written: {}",
            told(&dev)
        ))
        .list("read wrongly in that half", dev.misses)
}

fn seen(name: String, score: Score) -> Figure {
    let passed = score.precision() >= PRECISION_BAR && score.recall() >= RECALL_BAR;
    Figure::new(name, "precision ≥ 0.97, recall ≥ 0.9")
        .measured(told(&score), passed)
        .note("the held-out half is measured in a whole run only")
        .list("read wrongly", score.misses)
}

fn told(score: &Score) -> String {
    format!(
        "precision {:.3}, recall {:.3} ({} right, {} wrong, {} missed of {} texts, {} without progress)",
        score.precision(),
        score.recall(),
        score.right,
        score.wrong,
        score.missed,
        score.texts,
        score.without_progress
    )
}
