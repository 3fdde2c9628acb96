//! How well the reader of progress reads the labelled texts. The proof uses it, too.

use std::path::Path;

use claw_server::progress::{
    ProgressKind, ProgressParser, ProgressState, ProseProgress, TextOrigin,
};
use serde::Deserialize;

/// A text and what a careful reader takes from it.
#[derive(Debug, Deserialize)]
pub(crate) struct Labelled {
    pub(crate) id: String,
    split: Split,
    pub(crate) source: TextOrigin,
    pub(crate) text: String,
    expect: Option<Expected>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Split {
    /// May be looked at.
    Dev,
    /// Is for measuring only: nothing of it is printed but sums.
    HeldOut,
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
    /// Steps and counts are one kind, and a share need not be told that the label lacks.
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

/// What came of one half of one source.
#[derive(Debug, Default)]
pub(crate) struct Score {
    pub(crate) texts: usize,
    pub(crate) without_progress: usize,
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
    /// What was read wrongly, for the half that may be looked at.
    pub(crate) misses: Vec<String>,
}

impl Score {
    /// Both together.
    #[cfg_attr(test, allow(dead_code))]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.texts += other.texts;
        self.without_progress += other.without_progress;
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
        self.misses.extend(other.misses);
        self
    }

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

/// Reads the texts of a half and a source and compares.
pub(crate) fn score(texts: &Path, split: Split, source: TextOrigin) -> std::io::Result<Score> {
    let text = std::fs::read_to_string(texts)?;
    let parser = ProgressParser::new();
    let mut score = Score::default();
    for line in text.lines() {
        let labelled: Labelled = serde_json::from_str(line)?;
        if labelled.split != split || labelled.source != source {
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
        if split == Split::Dev {
            score.misses.push(format!(
                "{} {:?}: {read:?} where {:?} is right",
                labelled.id, labelled.text, labelled.expect
            ));
        }
    }
    Ok(score)
}
