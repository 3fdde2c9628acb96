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

/// Texts with labels.
struct Set {
    file: &'static str,
    /// Behind the name of a figure.
    which: &'static str,
    /// What the half that was held out gave before somebody looked at it, by source; nothing where
    /// nobody has.
    before: Option<[&'static str; 2]>,
}

const SETS: [Set; 3] = [
    Set {
        file: "sealed_texts.jsonl",
        which: "held-out set",
        before: None,
    },
    Set {
        file: "texts.jsonl",
        which: "first set, looked at by now",
        before: Some([
            "precision 0.968, recall 0.909 (30 right, 1 wrong, 3 missed)",
            "precision 0.941, recall 0.941 (48 right, 3 wrong, 3 missed)",
        ]),
    },
    Set {
        file: "fresh_texts.jsonl",
        which: "second set, looked at by now",
        before: Some([
            "precision 1.000, recall 0.905 (19 right, 0 wrong, 2 missed)",
            "precision 0.939, recall 0.969 (62 right, 4 wrong, 2 missed)",
        ]),
    },
];

const SOURCES: [(TextOrigin, &str); 2] = [
    (TextOrigin::Prose, "what an agent says"),
    (TextOrigin::ToolOutput, "what tools print"),
];

/// A quick run leaves the held-out set alone: what every run of CI measures is not held out for
/// long.
pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let folder = inputs.root.join("testdata/server/progress");
    let mut figures = Vec::new();
    for set in SETS {
        if inputs.quick && set.before.is_none() {
            continue;
        }
        let file = folder.join(set.file);
        let mut scores = Vec::new();
        for (source, _) in SOURCES {
            let (dev, held_out) = (Split::Dev, Split::HeldOut);
            scores.push(score(&file, dev, source)?.and(score(&file, held_out, source)?));
        }
        let texts = scores.iter().map(|score| score.texts).sum();
        for (at, score) in scores.into_iter().enumerate() {
            let name = format!("progress read from {}, {}", SOURCES[at].1, set.which);
            let before = set.before.map(|before| before[at]);
            figures.push(figure(name, score, texts, before));
        }
    }
    Ok(figures)
}

fn figure(name: String, score: Score, texts: usize, before: Option<&str>) -> Figure {
    let passed = score.precision() >= PRECISION_BAR
        && score.recall() >= RECALL_BAR
        && texts >= TEXTS
        && score.without_progress * 5 >= score.texts * 2;
    let figure = Figure::new(
        name,
        "precision ≥ 0.97, recall ≥ 0.9; ≥ 120 texts in all, ≥ 40 % without progress",
    )
    .measured(told(&score), passed);
    match before {
        None => figure.note(
            "nobody who wrote the reader saw a line of it; two labellers agree on every line",
        ),
        Some(before) => figure
            .note(format!(
                "half of it was held out until 16 November 2026; before anybody looked that half \
                 gave {before}"
            ))
            .list(
                "read wrongly in the half that was always looked at",
                score.misses,
            ),
    }
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
