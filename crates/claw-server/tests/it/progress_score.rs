//! Compares the progress parser with labelled texts.

use claw_server::progress::{
    ProgressKind, ProgressParser, ProgressState, ProseProgress, TextOrigin,
};
use serde::Deserialize;

use crate::testdata;

/// A text and the update that it reports.
#[derive(Debug, Deserialize)]
struct Labelled {
    id: String,
    source: TextOrigin,
    text: String,
    expect: Option<Expected>,
}

#[derive(Debug, Deserialize)]
struct Expected {
    kind: ProgressKind,
    done: Option<f64>,
    total: Option<f64>,
    percent: Option<f64>,
    state: ProgressState,
}

impl Expected {
    /// Treats steps and counts as one kind, and ignores a percentage that the label lacks.
    fn is(&self, update: &ProseProgress) -> bool {
        let kind = |kind| match kind {
            ProgressKind::Step => ProgressKind::Count,
            other => other,
        };
        let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-6,
            (a, b) => a.is_none() && b.is_none(),
        };
        kind(self.kind) == kind(update.kind)
            && same(self.done, update.done)
            && same(self.total, update.total)
            && (self.percent.is_none() || same(self.percent, update.percent))
            && self.state == update.state
    }
}

/// The result of one source.
#[derive(Debug, Default)]
pub(crate) struct Score {
    pub(crate) texts: usize,
    pub(crate) without_progress: usize,
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
    /// Wrong updates. Do not print them for a sealed set.
    pub(crate) wrong_ones: Vec<String>,
}

impl Score {
    pub(crate) fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    pub(crate) fn recall(&self) -> f64 {
        share(self.right, self.right + self.missed)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Parses the texts of a source in a file and compares.
pub(crate) fn score(file: &str, source: TextOrigin) -> Score {
    let text = std::fs::read_to_string(testdata("server/progress").join(file)).unwrap();
    let parser = ProgressParser::new();
    let mut score = Score::default();
    for line in text.lines() {
        let labelled: Labelled = serde_json::from_str(line).unwrap();
        if labelled.source != source {
            continue;
        }
        score.texts += 1;
        score.without_progress += usize::from(labelled.expect.is_none());
        let read = parser.parse(&labelled.text, source);
        let right = match (&labelled.expect, &read) {
            (Some(expected), Some(read)) => expected.is(read),
            (None, None) => true,
            _ => false,
        };
        if right {
            score.right += usize::from(read.is_some());
            continue;
        }
        // A wrong update is one too many and one too few.
        score.wrong += usize::from(read.is_some());
        score.missed += usize::from(labelled.expect.is_some());
        if read.is_some() {
            score.wrong_ones.push(format!(
                "{} {:?}: {read:?} where {:?} is right",
                labelled.id, labelled.text, labelled.expect
            ));
        }
    }
    score
}
