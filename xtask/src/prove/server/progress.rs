//! Progress read from texts, against labels that are older than the reader.

use anyhow::Result;
use claw_server::progress::TextOrigin;

use super::Inputs;
use super::progress_score::{Score, Split, score};
use crate::prove::figure::Figure;

const PRECISION_BAR: f64 = 0.97;
const RECALL_BAR: f64 = 0.9;
/// Of both halves and both sources together.
const TEXTS: usize = 120;

/// A quick run judges the half that may be looked at: a half that every run of CI measures is not
/// held out for long.
pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let testdata = inputs.root.join("testdata");
    let of = |split, source| score(&testdata, split, source);
    if inputs.quick {
        let prose = of(Split::Dev, TextOrigin::Prose)?;
        let printed = of(Split::Dev, TextOrigin::ToolOutput)?;
        return Ok(vec![
            seen(
                "progress read from what an agent says, the half that may be looked at",
                prose,
            ),
            seen(
                "progress read from what tools print, the half that may be looked at",
                printed,
            ),
        ]);
    }
    let prose = (
        of(Split::HeldOut, TextOrigin::Prose)?,
        of(Split::Dev, TextOrigin::Prose)?,
    );
    let printed = (
        of(Split::HeldOut, TextOrigin::ToolOutput)?,
        of(Split::Dev, TextOrigin::ToolOutput)?,
    );
    let texts = prose.0.texts + prose.1.texts + printed.0.texts + printed.1.texts;
    Ok(vec![
        figure(
            "progress read from what an agent says, held-out half",
            &prose.0,
            prose.1,
            texts,
        ),
        figure(
            "progress read from what tools print, held-out half",
            &printed.0,
            printed.1,
            texts,
        ),
    ])
}

fn figure(name: &'static str, held_out: &Score, dev: Score, texts: usize) -> Figure {
    let passed = held_out.precision() >= PRECISION_BAR
        && held_out.recall() >= RECALL_BAR
        && texts >= TEXTS
        && held_out.without_progress * 5 >= held_out.texts * 2;
    Figure::new(
        name,
        "precision ≥ 0.97, recall ≥ 0.9; ≥ 120 texts in all, ≥ 40 % without progress",
    )
    .measured(told(held_out), passed)
    .note(format!(
        "the half that was looked at while the reader was written: {}",
        told(&dev)
    ))
    .list("read wrongly in that half", dev.misses)
}

fn seen(name: &'static str, score: Score) -> Figure {
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
